"""What went wrong lately, whatever came of it: runs that failed, events that were rejected."""

from typing import NamedTuple

from sqlalchemy import Connection, func, literal_column, select

from headwater.model.event import EventType
from headwater.store import tables


class FailedRun(NamedTuple):
    """The last run of a job that failed since a time."""

    job: bytes
    run: bytes
    at: int


class RejectedCount(NamedTuple):
    """What a source sent since a time that was rejected, with why the newest was."""

    source: str
    events: int
    newest: int
    reason: str


def read_failed_runs(connection: Connection, since: int, most: int) -> list[FailedRun]:
    """Read the jobs of which a run failed since a time, the newest failures first."""
    table = tables.event
    rows = connection.execute(
        select(table.c.job, table.c.run, table.c.at)
        .where(
            tables.IS_OF_RUN,
            table.c.type == literal_column(str(int(EventType.FAIL))),
            table.c.at >= since,
        )
        .order_by(table.c.at.desc())
        .limit(most)
    )
    found: dict[bytes, FailedRun] = {}
    for row in rows:
        found.setdefault(row.job, FailedRun(*row))
    return list(found.values())


def count_rejected(connection: Connection, since: int, most: int) -> list[RejectedCount]:
    """Count what was rejected since a time by where it came from, the most first."""
    table = tables.rejected
    counted = func.count().label("counted")
    rows = connection.execute(
        select(table.c.source, counted, func.max(table.c.received_at))
        .where(table.c.received_at >= since)
        .group_by(table.c.source)
        .order_by(counted.desc(), table.c.source)
        .limit(most)
    ).all()
    found = []
    for source, count, newest in rows:
        reason = connection.execute(
            select(table.c.reason)
            .where(table.c.received_at == newest, table.c.source == source)
            .limit(1)
        ).scalar()
        found.append(RejectedCount(source, int(count), int(newest), str(reason or "")))
    return found
