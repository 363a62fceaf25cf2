"""`PUT`, `DELETE` of a dataset, and its restoration."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Response
from msgspec import UNSET

from headwater.model.aspects import (
    DATA_SOURCE,
    DATASET_TYPE,
    DELETED,
    PHYSICAL_NAME,
    SCHEMA,
    SCHEMA_LOCATION,
)
from headwater.model.event import Entity
from headwater.server.edits.writes import Editing, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection
from headwater.server.marquez.datasets import get_dataset
from headwater.server.marquez.datasets import router as reads
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

router = APIRouter(tags=["datasets"])

_PATH = "/namespaces/{namespace:name}/datasets/{dataset:name}"
_TYPES = {"DB_TABLE": "TABLE", "STREAM": "STREAM"}


class FieldBody(msgspec.Struct):
    """A field of a dataset, with those inside it."""

    name: str
    type: str | None = None
    tags: list[str] | None = None
    description: str | None = None
    fields: list["FieldBody"] | None = None


class DatasetBody(msgspec.Struct):
    """A dataset as declared."""

    type: Literal["DB_TABLE", "STREAM"]
    physicalName: str
    sourceName: str
    fields: list[FieldBody] | None = None
    tags: list[str] | None = None
    description: Text = UNSET
    schemaLocation: Text = UNSET
    runId: str | None = None


_EXAMPLE = {
    "type": "DB_TABLE",
    "physicalName": "public.orders",
    "sourceName": "shop-db",
    "fields": [
        {"name": "id", "type": "BIGINT", "description": "One a sale."},
        {"name": "email", "type": "TEXT", "tags": ["PII"]},
    ],
    "tags": ["SALES"],
    "description": "Every order of the shop.",
}


@router.put(
    _PATH,
    responses=answers_like(reads, get_dataset, 404, 422),
    openapi_extra=takes(DatasetBody, _EXAMPLE),
)
def put_dataset(
    namespace: str,
    dataset: str,
    body: Annotated[DatasetBody, Depends(json_body(DatasetBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Declare a dataset; creates it if it does not exist.

    Absent values stay unchanged. The fields that runs report take precedence.
    """
    entity = name_entity("dataset", dataset, namespace)
    job = find_run_job(connection, body.runId) if body.runId else None
    hidden_at = deleted_at(connection, entity)
    changes = list(_changes(connection, entity, body, hidden_at is not None))
    record_news(connection, editor, *changes, not_before=hidden_at or 0)
    if job is not None and body.runId:
        # That a run wrote it is a fact of the run.
        output = {"namespace": namespace, "name": dataset}
        facets = {"schema": _schema(body.fields)} if body.fields else {}
        event = run_event(editor, "OTHER", body.runId, job)
        editor.state({**event, "outputs": [{**output, "facets": facets}]})
    return answer_now(editor, get_dataset, namespace, dataset)


@router.delete(_PATH, responses=answers_like(reads, get_dataset, 404, description="As it was."))
def delete_dataset(
    namespace: str, dataset: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Hide a dataset; it shows again when a new event names it, or when restored."""
    was = get_dataset(namespace, dataset, connection)
    delete(connection, editor, name_entity("dataset", dataset, namespace))
    return was


@router.post(f"{_PATH}/restore", responses=answers_like(reads, get_dataset, 404))
def restore_dataset(
    namespace: str, dataset: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Restore a deleted dataset."""
    restore(connection, editor, name_entity("dataset", dataset, namespace))
    return answer_now(editor, get_dataset, namespace, dataset)


def _changes(
    connection: Connection, entity: Entity, body: DatasetBody, is_deleted: bool
) -> Iterator[EntityChange]:
    """The changes of a dataset, and of each of its fields."""
    is_there = is_shown_now(connection, entity)
    shown: Json = {}
    if is_there:
        shown = msgspec.json.decode(get_dataset(entity.namespace, entity.name, connection).body)
    edited = AspectChanges()
    if body.fields is not None or not is_there:
        _check_fields(body.fields or [])
        edited.put(SCHEMA, _schema(body.fields or []))
    # Events may have reported the same in more detail.
    if shown.get("type") != body.type:
        edited.put(DATASET_TYPE, {"datasetType": _TYPES[body.type]})
    source = check_body_name(body.sourceName, "$.sourceName")
    if shown.get("sourceName") != source:
        edited.put(DATA_SOURCE, {"name": source})
    physical = check_body_name(body.physicalName, "$.physicalName")
    edited.put(PHYSICAL_NAME, {"name": physical} if physical != entity.name else None)
    if isinstance(body.schemaLocation, str):
        edited.put(SCHEMA_LOCATION, {"url": body.schemaLocation})
    edited.describe(body.description)
    edited.tag(body.tags)
    if is_deleted:
        # Declaring a deleted entity restores it.
        edited.set[DELETED] = False
    yield EntityChange(entity, edited.set, edited.unset)
    for index, field in enumerate(body.fields or ()):
        of_field = AspectChanges()
        of_field.tag(field.tags, f"$.fields[{index}].tags")
        if of_field.set:
            named = Entity("dataset", entity.name, entity.namespace, field.name)
            yield EntityChange(named, of_field.set)


def _schema(fields: list[FieldBody]) -> Json:
    return {"fields": [_field(field) for field in fields]}


def _field(field: FieldBody) -> Json:
    found: dict[str, Any] = {"name": field.name, "type": field.type}
    found |= {"description": field.description, "fields": field.fields and _inside(field.fields)}
    return {key: value for key, value in found.items() if value is not None}


def _inside(fields: list[FieldBody]) -> list[Json]:
    return [_field(field) for field in fields]


def _check_fields(fields: list[FieldBody], where: str = "$.fields") -> None:
    for index, field in enumerate(fields):
        check_body_name(field.name, f"{where}[{index}].name")
        _check_fields(field.fields or [], f"{where}[{index}].fields")
