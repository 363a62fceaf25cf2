"""Counting datasets and jobs by the system they belong to, in a few queries for all of them."""

from collections import Counter, defaultdict
from typing import NamedTuple

from sqlalchemy import (
    Connection,
    case,
    func,
    select,
)

from headwater.model.run_states import RUNNING
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.store import tables
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.job_types import join_job_type
from headwater.store.read.runs import state_column
from headwater.store.read.visibility.pages import count_by_namespace
from headwater.store.read.visibility.shown import JOB_IS_LISTED

# What a job is called that tells no system; `system_of_job` leaves its name empty.
UNKNOWN = "unknown"


class SystemCounts(NamedTuple):
    datasets: int = 0
    jobs: int = 0
    running_jobs: int = 0


JobCounts = tuple[Counter[str], Counter[str]]


def count_by_system(
    connection: Connection, counted: JobCounts | None = None
) -> dict[str, SystemCounts]:
    """Count what lists show, and the jobs of which the newest run is going on.

    How many jobs there are of each system, and how many of them run, may be known already.
    """
    datasets: Counter[str] = Counter()
    for namespace, count in count_by_namespace(connection, tables.dataset).items():
        datasets[system_of_dataset(namespace)] += count
    jobs, running = counted or _count_jobs(connection)
    return {
        system or UNKNOWN: SystemCounts(datasets[system], jobs[system], running[system])
        for system in sorted((+datasets).keys() | (+jobs).keys())
    }


def list_namespaces_of(connection: Connection, system: str) -> dict[str, tuple[int, int]]:
    """The namespaces with anything of a system: how many datasets, and how many jobs of it."""
    datasets: Counter[str] = Counter()
    for namespace, count in count_by_namespace(connection, tables.dataset).items():
        if (system_of_dataset(namespace) or UNKNOWN) == system:
            datasets[namespace] += count
    job = tables.job
    joined, its_type = join_job_type(job)
    rows = connection.execute(
        select(job.c.namespace, its_type, func.count())
        .select_from(joined)
        .where(JOB_IS_LISTED)
        .group_by(job.c.namespace, its_type)
    ).all()
    types = FIELDS.read(connection, (row[1] for row in rows))
    jobs: Counter[str] = Counter()
    for namespace, digest, count in rows:
        found = system_of_job(types.get(digest, {}).get("integration"), namespace)
        if (found or UNKNOWN) == system:
            jobs[namespace] += count
    return {name: (datasets[name], jobs[name]) for name in datasets.keys() | jobs.keys()}


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
    is_running = func.sum(case((state_column(run) == RUNNING, 1), else_=0))
    query = (
        select(job.c.namespace, its_type, func.count(), is_running)
        .select_from(joined)
        .where(JOB_IS_LISTED)
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
