"""Reading events as they were received."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, asc, desc, func, select

from headwater.model.event import Kind
from headwater.model.values.ids import namespace_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.write.packing import unpack


class EventFilter(NamedTuple):
    """Which events are requested: from `after` up to but not including `before`, by their own
    time; of a namespace's jobs, or of a run by its key."""

    after: int | None = None
    before: int | None = None
    run: bytes | None = None
    namespace: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        table = tables.event
        conditions: list[ColumnElement[bool]] = []
        if self.after is not None:
            conditions.append(table.c.at >= self.after)
        if self.before is not None:
            conditions.append(table.c.at < self.before)
        if self.run is not None:
            conditions.append(table.c.run == self.run)
        if self.namespace is not None:
            conditions.append(_is_of_jobs_in(self.namespace))
        return conditions


def list_events(
    connection: Connection, requested: EventFilter, is_newest_first: bool, page: Page
) -> tuple[list[bytes], int]:
    """List events by their own time; what persons did is no event of lineage, and left out."""
    table = tables.event
    conditions = requested.conditions()
    direction = desc if is_newest_first else asc
    query = (
        select(table.c.payload)
        .where(*conditions, ~tables.IS_EDIT)
        .order_by(direction(table.c.at), direction(table.c.digest))
        .limit(page.limit)
        .offset(page.offset)
    )
    count = select(func.count()).select_from(table).where(*conditions)
    # Edits are counted in an index of their own: the others need not be looked at one by one.
    total, edits = (
        int(connection.execute(counted).scalar() or 0)
        for counted in (count, count.where(tables.IS_EDIT))
    )
    return [unpack(payload) for payload in connection.execute(query).scalars()], total - edits


def count_kinds(connection: Connection) -> dict[Kind, int]:
    """How many events of each kind are stored."""
    table = tables.event
    found = connection.execute(select(table.c.kind, func.count()).group_by(table.c.kind))
    return dict.fromkeys(Kind, 0) | {Kind(kind): count for kind, count in found}


def _is_of_jobs_in(namespace: str) -> ColumnElement[bool]:
    jobs = select(tables.job.c.id).where(tables.job.c.namespace_id == namespace_id(namespace))
    return tables.event.c.job.in_(jobs)
