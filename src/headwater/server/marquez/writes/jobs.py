"""`PUT`, `DELETE` of a job, and its restoration."""

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Depends, Response
from msgspec import UNSET

from headwater.errors import WrongShape
from headwater.model.aspects import CONTEXT, DATASETS, DELETED, JOB_TYPE, LOCATION, SQL
from headwater.model.event import Entity
from headwater.model.job_types import PROCESSING_TYPES
from headwater.server.edits.writes import Editing, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection
from headwater.server.marquez.jobs import get_job
from headwater.server.marquez.jobs import router as reads
from headwater.server.marquez.writes.changes import (
    AspectChanges,
    Json,
    Text,
    answer_now,
    check_body_name,
    name_entity,
    record_news,
)
from headwater.server.marquez.writes.documented import answers_like
from headwater.server.marquez.writes.hiding import delete, deleted_at, restore
from headwater.server.marquez.writes.run_events import find_run_job, run_event
from headwater.store.engine import Connection
from headwater.store.read.visibility.deletions import is_shown_now

router = APIRouter(tags=["jobs"])

_PATH = "/namespaces/{namespace:name}/jobs/{job:name}"


class DatasetIdBody(msgspec.Struct):
    """The name of a dataset."""

    namespace: str
    name: str


class JobBody(msgspec.Struct):
    """A job as declared."""

    type: Literal["BATCH", "STREAM", "SERVICE"]
    inputs: list[DatasetIdBody] | None = None
    outputs: list[DatasetIdBody] | None = None
    location: Text = UNSET
    description: Text = UNSET
    context: dict[str, str] | None = None
    tags: list[str] | None = None
    runId: str | None = None


_EXAMPLE = {
    "type": "BATCH",
    "inputs": [{"namespace": "postgres://db.example.org:5432", "name": "public.orders"}],
    "outputs": [{"namespace": "s3://lake", "name": "orders"}],
    "location": "https://git.example.org/shop/jobs/blob/main/orders.py",
    "description": "Copies the day's orders to the lake.",
}


@router.put(
    _PATH,
    responses=answers_like(reads, get_job, 404, 422),
    openapi_extra=takes(JobBody, _EXAMPLE),
)
def put_job(
    namespace: str,
    job: str,
    body: Annotated[JobBody, Depends(json_body(JobBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Declare what a job reads and writes; creates it if it does not exist.

    Absent values stay unchanged. What its runs actually read and write takes precedence.
    """
    entity = name_entity("job", job, namespace)
    if body.runId:
        _check_run(connection, body.runId, entity)
    hidden_at = deleted_at(connection, entity)
    change = _change(connection, entity, body, hidden_at is not None)
    record_news(connection, editor, change, not_before=hidden_at or 0)
    if body.runId:
        # What a run read and wrote is a fact of the run.
        event = run_event(editor, "OTHER", body.runId, (namespace, job))
        event |= {"inputs": _names(body.inputs), "outputs": _names(body.outputs)}
        editor.state(event)
    return answer_now(editor, get_job, namespace, job)


@router.delete(_PATH, responses=answers_like(reads, get_job, 404, description="As it was."))
def delete_job(namespace: str, job: str, connection: ReadConnection, editor: Editing) -> Response:
    """Hide a job; it shows again when a new event names it, or when restored."""
    was = get_job(namespace, job, connection)
    # By the name it has: it may have been requested by a shorter one.
    known = msgspec.json.decode(was.body)
    delete(connection, editor, name_entity("job", known["name"], known["namespace"]))
    return was


@router.post(f"{_PATH}/restore", responses=answers_like(reads, get_job, 404))
def restore_job(namespace: str, job: str, connection: ReadConnection, editor: Editing) -> Response:
    """Restore a deleted job."""
    restore(connection, editor, name_entity("job", job, namespace))
    return answer_now(editor, get_job, namespace, job)


def _check_run(connection: Connection, run_id: str, entity: Entity) -> None:
    namespace, name = find_run_job(connection, run_id)
    if (namespace, name) != (entity.namespace, entity.name):
        raise WrongShape("$.runId", f"is a run of the job '{namespace}/{name}'")


def _change(
    connection: Connection, entity: Entity, body: JobBody, is_deleted: bool
) -> EntityChange:
    is_there = is_shown_now(connection, entity)
    shown: Json = {}
    if is_there:
        shown = msgspec.json.decode(get_job(entity.namespace, entity.name, connection).body)
    edited = AspectChanges()
    _check_names(body.inputs, "$.inputs")
    _check_names(body.outputs, "$.outputs")
    if body.inputs is not None or body.outputs is not None or not is_there:
        design = {"inputs": _names(body.inputs), "outputs": _names(body.outputs)}
        edited.put(DATASETS, design)
    # What events say already they may say in more words than these.
    if shown.get("type") != body.type:
        edited.put(JOB_TYPE, {"processingType": PROCESSING_TYPES[body.type]})
    if isinstance(body.location, str):
        edited.put(LOCATION, {"url": body.location})
    elif body.location is None:
        edited.put(LOCATION, None)
    edited.describe(body.description)
    edited.tag(body.tags)
    if body.context:
        edited.put(CONTEXT, dict(body.context))
        if query := body.context.get("sql"):
            edited.put(SQL, {"query": query})
    if is_deleted:
        # Declaring a deleted entity restores it.
        edited.set[DELETED] = False
    return EntityChange(entity, edited.set, edited.unset)


def _check_names(datasets: list[DatasetIdBody] | None, where: str) -> None:
    for index, dataset in enumerate(datasets or ()):
        check_body_name(dataset.namespace, f"{where}[{index}].namespace")
        check_body_name(dataset.name, f"{where}[{index}].name")


def _names(datasets: list[DatasetIdBody] | None) -> list[Json]:
    return [{"namespace": each.namespace, "name": each.name} for each in datasets or ()]
