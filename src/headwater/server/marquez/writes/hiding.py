"""Deleting and restoring datasets and jobs: edits like others, with care for clocks."""

from headwater.errors import NotFound
from headwater.model.aspects import DELETED
from headwater.model.event import Entity
from headwater.model.project.edits import entity_id
from headwater.server.edits.writes import Editor, EntityChange
from headwater.store.engine import Connection
from headwater.store.read.visibility.deletions import (
    is_known,
    is_shown_now,
    read_last_change,
    read_last_seen,
)


def delete(connection: Connection, editor: Editor, entity: Entity) -> None:
    """Hide an entity, from after its last event, whatever the sender's clock."""
    if not is_shown_now(connection, entity):
        raise NotFound(entity.type, f"{entity.namespace}/{entity.name}")
    last_change = read_last_change(connection, entity_id(entity))
    last = max(read_last_seen(connection, entity), last_change.at if last_change else 0)
    editor.record_all([EntityChange(entity, {DELETED: True})], last + 1)


def restore(connection: Connection, editor: Editor, entity: Entity) -> None:
    """Restore a deleted entity; no edit if it is not deleted."""
    if not is_known(connection, entity):
        raise NotFound(entity.type, f"{entity.namespace}/{entity.name}")
    at = deleted_at(connection, entity)
    if at is not None:
        editor.record_all([EntityChange(entity, {DELETED: False})], at)


def deleted_at(connection: Connection, entity: Entity) -> int | None:
    """When an entity was deleted, if that is its newest state."""
    last = read_last_change(connection, entity_id(entity))
    return last[0] if last is not None and last[1] else None
