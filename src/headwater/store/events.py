"""Reading events as they came, and what was rejected."""

from typing import NamedTuple

from sqlalchemy import Connection, asc, desc, func, select

from headwater.store import tables
from headwater.store.packing import unpack
from headwater.store.paging import Page


class RejectedEvent(NamedTuple):
    digest: bytes
    received_at: int
    source: str
    path: str
    reason: str
    size: int
    payload: bytes


def list_events(
    connection: Connection, after: int | None, before: int | None, is_newest_first: bool, page: Page
) -> tuple[list[bytes], int]:
    """List events by their own time, from `after` up to but not including `before`."""
    table = tables.event
    conditions = []
    if after is not None:
        conditions.append(table.c.at >= after)
    if before is not None:
        conditions.append(table.c.at < before)
    direction = desc if is_newest_first else asc
    query = (
        select(table.c.payload)
        .where(*conditions)
        .order_by(direction(table.c.at), direction(table.c.digest))
        .limit(page.limit)
        .offset(page.offset)
    )
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return [unpack(payload) for payload in connection.execute(query).scalars()], int(total or 0)


def list_rejected(connection: Connection, page: Page) -> tuple[list[RejectedEvent], int]:
    """List what was rejected, newest first."""
    table = tables.rejected
    query = (
        select(table)
        .order_by(table.c.received_at.desc(), table.c.digest)
        .limit(page.limit)
        .offset(page.offset)
    )
    rows = [RejectedEvent(*row) for row in connection.execute(query)]
    found = [row._replace(payload=unpack(row.payload)) for row in rows]
    total = connection.execute(select(func.count()).select_from(table)).scalar()
    return found, int(total or 0)
