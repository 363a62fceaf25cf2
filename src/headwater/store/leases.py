"""Leases in the store: who runs a collector or an ingestion, and requests to run one now.

The tables have the same columns for it: name, holder, lease_until, requested_at, started_at.
Times are in microseconds since 1970.
"""

from sqlalchemy import ColumnElement, Connection, Table, or_, select, update


def is_free(table: Table, holder: str, at: int) -> ColumnElement[bool]:
    """Whether somebody may hold a lease: it is theirs, or has ended."""
    return or_(table.c.holder == holder, table.c.lease_until < at)


def release_lease(connection: Connection, table: Table, name: str, holder: str, at: int) -> None:
    """Let another take over at once."""
    its = (table.c.name == name, table.c.holder == holder)
    connection.execute(update(table).where(*its).values(lease_until=at - 1))


def is_held(connection: Connection, table: Table, name: str, holder: str) -> bool:
    """Whether somebody is the last who held a lease: only the holder has news of what it runs."""
    its = select(table.c.name).where(table.c.name == name, table.c.holder == holder)
    return connection.execute(its).first() is not None


def note_started(connection: Connection, table: Table, name: str, at: int) -> None:
    connection.execute(update(table).where(table.c.name == name).values(started_at=at))


def note_requested(connection: Connection, table: Table, name: str, at: int) -> None:
    """Ask whoever holds the lease for a run now."""
    connection.execute(update(table).where(table.c.name == name).values(requested_at=at))
