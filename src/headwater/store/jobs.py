"""Reading jobs."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from headwater.model.ids import job_id
from headwater.store import tables
from headwater.store.entities import is_shown, list_entities
from headwater.store.paging import Page
from headwater.store.prepared import Prepared


class Job(NamedTuple):
    id: bytes
    namespace: str
    name: str
    first_seen: int | None
    last_seen: int | None
    parent: bytes | None


_COLUMNS = tuple(tables.job.c[name] for name in Job._fields)


def _is_listed() -> ColumnElement[bool]:
    """Heard of, not only edited, and not hidden."""
    table = tables.job
    return table.c.first_seen.is_not(None) & is_shown(table, table.c.last_seen)


def list_jobs(connection: Connection, namespace: str, page: Page) -> tuple[list[Job], int]:
    """List a namespace's jobs by name."""
    rows, total = list_entities(connection, tables.job, _COLUMNS, _is_listed(), namespace, page)
    return [Job._make(row) for row in rows], total


def find_job(connection: Connection, namespace: str, name: str) -> Job | None:
    wanted = tables.job.c.id == job_id(namespace, name)
    row = connection.execute(select(*_COLUMNS).where(wanted, _is_listed())).one_or_none()
    return None if row is None else Job._make(row)


_JOBS = Prepared(lambda is_among: select(*_COLUMNS).where(is_among(tables.job.c.id)))


def read_jobs(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, Job]:
    """Read jobs by id, those that were only named included."""
    return {row[0]: Job._make(row) for row in _JOBS.rows(connection, jobs)}


def read_names(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
    """Read the namespace and name behind job ids."""
    return {id: (job.namespace, job.name) for id, job in read_jobs(connection, jobs).items()}
