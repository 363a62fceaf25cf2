"""Reading deletions: what was deleted or restored, when, and what was hidden with its namespace."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, func, or_, select

from headwater.model.event import Entity, Within
from headwater.model.project.edits import entity_id
from headwater.model.uses import NOW
from headwater.model.values.ids import dataset_id, editors_id, job_id, namespace_id
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    DATASET_TIMES,
    JOB_IS_KNOWN,
    JOB_IS_SEEN,
    JOB_TIMES,
)


class LastChange(NamedTuple):
    """The last deletion or restoration of something."""

    at: int
    is_deleted: bool


def _last_changes(is_among: IsAmong) -> Any:
    """A restoration of the same moment counts for more."""
    hidden, later = tables.hidden, tables.hidden.alias("later")
    newest = (
        select(func.max(later.c.at))
        .where(later.c.entity == hidden.c.entity, later.c.at <= bindparam("at", type_=BigInteger))
        .correlate(hidden)
        .scalar_subquery()
    )
    return (
        select(hidden.c.entity, hidden.c.at, func.min(hidden.c.is_deleted))
        .where(is_among(hidden.c.entity), hidden.c.at == newest)
        .group_by(hidden.c.entity, hidden.c.at)
    )


_LAST_CHANGES = Prepared(_last_changes)


def read_last_changes(
    connection: Connection, ids: Iterable[bytes], at: int = NOW
) -> dict[bytes, LastChange]:
    """Read whether entities were last deleted or restored, by a time; most never were."""
    rows = _LAST_CHANGES.rows(connection, ids, at=at)
    return {id: LastChange(changed_at, bool(is_deleted)) for id, changed_at, is_deleted in rows}


def read_last_change(connection: Connection, id: bytes) -> LastChange | None:
    return read_last_changes(connection, [id]).get(id)


def read_shown_within(connection: Connection, namespace: str) -> Within:
    """Names of what a namespace shows now."""
    within = namespace_id(namespace)

    def names(table: Any, is_shown: ColumnElement[bool]) -> list[str]:
        query = select(table.c.name).where(table.c.namespace_id == within, is_shown)
        return list(connection.execute(query.order_by(table.c.name)).scalars())

    return Within(names(tables.dataset, DATASET_IS_LISTED), names(tables.job, JOB_IS_KNOWN))


def is_known(connection: Connection, entity: Entity) -> bool:
    """Whether a dataset or job was ever seen, hidden or not."""
    table = tables.dataset if entity.type == "dataset" else tables.job
    is_seen = (JOB_IS_SEEN,) if entity.type == "job" else ()
    query = select(1).where(table.c.id == entity_id(entity), *is_seen)
    return connection.execute(query).first() is not None


def is_shown_now(connection: Connection, entity: Entity) -> bool:
    """Whether a dataset or job is known and not hidden."""
    is_dataset = entity.type == "dataset"
    table = tables.dataset if is_dataset else tables.job
    condition = DATASET_IS_LISTED if is_dataset else JOB_IS_KNOWN
    query = select(1).where(table.c.id == entity_id(entity), condition)
    return connection.execute(query).first() is not None


def read_last_seen(connection: Connection, entity: Entity) -> int:
    """When a dataset or job was last seen; long ago if it never was."""
    is_dataset = entity.type == "dataset"
    table = tables.dataset if is_dataset else tables.job
    times = DATASET_TIMES if is_dataset else JOB_TIMES
    row = connection.execute(select(*times).where(table.c.id == entity_id(entity))).first()
    return max((time for time in row or () if time is not None), default=0)


def keep_unchanged(connection: Connection, namespace: str, within: Within, at: int) -> Within:
    """What is in a namespace that nobody deleted or restored since a time."""
    datasets = {dataset_id(namespace, name): name for name in within.datasets}
    jobs = {job_id(namespace, name): name for name in within.jobs}
    changes = read_last_changes(connection, (*datasets, *jobs))
    unchanged = {id for id, change in changes.items() if change.at <= at}
    return Within(
        [name for id, name in datasets.items() if id in unchanged],
        [name for id, name in jobs.items() if id in unchanged],
    )


def was_observed(connection: Connection, id: bytes) -> bool:
    """Whether a dataset or job is known from events, not only from edits."""
    used, run, declared = tables.job_dataset, tables.run, tables.declared_dataset
    is_declared = or_(declared.c.dataset == id, declared.c.job == id) & (
        declared.c.author != editors_id(id)
    )
    return any(
        connection.execute(select(1).where(condition).limit(1)).first() is not None
        for condition in (used.c.dataset == id, run.c.job == id, is_declared)
    )
