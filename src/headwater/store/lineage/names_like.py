"""Datasets and jobs that are listed and whose names are like a pattern, some at a time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select, tuple_

from headwater.model.values.ids import namespace_id
from headwater.store import tables
from headwater.store.query.globs import is_like
from headwater.store.read.datasets import DatasetRecord
from headwater.store.read.jobs import JobRecord
from headwater.store.read.visibility.pages import list_namespace_names
from headwater.store.read.visibility.shown import DATASET_IS_LISTED, JOB_IS_LISTED

# Whatever is in a namespace of another system is external.
SYSTEMS = ("confluent", "databricks", "aws", "google")
EXTERNAL = "external"

Place = tuple[bytes, str]


class NameSelection(NamedTuple):
    """Which names: like these patterns, in namespaces of one of these systems."""

    namespace: str | None = None
    name: str | None = None
    systems: Sequence[str] | None = None


def list_datasets_like(
    connection: Connection, requested: NameSelection, after: Place | None, limit: int
) -> list[DatasetRecord]:
    """Datasets by namespace and name, after a place."""
    query = _query(connection, tables.dataset, DatasetRecord._fields, requested, after)
    rows = connection.execute(query.where(DATASET_IS_LISTED).limit(limit))
    return [DatasetRecord._make(row) for row in rows]


def list_jobs_like(
    connection: Connection, requested: NameSelection, after: Place | None, limit: int
) -> list[JobRecord]:
    """Jobs by namespace and name, after a place."""
    query = _query(connection, tables.job, JobRecord._fields, requested, after)
    rows = connection.execute(query.where(JOB_IS_LISTED).limit(limit))
    return [JobRecord._make(row) for row in rows]


def place_of(record: DatasetRecord | JobRecord) -> Place:
    """Where a list goes on after a record."""
    return namespace_id(record.namespace), record.name


def find_by_last_part(connection: Connection, authority: str, name: str) -> list[DatasetRecord]:
    """Datasets of a host, in whatever system, that a name is the last part of."""
    table = tables.dataset
    namespaces = [
        namespace_id(each)
        for each in list_namespace_names(connection, table)
        if each.partition("://")[2] == authority
    ]
    is_last = or_(table.c.name == name, table.c.name.endswith(f".{name}", autoescape=True))
    columns = (table.c[field] for field in DatasetRecord._fields)
    query = select(*columns).where(table.c.namespace_id.in_(namespaces), is_last, DATASET_IS_LISTED)
    return [DatasetRecord._make(row) for row in connection.execute(query.order_by(table.c.name))]


def _query(
    connection: Connection,
    table: Table,
    fields: Sequence[str],
    requested: NameSelection,
    after: Place | None,
) -> Any:
    dialect = connection.dialect.name
    key = (table.c.namespace_id, table.c.name)
    query = select(*(table.c[field] for field in fields)).order_by(*key)
    if requested.namespace is not None:
        query = query.where(is_like(table.c.namespace, requested.namespace, dialect))
    if requested.name is not None:
        query = query.where(is_like(table.c.name, requested.name, dialect))
    if requested.systems is not None:
        query = query.where(or_(*(_is_of(table, system) for system in requested.systems)))
    return query if after is None else query.where(tuple_(*key) > tuple_(*after))


def _is_of(table: Table, system: str) -> ColumnElement[bool]:
    """Whether a namespace is of a system, by its scheme."""
    if system == EXTERNAL:
        return and_(*(~_is_of(table, other) for other in SYSTEMS))
    return table.c.namespace.startswith(f"{system}://", autoescape=True)
