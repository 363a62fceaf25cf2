"""`/namespaces`."""

from fastapi import APIRouter, Response

from headwater.server.marquez.shapes import namespace_shape
from headwater.server.routing import Paging, Reading, found, json_response
from headwater.store.namespaces import find_namespace, list_namespaces

router = APIRouter(tags=["namespaces"])


@router.get("/namespaces")
def get_namespaces(connection: Reading, page: Paging) -> Response:
    """List the namespaces by name."""
    namespaces, total = list_namespaces(connection, page)
    shapes = [namespace_shape(namespace) for namespace in namespaces]
    return json_response({"namespaces": shapes, "totalCount": total})


@router.get("/namespaces/{namespace:name}")
def get_namespace(namespace: str, connection: Reading) -> Response:
    """Get a namespace."""
    return json_response(
        namespace_shape(found(find_namespace(connection, namespace), "namespace", namespace))
    )
