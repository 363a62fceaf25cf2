"""Sets of events under a name: what an import brought, or a task found.

A set says which events, and nothing else: they are in the store whether or not a set names them.
Members whose events were pruned are gone with them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, delete, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from headwater.errors import NotFound
from headwater.store import tables
from headwater.store.write.packing import unpack

_AT_ONCE = 1_000
Place = tuple[int, bytes]


class EventSet(NamedTuple):
    """A set by its id; times in microseconds since 1970."""

    id: str
    created_at: int
    modified_at: int


def add_event_set(connection: Connection, id: str, at: int) -> EventSet:
    """Name a set without members; one of that name is left as it is."""
    added = _insert(connection, tables.event_set).values(EventSet(id, at, at)._asdict())
    connection.execute(added.on_conflict_do_nothing())
    return read_event_set(connection, id)


def list_event_sets(connection: Connection) -> list[EventSet]:
    """List sets, newest first."""
    table = tables.event_set
    query = select(table).order_by(table.c.created_at.desc(), table.c.id)
    return [EventSet._make(row) for row in connection.execute(query)]


def find_event_set(connection: Connection, id: str) -> EventSet | None:
    # NUL is in no id, and PostgreSQL does not even accept it.
    query = select(tables.event_set).where(tables.event_set.c.id == id)
    row = None if "\0" in id else connection.execute(query).first()
    return EventSet._make(row) if row is not None else None


def read_event_set(connection: Connection, id: str) -> EventSet:
    found = find_event_set(connection, id)
    if found is None:
        raise NotFound("graph", id, [each.id for each in list_event_sets(connection)][:5])
    return found


def remove_event_set(connection: Connection, id: str) -> None:
    """Take a set's name away; its events stay."""
    if "\0" in id:
        read_event_set(connection, id)
    # Written first: SQLite refuses a write after a read if another has written in between.
    table, member = tables.event_set, tables.event_set_member
    connection.execute(delete(member).where(member.c.set_id == id))
    if not connection.execute(delete(table).where(table.c.id == id)).rowcount:
        read_event_set(connection, id)


def add_members(connection: Connection, id: str, events: Iterable[Place], at: int) -> None:
    """Add events to a set; those in it already are in it once."""
    rows = [{"set_id": id, "at": place[0], "digest": place[1]} for place in events]
    added = _insert(connection, tables.event_set_member).on_conflict_do_nothing()
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(added, rows[start : start + _AT_ONCE])
    table = tables.event_set
    # Of two changes in one microsecond the second one counts as well.
    later = func.max if connection.dialect.name == "sqlite" else func.greatest
    changed = {"modified_at": later(at, table.c.modified_at + 1)}
    connection.execute(update(table).where(table.c.id == id).values(changed))


def read_members(connection: Connection, id: str) -> Iterator[Sequence[bytes]]:
    """The events of a set as they were received, by event time, some at once."""
    member, event = tables.event_set_member, tables.event
    joined = member.join(event, (event.c.at == member.c.at) & (event.c.digest == member.c.digest))
    key = (member.c.at, member.c.digest)
    query = select(*key, event.c.payload).select_from(joined).where(member.c.set_id == id)
    query = query.order_by(*key).limit(_AT_ONCE)
    rows = connection.execute(query).all()
    while rows:
        yield [unpack(row.payload) for row in rows]
        after = tuple_(*key) > tuple_(rows[-1].at, rows[-1].digest)
        rows = connection.execute(query.where(after)).all()


def count_members(connection: Connection, id: str) -> int:
    """How many events a set has."""
    member = tables.event_set_member
    query = select(func.count()).select_from(member).where(member.c.set_id == id)
    return int(connection.execute(query).scalar_one())


def _insert(connection: Connection, table: Table) -> Any:
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
