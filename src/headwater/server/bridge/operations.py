"""`/health`, `/version`, `/catalogs`, `/openapi.yaml` and `/push/providers`."""

from functools import lru_cache
from typing import Any

import msgspec
import yaml
from fastapi import APIRouter, Request, Response
from msgspec import Struct

from headwater import __version__
from headwater.publish import PUBLISHERS
from headwater.server.http.parameters import json_response
from headwater.server.openapi.document import answers
from headwater.server.publishers.push import PROVIDERS

router = APIRouter(tags=["bridge"])


class BridgeStatus(Struct):
    """Whether the server is alive."""

    status: str


class BridgeVersion(Struct):
    """What answers, and in which version."""

    version: str
    name: str


class CatalogKind(Struct):
    """A kind of catalog whose tables are nodes."""

    catalog_type: str
    node_type: str
    system_type: str


class PushProviders(Struct):
    """The catalogs to which this server can push."""

    providers: list[str]


_CATALOGS = [
    CatalogKind("UNITY_CATALOG", "catalog_table", "databricks"),
    CatalogKind("AWS_GLUE", "catalog_table", "aws"),
    CatalogKind("GOOGLE_DATA_LINEAGE", "catalog_table", "google"),
    CatalogKind("AWS_DATAZONE", "catalog_table", "aws"),
]


@router.get("/health", responses=answers(BridgeStatus, BridgeStatus("ok")))
async def get_bridge_health() -> Response:
    """Answer while the process is alive."""
    return json_response(BridgeStatus("ok"))


@router.get("/version", responses=answers(BridgeVersion, BridgeVersion("1.0.0", "headwater")))
async def get_bridge_version() -> Response:
    """Tell which version answers."""
    return json_response(BridgeVersion(__version__, "headwater"))


@router.get("/catalogs", responses=answers(list[CatalogKind], _CATALOGS))
async def get_catalogs() -> Response:
    """List the kinds of catalogs whose tables are nodes of graphs."""
    return json_response(_CATALOGS)


@router.get(
    "/openapi.yaml",
    response_class=Response,
    responses={
        200: {
            "description": "The document.",
            "content": {
                "text/yaml": {"schema": {"type": "object"}, "example": {"openapi": "3.1.0"}}
            },
        }
    },
)
def get_openapi_yaml(request: Request) -> Response:
    """Get the API document, the same as `/openapi.json`, as YAML."""
    document = msgspec.json.encode(request.app.openapi())
    return Response(_as_yaml(document), media_type="text/yaml")


@lru_cache(maxsize=1)
def _as_yaml(document: bytes) -> str:
    """PyYAML takes seconds for it unless its C part is there: once is enough."""
    dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(msgspec.json.decode(document), Dumper=dumper, sort_keys=False))


@router.get(
    "/push/providers",
    responses=answers(PushProviders, PushProviders(["databricks_uc"])),
)
def get_push_providers() -> Response:
    """List the catalogs to which this server can push, once its settings have them."""
    known = set(PUBLISHERS.names())
    return json_response(PushProviders([name for name, own in PROVIDERS.items() if own in known]))
