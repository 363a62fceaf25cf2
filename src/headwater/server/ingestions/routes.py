"""`/ingestions`: what each named ingestion is to do, how it fares, and a check of it."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, Depends, Request, Response
from msgspec import Struct

from headwater.errors import Conflict, WrongShape
from headwater.model.values.instant import now
from headwater.pipeline.check_steps import IngestionStep
from headwater.pipeline.ingestions.description import (
    IngestionAnswer,
    IngestionRunAnswer,
    describe_ingestion,
    save_ingestion,
)
from headwater.pipeline.ingestions.reading import read_ingestion
from headwater.pipeline.ingestions.shapes import UnusableConfig, UnusedKey
from headwater.server.http.json_body import json_body, read_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.ingestions import (
    list_ingestions,
    read_ingestion_row,
    remove_ingestion,
    request_run,
    set_paused,
)

router = APIRouter(tags=["ingestions"])

T = TypeVar("T")


class IngestionBody(Struct):
    """The configuration of an ingestion, with OpenMetadata's keys."""

    connection: Any
    displayName: str = ""
    description: str = ""
    sourceConfig: Any = None
    schedule: Any = None
    loggerLevel: str | None = None


class IngestionList(Struct):
    """Ingestions by name."""

    ingestions: list[IngestionAnswer]
    totalCount: int


class IngestionCheck(Struct):
    """What was tried, in order; nothing after the first problem."""

    isOk: bool
    steps: list[IngestionStep]


_AT = "2026-01-31T12:00:00.000000Z"
_CONNECTION = {
    "config": {
        "brokerConfig": {
            "brokersUrl": "broker1:9092,broker2:9092",
            "topicName": "openlineage-events",
            "consumerGroupName": "openmetadata-consumer",
            "consumerOffsets": "earliest",
        }
    }
}
_SOURCE = {"config": {"pipelineFilterPattern": {"excludes": ["test_.*"]}, "includeLineage": True}}
_SCHEDULE = {"interval": "hourly", "startDate": "2026-01-01"}
_BODY = IngestionBody(
    connection=_CONNECTION,
    displayName="OpenLineage Kafka Service",
    sourceConfig=_SOURCE,
    schedule=_SCHEDULE,
)
_RUN = IngestionRunAnswer(_AT, _AT, "ended", 1200, 2, 40, 0, 0, None)
_EXAMPLE = IngestionAnswer(
    name="openlineage-kafka-service",
    displayName="OpenLineage Kafka Service",
    description="",
    reads="kafka openlineage-events at broker1:9092,broker2:9092",
    connection=_CONNECTION,
    sourceConfig=_SOURCE,
    schedule=_SCHEDULE,
    loggerLevel=None,
    state="waiting",
    isPaused=False,
    isRequested=False,
    holder="lineage-1:4711:5b0e1f0c",
    nextAt="2026-01-31T13:00:00.000000Z",
    lag=0,
    allStored=1200,
    failures=0,
    problem=None,
    revision=1,
    createdAt=_AT,
    updatedAt=_AT,
    updatedBy="ada",
    notUsed=[UnusedKey("serviceType", "an ingestion of Headwater always reads OpenLineage events")],
    runs=[_RUN],
)
_CHECK = IngestionCheck(
    True,
    [IngestionStep("configuration", "ok", "reads kafka openlineage-events at broker1:9092")],
)

PutBody = Annotated[dict[str, Any], Depends(json_body(dict[str, Any]))]


@router.get("/ingestions", responses=answers(IngestionList, IngestionList([_EXAMPLE], 1)))
def get_ingestions(connection: ReadConnection) -> Response:
    """List the ingestions with their state and their last runs."""
    at = now()
    found = [describe_ingestion(connection, each, at) for each in list_ingestions(connection)]
    return json_response(IngestionList(found, len(found)))


@router.get("/ingestions/{name:name}", responses=answers(IngestionAnswer, _EXAMPLE, 404))
def get_ingestion(name: str, connection: ReadConnection) -> Response:
    """Get one ingestion with its state and its last runs."""
    return _respond(connection, name)


@router.put(
    "/ingestions/{name:name}",
    responses=answers(IngestionAnswer, _EXAMPLE, 422),
    openapi_extra=takes(IngestionBody, _BODY),
)
def put_ingestion(name: str, body: PutBody, request: Request) -> Response:
    """Add an ingestion, or change one: that takes effect with its next batch.

    The keys are those of OpenMetadata; those that mean nothing here are listed in the answer.
    Secrets are references: `env:VARIABLE` or `file:PATH`.
    """
    with request.app.state.writing.begin() as connection:
        actor = str(request.state.actor)
        _usable(lambda: save_ingestion(connection, name, body, actor, now()))
        return _respond(connection, name)


async def _optional_body(request: Request) -> dict[str, Any] | None:
    data = await request.body()
    return read_body(dict[str, Any], data) if data.strip() else None


@router.post(
    "/ingestions/{name:name}/check",
    responses=answers(IngestionCheck, _CHECK, 404, 422),
    openapi_extra=takes(IngestionBody, _BODY),
)
def check_one(
    name: str,
    connection: ReadConnection,
    body: Annotated[dict[str, Any] | None, Depends(_optional_body)],
) -> Response:
    """Try an ingestion step by step, as stored or as in the body; reads no events."""
    if body is None:
        body = msgspec.json.decode(read_ingestion_row(connection, name).body, type=dict[str, Any])
    given = body
    # Brokers may take their time to answer, or not to.
    connection.close()
    ingestion = _usable(lambda: read_ingestion(name, given))
    # With what reads Kafka and writes the lake, which a server does without otherwise.
    from headwater.pipeline.ingestions.checks import check_ingestion

    steps = _usable(lambda: list(check_ingestion(ingestion, now())))
    return json_response(IngestionCheck(all(step.state != "problem" for step in steps), steps))


@router.post("/ingestions/{name:name}/run", responses=answers(IngestionAnswer, _EXAMPLE, 404, 409))
def run_ingestion(name: str, request: Request) -> Response:
    """Ask for a run now, of whoever runs the ingestions; it begins within seconds."""
    with request.app.state.writing.begin() as connection:
        request_run(connection, name, now())
        if read_ingestion_row(connection, name).is_paused:
            raise Conflict("it is paused; resume it first")
        return _respond(connection, name)


@router.post("/ingestions/{name:name}/pause", responses=answers(IngestionAnswer, _EXAMPLE, 404))
def pause_ingestion(name: str, request: Request) -> Response:
    """Pause an ingestion: it ends after the batch under way, and does not run until resumed."""
    with request.app.state.writing.begin() as connection:
        set_paused(connection, name, is_paused=True)
        return _respond(connection, name)


@router.post("/ingestions/{name:name}/resume", responses=answers(IngestionAnswer, _EXAMPLE, 404))
def resume_ingestion(name: str, request: Request) -> Response:
    """Resume a paused ingestion; what it missed runs once."""
    with request.app.state.writing.begin() as connection:
        set_paused(connection, name, is_paused=False)
        return _respond(connection, name)


@router.delete("/ingestions/{name:name}", responses=answers(IngestionAnswer, _EXAMPLE, 404))
def delete_ingestion(name: str, request: Request) -> Response:
    """Remove an ingestion; its events stay, and one of the same name continues where it was."""
    with request.app.state.writing.begin() as connection:
        # Written first: SQLite refuses a write after a read if another has written in between.
        set_paused(connection, name, is_paused=True)
        removed = _respond(connection, name)
        remove_ingestion(connection, name)
    return removed


def _respond(connection: Connection, name: str) -> Response:
    stored = read_ingestion_row(connection, name)
    return json_response(describe_ingestion(connection, stored, now()))


def _usable(work: Callable[[], T]) -> T:
    """Refuse an unusable configuration as any other body."""
    try:
        return work()
    except UnusableConfig as error:
        raise WrongShape(f"$.{error.key}".replace("$.$", "$"), error.reason) from None
