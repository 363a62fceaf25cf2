"""`/namespaces/{ns}/datasets`."""

from typing import Any, NamedTuple

import msgspec
from fastapi import APIRouter, Response
from msgspec import Raw

from headwater.graph.aliases import AliasSets
from headwater.model.relations import Slot
from headwater.model.uses import Name
from headwater.model.values.memo import Memo
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import NameShape, memo_key
from headwater.server.marquez.shapes.datasets import DatasetList, DatasetShape, dataset_shape
from headwater.server.marquez.shapes.examples import DATASET
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.content_cache import BODIES
from headwater.store.read.datasets import (
    DatasetRecord,
    find_dataset,
    list_datasets,
    read_lifecycles,
    read_states,
)
from headwater.store.read.facets import NOTHING, read_stated
from headwater.store.read.namespaces import has_namespace

router = APIRouter(tags=["datasets"])

# Datasets as they were shown last. Their keys are all that goes into them: none can be stale.
_SHOWN: Memo[Raw] = Memo(16_000_000)


@router.get(
    "/namespaces/{namespace:name}/datasets",
    responses=answers(DatasetList, DatasetList([DATASET], 1), 400, 404),
)
def get_datasets(namespace: str, connection: ReadConnection, page: Paging) -> Response:
    """List a namespace's datasets by name."""
    found(has_namespace(connection, namespace) or None, "namespace", namespace)
    datasets, total = list_datasets(connection, namespace, page)
    return json_response(DatasetList(_shown(connection, datasets), total))


@router.get(
    "/namespaces/{namespace:name}/datasets/{dataset:name}",
    responses=answers(DatasetShape, DATASET, 404),
)
def get_dataset(namespace: str, dataset: str, connection: ReadConnection) -> Response:
    """Get a dataset: its schema, facets and state, as events report them under this name."""
    requested = found(
        find_dataset(connection, namespace, dataset), "dataset", f"{namespace}/{dataset}"
    )
    return json_response(_shown(connection, [requested], _other_names(connection, requested))[0])


class _OtherNames(NamedTuple):
    """The name that stands for a dataset, where that is another, and all its names but one."""

    shown_as: Name | None = None
    aliases: tuple[Name, ...] = ()


_NO_OTHERS = _OtherNames()


def _other_names(connection: Connection, dataset: DatasetRecord) -> _OtherNames:
    reader = StoreReader(connection)
    classes = AliasSets(reader)
    classes.resolve([dataset.id])
    names = reader.dataset_names(classes.names(dataset.id))
    names.pop(dataset.id, None)
    return _OtherNames(names.get(classes.chosen(dataset.id)), tuple(sorted(names.values())))


def _shown(
    connection: Connection, datasets: list[DatasetRecord], others: _OtherNames = _NO_OTHERS
) -> Any:
    """Datasets as they are written; those that have not changed since were written before."""
    ids = [dataset.id for dataset in datasets]
    states = read_states(connection, ids)
    stated = read_stated(connection, ids, Slot.DATASET)
    lifecycles = read_lifecycles(connection, ids)
    keys = {
        dataset.id: memo_key(
            (
                dataset,
                states[dataset.id],
                stated.get(dataset.id, NOTHING).key,
                lifecycles.get(dataset.id),
                others,
            )
        )
        for dataset in datasets
    }
    shown = {id: _SHOWN.get(key) for id, key in keys.items()}
    missing = [dataset for dataset in datasets if shown[dataset.id] is None]
    digests = {
        digest
        for dataset in missing
        for digest in (
            states[dataset.id].schema,
            states[dataset.id].columns,
            *(row[3] for row in stated.get(dataset.id, NOTHING).rows),
        )
    }
    bodies = BODIES.read(connection, digests)
    for dataset in missing:
        mark = lifecycles.get(dataset.id)
        words = stated.get(dataset.id, NOTHING)
        shape = dataset_shape(
            dataset, states[dataset.id], words, bodies, mark.change if mark else None
        )
        _add_names(shape, others)
        body = msgspec.json.encode(shape)
        shown[dataset.id] = Raw(body)
        _SHOWN.put(keys[dataset.id], Raw(body), len(body))
    return [shown[id] for id in ids]


def _add_names(shape: DatasetShape, others: _OtherNames) -> None:
    if others.shown_as:
        shape.shownAs = NameShape(*others.shown_as)
    if others.aliases:
        shape.aliases = [NameShape(*name) for name in others.aliases]
