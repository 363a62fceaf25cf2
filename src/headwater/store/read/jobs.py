"""Reading jobs: by name, by what they were called under their parent, or the latest updated."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from headwater.model.values.ids import job_id, namespace_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.query.prepared import Prepared
from headwater.store.read.runs import state_column
from headwater.store.read.visibility.pages import JOBS_BY_NAME, JOBS_BY_UPDATE, list_shown
from headwater.store.read.visibility.shown import JOB_IS_KNOWN, JOB_IS_LISTED


class JobRecord(NamedTuple):
    id: bytes
    namespace: str
    name: str
    first_seen: int | None
    last_seen: int | None
    parent: bytes | None


JobOrder = Literal["name", "updated_at"]

_COLUMNS = tuple(tables.job.c[name] for name in JobRecord._fields)


def list_jobs(
    connection: Connection,
    namespace: str | None,
    page: Page,
    states: Iterable[str] = (),
    order: JobOrder = "name",
) -> tuple[list[JobRecord], int]:
    """List jobs of a namespace or of all, if requested only those whose newest run is in some
    state; by name, or the latest updated first."""
    by_name = JOBS_BY_NAME if namespace is None else JOBS_BY_NAME[:1]
    by = by_name if order == "name" else JOBS_BY_UPDATE
    if requested := sorted(set(states)):
        return _list_in_states(connection, namespace, page, requested, by)
    ids, total = list_shown(connection, tables.job, page, by, namespace)
    jobs = read_jobs(connection, ids)
    return [jobs[id] for id in ids if id in jobs], total


def _list_in_states(
    connection: Connection,
    namespace: str | None,
    page: Page,
    states: list[str],
    by: Sequence[ColumnElement[Any]],
) -> tuple[list[JobRecord], int]:
    """What state a job is in its runs tell: every job is read."""
    table = tables.job
    conditions = [JOB_IS_LISTED, _state_of_newest().in_(states)]
    if namespace is not None:
        conditions.append(table.c.namespace_id == namespace_id(namespace))
    query = select(*_COLUMNS).where(*conditions).order_by(*by)
    rows = connection.execute(query.limit(page.limit).offset(page.offset)).all()
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return [JobRecord._make(row) for row in rows], int(total or 0)


def _state_of_newest() -> ColumnElement[Any]:
    """The state of a job's newest run; none where there is no run."""
    job, run = tables.job, tables.run.alias("newest")
    return (
        select(state_column(run))
        .where(run.c.job == job.c.id, run.c.first_event.is_not(None))
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(1)
        .correlate(job)
        .scalar_subquery()
    )


def find_job(connection: Connection, namespace: str, name: str) -> JobRecord | None:
    """Find a job by its name, or by one under which nothing else is known: `child` where events
    say `parent.child`, and the other way round."""
    return (
        _find(connection, namespace, name)
        or _find_under_parent(connection, namespace, name)
        or _find_by_simple_name(connection, namespace, name)
    )


_NAMED = Prepared(lambda is_among: select(*_COLUMNS).where(is_among(tables.job.c.id), JOB_IS_KNOWN))


def _find(connection: Connection, namespace: str, name: str) -> JobRecord | None:
    rows = _NAMED.rows(connection, [job_id(namespace, name)])
    return JobRecord._make(rows[0]) if rows else None


def _find_under_parent(connection: Connection, namespace: str, name: str) -> JobRecord | None:
    """`parent.child` where the job is called `child` and its parent `parent`."""
    parts = name.split(".")
    splits = {
        job_id(namespace, ".".join(parts[place:])): ".".join(parts[:place])
        for place in range(1, len(parts))
    }
    jobs = [JobRecord._make(row) for row in _NAMED.rows(connection, splits)]
    parents = read_names(connection, (job.parent for job in jobs if job.parent))
    found = [
        job for job in jobs if job.parent in parents and parents[job.parent][1] == splits[job.id]
    ]
    return found[0] if len(found) == 1 else None


def _find_by_simple_name(connection: Connection, namespace: str, name: str) -> JobRecord | None:
    """`child` where the job is called `parent.child` and its parent `parent`."""
    # NUL is in no name, and PostgreSQL does not even accept it.
    if "\0" in name:
        return None
    table = tables.job
    query = select(*_COLUMNS).where(
        table.c.namespace_id == namespace_id(namespace),
        table.c.parent.is_not(None),
        table.c.name.endswith(f".{name}", autoescape=True),
        JOB_IS_KNOWN,
    )
    jobs = [JobRecord._make(row) for row in connection.execute(query)]
    parents = read_names(connection, (job.parent for job in jobs if job.parent))
    found = [
        job
        for job in jobs
        if job.parent in parents and job.name == f"{parents[job.parent][1]}.{name}"
    ]
    return found[0] if len(found) == 1 else None


def list_children(connection: Connection, job: bytes, most: int) -> tuple[list[JobRecord], int]:
    """List the jobs whose parent a job is, by name, and count them."""
    table = tables.job
    conditions = (table.c.parent == job, JOB_IS_LISTED)
    query = select(*_COLUMNS).where(*conditions).order_by(table.c.name, table.c.namespace)
    rows = connection.execute(query.limit(most)).all()
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return [JobRecord._make(row) for row in rows], int(total or 0)


_JOBS = Prepared(lambda is_among: select(*_COLUMNS).where(is_among(tables.job.c.id)))


def read_jobs(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, JobRecord]:
    """Read jobs by id, those that were only named included."""
    return {row[0]: JobRecord._make(row) for row in _JOBS.rows(connection, jobs)}


def read_names(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
    """Read the namespace and name behind job ids."""
    return {id: (job.namespace, job.name) for id, job in read_jobs(connection, jobs).items()}
