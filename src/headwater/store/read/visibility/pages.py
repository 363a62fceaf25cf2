"""Pages of the datasets and jobs that are listed: found by an index alone, however far in.

What is not listed are few. They are looked up as a set, so that a page walks over names in an index
and reads no row that it does not show.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, func, select

from headwater.model.values.ids import namespace_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.read.visibility.shown import UNLISTED_DATASETS, UNLISTED_JOBS

_UNLISTED: dict[str, Any] = {"dataset": UNLISTED_DATASETS, "job": UNLISTED_JOBS}


def list_shown(
    connection: Connection,
    table: Table,
    page: Page,
    by: Sequence[ColumnElement[Any]],
    namespace: str | None = None,
) -> tuple[list[bytes], int]:
    """The ids of a page in an order, of one namespace or of all; and how many are listed."""
    within = () if namespace is None else (table.c.namespace_id == namespace_id(namespace),)
    unlisted = list(connection.execute(_UNLISTED[table.name]).scalars())
    query = select(table.c.id).where(*within).order_by(*by)
    if unlisted:
        query = query.where(table.c.id.not_in(_UNLISTED[table.name]))
    ids = connection.execute(query.limit(page.limit).offset(page.offset)).scalars()
    return list(ids), count_shown(connection, table, within, unlisted)


def count_shown(
    connection: Connection,
    table: Table,
    within: Sequence[ColumnElement[bool]],
    unlisted: Sequence[bytes],
) -> int:
    """How many are listed: all, less those that are not."""
    total = _count(connection, table, *within)
    if unlisted and within:
        return total - _count(connection, table, *within, table.c.id.in_(_UNLISTED[table.name]))
    return total - len(set(unlisted))


def count_by_namespace(connection: Connection, table: Table) -> dict[str, int]:
    """How many are listed in each namespace."""
    unlisted = _UNLISTED[table.name]
    by = table.c.namespace_id
    every = select(by, func.count()).group_by(by)
    counts = {id: int(count) for id, count in connection.execute(every)}
    less = select(by, func.count()).where(table.c.id.in_(unlisted)).group_by(by)
    for id, count in connection.execute(less):
        counts[id] -= count
    return {_name(connection, table, id): count for id, count in counts.items() if count}


def list_namespace_names(connection: Connection, table: Table) -> set[str]:
    """The namespaces of all jobs or datasets: a look into an index for each, not for each job."""
    by = table.c.namespace_id
    found: set[str] = set()
    first = select(by, table.c.namespace).order_by(by).limit(1)
    row = connection.execute(first).first()
    while row is not None:
        found.add(row.namespace)
        row = connection.execute(first.where(by > row.namespace_id)).first()
    return found


def _name(connection: Connection, table: Table, id: bytes) -> str:
    query = select(table.c.namespace).where(table.c.namespace_id == id).limit(1)
    return str(connection.execute(query).scalar())


def _count(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(table).where(*conditions)
    return int(connection.execute(query).scalar() or 0)


# What a page of jobs is in the order of, each with an index of its own.
JOBS_BY_NAME = (tables.job.c.name, tables.job.c.namespace)
JOBS_BY_UPDATE = (tables.job.c.last_seen.desc(), *JOBS_BY_NAME)
