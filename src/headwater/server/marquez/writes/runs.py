"""Runs made and marked by Marquez's clients: events of the server's own making."""

import uuid
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Depends, Response

from headwater.errors import Conflict, InvalidRequest, WrongShape
from headwater.model.values import instant
from headwater.server.edits.writes import Editing, Editor
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, instant_parameter
from headwater.server.marquez.jobs import get_job
from headwater.server.marquez.runs import get_run
from headwater.server.marquez.runs import router as reads
from headwater.server.marquez.shapes.runs import RUN_ARGS
from headwater.server.marquez.writes.changes import answer_now, check_body_name
from headwater.server.marquez.writes.documented import answers_like
from headwater.server.marquez.writes.run_events import find_run_job, run_event
from headwater.store.engine import Connection
from headwater.store.read.runs import find_run

router = APIRouter(tags=["runs"])

_RUN = answers_like(reads, get_run, 404)
_AT = instant_parameter("at", "When it happened; now by default")
At = Annotated[int | None, Depends(_AT)]
# As much as senders of events may be ahead of this clock.
_MAX_AHEAD = instant.DAY


class RunBody(msgspec.Struct):
    """A run that has not started."""

    id: str | None = None
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None
    args: dict[str, str] | None = None


_EXAMPLE = {
    "nominalStartTime": "2026-01-31T00:00:00Z",
    "nominalEndTime": "2026-02-01T00:00:00Z",
    "args": {"day": "2026-01-31"},
}


@router.post(
    "/namespaces/{namespace:name}/jobs/{job:name}/runs",
    status_code=201,
    responses=answers_like(
        reads, get_run, 404, 409, 422, status=201, description="The new run, in state NEW."
    ),
    openapi_extra=takes(RunBody, _EXAMPLE),
)
def create_run(
    namespace: str,
    job: str,
    body: Annotated[RunBody, Depends(json_body(RunBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Create a run of a job, to be started later."""
    known: Any = msgspec.json.decode(get_job(namespace, job, connection).body)
    run_id = check_body_name(body.id, "$.id") if body.id is not None else str(uuid.uuid4())
    if find_run(connection, run_id) is not None:
        raise Conflict(f"there is a run '{run_id}' already")
    name = (known["namespace"], known["name"])
    editor.state(run_event(editor, "OTHER", run_id, name, _facets(body)))
    answer = answer_now(editor, get_run, run_id, status=201)
    answer.headers["Location"] = f"/api/v1/jobs/runs/{quote(run_id, safe='')}"
    return answer


@router.post("/jobs/runs/{run_id:name}/start", responses=_RUN)
def start_run(run_id: str, at: At, connection: ReadConnection, editor: Editing) -> Response:
    """Mark a run as started."""
    return _mark(connection, editor, run_id, "START", at)


@router.post("/jobs/runs/{run_id:name}/complete", responses=_RUN)
def complete_run(run_id: str, at: At, connection: ReadConnection, editor: Editing) -> Response:
    """Mark a run as completed."""
    return _mark(connection, editor, run_id, "COMPLETE", at)


@router.post("/jobs/runs/{run_id:name}/fail", responses=_RUN)
def fail_run(run_id: str, at: At, connection: ReadConnection, editor: Editing) -> Response:
    """Mark a run as failed."""
    return _mark(connection, editor, run_id, "FAIL", at)


@router.post("/jobs/runs/{run_id:name}/abort", responses=_RUN)
def abort_run(run_id: str, at: At, connection: ReadConnection, editor: Editing) -> Response:
    """Mark a run as aborted."""
    return _mark(connection, editor, run_id, "ABORT", at)


def _mark(
    connection: Connection, editor: Editor, run_id: str, type: str, at: int | None
) -> Response:
    job = find_run_job(connection, run_id)
    event = run_event(editor, type, run_id, job)
    if at is not None:
        if at > instant.now() + _MAX_AHEAD:
            raise InvalidRequest("at", "more than a day ahead of the server's clock")
        event["eventTime"] = instant.format_instant(at)
    editor.state(event)
    return answer_now(editor, get_run, run_id)


def _facets(body: RunBody) -> dict[str, Any]:
    nominal = {
        "nominalStartTime": _time(body.nominalStartTime, "$.nominalStartTime"),
        "nominalEndTime": _time(body.nominalEndTime, "$.nominalEndTime"),
    }
    times = {name: time for name, time in nominal.items() if time is not None}
    return ({"nominalTime": times} if times else {}) | (
        {RUN_ARGS: {"args": body.args}} if body.args else {}
    )


def _time(text: str | None, where: str) -> str | None:
    if text is None:
        return None
    try:
        return instant.format_instant(instant.parse_instant_or_date(text))
    except ValueError as error:
        raise WrongShape(where, f"not a time: {error}") from None
