"""Reading the newest run of many jobs at once, and the first one after a time."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, select

from headwater.store import tables
from headwater.store.prepared import IsAmong, Prepared

_AT = bindparam("at", type_=BigInteger)


class NewestRun(NamedTuple):
    """A run's row, as far as it is shown with its job."""

    id: bytes
    name: str | None
    job: bytes
    parent_run: bytes | None
    first_event: int
    last_event: int
    first_start: int | None
    last_start: int | None
    first_running: int | None
    terminal: int | None
    terminal_at: int | None
    nominal_start: int | None
    nominal_end: int | None
    code: bytes | None
    sql: bytes | None


def _newest(is_among: IsAmong) -> Any:
    job, run = tables.job, tables.run
    newest = run.alias("newest")
    newest_id = (
        select(newest.c.id)
        .where(newest.c.job == job.c.id, newest.c.first_event <= _AT)
        .order_by(newest.c.first_event.desc(), newest.c.id.desc())
        .limit(1)
        .correlate(job)
        .scalar_subquery()
    )
    return (
        select(*(run.c[name] for name in NewestRun._fields))
        .select_from(job.join(run, run.c.id == newest_id))
        .where(is_among(job.c.id))
    )


_NEWEST = Prepared(_newest)


def read_newest_runs(
    connection: Connection, jobs: Iterable[bytes], at: int
) -> dict[bytes, NewestRun]:
    """Read each job's newest run by a time."""
    rows = (NewestRun._make(row) for row in _NEWEST.rows(connection, jobs, at=at))
    return {row.job: row for row in rows}


def read_first_run(
    connection: Connection,
    job: bytes,
    after: int,
    at: int,
    code: bytes | None = None,
    sql: bytes | None = None,
) -> NewestRun | None:
    """Read the first run of a job within a stretch of time, of some code or SQL if given."""
    run = tables.run
    query = (
        select(*(run.c[name] for name in NewestRun._fields))
        .where(run.c.job == job, run.c.first_event > after, run.c.first_event <= at)
        .order_by(run.c.first_event, run.c.id)
        .limit(1)
    )
    if code is not None:
        query = query.where(run.c.code == code)
    if sql is not None:
        query = query.where(run.c.sql == sql)
    row = connection.execute(query).one_or_none()
    return None if row is None else NewestRun._make(row)


def read_last_stated(
    connection: Connection, job: bytes, at: int, aspect: Literal["code", "sql"]
) -> bytes | None:
    """Read the code or SQL that a job's runs stated last by a time."""
    run = tables.run
    query = (
        select(run.c[aspect])
        .where(run.c.job == job, run.c.first_event <= at, run.c[aspect].is_not(None))
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(1)
    )
    found = connection.execute(query).scalar()
    return None if found is None else bytes(found)


def read_runs_at(connection: Connection, at: int) -> list[tuple[bytes, bytes]]:
    """Read the jobs and runs whose events are of just this time."""
    event = tables.event
    query = select(event.c.job, event.c.run).where(event.c.at == at, event.c.run.is_not(None))
    return [(bytes(job), bytes(run)) for job, run in connection.execute(query.distinct())]
