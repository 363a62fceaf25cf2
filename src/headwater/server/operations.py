"""Routes for operators: liveness, readiness and metrics."""

from fastapi import APIRouter, Request, Response
from msgspec import Struct
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from headwater.server.http.parameters import ProbeConnection, json_response
from headwater.server.openapi.document import answers, text_answers
from headwater.store.migrate import read_generation

router = APIRouter(tags=["operations"])


class Status(Struct):
    status: str


class WhoAmI(Struct):
    """Who the server takes a request to be from, and what the key may do."""

    actor: str
    scopes: list[str]


_EXPOSITION = 'headwater_events_total{result="stored"} 42.0\n'


@router.get("/healthz", responses=answers(Status, Status("ok")))
async def get_health() -> Response:
    """Answer 200 while the process is alive."""
    return json_response({"status": "ok"})


@router.get("/readyz", responses=answers(Status, Status("ready")))
def get_readiness(request: Request, connection: ProbeConnection) -> Response:
    """Answer 200 if the store can be read and written, 503 if not."""
    read_generation(connection)
    request.app.state.commits.check()
    return json_response({"status": "ready"})


@router.get("/api/v1/whoami", responses=answers(WhoAmI, WhoAmI("ada", ["read", "write"])))
async def get_whoami(request: Request) -> Response:
    """Tell whose key was given, and its scopes; `local` with all where no key is required."""
    state = request.state
    return json_response(WhoAmI(state.actor, sorted(state.scopes)))


@router.get(
    "/metrics",
    response_class=Response,
    responses=text_answers({"text/plain": _EXPOSITION}, description="Counters by name."),
)
def get_metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    return Response(request.app.state.metrics.exposition(), media_type=CONTENT_TYPE_LATEST)
