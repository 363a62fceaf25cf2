"""`/namespaces`."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct

from headwater.server.followed import Followed, look
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import instant_or_none
from headwater.server.openapi.document import answers
from headwater.store.read.namespaces import Namespace, find_namespace, list_namespaces

router = APIRouter(tags=["namespaces"])


class NamespaceShape(Struct):
    """A namespace: its owner, and when anything in it was first and last seen."""

    name: str
    createdAt: str | None
    updatedAt: str | None
    ownerName: str
    description: str | None
    isHidden: bool


class NamespaceList(Struct):
    """Namespaces by name, and the total count."""

    namespaces: list[NamespaceShape]
    totalCount: int


_TIME = "2026-01-31T12:00:00.000000Z"
_EXAMPLE = NamespaceShape("shop", _TIME, _TIME, "sales", "All that the shop sells.", False)


@router.get("/namespaces", responses=answers(NamespaceList, NamespaceList([_EXAMPLE], 1), 400))
def get_namespaces(
    connection: ReadConnection,
    following: Followed,
    page: Paging,
    withHidden: Annotated[bool, Query(description="Include deleted namespaces.")] = False,
) -> Response:
    """List the namespaces by name."""
    times = look(following, connection, lambda overview: dict(overview.namespaces))
    namespaces, total = list_namespaces(connection, page, withHidden, times)
    return json_response(NamespaceList([_shape(namespace) for namespace in namespaces], total))


@router.get("/namespaces/{namespace:name}", responses=answers(NamespaceShape, _EXAMPLE, 404))
def get_namespace(namespace: str, connection: ReadConnection) -> Response:
    """Get a namespace, deleted or not."""
    known = found(find_namespace(connection, namespace), "namespace", namespace)
    return json_response(_shape(known))


def _shape(namespace: Namespace) -> NamespaceShape:
    return NamespaceShape(
        namespace.name,
        instant_or_none(namespace.first_seen),
        instant_or_none(namespace.last_seen),
        namespace.owner,
        namespace.description,
        namespace.is_hidden,
    )
