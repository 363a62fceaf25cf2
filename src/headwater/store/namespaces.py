"""Reading namespaces: they exist because jobs and datasets are in them."""

from typing import NamedTuple

from sqlalchemy import Connection, Subquery, func, select, union_all

from headwater.model.ids import namespace_id
from headwater.store import tables
from headwater.store.paging import Page


class Namespace(NamedTuple):
    name: str
    first_seen: int | None
    last_seen: int | None


def _entities(only: str | None = None) -> Subquery:
    parts = []
    for table in (tables.dataset, tables.job):
        part = select(table.c.namespace, table.c.first_seen, table.c.last_seen)
        if only is not None:
            part = part.where(table.c.namespace_id == namespace_id(only))
        parts.append(part)
    return union_all(*parts).subquery()


def list_namespaces(connection: Connection, page: Page) -> tuple[list[Namespace], int]:
    """List the namespaces by name."""
    entities = _entities()
    query = (
        select(
            entities.c.namespace, func.min(entities.c.first_seen), func.max(entities.c.last_seen)
        )
        .group_by(entities.c.namespace)
        .order_by(entities.c.namespace)
    )
    found = [Namespace(*row) for row in connection.execute(query)]
    return found[page.offset : page.offset + page.limit], len(found)


def find_namespace(connection: Connection, name: str) -> Namespace | None:
    entities = _entities(only=name)
    query = select(func.min(entities.c.first_seen), func.max(entities.c.last_seen), func.count())
    first_seen, last_seen, count = connection.execute(query).one()
    return Namespace(name, first_seen, last_seen) if count else None
