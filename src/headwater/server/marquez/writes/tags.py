"""`PUT /tags/{tag}`, and tags given to and taken from datasets, their fields and jobs."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Response
from msgspec import UNSET

from headwater.errors import NotFound
from headwater.model.aspects import tag_aspect
from headwater.model.project.edits import entity_id
from headwater.model.relations import NamedKind
from headwater.server.edits.writes import Editing, Editor, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.marquez.datasets import get_dataset
from headwater.server.marquez.datasets import router as dataset_reads
from headwater.server.marquez.jobs import get_job
from headwater.server.marquez.jobs import router as job_reads
from headwater.server.marquez.tags import TagShape
from headwater.server.marquez.writes.changes import (
    AspectChanges,
    Text,
    answer_now,
    check_tag,
    name_entity,
    news_of,
    record_news,
)
from headwater.server.marquez.writes.documented import answers_like
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.read.edited_values import read_description
from headwater.store.read.named_entities import is_named

router = APIRouter(tags=["tags"])

_OF_DATASET = "/namespaces/{namespace:name}/datasets/{dataset:name}/tags/{tag:name}"
_OF_FIELD = _OF_DATASET.replace("/tags", "/fields/{field:name}/tags")
_OF_JOB = "/namespaces/{namespace:name}/jobs/{job:name}/tags/{tag:name}"
_DATASET = answers_like(dataset_reads, get_dataset, 404)
# Names of fields that a person can look through.
_NAMED_AT_MOST = 50
_JOB = answers_like(job_reads, get_job, 404)


class TagBody(msgspec.Struct):
    """The description of a tag."""

    description: Text = UNSET


@router.put(
    "/tags/{tag:name}",
    responses=answers(TagShape, TagShape("PII", "Identifies a person."), 422),
    openapi_extra=takes(TagBody, {"description": "Identifies a person."}),
)
def put_tag(
    tag: str,
    body: Annotated[TagBody, Depends(json_body(TagBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Describe a tag; creates it if it does not exist."""
    entity = name_entity("tag", check_tag(tag))
    edited = AspectChanges()
    edited.describe(body.description)
    news = news_of(connection, [EntityChange(entity, edited.set, edited.unset)])
    if not news and not is_named(connection, NamedKind.TAG, tag):
        # An edit without values still names its entity.
        news = [EntityChange(entity)]
    if news:
        editor.record_all(news)
    with editor.read_again() as fresh:
        return json_response(TagShape(tag, read_description(fresh, entity_id(entity))))


@router.post(_OF_DATASET, responses=_DATASET)
def tag_dataset(
    namespace: str, dataset: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Add a tag to a dataset."""
    return _tag_dataset(connection, editor, (namespace, dataset), tag, is_given=True)


@router.delete(_OF_DATASET, responses=_DATASET)
def untag_dataset(
    namespace: str, dataset: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Remove a tag from a dataset, including one from an event."""
    return _tag_dataset(connection, editor, (namespace, dataset), tag, is_given=False)


@router.post(_OF_FIELD, responses=_DATASET)
def tag_field(
    namespace: str, dataset: str, field: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Add a tag to a dataset's field."""
    return _tag_dataset(connection, editor, (namespace, dataset), tag, field, is_given=True)


@router.delete(_OF_FIELD, responses=_DATASET)
def untag_field(
    namespace: str, dataset: str, field: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Remove a tag from a dataset's field."""
    return _tag_dataset(connection, editor, (namespace, dataset), tag, field, is_given=False)


@router.post(_OF_JOB, responses=_JOB)
def tag_job(
    namespace: str, job: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Add a tag to a job."""
    return _tag_job(connection, editor, (namespace, job), tag, is_given=True)


@router.delete(_OF_JOB, responses=_JOB)
def untag_job(
    namespace: str, job: str, tag: str, connection: ReadConnection, editor: Editing
) -> Response:
    """Remove a tag from a job, including one from an event."""
    return _tag_job(connection, editor, (namespace, job), tag, is_given=False)


def _tag_dataset(
    connection: Connection,
    editor: Editor,
    names: tuple[str, str],
    tag: str,
    field: str = "",
    *,
    is_given: bool,
) -> Response:
    check_tag(tag)
    shown = get_dataset(*names, connection)
    known = msgspec.json.decode(shown.body)
    tags = known["tags"]
    if field:
        fields = dict(_fields(known["fields"]))
        if field not in fields:
            raise NotFound("field", field, sorted(fields)[:_NAMED_AT_MOST])
        tags = fields[field]
    if not is_given and tag not in tags:
        return shown
    entity = name_entity("dataset", known["name"], known["namespace"], field)
    record_news(connection, editor, EntityChange(entity, {tag_aspect(tag): is_given}))
    return answer_now(editor, get_dataset, *names)


def _tag_job(
    connection: Connection, editor: Editor, names: tuple[str, str], tag: str, *, is_given: bool
) -> Response:
    check_tag(tag)
    shown = get_job(*names, connection)
    known = msgspec.json.decode(shown.body)
    if not is_given and tag not in known["tags"]:
        return shown
    # By the name it has: it may have been requested by a shorter one.
    entity = name_entity("job", known["name"], known["namespace"])
    record_news(connection, editor, EntityChange(entity, {tag_aspect(tag): is_given}))
    return answer_now(editor, get_job, *names)


def _fields(fields: list[Any], prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """The tags of every field by its path, also of those inside others."""
    for field in fields:
        name = f"{prefix}{field['name']}"
        yield name, field["tags"]
        yield from _fields(field.get("fields") or [], f"{name}.")
