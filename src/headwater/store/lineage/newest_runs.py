"""Reading the newest runs of many jobs at once, and the first one after a time."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    and_,
    bindparam,
    func,
    select,
    true,
)

from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared

_AT = bindparam("at", type_=BigInteger)

# Runs that are shown with their job.
LATEST = 10
_LONG_AGO = -(2**62)


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


# Runs with events of their own, by when they began; and those that only their children speak
# of, which have no times.
_Which = Literal["seen", "named"]


def _is(which: _Which, run: Any) -> ColumnElement[bool]:
    is_named: ColumnElement[bool] = run.c.first_event.is_(None)
    return ~is_named if which == "seen" else is_named


def _latest_since(which: _Which, is_among: IsAmong) -> Any:
    """The runs from each job's tenth newest on: an index has them, however long the history."""
    job, run = tables.job, tables.run
    other = run.alias("other")
    time = "first_event" if which == "seen" else "id"
    tenth = (
        select(other.c[time])
        .where(other.c.job == job.c.id, _is(which, other))
        .order_by(other.c[time].desc())
        .limit(1)
        .offset(LATEST - 1)
        .correlate(job)
        .scalar_subquery()
    )
    since = func.coalesce(tenth, _LONG_AGO if which == "seen" else b"")
    is_late = and_(run.c.job == job.c.id, _is(which, run), run.c[time] >= since)
    return (
        select(*(run.c[name] for name in NewestRun._fields))
        .select_from(job.join(run, is_late))
        .where(is_among(job.c.id))
        .order_by(job.c.id, run.c.first_event.desc(), run.c.id.desc())
    )


def _latest_of_each(which: _Which, is_among: IsAmong) -> Any:
    """The same where a query can ask another for each row: PostgreSQL would read all runs."""
    job, run = tables.job, tables.run
    latest = (
        select(*(run.c[name] for name in NewestRun._fields))
        .where(run.c.job == job.c.id, _is(which, run))
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(LATEST)
        .correlate(job)
        .lateral("latest")
    )
    return (
        select(latest)
        .select_from(job.join(latest, true()))
        .where(is_among(job.c.id))
        .order_by(job.c.id, latest.c.first_event.desc(), latest.c.id.desc())
    )


_LATEST_RUNS = {
    ("sqlite", "seen"): Prepared(partial(_latest_since, "seen")),
    ("sqlite", "named"): Prepared(partial(_latest_since, "named")),
    ("postgresql", "seen"): Prepared(partial(_latest_of_each, "seen")),
    ("postgresql", "named"): Prepared(partial(_latest_of_each, "named")),
}


# The columns of a NewestRun; the times of a run that was only named are absent.
RunRow = tuple[Any, ...]


def read_latest_runs(
    connection: Connection, jobs: Iterable[bytes]
) -> dict[bytes, tuple[RunRow, ...]]:
    """Read each job's latest runs, newest first; at the end those that only children speak of."""
    requested = set(jobs)
    seen, named = (_LATEST_RUNS[connection.dialect.name, which] for which in ("seen", "named"))
    found = _first_ten(seen.rows(connection, requested))
    few = [job for job in requested if len(found.get(job, ())) < LATEST]
    for job, others in _first_ten(named.rows(connection, few)).items():
        found[job] = (found.get(job, ()) + others)[:LATEST]
    return found


def _first_ten(rows: list[RunRow]) -> dict[bytes, tuple[RunRow, ...]]:
    """Several may have begun with the tenth, and are left out."""
    of_job = itemgetter(NewestRun._fields.index("job"))
    return {job: tuple(islice(some, LATEST)) for job, some in groupby(rows, of_job)}


def join_newest_runs(
    connection: Connection,
    columns: Sequence[str],
    most: int,
    is_included: Callable[[Any], ColumnElement[bool]],
) -> tuple[FromClause, FromClause]:
    """Join jobs with the newest of their runs: what to select from, and the runs in it.

    For each job a look into the index of its runs, in the words of either database.
    """
    job, newest = tables.job, tables.run.alias("newest")
    by_time = (
        select(*(newest.c[name] for name in columns))
        .where(newest.c.job == job.c.id, is_included(newest))
        .order_by(newest.c.first_event.desc(), newest.c.id.desc())
        .limit(most)
    )
    if connection.dialect.name == "sqlite":
        ids = by_time.with_only_columns(newest.c.id).correlate(job)
        return job.join(tables.run, tables.run.c.id.in_(ids)), tables.run
    runs = by_time.lateral()
    return job.join(runs, true()), runs


def read_first_run(
    connection: Connection,
    job: bytes,
    after: int,
    at: int,
    code: bytes | None = None,
    sql: bytes | None = None,
) -> NewestRun | None:
    """Read the first run of a job within an interval, of some code or SQL if given."""
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
