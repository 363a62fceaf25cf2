"""`/graphs/confluent/view` and `/graphs/enriched/view`: the newest event of each job."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from headwater.answers.bridge.job_events import read_job_events
from headwater.answers.nodes import view_at
from headwater.server.bridge.parts import AnswerPart, respond_in_parts
from headwater.server.bridge.shapes import ViewAnswer
from headwater.server.openapi.document import answers
from headwater.server.openapi.parts import EVENT_EXAMPLE
from headwater.store.engine import Connection
from headwater.store.lineage.names_like import (
    SYSTEMS,
    NameSelection,
    Place,
    list_jobs_like,
    place_of,
)

router = APIRouter(tags=["bridge"])

_AT_ONCE = 200
_CONFLUENT = SYSTEMS[:1]


@router.get(
    "/graphs/confluent/view",
    responses=answers(ViewAnswer, ViewAnswer("confluent", [EVENT_EXAMPLE], None)),
)
async def get_confluent_view(request: Request) -> Response:
    """Get the newest event of each job of Confluent Cloud."""
    return await _respond(request, "confluent", NameSelection(systems=_CONFLUENT), None)


@router.get(
    "/graphs/enriched/view",
    responses=answers(ViewAnswer, ViewAnswer("enriched", [EVENT_EXAMPLE], ["databricks"]), 422),
)
async def get_enriched_view(
    request: Request,
    systems: Annotated[
        str | None,
        Query(
            max_length=1_000,
            description="Only jobs of these systems, by the schemes of their namespaces, with "
            "commas between them; `external` is all but confluent, databricks, aws and google.",
        ),
    ] = None,
) -> Response:
    """Get the newest event of each job, of all systems or of some."""
    chosen = [system.strip() for system in (systems or "").split(",") if system.strip()]
    requested = NameSelection(systems=chosen or None)
    return await _respond(request, "enriched", requested, chosen or None)


async def _respond(
    request: Request, view: str, requested: NameSelection, systems: list[str] | None
) -> Response:
    def read(connection: Connection, after: Place | None) -> AnswerPart[Place]:
        jobs = list_jobs_like(connection, requested, after, _AT_ONCE)
        seen = view_at(connection, None)
        events = read_job_events(connection, seen, [job.id for job in jobs])
        following = place_of(jobs[-1]) if len(jobs) == _AT_ONCE else None
        return AnswerPart([event.body for event in events], following)

    name, shown = msgspec.json.encode(view), msgspec.json.encode(systems)
    before = b'{"view":%b,"systems":%b,"events":[' % (name, shown)
    return await respond_in_parts(request, read, before, b"]}")
