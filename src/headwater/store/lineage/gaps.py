"""Reading what producers did not understand of jobs, as of a time."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, select

from headwater.model.gaps import Gaps, decode_gaps
from headwater.model.uses import GapReport
from headwater.model.values.ids import NO_CONTENT
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import Readings

GAP_LISTS: Readings[Gaps] = Readings(decode_gaps, 2_000_000, growth=4)

# Of a job with more reports than this, as of micro-batches, the newest count.
_MOST_REPORTS = 64
_EVER = -(2**62)
_AT = bindparam("at", type_=BigInteger)


def _reports(is_among: IsAmong) -> Any:
    job, report = tables.job, tables.reported_gaps
    newer = report.alias("newer")
    oldest = (
        select(newer.c.first_seen)
        .where(newer.c.job == job.c.id, newer.c.first_seen <= _AT)
        .order_by(newer.c.first_seen.desc())
        .limit(1)
        .offset(_MOST_REPORTS - 1)
        .correlate(job)
        .scalar_subquery()
    )
    return (
        select(*(report.c[name] for name in GapReport._fields))
        .select_from(job.join(report, report.c.job == job.c.id))
        .where(
            is_among(job.c.id),
            report.c.first_seen <= _AT,
            report.c.first_seen >= func.coalesce(oldest, _EVER),
        )
    )


_REPORTS = Prepared(_reports)
_OF_RUNS = Prepared(
    lambda is_among: select(
        tables.reported_gaps.c.run, tables.reported_gaps.c.last_seen, tables.reported_gaps.c.gaps
    ).where(is_among(tables.reported_gaps.c.run))
)


def read_gap_reports(connection: Connection, jobs: Iterable[bytes], at: int) -> list[GapReport]:
    """Read what runs of jobs reported by a time."""
    return [GapReport._make(row) for row in _REPORTS.rows(connection, jobs, at=at)]


def list_jobs_with_reports(connection: Connection) -> list[bytes]:
    """List the jobs that any run ever reported gaps of."""
    report = tables.reported_gaps
    query = select(report.c.job).where(report.c.gaps != NO_CONTENT).distinct()
    return sorted(connection.execute(query).scalars())


def read_run_gaps(connection: Connection, runs: Iterable[bytes]) -> dict[bytes, Gaps]:
    """Read what runs reported last; those without gaps are left out."""
    newest: dict[bytes, tuple[int, bytes]] = {}
    for run, last_seen, digest in _OF_RUNS.rows(connection, runs):
        newest[run] = max(newest.get(run, (last_seen, digest)), (last_seen, digest))
    lists = GAP_LISTS.read(connection, (digest for _, digest in newest.values()))
    return {run: lists[digest] for run, (_, digest) in newest.items() if digest in lists}
