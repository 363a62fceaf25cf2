"""Reading jobs, and what each reads and writes now."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, true

from headwater.model.ids import job_id
from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.entities import is_shown, list_entities
from headwater.store.paging import Page, in_parts


class Job(NamedTuple):
    id: bytes
    namespace: str
    name: str
    first_seen: int
    last_seen: int
    parent: bytes | None


class Use(NamedTuple):
    """A dataset that a job reads or writes now."""

    direction: Direction
    dataset: bytes
    namespace: str
    name: str


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


def read_names(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
    """Read the namespace and name behind job ids."""
    table = tables.job
    query = select(table.c.id, table.c.namespace, table.c.name)
    return {
        row.id: (row.namespace, row.name)
        for part in in_parts(jobs)
        for row in connection.execute(query.where(table.c.id.in_(part)))
    }


def read_uses(connection: Connection, job: bytes) -> list[Use]:
    """Read what a job uses now: what its newest execution used, and what is declared of it."""
    since = _execution_start(connection, job)
    use, dataset = tables.job_dataset, tables.dataset
    names = (dataset.c.id, dataset.c.namespace, dataset.c.name)
    observed = (
        select(use.c.direction, *names)
        .join(dataset, dataset.c.id == use.c.dataset)
        .where(use.c.job == job, use.c.direction != Direction.ITSELF)
        .where(use.c.last_seen >= since if since is not None else true())
    )
    said, declaration = tables.declared_dataset, tables.declaration
    declared = (
        select(said.c.direction, *names)
        .join(dataset, dataset.c.id == said.c.dataset)
        .join(
            declaration,
            (declaration.c.author == said.c.author) & (declaration.c.job == said.c.job),
        )
        .where(said.c.job == job, said.c.direction != Direction.ITSELF)
        .where(said.c.last_said == declaration.c.last_said)
    )
    rows = [*connection.execute(observed), *connection.execute(declared)]
    uses = {Use(Direction(row[0]), *row[1:]) for row in rows}
    return sorted(uses, key=lambda found: (found.direction, found.namespace, found.name))


def _execution_start(connection: Connection, job: bytes) -> int | None:
    """When the newest execution with datasets began: its runs share the newest run's parent."""
    run = tables.run
    newest = connection.execute(
        select(run.c.first_event, run.c.parent_run)
        .where(run.c.job == job, run.c.first_datasets.is_not(None))
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(1)
    ).one_or_none()
    if newest is None or newest.parent_run is None:
        return None if newest is None else int(newest.first_event)
    return connection.execute(
        select(func.min(run.c.first_event)).where(
            run.c.job == job, run.c.parent_run == newest.parent_run
        )
    ).scalar()
