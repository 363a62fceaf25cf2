"""Reading namespaces: they exist because jobs and datasets are in them."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select, union, union_all

from headwater.model.ids import namespace_id
from headwater.store import tables
from headwater.store.paging import Page


class Namespace(NamedTuple):
    name: str
    first_seen: int | None
    last_seen: int | None


def list_namespaces(connection: Connection, page: Page) -> tuple[list[Namespace], int]:
    """List the namespaces by name."""
    names = union(select(tables.dataset.c.namespace), select(tables.job.c.namespace)).subquery()
    total = connection.execute(select(func.count()).select_from(names)).scalar()
    query = select(names.c.namespace).order_by(names.c.namespace)
    found = connection.execute(query.limit(page.limit).offset(page.offset)).scalars()
    namespaces = [find_namespace(connection, name) for name in found.all()]
    return [namespace for namespace in namespaces if namespace is not None], int(total or 0)


def find_namespace(connection: Connection, name: str) -> Namespace | None:
    """Find a namespace, and when anything in it was first and last seen."""
    dataset, job = tables.dataset, tables.job
    used, said = tables.job_dataset, tables.declared_dataset
    within = namespace_id(name)
    seen = [
        select(job.c.first_seen, job.c.last_seen).where(job.c.namespace_id == within),
        select(used.c.first_seen, used.c.last_seen)
        .join(dataset, dataset.c.id == used.c.dataset)
        .where(dataset.c.namespace_id == within),
        select(said.c.first_said, said.c.last_said)
        .join(dataset, dataset.c.id == said.c.dataset)
        .where(dataset.c.namespace_id == within),
    ]
    times = union_all(*seen).subquery()
    first, last = times.c
    row = connection.execute(select(func.min(first), func.max(last), func.count())).one()
    return Namespace(name, row[0], row[1]) if row[2] else None
