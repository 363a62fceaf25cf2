"""`/edits`: the log of edits, newest first, and undo."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Response
from msgspec import UNSET, Raw, UnsetType

from headwater.errors import Conflict, NotFound
from headwater.model.aspects import DATASETS, DELETED, SCHEMA, SYMLINKS
from headwater.model.event import Edit
from headwater.model.project.edits import entity_id
from headwater.model.values.instant import format_instant
from headwater.server.edits.bodies import (
    EditBody,
    EditedEntity,
    EntityType,
    read_change,
    read_unchanged_since,
    undo_names,
)
from headwater.server.edits.writes import Editing, Editor, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import (
    Paging,
    ReadConnection,
    instant_parameter,
    json_response,
)
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.read.edits import (
    EditFilter,
    KeptEdit,
    find_edit,
    list_edits,
    read_before,
    read_changed_since,
)
from headwater.store.read.visibility.deletions import keep_unchanged, was_observed

router = APIRouter(tags=["edits"])

After = Annotated[int | None, Depends(instant_parameter("after", "From this time on"))]
Before = Annotated[int | None, Depends(instant_parameter("before", "Before this time"))]


class EditAnswer(msgspec.Struct):
    """An edit: values by aspect, and aspects that were removed."""

    id: str
    at: str
    actor: str
    entity: EditedEntity
    set: dict[str, Any]
    unset: list[str]
    undoes: str | UnsetType = UNSET


class EditList(msgspec.Struct):
    """Edits, newest first."""

    edits: list[EditAnswer]
    totalCount: int


# After all others of one moment.
_LAST_ID = b"\xff" * 16
_ID = "5b0e1f0c9a7d4e3f8c6b2a1908f7e6d5"
_EXAMPLE = EditAnswer(
    id=_ID,
    at="2026-01-31T12:00:00.000000Z",
    actor="ada",
    entity=EditedEntity("dataset", "public.orders", "postgres://db:5432", "email"),
    set={"tag/PII": True},
    unset=[],
)
_BODY_EXAMPLE = {
    "entity": {"type": "dataset", "namespace": "postgres://db:5432", "name": "public.orders"},
    "set": {"documentation": {"description": "Every order of the shop."}},
    "unset": ["ownership"],
}


@router.get("/edits", responses=answers(EditList, EditList([_EXAMPLE], 1)))
def get_edits(
    connection: ReadConnection,
    page: Paging,
    after: After,
    before: Before,
    type: Annotated[EntityType | None, Query(description="Only entities of this type.")] = None,
    namespace: Annotated[str | None, Query(description="Only in this namespace.")] = None,
    name: Annotated[str | None, Query(description="Only entities with this name.")] = None,
    actor: Annotated[str | None, Query(description="Only edits by this actor.")] = None,
) -> Response:
    """List edits, newest first: the log of all writes other than events."""
    requested = EditFilter(type, namespace, name, actor, after, before)
    edits, total = list_edits(connection, page, requested)
    return json_response(EditList([_answer(kept) for kept in edits], total))


@router.post(
    "/edits",
    status_code=201,
    responses=answers(
        EditAnswer, _EXAMPLE, 404, 409, 422, status=201, description="The stored edit."
    ),
    openapi_extra=takes(EditBody, _BODY_EXAMPLE),
)
def post_edit(
    body: Annotated[EditBody, Depends(json_body(EditBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Edit a dataset, a field or a job: its description, owners, tags or symlinks."""
    change = read_change(connection, body)
    since = read_unchanged_since(body)
    if since is not None:
        made = Edit(editor.actor, change.entity, dict(change.set), list(change.unset))
        _check_unchanged(connection, KeptEdit(_LAST_ID, since, made), "load the page again")
    (id,) = editor.record_all([change])
    return _respond(editor, id, status=201)


@router.post("/edits/{id:name}/undo", responses=answers(EditAnswer, _EXAMPLE, 404, 409))
def undo_edit(id: str, connection: ReadConnection, editor: Editing) -> Response:
    """Undo an edit by a new edit; undoing that one applies it again."""
    kept = _find(connection, id)
    _check_unchanged(connection, kept, "undo that first")
    change = _undo(connection, kept)
    (undone,) = editor.record_all([change], kept.at + 1)
    return _respond(editor, undone)


def _respond(editor: Editor, id: bytes, status: int = 200) -> Response:
    """An edit as it is stored."""
    with editor.read_again() as connection:
        answer = json_response(_answer(_find(connection, id.hex())))
    answer.status_code = status
    return answer


def _find(connection: Connection, id: str) -> KeptEdit:
    try:
        found = find_edit(connection, bytes.fromhex(id))
    except ValueError:
        found = None
    if found is None:
        raise NotFound("edit", id)
    return found


def _check_unchanged(connection: Connection, kept: KeptEdit, next_step: str) -> None:
    """Refuse if later edits of others would be lost."""
    for other in read_changed_since(connection, kept):
        aspects = sorted(_aspects(kept.edit) & _aspects(other.edit))
        raise Conflict(
            f"{', '.join(aspects)} was changed since by '{other.edit.actor}' at "
            f"{format_instant(other.at)} (edit {other.id.hex()}); {next_step}"
        )


def _undo(connection: Connection, kept: KeptEdit) -> EntityChange:
    edit = kept.edit
    before = read_before(connection, kept)
    given = {aspect: Raw(body) for aspect, body in before.items() if body is not None}
    taken = sorted(aspect for aspect, body in before.items() if body is None)
    if SYMLINKS in edit.set:
        given[SYMLINKS] = undo_names(bytes(edit.set[SYMLINKS]), before[SYMLINKS])
        taken = [aspect for aspect in taken if aspect != SYMLINKS]
    change = EntityChange(edit.entity, given, taken, undoes=kept.id.hex())
    if edit.within is not None:
        hidden = keep_unchanged(connection, edit.entity.name, edit.within, kept.at)
        return change._replace(within=hidden)
    is_design = not edit.entity.field and bool({SCHEMA, DATASETS} & {*edit.set} & {*taken})
    if is_design and not was_observed(connection, entity_id(edit.entity)):
        # It was there by this edit alone, and goes with it.
        given = {**given, DELETED: Raw(b"true")}
        taken = [aspect for aspect in taken if aspect != DELETED]
    return change._replace(set=given, unset=taken)


def _aspects(edit: Edit) -> set[str]:
    return {*edit.set, *edit.unset}


def _answer(kept: KeptEdit) -> EditAnswer:
    id, at, edit = kept
    entity = edit.entity
    return EditAnswer(
        id=id.hex(),
        at=format_instant(at),
        actor=edit.actor,
        entity=EditedEntity(entity.type, entity.name, entity.namespace, entity.field),
        set=dict(edit.set),
        unset=edit.unset,
        undoes=edit.undoes or UNSET,
    )
