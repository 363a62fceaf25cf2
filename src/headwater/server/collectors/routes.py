"""`/collectors`: what collects lineage by itself, with what result, and a pass on request."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from msgspec import Meta, Struct

from headwater.leases import LEASE_SECONDS
from headwater.model.values.instant import SECOND, now
from headwater.server.collectors.passes import (
    TIMES,
    Passes,
    describe_passes,
    forget,
    request_now,
)
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.collectors import (
    COLLECTORS,
    CollectorState,
    is_held,
    list_collectors,
    note_ended,
    note_started,
    read_collector,
    release_lease,
    take_lease,
)

router = APIRouter(tags=["collectors"])

# Of what others report: a year, and more events than any pass finds.
MOST_SECONDS = 31_536_000
MOST_EVENTS = 1_000_000_000


class CollectorAnswer(Passes):
    """A collector. `state` is `running`, `waiting`, `failing`, or `stopped`: nobody runs it.

    `stored` and `refused` are of the last pass. `problem` is why it failed, or the first event
    that was refused.
    """

    stored: int
    refused: int
    allStored: int
    failures: int
    problem: str | None


class CollectorList(Struct):
    """Collectors by name."""

    collectors: list[CollectorAnswer]
    totalCount: int


class CollectorReport(Struct):
    """What a collector does that runs elsewhere: it holds the lease for a minute, began a pass,
    ended one, or releases the lease."""

    holder: Annotated[str, Meta(min_length=1, max_length=200)]
    step: Literal["hold", "started", "ended", "released"]
    type: Annotated[str, Meta(max_length=100)] = ""
    everySeconds: Annotated[int, Meta(ge=0, le=MOST_SECONDS)] = 0
    stored: Annotated[int, Meta(ge=0, le=MOST_EVENTS)] = 0
    refused: Annotated[int, Meta(ge=0, le=MOST_EVENTS)] = 0
    problem: Annotated[str, Meta(max_length=2_000)] | None = None
    isFailed: bool = False
    nextSeconds: Annotated[int, Meta(ge=0, le=MOST_SECONDS)] = 0


class CollectorHold(Struct):
    """Whether the reporter holds the lease, and whether somebody wants a pass now."""

    isHeld: bool
    isRequested: bool


_REPORT = {"holder": "laptop:4711", "step": "hold", "type": "connect", "everySeconds": 60}
_EXAMPLE = CollectorAnswer(
    name="shop-connect",
    type="connect",
    state="waiting",
    everySeconds=60,
    holder="lineage-1:4711",
    **TIMES,
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
    return json_response(_answer(request_now(request, name, COLLECTORS), now()))


@router.post(
    "/collectors/{name:name}/report",
    responses=answers(CollectorHold, CollectorHold(True, False), 422),
    openapi_extra=takes(CollectorReport, _REPORT),
)
def report_collector(
    name: str,
    body: Annotated[CollectorReport, Depends(json_body(CollectorReport))],
    request: Request,
) -> Response:
    """Report what a collector does that runs elsewhere, or hold its lease for a minute.

    One process at a time runs a collector: `isHeld` is false where another does.
    """
    at = now()
    with request.app.state.writing.begin() as connection:
        if body.step == "hold":
            own = (name, body.type, body.everySeconds, body.holder)
            if not take_lease(connection, *own, at, at + int(LEASE_SECONDS * SECOND)):
                return json_response(CollectorHold(False, False))
            is_requested = read_collector(connection, name).is_requested
            return json_response(CollectorHold(True, is_requested))
        if not is_held(connection, name, body.holder):
            return json_response(CollectorHold(False, False))
        if body.step == "started":
            note_started(connection, name, at)
        elif body.step == "released":
            release_lease(connection, name, body.holder, at)
        else:
            # By this server's clock, whatever the other's says.
            counts = (body.stored, body.refused, body.problem, body.isFailed)
            note_ended(connection, name, at, at + body.nextSeconds * SECOND, *counts)
    return json_response(CollectorHold(True, False))


@router.delete("/collectors/{name:name}", responses=answers(CollectorAnswer, _EXAMPLE, 404, 409))
def delete_collector(name: str, connection: ReadConnection, request: Request) -> Response:
    """Forget a collector that nobody runs any more; gives what was known of it."""
    return json_response(_answer(forget(request, connection, name, COLLECTORS), now()))


def _answer(state: CollectorState, at: int) -> CollectorAnswer:
    return CollectorAnswer(
        **describe_passes(state, at),
        stored=state.stored,
        refused=state.refused,
        allStored=state.all_stored,
        failures=state.failures,
        problem=state.problem,
    )
