"""`/events/lineage`, and beside it what was rejected."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from msgspec import Struct

from headwater.model.values.instant import format_instant
from headwater.model.values.json_text import readable_numbers
from headwater.server.http.parameters import (
    Paging,
    ReadConnection,
    found,
    instant_parameter,
    json_response,
)
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.read.events import EventFilter, list_events
from headwater.store.read.namespaces import has_namespace
from headwater.store.read.rejected import RejectedEvent, list_rejected, read_places
from headwater.store.read.runs import find_run

router = APIRouter(tags=["events"])

# Of equal rejected events.
_MOST_PLACES = 100


class EventList(Struct):
    """Events as received, and the total count."""

    events: list[dict[str, Any]]
    totalCount: int


class RejectedShape(Struct):
    """A rejected event, with the place and the reason. If equal ones stood in several places,
    `sources` are those, up to a hundred."""

    id: str
    receivedAt: str
    source: str
    sources: list[str]
    path: str
    reason: str
    size: int
    payload: str


class RejectedList(Struct):
    """Rejected events, newest first."""

    rejected: list[RejectedShape]
    totalCount: int


_TIME = "2026-01-31T12:00:00.000000Z"
_EVENT = {
    "eventType": "COMPLETE",
    "eventTime": _TIME,
    "run": {"runId": "870492da-ecfb-4be0-91b9-9a89ddd3db90"},
    "job": {"namespace": "scheduler", "name": "load_orders"},
    "producer": "https://example.org/scheduler",
}
_EVENTS = answers(EventList, EventList([_EVENT], 1), 400, 404)
_REJECTED = RejectedShape(
    "5c1f", _TIME, "http", ["http"], "$.eventTime", "not a time", 16, '{"eventTime": 7}'
)

Before = Annotated[int | None, Depends(instant_parameter("before"))]
After = Annotated[int | None, Depends(instant_parameter("after"))]
SortDirection = Literal["asc", "desc"]


def chosen_events(
    connection: ReadConnection,
    before: Before,
    after: After,
    runId: Annotated[
        str | None, Query(max_length=2_000, description="Only the events of this run.")
    ] = None,
) -> EventFilter:
    """The events that a query asks for."""
    run = found(find_run(connection, runId), "run", runId) if runId else None
    return EventFilter(after, before, run.key if run else None)


ChosenEvents = Annotated[EventFilter, Depends(chosen_events)]


@router.get("/events/lineage", responses=_EVENTS)
@router.get("/events", responses=_EVENTS)
def get_events(
    connection: ReadConnection,
    page: Paging,
    chosen: ChosenEvents,
    sortDirection: SortDirection = "desc",
) -> Response:
    """List events by event time, byte for byte as received.

    Only numbers beyond a double's range are shown as text.
    """
    return _answer(connection, page, chosen, sortDirection)


@router.get("/events/rejected", responses=answers(RejectedList, RejectedList([_REJECTED], 1), 400))
def get_rejected(connection: ReadConnection, page: Paging) -> Response:
    """List rejected events, newest first, each with its reason."""
    rejected, total = list_rejected(connection, page)
    places = read_places(connection, [row.digest for row in rejected], _MOST_PLACES)
    shown = [_rejected(row, places[row.digest]) for row in rejected]
    return json_response(RejectedList(shown, total))


@router.get("/events/{namespace:name}", responses=_EVENTS)
def get_events_of_namespace(
    namespace: str,
    connection: ReadConnection,
    page: Paging,
    chosen: ChosenEvents,
    sortDirection: SortDirection = "desc",
) -> Response:
    """List the events of a namespace's jobs, in the same way."""
    found(has_namespace(connection, namespace) or None, "namespace", namespace)
    return _answer(connection, page, chosen._replace(namespace=namespace), sortDirection)


def _answer(
    connection: Connection, page: Page, requested: EventFilter, direction: SortDirection
) -> Response:
    events, total = list_events(connection, requested, direction == "desc", page)
    # One that its reader cannot take would hide all the others from it.
    shown = b",".join(map(readable_numbers, events))
    body = b'{"events":[%b],"totalCount":%d}' % (shown, total)
    return Response(body, media_type="application/json")


def _rejected(row: RejectedEvent, places: list[str]) -> RejectedShape:
    return RejectedShape(
        row.digest.hex(),
        format_instant(row.received_at),
        row.source,
        places or [row.source],
        row.path,
        row.reason,
        row.size,
        row.payload[:10_000].decode("utf-8", "replace"),
    )
