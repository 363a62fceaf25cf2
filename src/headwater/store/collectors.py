"""The collectors and publishers that run by themselves: who runs one, when, with what result.

Publishers have a table of the same columns. One process at a time runs each: it holds a lease,
which it renews, and which another takes over once it has ended. Times are in microseconds since
1970.
"""

from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Table, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from headwater.errors import Conflict, NotFound
from headwater.store import leases, tables

PassTable = Table
COLLECTORS: PassTable = tables.collector
PUBLISHERS: PassTable = tables.publisher


class CollectorState(NamedTuple):
    name: str
    type: str
    every_seconds: int
    holder: str
    lease_until: int
    requested_at: int | None
    started_at: int | None
    ended_at: int | None
    next_at: int | None
    changed_at: int | None
    """The end of the last pass that sent anything."""
    stored: int
    refused: int
    all_stored: int
    failures: int
    """Passes that failed one after another, up to the last."""
    problem: str | None

    @property
    def is_running(self) -> bool:
        return self.started_at is not None and (self.ended_at or 0) < self.started_at

    def describe(self, at: int) -> str:
        """`running`, `waiting`, `failing`, or `stopped` where nobody runs it."""
        if self.lease_until < at:
            return "stopped"
        if self.is_running:
            return "running"
        return "failing" if self.failures else "waiting"

    @property
    def is_requested(self) -> bool:
        return (self.requested_at or 0) > (self.started_at or 0)


def list_collectors(connection: Connection, table: PassTable = COLLECTORS) -> list[CollectorState]:
    rows = connection.execute(select(*_columns(table)).order_by(table.c.name))
    return [CollectorState._make(row) for row in rows]


def read_collector(
    connection: Connection, name: str, table: PassTable = COLLECTORS
) -> CollectorState:
    row = connection.execute(select(*_columns(table)).where(table.c.name == name)).first()
    if row is None:
        known = [each.name for each in list_collectors(connection, table)]
        raise NotFound(table.name, name, known[:5])
    return CollectorState._make(row)


def take_lease(
    connection: Connection,
    name: str,
    type: str,
    every_seconds: int,
    holder: str,
    at: int,
    until: int,
    table: PassTable = COLLECTORS,
) -> bool:
    """Hold the lease of a collector, or hold it longer; False where another does."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    held = {
        "type": type,
        "every_seconds": every_seconds,
        "holder": holder,
        "lease_until": until,
    }
    new = insert(table).values(name=name, stored=0, refused=0, all_stored=0, failures=0, **held)
    may = leases.is_free(table, holder, at)
    taken = new.on_conflict_do_update(index_elements=["name"], set_=held, where=may)
    return connection.execute(taken.returning(table.c.name)).first() is not None


def release_lease(
    connection: Connection, name: str, holder: str, at: int, table: PassTable = COLLECTORS
) -> None:
    """Let another take over at once."""
    leases.release_lease(connection, table, name, holder, at)


def note_started(connection: Connection, name: str, at: int, table: PassTable = COLLECTORS) -> None:
    leases.note_started(connection, table, name, at)


def is_held(connection: Connection, name: str, holder: str) -> bool:
    """Whether somebody is the last who held the lease: only the holder has news of a collector."""
    return leases.is_held(connection, tables.collector, name, holder)


def note_ended(
    connection: Connection,
    name: str,
    at: int,
    next_at: int,
    stored: int,
    refused: int,
    problem: str | None,
    is_failed: bool,
    table: PassTable = COLLECTORS,
) -> None:
    """Note the result of a pass; `problem` also where it went on in spite of it."""
    values = {
        "ended_at": at,
        "next_at": next_at,
        "stored": stored,
        "refused": refused,
        "all_stored": table.c.all_stored + stored,
        "failures": table.c.failures + 1 if is_failed else 0,
        "problem": problem,
        **({"changed_at": at} if stored else {}),
    }
    connection.execute(update(table).where(table.c.name == name).values(values))


def request_pass(connection: Connection, name: str, at: int, table: PassTable = COLLECTORS) -> None:
    """Ask whoever runs a collector for a pass now."""
    # Written first: SQLite refuses a write after a read if another has written in between.
    leases.note_requested(connection, table, name, at)
    read_collector(connection, name, table)


def remove_collector(
    connection: Connection, name: str, at: int, table: PassTable = COLLECTORS
) -> None:
    """Forget a collector that nobody runs any more."""
    gone = delete(table).where(table.c.name == name, table.c.lease_until < at)
    if connection.execute(gone).rowcount == 0:
        holder = read_collector(connection, name, table).holder
        raise Conflict(f"{holder} runs it; take it out of the settings there first")


def _columns(table: PassTable) -> list[Column[Any]]:
    return [table.c[name] for name in CollectorState._fields]
