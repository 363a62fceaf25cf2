"""Counting datasets and jobs by the system they belong to, in a few queries for all of them."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    and_,
    case,
    func,
    literal_column,
    or_,
    select,
)

from headwater.model.systems import system_of_dataset, system_of_job
from headwater.store import tables
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.datasets import IS_SHOWN
from headwater.store.read.job_types import join_job_type
from headwater.store.read.jobs import IS_LISTED

# What a job is called that tells no system; `system_of_job` leaves its name empty.
UNKNOWN = "unknown"


class SystemCounts(NamedTuple):
    datasets: int = 0
    jobs: int = 0
    running_jobs: int = 0


def count_by_system(connection: Connection) -> dict[str, SystemCounts]:
    """Count what lists show, and the jobs of which the newest run is going on."""
    datasets = _count_datasets(connection)
    jobs, running = _count_jobs(connection)
    return {
        system or UNKNOWN: SystemCounts(datasets[system], jobs[system], running[system])
        for system in sorted(datasets.keys() | jobs.keys())
    }


def _count_datasets(connection: Connection) -> Counter[str]:
    table = tables.dataset
    query = select(table.c.namespace, func.count()).where(IS_SHOWN).group_by(table.c.namespace)
    counts: Counter[str] = Counter()
    for namespace, count in connection.execute(query):
        counts[system_of_dataset(namespace)] += count
    return counts


def _count_jobs(connection: Connection) -> tuple[Counter[str], Counter[str]]:
    """Count jobs by namespace and type; a few of each, however many jobs there are."""
    job, run = tables.job, tables.run
    newest = run.alias("newest")
    newest_id = (
        select(newest.c.id)
        .where(newest.c.job == job.c.id, newest.c.first_event.is_not(None))
        .order_by(newest.c.first_event.desc(), newest.c.id.desc())
        .limit(1)
        .correlate(job)
        .scalar_subquery()
    )
    joined, its_type = join_job_type(job.outerjoin(run, run.c.id == newest_id))
    is_running = func.sum(case((_is_running(), 1), else_=0))
    query = (
        select(job.c.namespace, its_type, func.count(), is_running)
        .select_from(joined)
        .where(IS_LISTED)
        .group_by(job.c.namespace, its_type)
    )
    rows = connection.execute(query).all()
    types = FIELDS.read(connection, (row[1] for row in rows))
    counts: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    for namespace, digest, count, running in rows:
        system = system_of_job(types.get(digest, {}).get("integration"), namespace)
        counts[False][system] += count
        counts[True][system] += int(running)
    return counts[False], counts[True]


def _is_running() -> ColumnElement[Any]:
    """As `runs.state_of` has it: begun, and not ended since it last began."""
    run = tables.run
    # A stamp is a time with a rank in its last three bits.
    ended_at = run.c.terminal_at.op(">>")(literal_column("3", BigInteger))
    has_begun = or_(run.c.first_start.is_not(None), run.c.first_running.is_not(None))
    return and_(has_begun, or_(run.c.terminal.is_(None), run.c.last_start > ended_at))
