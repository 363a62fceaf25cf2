"""Finding the runs that may have used a dataset within an interval.

No index leads from a dataset to its runs: every event would pay for it. Its jobs are known, and the
runs of a job are in order of time.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.lineage.newest_runs import join_newest_runs
from headwater.store.query.paging import in_parts

# Of more, those count that used it last, or began last; the answer says that there are more.
MOST_JOBS = 1_000
MOST_RUNS = 50_000
# Runs of a job that began before the interval and lasted into it: as many as run at a time.
_RUNS_AT_ONCE = 64


class TimeRange(NamedTuple):
    """Times in microseconds, the end not included."""

    since: int
    until: int


class FoundRuns(NamedTuple):
    """Runs with their jobs; `earlier` are those that began before the interval."""

    jobs: dict[bytes, bytes]
    earlier: frozenset[bytes]
    # From here on every run is included; the start of the interval unless there are too many.
    complete_since: int
    is_cut: bool


def find_runs(connection: Connection, datasets: Iterable[bytes], interval: TimeRange) -> FoundRuns:
    """Find the runs of all jobs that ever read or wrote datasets, as far as they went on then."""
    jobs, has_more_jobs = _find_jobs(connection, datasets, interval)
    found = find_runs_of(connection, jobs, interval)
    return found._replace(is_cut=found.is_cut or has_more_jobs)


def find_runs_of(connection: Connection, jobs: list[bytes], interval: TimeRange) -> FoundRuns:
    """Find the runs of jobs, as far as they went on within an interval."""
    begun, complete_since = _find_begun(connection, jobs, interval)
    earlier = _find_earlier(connection, jobs, interval.since)
    is_cut = complete_since > interval.since
    return FoundRuns(earlier | begun, frozenset(earlier), complete_since, is_cut)


def _find_jobs(
    connection: Connection, datasets: Iterable[bytes], interval: TimeRange
) -> tuple[list[bytes], bool]:
    use = tables.job_dataset
    last_seen = func.max(use.c.last_seen)
    found: dict[bytes, int] = {}
    for part in in_parts(datasets):
        query = (
            select(use.c.job, last_seen)
            .where(use.c.dataset.in_(part), use.c.direction != int(Direction.ITSELF))
            .where(use.c.first_seen < interval.until)
            .group_by(use.c.job)
            .having(last_seen >= interval.since)
            .order_by(last_seen.desc(), use.c.job)
            .limit(MOST_JOBS + 1)
        )
        found.update((job, time) for job, time in connection.execute(query))
    newest = sorted(found, key=lambda job: (-found[job], job))
    return newest[:MOST_JOBS], len(newest) > MOST_JOBS


def _find_begun(
    connection: Connection, jobs: list[bytes], interval: TimeRange
) -> tuple[dict[bytes, bytes], int]:
    """The runs that began within the interval, and since when that is all of them."""
    run = tables.run
    rows: list[Any] = []
    for part in in_parts(jobs):
        query = (
            select(run.c.first_event, run.c.id, run.c.job)
            .where(run.c.job.in_(part))
            .where(run.c.first_event >= interval.since, run.c.first_event < interval.until)
            .order_by(run.c.first_event.desc(), run.c.id)
            .limit(MOST_RUNS + 1)
        )
        rows += connection.execute(query)
    rows.sort(key=lambda row: (-row.first_event, row.id))
    complete_since = interval.since
    if len(rows) > MOST_RUNS:
        complete_since = rows[MOST_RUNS].first_event + 1
    return {row.id: row.job for row in rows[:MOST_RUNS]}, complete_since


def _find_earlier(connection: Connection, jobs: list[bytes], since: int) -> dict[bytes, bytes]:
    return {
        row.id: row.job
        for part in in_parts(jobs)
        for row in connection.execute(_newest_before(connection, part, since))
    }


def _newest_before(connection: Connection, jobs: list[bytes], since: int) -> Select[Any]:
    joined, runs = join_newest_runs(
        connection,
        ("id", "job", "last_event"),
        _RUNS_AT_ONCE,
        lambda run: run.c.first_event < since,
    )
    return (
        select(runs.c.id, runs.c.job)
        .select_from(joined)
        .where(tables.job.c.id.in_(jobs), runs.c.last_event >= since)
    )
