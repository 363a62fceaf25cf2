"""Reading what was rejected: to list it, and to try it once more."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Engine, delete, func, select

from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.write.packing import unpack


class RejectedEvent(NamedTuple):
    digest: bytes
    received_at: int
    source: str
    path: str
    reason: str
    size: int
    payload: bytes


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


def read_places(
    connection: Connection, digests: Sequence[bytes], most: int
) -> dict[bytes, list[str]]:
    """Read the places that rejected events stood in, for each the first so many by name."""
    place = tables.rejected_place
    return {
        digest: list(
            connection.execute(
                select(place.c.source)
                .where(place.c.digest == digest)
                .order_by(place.c.source)
                .limit(most)
            ).scalars()
        )
        for digest in digests
    }


def read_rejected(engine: Engine, after: bytes, source: str, limit: int) -> list[RejectedEvent]:
    """Read what was rejected and came from a source that begins so, by digest after another's."""
    table = tables.rejected
    query = select(table).where(table.c.digest > after).order_by(table.c.digest).limit(limit)
    if source:
        # LIKE would take letters of both cases for one, on SQLite.
        query = query.where(func.substr(table.c.source, 1, len(source)) == source)
    with engine.connect() as connection:
        rows = [RejectedEvent(*row) for row in connection.execute(query)]
    return [row._replace(payload=unpack(row.payload)) for row in rows]


def remove_rejected(engine: Engine, digests: Sequence[bytes]) -> None:
    """Forget that something was rejected: it has been stored."""
    table = tables.rejected
    if digests:
        with engine.begin() as connection:
            for one in (tables.rejected_place, table):
                connection.execute(delete(one).where(one.c.digest.in_(digests)))
