"""`/lineage/events`: sending OpenLineage events, and reading all of them."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response
from msgspec import UNSET, Raw, Struct, UnsetType

from headwater.answers.bridge.job_events import with_lists
from headwater.errors import NotFound
from headwater.model.values.arrays import is_array, split_array
from headwater.server.bridge.event_sink import StoredEvents
from headwater.server.bridge.graphs import Graphs
from headwater.server.bridge.parameters import JobPattern, NamespacePattern, Since, Until
from headwater.server.bridge.parts import AnswerPart, respond_in_parts
from headwater.server.bridge.shapes import EventsStored
from headwater.server.http.auth import charge_bytes
from headwater.server.http.body import check_content_type
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.server.openapi.parts import EVENT_EXAMPLE, schema_reference
from headwater.store.engine import Connection
from headwater.store.event_lists.selection import (
    AT_ONCE,
    EventSelection,
    Place,
    read_event_part,
    read_events_of_run,
)

router = APIRouter(tags=["bridge"])

_SOURCE = "bridge"
_MOST = 1_000_000_000


class RefusedEvents(Struct):
    """Events of which some could not be taken in; the others are stored."""

    code: int
    message: str
    path: str
    reason: str
    events_stored: int
    failed_events: list[dict[str, Any]]
    graph_id: str | UnsetType = UNSET


_EVENT = {"$ref": schema_reference.format(name="OpenLineageEvent")}
_EVENTS = answers(list[dict[str, Any]], [EVENT_EXAMPLE], 422)


class _Next(Struct):
    """Where a list of events goes on, and how many are still requested."""

    after: Place
    left: int | None


@router.get("/lineage/events", responses=_EVENTS)
async def get_bridge_events(
    request: Request,
    namespace: NamespacePattern,
    job: JobPattern,
    since: Since,
    until: Until,
    limit: Annotated[
        int | None, Query(ge=0, le=_MOST, description="At most so many; all by default.")
    ] = None,
    offset: Annotated[int, Query(ge=0, le=2**62, description="Number to skip.")] = 0,
) -> Response:
    """List events by event time, oldest first; without `limit` all of them, streamed."""
    requested = EventSelection(since, until, namespace, job)

    def read(connection: Connection, place: _Next | None) -> AnswerPart[_Next]:
        left = limit if place is None else place.left
        size = AT_ONCE if left is None else min(left, AT_ONCE)
        if size == 0:
            return AnswerPart((), None)
        after, skipped = (None, offset) if place is None else (place.after, 0)
        events, last = read_event_part(connection, requested, after, size, skipped)
        left = None if left is None else left - len(events)
        following = None if last is None or left == 0 else _Next(last, left)
        return AnswerPart([*map(with_lists, events)], following)

    return await respond_in_parts(request, read)


@router.get(
    "/lineage/events/{run_id:name}", responses=answers(list[dict[str, Any]], [EVENT_EXAMPLE], 404)
)
def get_bridge_events_of_run(run_id: str, connection: ReadConnection) -> Response:
    """List the events of a run; of all runs with that id, where several jobs used it."""
    found = [with_lists(event) for part in read_events_of_run(connection, run_id) for event in part]
    if not found:
        raise NotFound("events of run", run_id)
    return json_response([Raw(event) for event in found])


async def _events_of(request: Request) -> list[bytes]:
    """The events of a body: those of an array, or one by itself."""
    data = await request.body()
    check_content_type(request.scope)
    charge_bytes(request.scope, len(data))
    return split_array(data) if is_array(data) else [data]


@router.post(
    "/lineage/events",
    status_code=201,
    responses=answers(
        EventsStored, EventsStored(1, "9a52160e-cac8-43eb-aad8-155bda535639"), 415, 422, status=201
    ),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"anyOf": [_EVENT, {"type": "array", "items": _EVENT}]},
                    "example": [EVENT_EXAMPLE],
                }
            },
        }
    },
)
def post_bridge_events(
    graphs: Graphs, events: Annotated[list[bytes], Depends(_events_of)]
) -> Response:
    """Store events: an array or one, of runs with any id, of jobs and of datasets.

    They become part of the newest graph; without a graph one is made. Where some cannot be taken
    in, the others are stored, and each refused one is named with its reason.
    """
    graph = graphs.newest_or_new()
    stored = graphs.sink.store(events, _SOURCE, graph.id)
    if stored.refused:
        return _refused(stored, graph.id)
    answer = json_response(EventsStored(stored.total, graph.id))
    answer.status_code = 201
    return answer


def _refused(stored: StoredEvents, graph_id: str) -> Response:
    place, first = stored.refused[0]
    path = f"$[{place}]{first.path.removeprefix('$')}"
    failed = [{"index": index, "reason": error.message} for index, error in stored.refused]
    message = f"{path}: {first.reason}"
    body = RefusedEvents(422, message, path, first.reason, stored.total, failed, graph_id)
    return Response(msgspec.json.encode(body), 422, media_type="application/json")
