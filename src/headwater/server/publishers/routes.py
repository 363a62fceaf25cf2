"""`/publishers`: what publishes lineage by itself, with what result, and a pass on request."""

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from headwater.model.values.instant import now
from headwater.server.collectors.passes import (
    TIMES,
    Passes,
    describe_passes,
    forget,
    request_now,
)
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.collectors import (
    PUBLISHERS,
    CollectorState,
    list_collectors,
    read_collector,
)

router = APIRouter(tags=["publishers"])


class PublisherAnswer(Passes):
    """A publisher. `state` is `running`, `waiting`, `failing`, or `stopped`: nobody runs it.

    `sent` and `failed` are of the last pass. `problem` is why it failed, or the first item that
    was not taken.
    """

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
    **TIMES,
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
    return json_response(_answer(request_now(request, name, PUBLISHERS), now()))


@router.delete("/publishers/{name:name}", responses=answers(PublisherAnswer, _EXAMPLE, 404, 409))
def delete_publisher(name: str, connection: ReadConnection, request: Request) -> Response:
    """Forget a publisher that nobody runs any more; gives what was known of it."""
    return json_response(_answer(forget(request, connection, name, PUBLISHERS), now()))


def _answer(state: CollectorState, at: int) -> PublisherAnswer:
    return PublisherAnswer(
        **describe_passes(state, at),
        sent=state.stored,
        failed=state.refused,
        allSent=state.all_stored,
        failures=state.failures,
        problem=state.problem,
    )
