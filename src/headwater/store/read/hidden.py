"""Reading deletions: who hid what and when, and what was hidden with its namespace."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select

from headwater.model.event import Entity, Within
from headwater.model.ids import dataset_id, editors_id, job_id, namespace_id
from headwater.model.project.edits import entity_id
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.datasets import IS_SHOWN, LAST_TIMES
from headwater.store.read.jobs import IS_KNOWN


def read_shown_within(connection: Connection, namespace: str) -> Within:
    """Names of what a namespace shows now."""
    within = namespace_id(namespace)

    def names(table: Any, is_listed: ColumnElement[bool]) -> list[str]:
        query = select(table.c.name).where(table.c.namespace_id == within, is_listed)
        return list(connection.execute(query.order_by(table.c.name)).scalars())

    return Within(names(tables.dataset, IS_SHOWN), names(tables.job, IS_KNOWN))


def is_known(connection: Connection, entity: Entity) -> bool:
    """Whether a dataset or job was ever seen, hidden or not."""
    table = tables.dataset if entity.type == "dataset" else tables.job
    was_seen = (tables.job.c.first_seen.is_not(None),) if entity.type == "job" else ()
    query = select(1).where(table.c.id == entity_id(entity), *was_seen)
    return connection.execute(query).first() is not None


def is_shown_now(connection: Connection, entity: Entity) -> bool:
    """Whether a dataset or job is known and not hidden."""
    is_dataset = entity.type == "dataset"
    table = tables.dataset if is_dataset else tables.job
    condition = IS_SHOWN if is_dataset else IS_KNOWN
    query = select(1).where(table.c.id == entity_id(entity), condition)
    return connection.execute(query).first() is not None


def read_last_heard(connection: Connection, entity: Entity) -> int:
    """When a dataset or job was last seen; long ago if it never was."""
    is_dataset = entity.type == "dataset"
    table = tables.dataset if is_dataset else tables.job
    times = LAST_TIMES if is_dataset else (tables.job.c.last_seen,)
    row = connection.execute(select(*times).where(table.c.id == entity_id(entity))).first()
    return max((time for time in row or () if time is not None), default=0)


def read_last_word(connection: Connection, id: bytes) -> tuple[int, bool] | None:
    """When an entity was last deleted or restored, and which; restored where both at once."""
    hidden = tables.hidden
    query = (
        select(hidden.c.at, hidden.c.is_deleted)
        .where(hidden.c.entity == id)
        .order_by(hidden.c.at.desc(), hidden.c.is_deleted)
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else (row[0], bool(row[1]))


def _last_words(is_among: IsAmong) -> Any:
    hidden = tables.hidden
    return (
        select(hidden.c.entity, func.max(hidden.c.at))
        .where(is_among(hidden.c.entity))
        .group_by(hidden.c.entity)
    )


_LAST_WORDS = Prepared(_last_words)


def keep_unchanged(connection: Connection, namespace: str, within: Within, at: int) -> Within:
    """What is in a namespace that nobody deleted or restored since a time."""
    datasets = {dataset_id(namespace, name): name for name in within.datasets}
    jobs = {job_id(namespace, name): name for name in within.jobs}
    rows = _LAST_WORDS.rows(connection, (*datasets, *jobs))
    unchanged = {id for id, last in rows if last <= at}
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
