"""The outbox: which events each of its readers, such as the lake, does not have yet.

A writer notes every event here for every reader, in the transaction that stores it (`fill_outbox`
of its connection). Whoever carries events on removes exactly those notes of its own that are safe
elsewhere: an event is noted or it is carried, whatever happens between. `outbox_readers` has the
list of the readers.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import zstandard
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    SmallInteger,
    Subquery,
    and_,
    bindparam,
    delete,
    func,
    inspect,
    literal,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite

from headwater.errors import StoreUnavailable
from headwater.store import tables
from headwater.store.write.packing import unpack

# The key of an event: its time and its digest.
Place = tuple[int, bytes]

# The reader that is always registered.
LAKE = 0


class Stored(NamedTuple):
    received_at: int
    kind: int
    payload: bytes


class Waiting(NamedTuple):
    """A note of an event, and the event; None where it is no longer stored."""

    at: int
    digest: bytes
    event: Stored | None

    @property
    def place(self) -> Place:
        return self.at, self.digest

    @property
    def size(self) -> int:
        return 0 if self.event is None else len(self.event.payload)


def has_outbox(connection: Connection) -> bool:
    """Whether a store has one, with readers: those of older versions have not."""
    there = inspect(connection).get_table_names()
    return {tables.outbox.name, tables.outbox_reader.name} <= set(there)


def count_waiting(connection: Connection, reader: int = LAKE) -> int:
    query = select(func.count()).where(tables.outbox.c.reader == reader)
    return int(connection.execute(query).scalar() or 0)


def is_waiting(at: ColumnElement[int], digest: ColumnElement[bytes]) -> ColumnElement[bool]:
    """Tell of an event, by the columns of its key, whether any reader does not have it yet."""
    table, readers = tables.outbox, tables.outbox_reader
    # By the registered readers, who are few: so each is one look at the outbox's key.
    its = (table.c.reader == readers.c.id, table.c.at == at, table.c.digest == digest)
    return select(1).where(*its).exists()


def _waits_for(
    reader: int, at: ColumnElement[int], digest: ColumnElement[bytes]
) -> ColumnElement[bool]:
    table = tables.outbox
    its = (table.c.reader == reader, table.c.at == at, table.c.digest == digest)
    return select(1).where(*its).exists()


def read_waiting(
    connection: Connection, max_events: int, max_bytes: int, reader: int = LAKE
) -> list[Waiting]:
    """Read the first events that wait, by their time, until their payloads come to `max_bytes`.

    At least one, if any waits.
    """
    found: list[Waiting] = []
    size = 0
    for row in connection.execute(select_waiting(max_events, max_bytes, reader)):
        found.append(_unpacked(*row))
        size += found[-1].size
        if size >= max_bytes:
            break
    return found


def select_waiting(max_events: int, max_bytes: int, reader: int = LAKE) -> Select[Any]:
    """The first events that wait, as many as begin within so many bytes of packed payload.

    The sizes are added up before any payload is read: a driver may hold all rows at once. The
    first notes are taken before they are joined, so that no planner ever starts from the events.
    """
    table = tables.outbox
    noted = select(table.c.at, table.c.digest).where(table.c.reader == reader)
    first = noted.order_by(table.c.at, table.c.digest).limit(max_events).subquery()
    event, its_event = _event_of(first)
    size = func.coalesce(func.length(event.c.payload), 0).label("size")
    # Beneath what adds them up, to which SQLite would otherwise hand the payloads themselves.
    sizes = (
        select(first.c.at, first.c.digest, size)
        .join_from(first, event, its_event, isouter=True)
        .subquery()
    )
    up_to = func.sum(sizes.c.size).over(order_by=(sizes.c.at, sizes.c.digest))
    added = select(sizes.c.at, sizes.c.digest, (up_to - sizes.c.size).label("before")).subquery()
    event, its_event = _event_of(added)
    return (
        select(added.c.at, added.c.digest, event.c.received_at, event.c.kind, event.c.payload)
        .join_from(added, event, its_event, isouter=True)
        .where(added.c.before < max_bytes)
        .order_by(added.c.at, added.c.digest)
    )


def _event_of(places: Subquery) -> tuple[FromClause, ColumnElement[bool]]:
    """The events, and what makes one that of a place."""
    event = tables.event.alias()
    return event, and_(event.c.at == places.c.at, event.c.digest == places.c.digest)


def _unpacked(
    at: int, digest: bytes, received_at: int, kind: int, payload: bytes | None
) -> Waiting:
    if payload is None:
        return Waiting(at, digest, None)
    try:
        return Waiting(at, digest, Stored(received_at, kind, unpack(payload)))
    except zstandard.ZstdError as error:
        raise StoreUnavailable(
            f"event {digest.hex()} is damaged in the store: {error}; "
            "restore a backup that has it whole"
        ) from error


def remove_carried(connection: Connection, places: Iterable[Place], reader: int = LAKE) -> None:
    """Remove a reader's notes of exactly these events."""
    table = tables.outbox
    its = (table.c.at == bindparam("its_at"), table.c.digest == bindparam("its_digest"))
    # In one order, so that two who remove the same do not wait for each other.
    values = [{"its_at": at, "its_digest": digest} for at, digest in sorted(places)]
    if values:
        connection.execute(delete(table).where(table.c.reader == reader, *its), values)


def fill(
    connection: Connection,
    after: Place | None = None,
    last: Place | None = None,
    reader: int = LAKE,
) -> None:
    """Let every event that is stored wait, or those after one and up to another.

    For a reader that has none of them: a lake newly switched on, or lost, or a new target.
    """
    key = (tables.event.c.at, tables.event.c.digest)
    noted_for = literal(reader, SmallInteger)
    events = select(noted_for, *key).where(~_waits_for(reader, *key)).order_by(*key)
    if after is not None:
        events = events.where(tuple_(*key) > tuple_(*after))
    if last is not None:
        events = events.where(tuple_(*key) <= tuple_(*last))
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(
        insert(tables.outbox)
        .from_select(["reader", "at", "digest"], events)
        .on_conflict_do_nothing()
    )


def find_last(connection: Connection, after: Place | None, count: int) -> Place | None:
    """The last of the next so many events; None where there are no more than that."""
    key = (tables.event.c.at, tables.event.c.digest)
    query = select(*key).order_by(*key).offset(count - 1).limit(1)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    found = connection.execute(query).first()
    return None if found is None else (found.at, found.digest)
