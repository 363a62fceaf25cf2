"""What operators ask a server: is it alive, is it ready, how is it doing."""

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from sqlalchemy import select

from headwater.server.routing import Reading, json_response
from headwater.store import tables

router = APIRouter(tags=["operations"])


@router.get("/healthz")
async def get_health() -> Response:
    """Answer while the process lives."""
    return json_response({"status": "ok"})


@router.get("/readyz")
def get_readiness(connection: Reading) -> Response:
    """Answer 200 if the store does, 503 if not."""
    connection.execute(select(tables.store_state.c.generation)).one()
    return json_response({"status": "ready"})


@router.get("/metrics")
def get_metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    return Response(request.app.state.metrics.exposition(), media_type=CONTENT_TYPE_LATEST)
