"""`/namespaces/{ns}/datasets`."""

from fastapi import APIRouter, Response
from sqlalchemy import Connection

from headwater.model.relations import Slot
from headwater.server.marquez.shapes import Shape, dataset_shape
from headwater.server.routing import Paging, Reading, found, json_response
from headwater.store.contents import read_contents, read_facets
from headwater.store.datasets import (
    Dataset,
    find_dataset,
    list_datasets,
    read_lifecycles,
    read_states,
)
from headwater.store.namespaces import find_namespace

router = APIRouter(tags=["datasets"])


@router.get("/namespaces/{namespace:name}/datasets")
def get_datasets(namespace: str, connection: Reading, page: Paging) -> Response:
    """List a namespace's datasets by name."""
    found(find_namespace(connection, namespace), "namespace", namespace)
    datasets, total = list_datasets(connection, namespace, page)
    return json_response({"datasets": _shapes(connection, datasets), "totalCount": total})


@router.get("/namespaces/{namespace:name}/datasets/{dataset:name}")
def get_dataset(namespace: str, dataset: str, connection: Reading) -> Response:
    """Get a dataset: its schema, facets and state."""
    wanted = found(
        find_dataset(connection, namespace, dataset), "dataset", f"{namespace}/{dataset}"
    )
    return json_response(_shapes(connection, [wanted])[0])


def _shapes(connection: Connection, datasets: list[Dataset]) -> list[Shape]:
    ids = [dataset.id for dataset in datasets]
    states = read_states(connection, ids)
    facets = read_facets(connection, ids, Slot.DATASET)
    lifecycles = read_lifecycles(connection, ids)
    contents = read_contents(
        connection,
        (digest for state in states.values() for digest in (state.schema, state.columns)),
    )
    return [
        dataset_shape(
            dataset,
            states[dataset.id],
            facets.get(dataset.id, {}),
            contents,
            mark.change if (mark := lifecycles.get(dataset.id)) else None,
        )
        for dataset in datasets
    ]
