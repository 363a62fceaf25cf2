"""`/collectors`: what collects lineage by itself, with what result, and a pass on request."""

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from headwater.model.values.instant import format_instant, now
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.collectors import (
    CollectorState,
    list_collectors,
    read_collector,
    remove_collector,
    request_pass,
)

router = APIRouter(tags=["collectors"])


class CollectorAnswer(Struct):
    """A collector. `state` is `running`, `waiting`, `failing`, or `stopped`: nobody runs it.

    `stored` and `refused` are of the last pass. `problem` is why it failed, or the first event
    that was refused.
    """

    name: str
    type: str
    state: str
    everySeconds: int
    holder: str | None
    lastStartedAt: str | None
    lastEndedAt: str | None
    lastChangeAt: str | None
    nextAt: str | None
    isRequested: bool
    stored: int
    refused: int
    allStored: int
    failures: int
    problem: str | None


class CollectorList(Struct):
    """Collectors by name."""

    collectors: list[CollectorAnswer]
    totalCount: int


_EXAMPLE = CollectorAnswer(
    name="shop-connect",
    type="connect",
    state="waiting",
    everySeconds=60,
    holder="lineage-1:4711",
    lastStartedAt="2026-01-31T12:00:00.000000Z",
    lastEndedAt="2026-01-31T12:00:01.000000Z",
    lastChangeAt="2026-01-31T11:00:01.000000Z",
    nextAt="2026-01-31T12:01:03.000000Z",
    isRequested=False,
    stored=0,
    refused=0,
    allStored=42,
    failures=0,
    problem=None,
)


@router.get("/collectors", responses=answers(CollectorList, CollectorList([_EXAMPLE], 1)))
def get_collectors(connection: ReadConnection) -> Response:
    """List the collectors that run by themselves, with the result of their last pass."""
    at = now()
    found = [_answer(state, at) for state in list_collectors(connection)]
    return json_response(CollectorList(found, len(found)))


@router.get("/collectors/{name:name}", responses=answers(CollectorAnswer, _EXAMPLE, 404))
def get_collector(name: str, connection: ReadConnection) -> Response:
    """Get one collector."""
    return json_response(_answer(read_collector(connection, name), now()))


@router.post("/collectors/{name:name}/run", responses=answers(CollectorAnswer, _EXAMPLE, 404))
def run_collector(name: str, request: Request) -> Response:
    """Ask for a pass now, of whoever runs the collector; it begins within seconds."""
    with request.app.state.writing.begin() as connection:
        request_pass(connection, name, now())
        return json_response(_answer(read_collector(connection, name), now()))


@router.delete("/collectors/{name:name}", responses=answers(CollectorAnswer, _EXAMPLE, 404, 409))
def delete_collector(name: str, connection: ReadConnection, request: Request) -> Response:
    """Forget a collector that nobody runs any more; gives what was known of it."""
    forgotten = _answer(read_collector(connection, name), now())
    connection.close()
    with request.app.state.writing.begin() as writing:
        remove_collector(writing, name, now())
    return json_response(forgotten)


def _answer(state: CollectorState, at: int) -> CollectorAnswer:
    return CollectorAnswer(
        name=state.name,
        type=state.type,
        state=_state(state, at),
        everySeconds=state.every_seconds,
        holder=state.holder if state.lease_until >= at else None,
        lastStartedAt=_time(state.started_at),
        lastEndedAt=_time(state.ended_at),
        lastChangeAt=_time(state.changed_at),
        nextAt=_time(state.next_at),
        isRequested=state.is_requested,
        stored=state.stored,
        refused=state.refused,
        allStored=state.all_stored,
        failures=state.failures,
        problem=state.problem,
    )


def _state(state: CollectorState, at: int) -> str:
    if state.lease_until < at:
        return "stopped"
    if state.is_running:
        return "running"
    return "failing" if state.failures else "waiting"


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
