"""`/live`: the stream of what changed, as server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from headwater.errors import NotFound
from headwater.server.http.auth import Gate
from headwater.server.http.protocol import note_endless
from headwater.server.live.feed import Changed, LiveFeed, LiveStream, read_mark
from headwater.server.openapi.document import text_answers

router = APIRouter(tags=["events"])

# A comment so often: proxies close what is silent, and a page notices what is cut off.
BEAT_SECONDS = 15.0
_BEAT = b": beat\n\n"
_LONGEST_SECONDS = 86_400
_USUAL_SECONDS = 3_600

_EXAMPLE = Changed(["job:scheduler:load_orders"], 2, 0, False, 2.0)
_EXAMPLE_TEXT = (
    "event: changed\nid: 1.27.4711.0\ndata: " + msgspec.json.encode(_EXAMPLE).decode() + "\n\n"
)


@router.get(
    "/live",
    response_class=StreamingResponse,
    responses=text_answers(
        {"text/event-stream": _EXAMPLE_TEXT}, 503, description="Events, until it is closed."
    ),
)
async def get_live(
    request: Request,
    last_event_id: Annotated[
        str,
        Header(
            alias="Last-Event-ID",
            max_length=200,
            description="`id` of the last event that was received: goes on after it.",
            examples=["1.27.4711.0"],
        ),
    ] = "",
    seconds: Annotated[
        int, Query(ge=1, le=_LONGEST_SECONDS, description="The stream ends after so many seconds.")
    ] = _USUAL_SECONDS,
) -> Response:
    """Get what changes from now on, as server-sent events.

    The data of an event `changed` are `nodes`, the ids of jobs and datasets that events are about;
    how many `events` came and were `rejected`; `isAll`, if so much came, or may have, that it is
    not named; and `againAfterSeconds`, the least time between two reads of a page that follows.
    A comment comes every 15 seconds.
    """
    feed: LiveFeed | None = getattr(request.app.state, "live", None)
    if feed is None:
        # A store that is read without a server.
        raise NotFound("path", request.url.path)
    stream = feed.open(read_mark(last_event_id), bool(last_event_id))
    note_endless(request.scope)
    return StreamingResponse(
        _send(feed, stream, request, seconds),
        media_type="text/event-stream",
        # Proxies must not hold back what comes.
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _send(
    feed: LiveFeed, stream: LiveStream, request: Request, seconds: float
) -> AsyncIterator[bytes]:
    gate: Gate | None = request.app.state.gate
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    try:
        # The first to come waits until the store is followed: what came before is not announced.
        first = b"" if feed.is_reading else await stream.next(BEAT_SECONDS) or b""
        # Who asks knows by it that it is open; a page comes back after a second.
        yield b"retry: 1000\n\n" + first
        while (left := end - loop.time()) > 0:
            message = await stream.next(min(BEAT_SECONDS, left))
            # A key may have been revoked since the stream was opened.
            if gate is not None and not gate.is_still_admitted(request.scope):
                return
            yield message or _BEAT
    finally:
        feed.close_stream(stream)
