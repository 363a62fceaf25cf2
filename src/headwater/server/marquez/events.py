"""`/events/lineage`, and beside it what was rejected."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response

from headwater.model.instant import format_instant
from headwater.server.routing import Paging, Reading, instant_parameter, json_response
from headwater.store.events import list_events, list_rejected

router = APIRouter(tags=["events"])


@router.get("/events/lineage")
def get_events(
    connection: Reading,
    page: Paging,
    before: Annotated[int | None, Depends(instant_parameter("before"))],
    after: Annotated[int | None, Depends(instant_parameter("after"))],
    sortDirection: Literal["asc", "desc"] = "desc",
) -> Response:
    """List events by event time, byte for byte as they came."""
    events, total = list_events(connection, after, before, sortDirection == "desc", page)
    body = b'{"events":[%s],"totalCount":%d}' % (b",".join(events), total)
    return Response(body, media_type="application/json")


@router.get("/events/rejected")
def get_rejected(connection: Reading, page: Paging) -> Response:
    """List what could not be taken in, newest first, each with its reason."""
    rejected, total = list_rejected(connection, page)
    shapes = [
        {
            "id": row.digest.hex(),
            "receivedAt": format_instant(row.received_at),
            "source": row.source,
            "path": row.path,
            "reason": row.reason,
            "size": row.size,
            "payload": row.payload[:10_000].decode("utf-8", "replace"),
        }
        for row in rejected
    ]
    return json_response({"rejected": shapes, "totalCount": total})
