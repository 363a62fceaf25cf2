"""The readers of the outbox: the lake, and every target that events are published to.

Each has its own notes of the events it does not have yet, so that one that is slow or down keeps
nobody else waiting. A reader is registered beside no writer: every event is either stored by then,
or noted for it.
"""

import fcntl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    delete,
    func,
    insert,
    select,
    text,
    tuple_,
    update,
)

from headwater.errors import Busy, Conflict, NotFound
from headwater.model.values.instant import now
from headwater.store import tables
from headwater.store.failures import answering
from headwater.store.maintenance.exclusive import removing
from headwater.store.write.outbox import LAKE, Place, fill, find_last, remove_carried
from headwater.store.write.packing import unpack

# Transactions that note events or remove notes are short: those that write wait for them.
NOTES_AT_ONCE = 50_000
# Of each target; the number of all is kept beside them.
MAX_REFUSED = 1_000
_MAX_REASON = 1_000
_PUBLISH_LOCK = 0x4845_4147


class OutboxReader(NamedTuple):
    """A registered reader, and how far it is; times are in microseconds since 1970."""

    id: int
    name: str
    publisher: str
    address: str
    registered_at: int
    lacks_history: int
    """1 until the events stored before are noted for it, if it is to have them."""
    sent: int
    refused: int
    last_sent_at: int | None
    last_error: str | None
    last_error_at: int | None


class RefusedEvent(NamedTuple):
    """An event that a target does not take, and why."""

    at: int
    digest: bytes
    reason: str
    refused_at: int


def list_readers(connection: Connection) -> list[OutboxReader]:
    """The targets, by their names; the lake is not one of them."""
    table = tables.outbox_reader
    query = select(*_columns()).where(table.c.id != LAKE).order_by(table.c.name)
    return [OutboxReader._make(row) for row in connection.execute(query)]


def find_reader(connection: Connection, name: str) -> OutboxReader | None:
    table = tables.outbox_reader
    query = select(*_columns()).where(table.c.id != LAKE, table.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else OutboxReader._make(row)


def get_reader(connection: Connection, name: str) -> OutboxReader:
    found = find_reader(connection, name)
    if found is None:
        raise NotFound("target", name, [reader.name for reader in list_readers(connection)][:5])
    return found


def register(
    engine: Engine, name: str, publisher: str, address: str, lacks_history: bool = False
) -> OutboxReader:
    """Make a target known, unless it is: from now on every event is noted for it.

    Those stored before are noted by `fill_history`, if a new one is to have them.
    """
    with answering(), removing(engine) as connection:
        found = find_reader(connection, name)
        if found is None:
            id = _free_id(connection)
            values = {
                "id": id,
                "name": name,
                "publisher": publisher,
                "address": address,
                "registered_at": now(),
                "lacks_history": int(lacks_history),
                "sent": 0,
                "refused": 0,
            }
            connection.execute(insert(tables.outbox_reader).values(values))
        else:
            check_same(found, publisher, address)
        return get_reader(connection, name)


def check_same(found: OutboxReader, publisher: str, address: str) -> None:
    """Refuse another target under the name of one that is registered."""
    if (found.publisher, found.address) != (publisher, address):
        raise Conflict(
            f"target '{found.name}' is {found.publisher} at {found.address}; "
            f"remove it first (`headwater publish remove {found.name}`), or choose another name"
        )


@contextmanager
def only_publisher(engine: Engine, name: str) -> Iterator[None]:
    """Be the only one who publishes to a target: a lock that ends with this process."""
    number = int.from_bytes(sha256(name.encode()).digest()[:4], signed=True)
    busy = Busy(f"another process is publishing to target '{name}'; stop it first")
    if engine.dialect.name == "sqlite":
        file = Path(f"{engine.url.database}.publish-{number & 0xFFFF_FFFF:08x}.lock")
        # It stays: one that is removed while another opens it would lock nothing.
        with file.open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise busy from None
            yield
        return
    with answering(), engine.connect() as connection:
        lock = {"kind": _PUBLISH_LOCK, "target": number}
        is_held = connection.scalar(text("SELECT pg_try_advisory_lock(:kind, :target)"), lock)
        connection.commit()
        if not is_held:
            raise busy
        try:
            yield
        finally:
            # Not back to the pool: the lock is the session's.
            connection.invalidate()


def read_refused_payload(connection: Connection, refused: RefusedEvent) -> bytes | None:
    """The event that a target did not take; None where it is no longer stored."""
    table = tables.event
    its = (table.c.at == refused.at, table.c.digest == refused.digest)
    packed = connection.execute(select(table.c.payload).where(*its)).scalar()
    return None if packed is None else unpack(packed)


def _free_id(connection: Connection) -> int:
    """A number that nobody has, nor has left notes of."""
    used = (tables.outbox_reader.c.id, tables.outbox.c.reader, tables.refused_event.c.reader)
    highest = [connection.execute(select(func.max(column))).scalar() for column in used]
    return 1 + max(number or LAKE for number in highest)


def fill_reader(engine: Engine, reader: int) -> None:
    """Let all stored events wait for a reader that does not have them."""
    after = None
    with answering():
        while True:
            with engine.connect() as connection:
                last = find_last(connection, after, NOTES_AT_ONCE)
            with engine.begin() as connection:
                fill(connection, after, last, reader)
            if last is None:
                return
            after = last


def fill_history(engine: Engine, reader: OutboxReader) -> None:
    """Let what was stored before wait for a new reader; what was interrupted is done again."""
    if reader.lacks_history:
        fill_reader(engine, reader.id)
        table = tables.outbox_reader
        done = update(table).where(table.c.id == reader.id).values(lacks_history=0)
        with answering(), engine.begin() as connection:
            connection.execute(done)


def unregister(engine: Engine, name: str) -> OutboxReader:
    """Forget a target, and what was noted for it."""
    with answering(), removing(engine) as connection:
        reader = get_reader(connection, name)
        connection.execute(
            delete(tables.outbox_reader).where(tables.outbox_reader.c.id == reader.id)
        )
    _remove_notes(engine)
    return reader


def _remove_notes(engine: Engine) -> None:
    """Remove what was noted for readers that are gone, also by one who was interrupted at it."""
    registered = select(tables.outbox_reader.c.id)
    for table in (tables.outbox, tables.refused_event):
        key = tuple_(*table.primary_key)
        some = select(*table.primary_key).where(table.c.reader.not_in(registered))
        statement = delete(table).where(key.in_(some.limit(NOTES_AT_ONCE)))
        count = NOTES_AT_ONCE
        while count == NOTES_AT_ONCE:
            with answering(), engine.begin() as connection:
                count = connection.execute(statement).rowcount


def record_carried(
    connection: Connection,
    reader: int,
    places: Iterable[Place],
    sent: int,
    refused: Sequence[RefusedEvent] = (),
) -> None:
    """Note that a reader is done with events: they were sent, refused, or are not for it."""
    remove_carried(connection, places, reader)
    table = tables.outbox_reader
    changes = {"sent": table.c.sent + sent, "refused": table.c.refused + len(refused)}
    newest = {"last_sent_at": now(), "last_error": None, "last_error_at": None} if sent else {}
    connection.execute(update(table).where(table.c.id == reader).values(changes | newest))
    _record_refused(connection, reader, refused)


def _record_refused(connection: Connection, reader: int, refused: Sequence[RefusedEvent]) -> None:
    table = tables.refused_event
    its = (table.c.reader == reader,)
    for each in refused:
        place = (table.c.at == each.at, table.c.digest == each.digest)
        connection.execute(delete(table).where(*its, *place))
        values = {**each._asdict(), "reason": each.reason[:_MAX_REASON], "reader": reader}
        connection.execute(insert(table).values(values))
    if refused:
        key = tuple_(*table.primary_key)
        newest = (table.c.refused_at.desc(), table.c.at.desc(), table.c.digest.desc())
        # SQLite has no offset without a limit.
        older = select(*table.primary_key).where(*its).order_by(*newest).offset(MAX_REFUSED)
        connection.execute(delete(table).where(key.in_(older.limit(NOTES_AT_ONCE))))


def record_error(connection: Connection, reader: int, reason: str) -> None:
    """Note why a target cannot be reached; the next event that it takes clears it."""
    table = tables.outbox_reader
    values = {"last_error": reason[:_MAX_REASON], "last_error_at": now()}
    connection.execute(update(table).where(table.c.id == reader).values(values))


def list_refused(connection: Connection, reader: int, limit: int) -> list[RefusedEvent]:
    """The newest events that a target did not take."""
    table = tables.refused_event
    columns = (table.c[name] for name in RefusedEvent._fields)
    query = select(*columns).where(table.c.reader == reader)
    newest = query.order_by(table.c.refused_at.desc(), table.c.at.desc()).limit(limit)
    return [RefusedEvent._make(row) for row in connection.execute(newest)]


def _columns() -> list[Column[Any]]:
    return [tables.outbox_reader.c[name] for name in OutboxReader._fields]
