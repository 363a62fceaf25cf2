"""`PUT`, `DELETE` of `/namespaces/{ns}`, and its restoration."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Response
from msgspec import UNSET

from headwater.errors import NotFound
from headwater.model.aspects import DELETED, OWNERSHIP
from headwater.model.values.ids import namespace_id
from headwater.server.edits.writes import Editing, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection
from headwater.server.marquez.namespaces import get_namespace
from headwater.server.marquez.namespaces import router as reads
from headwater.server.marquez.writes.changes import (
    AspectChanges,
    Text,
    answer_now,
    check_body_name,
    name_entity,
    record_news,
)
from headwater.server.marquez.writes.documented import answers_like
from headwater.store.engine import Connection
from headwater.store.read.edits import find_deletion
from headwater.store.read.visibility.deletions import (
    keep_unchanged,
    read_last_change,
    read_shown_within,
)

router = APIRouter(tags=["namespaces"])


class NamespaceBody(msgspec.Struct):
    """The description and the owner of a namespace."""

    ownerName: str
    description: Text = UNSET


_EXAMPLE = {"ownerName": "sales", "description": "All that the shop sells."}


@router.put(
    "/namespaces/{namespace:name}",
    responses=answers_like(reads, get_namespace, 422),
    openapi_extra=takes(NamespaceBody, _EXAMPLE),
)
def put_namespace(
    namespace: str,
    body: Annotated[NamespaceBody, Depends(json_body(NamespaceBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Set the owner and description of a namespace; creates it if it does not exist."""
    entity = name_entity("namespace", namespace)
    edited = AspectChanges()
    owner = check_body_name(body.ownerName, "$.ownerName")
    edited.put(OWNERSHIP, {"owners": [{"name": owner, "type": "OWNER"}]})
    edited.describe(body.description)
    if _is_deleted(connection, namespace):
        edited.set[DELETED] = False
    record_news(connection, editor, EntityChange(entity, edited.set, edited.unset))
    return answer_now(editor, get_namespace, namespace)


@router.delete("/namespaces/{namespace:name}", responses=answers_like(reads, get_namespace, 404))
def delete_namespace(namespace: str, connection: ReadConnection, editor: Editing) -> Response:
    """Hide a namespace and its contents; what a new event names shows again."""
    entity = name_entity("namespace", namespace)
    if _is_deleted(connection, namespace):
        raise NotFound("namespace", namespace)
    # Known at all, or this is where it ends.
    get_namespace(namespace, connection)
    within = read_shown_within(connection, namespace)
    editor.record_all([EntityChange(entity, {DELETED: True}, within=within)])
    return answer_now(editor, get_namespace, namespace)


@router.post(
    "/namespaces/{namespace:name}/restore", responses=answers_like(reads, get_namespace, 404)
)
def restore_namespace(namespace: str, connection: ReadConnection, editor: Editing) -> Response:
    """Restore a namespace, and what was hidden with it."""
    entity = name_entity("namespace", namespace)
    if (deletion := find_deletion(connection, entity)) is not None:
        restoration = EntityChange(entity, {DELETED: False})
        if (within := deletion.edit.within) is not None:
            hidden = keep_unchanged(connection, namespace, within, deletion.at)
            restoration = restoration._replace(within=hidden)
        editor.record_all([restoration])
    return answer_now(editor, get_namespace, namespace)


def _is_deleted(connection: Connection, namespace: str) -> bool:
    """Whether a namespace was deleted, and no event has named anything in it since."""
    last = read_last_change(connection, namespace_id(namespace))
    if last is None or not last[1]:
        return False
    shown = read_shown_within(connection, namespace)
    return not shown.datasets and not shown.jobs
