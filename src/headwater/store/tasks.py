"""Tasks: work that was requested of the server, with its progress and its result.

Whoever takes a task holds its lease while at work; when a server ends in the middle, the lease
ends as well, and the task is taken again. Times are in microseconds since 1970.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Column, ColumnElement, Connection, and_, insert, or_, select, update

from headwater.errors import NotFound
from headwater.store import tables

PENDING, RUNNING, COMPLETED, FAILED = "pending", "running", "completed", "failed"

Json = dict[str, Any]


class TaskRecord(NamedTuple):
    """A task as it is stored."""

    id: str
    type: str
    status: str
    created_at: int
    started_at: int | None
    ended_at: int | None
    progress: list[str]
    result: Json | None
    error: str | None
    params: Json


def add_task(connection: Connection, id: str, type: str, params: Json, at: int) -> None:
    values = {"id": id, "type": type, "params": _text(params), "progress": "[]", "holder": ""}
    added = insert(tables.task).values(status=PENDING, created_at=at, lease_until=0, **values)
    connection.execute(added)


def list_tasks(
    connection: Connection, type: str | None, status: str | None, limit: int
) -> list[TaskRecord]:
    """List tasks, newest first."""
    table = tables.task
    query = select(*_columns()).order_by(table.c.created_at.desc(), table.c.id.desc()).limit(limit)
    if type is not None:
        query = query.where(table.c.type == type)
    if status is not None:
        query = query.where(table.c.status == status)
    return [_record(row) for row in connection.execute(query)]


def read_task(connection: Connection, id: str) -> TaskRecord:
    # NUL is in no id, and PostgreSQL does not even accept it.
    query = select(*_columns()).where(tables.task.c.id == id)
    row = None if "\0" in id else connection.execute(query).first()
    if row is None:
        raise NotFound("task", id)
    return _record(row)


def list_waiting(connection: Connection, holder: str, at: int) -> list[str]:
    """The tasks that a holder may take, oldest first: new ones, those whose holder is gone, and
    those that it was interrupted at."""
    table = tables.task
    query = select(table.c.id).where(_may_take(holder, at)).order_by(table.c.created_at)
    return list(connection.execute(query).scalars())


def take_task(
    connection: Connection, id: str, holder: str, at: int, until: int
) -> TaskRecord | None:
    """Take a task; None where another was quicker."""
    table = tables.task
    values = {"status": RUNNING, "holder": holder, "lease_until": until, "started_at": at}
    taken = update(table).where(table.c.id == id, _may_take(holder, at)).values(values)
    # Written first: SQLite refuses a write after a read if another has written in between.
    return read_task(connection, id) if connection.execute(taken).rowcount else None


def _may_take(holder: str, at: int) -> ColumnElement[bool]:
    table = tables.task
    is_free = or_(table.c.lease_until < at, table.c.holder == holder)
    return or_(table.c.status == PENDING, and_(table.c.status == RUNNING, is_free))


def note_progress(
    connection: Connection, id: str, holder: str, progress: Sequence[str], until: int
) -> bool:
    """Note how far a task is and hold its lease longer; False where another has taken it."""
    values = {"progress": _text(list(progress)), "lease_until": until}
    return _update(connection, id, holder, values)


def note_completed(connection: Connection, id: str, holder: str, result: Json, at: int) -> bool:
    values = {"status": COMPLETED, "ended_at": at, "result": _text(result), "error": None}
    return _update(connection, id, holder, values)


def note_failed(connection: Connection, id: str, holder: str, error: str, at: int) -> bool:
    return _update(connection, id, holder, {"status": FAILED, "ended_at": at, "error": error})


def release_tasks(connection: Connection, holder: str) -> None:
    """Let others take at once what a server that ends was at."""
    table = tables.task
    its = (table.c.holder == holder, table.c.status == RUNNING)
    connection.execute(update(table).where(*its).values(lease_until=0))


def _update(connection: Connection, id: str, holder: str, values: Json) -> bool:
    table = tables.task
    its = (table.c.id == id, table.c.holder == holder, table.c.status == RUNNING)
    return bool(connection.execute(update(table).where(*its).values(values)).rowcount)


def _columns() -> list[Column[Any]]:
    return [tables.task.c[name] for name in TaskRecord._fields]


def _record(row: Any) -> TaskRecord:
    found = TaskRecord._make(row)
    return found._replace(
        progress=msgspec.json.decode(row.progress),
        result=msgspec.json.decode(row.result) if row.result else None,
        params=msgspec.json.decode(row.params),
    )


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
