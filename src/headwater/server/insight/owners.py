"""`/owners`: who owns anything; `/owners/{name}`: what somebody owns; namespaces of a system."""

from fastapi import APIRouter, Response
from msgspec import Struct

from headwater.graph.node_id import dataset_node_id, job_node_id
from headwater.model.search_text import TermSource
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.model.values.instant import format_instant
from headwater.server.http.parameters import Paging, ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.read.labels.owned import list_owned, list_owners
from headwater.store.search.results import SearchHit
from headwater.store.stats.systems import list_namespaces_of

router = APIRouter(tags=["insight"])


class OwnerList(Struct):
    """Owners by name, whether or not an edit has since given all they had to others."""

    owners: list[str]
    totalCount: int


class OwnedShape(Struct):
    """A dataset or a job of an owner; `updatedAt` is the time of its last event."""

    id: str
    type: str
    namespace: str
    name: str
    system: str
    updatedAt: str | None


class OwnedList(Struct):
    """What somebody owns, by name."""

    assets: list[OwnedShape]
    totalCount: int


class SystemNamespace(Struct):
    """A namespace with how many datasets and jobs of a system are in it."""

    name: str
    datasets: int
    jobs: int


class SystemNamespaces(Struct):
    """Namespaces by name."""

    namespaces: list[SystemNamespace]
    totalCount: int


_OWNED = OwnedShape(
    id="dataset:postgres://db:5432:shop.public.orders",
    type="DATASET",
    namespace="postgres://db:5432",
    name="shop.public.orders",
    system="postgres",
    updatedAt="2026-01-31T12:00:00.000000Z",
)


@router.get("/owners", responses=answers(OwnerList, OwnerList(["team:orders"], 1), 400))
def get_owners(connection: ReadConnection, page: Paging) -> Response:
    """List the owners that events and edits name."""
    return json_response(OwnerList(*list_owners(connection, page)))


@router.get("/owners/{name:name}", responses=answers(OwnedList, OwnedList([_OWNED], 1), 400))
def get_owner(name: str, connection: ReadConnection, page: Paging) -> Response:
    """List the datasets and jobs that somebody owns, by name."""
    found, total = list_owned(connection, name, page)
    return json_response(OwnedList([_owned(asset) for asset in found], total))


@router.get(
    "/systems/{name:name}/namespaces",
    responses=answers(
        SystemNamespaces, SystemNamespaces([SystemNamespace("postgres://db:5432", 12, 0)], 1)
    ),
)
def get_system_namespaces(name: str, connection: ReadConnection) -> Response:
    """List the namespaces with anything of a system, and how many datasets and jobs that is."""
    found = list_namespaces_of(connection, name)
    shown = [SystemNamespace(namespace, *counts) for namespace, counts in sorted(found.items())]
    return json_response(SystemNamespaces(shown, len(shown)))


def _owned(asset: SearchHit) -> OwnedShape:
    is_job = asset.kind is TermSource.JOB
    node_id = job_node_id if is_job else dataset_node_id
    system_of = (lambda name: system_of_job(None, name)) if is_job else system_of_dataset
    return OwnedShape(
        node_id(asset.namespace, asset.name),
        "JOB" if is_job else "DATASET",
        asset.namespace,
        asset.name,
        system_of(asset.namespace),
        None if asset.updated_at is None else format_instant(asset.updated_at),
    )
