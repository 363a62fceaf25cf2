"""`/publishers`: what publishes lineage by itself, with what result, and a pass on request."""

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from headwater.model.values.instant import format_instant, now
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.collectors import (
    PUBLISHERS,
    CollectorState,
    list_collectors,
    read_collector,
    remove_collector,
    request_pass,
)

router = APIRouter(tags=["publishers"])


class PublisherAnswer(Struct):
    """A publisher. `state` is `running`, `waiting`, `failing`, or `stopped`: nobody runs it.

    `sent` and `failed` are of the last pass. `problem` is why it failed, or the first item that
    was not taken.
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
    sent: int
    failed: int
    allSent: int
    failures: int
    problem: str | None


class PublisherList(Struct):
    """Publishers by name."""

    publishers: list[PublisherAnswer]
    totalCount: int


_EXAMPLE = PublisherAnswer(
    name="lakehouse",
    type="unity-catalog",
    state="waiting",
    everySeconds=300,
    holder="lineage-1:4711",
    lastStartedAt="2026-01-31T12:00:00.000000Z",
    lastEndedAt="2026-01-31T12:00:01.000000Z",
    lastChangeAt="2026-01-31T11:00:01.000000Z",
    nextAt="2026-01-31T12:05:03.000000Z",
    isRequested=False,
    sent=0,
    failed=0,
    allSent=42,
    failures=0,
    problem=None,
)


@router.get("/publishers", responses=answers(PublisherList, PublisherList([_EXAMPLE], 1)))
def get_publishers(connection: ReadConnection) -> Response:
    """List the publishers that run by themselves, with the result of their last pass."""
    at = now()
    found = [_answer(state, at) for state in list_collectors(connection, PUBLISHERS)]
    return json_response(PublisherList(found, len(found)))


@router.get("/publishers/{name:name}", responses=answers(PublisherAnswer, _EXAMPLE, 404))
def get_publisher(name: str, connection: ReadConnection) -> Response:
    """Get one publisher."""
    return json_response(_answer(read_collector(connection, name, PUBLISHERS), now()))


@router.post("/publishers/{name:name}/run", responses=answers(PublisherAnswer, _EXAMPLE, 404))
def run_publisher(name: str, request: Request) -> Response:
    """Ask for a pass now, of whoever runs the publisher; it begins within seconds."""
    with request.app.state.writing.begin() as connection:
        request_pass(connection, name, now(), PUBLISHERS)
        return json_response(_answer(read_collector(connection, name, PUBLISHERS), now()))


@router.delete("/publishers/{name:name}", responses=answers(PublisherAnswer, _EXAMPLE, 404, 409))
def delete_publisher(name: str, connection: ReadConnection, request: Request) -> Response:
    """Forget a publisher that nobody runs any more; gives what was known of it."""
    forgotten = _answer(read_collector(connection, name, PUBLISHERS), now())
    connection.close()
    with request.app.state.writing.begin() as writing:
        remove_collector(writing, name, now(), PUBLISHERS)
    return json_response(forgotten)


def _answer(state: CollectorState, at: int) -> PublisherAnswer:
    return PublisherAnswer(
        name=state.name,
        type=state.type,
        state=state.describe(at),
        everySeconds=state.every_seconds,
        holder=state.holder if state.lease_until >= at else None,
        lastStartedAt=_time(state.started_at),
        lastEndedAt=_time(state.ended_at),
        lastChangeAt=_time(state.changed_at),
        nextAt=_time(state.next_at),
        isRequested=state.is_requested,
        sent=state.stored,
        failed=state.refused,
        allSent=state.all_stored,
        failures=state.failures,
        problem=state.problem,
    )


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
