"""Which datasets and jobs are shown: the one home of the rule, as conditions of queries.

What a person deleted is hidden until it is restored or seen again. A job is known once an event
names it, not by edits alone. Jobs that are only the micro-batches of a stream that is known by
itself are found by their name, but are not listed: the stream is. Lists, counts, searches and
health use these conditions. The graph has the same rule as of a time (`View.hidden`), over the
evidence that `deletions` and `last_seen` read.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, Table, func, select, union, union_all

from headwater.model.relations import StreamRole
from headwater.store import tables

# Before any time that can be given.
_LONG_AGO = -(2**62)


def _dataset_times() -> tuple[ColumnElement[Any], ...]:
    """When a dataset was last used, and last declared."""
    dataset, used, declared = tables.dataset, tables.job_dataset, tables.declared_dataset
    return tuple(
        select(func.max(last))
        .where(table.c.dataset == dataset.c.id)
        # Of this dataset also where the condition is inside another.
        .correlate(dataset)
        .scalar_subquery()
        for table, last in ((used, used.c.last_seen), (declared, declared.c.last_said))
    )


DATASET_TIMES = _dataset_times()
JOB_TIMES: tuple[ColumnElement[Any], ...] = (tables.job.c.last_seen,)


def _is_not_deleted(table: Table, times: tuple[ColumnElement[Any], ...]) -> ColumnElement[bool]:
    """Not deleted, or restored or seen again since."""
    deleted, restored = tables.hidden.alias("deleted"), tables.hidden.alias("restored")
    is_restored = (
        select(1)
        .where(restored.c.entity == deleted.c.entity, restored.c.is_deleted == 0)
        .where(restored.c.at >= deleted.c.at)
        .correlate(deleted)
        .exists()
    )
    return ~(
        select(1)
        .where(deleted.c.entity == table.c.id, deleted.c.is_deleted == 1, ~is_restored)
        .where(*(deleted.c.at > func.coalesce(time, _LONG_AGO) for time in times))
        .exists()
    )


def _is_part_of_stream() -> ColumnElement[bool]:
    """The job is micro-batches of an application of which a query is known as a job by itself."""
    part, whole = tables.stream_job.alias("part"), tables.stream_job.alias("whole")
    query = tables.job.alias("query")
    conditions: tuple[ColumnElement[Any], ...] = (
        part.c.job == tables.job.c.id,
        part.c.role == int(StreamRole.PART),
        whole.c.application == part.c.application,
        whole.c.role == int(StreamRole.WHOLE),
        query.c.id == whole.c.job,
        query.c.first_seen.is_not(None),
    )
    return select(1).where(*conditions).correlate(tables.job).exists()


DATASET_IS_LISTED = _is_not_deleted(tables.dataset, DATASET_TIMES)
JOB_IS_SEEN: ColumnElement[bool] = tables.job.c.first_seen.is_not(None)
JOB_IS_PART_OF_STREAM = _is_part_of_stream()
# Found by its name.
JOB_IS_KNOWN: ColumnElement[bool] = JOB_IS_SEEN & _is_not_deleted(tables.job, JOB_TIMES)
JOB_IS_LISTED: ColumnElement[bool] = JOB_IS_KNOWN & ~JOB_IS_PART_OF_STREAM

# Whether anything can be unlisted: mostly nothing is.
MAY_BE_UNLISTED = (
    "SELECT 1 FROM hidden WHERE is_deleted = 1 LIMIT 1",
    "SELECT 1 FROM stream_job WHERE role = 1 LIMIT 1",
)


def _unlisted_among(table: Table, ids: Select[Any], is_listed: ColumnElement[bool]) -> Select[Any]:
    return select(table.c.id).where(table.c.id.in_(ids), ~is_listed)


_DELETED = select(tables.hidden.c.entity).where(tables.hidden.c.is_deleted == 1)
_PARTS = select(tables.stream_job.c.job).where(tables.stream_job.c.role == int(StreamRole.PART))

# All that is not listed, from the few rows that can hide something.
UNLISTED_DATASETS = _unlisted_among(tables.dataset, _DELETED, DATASET_IS_LISTED)
_HIDDEN_JOBS = (
    _unlisted_among(tables.job, _DELETED, JOB_IS_LISTED),
    _unlisted_among(tables.job, _PARTS, JOB_IS_LISTED),
)
UNLISTED_JOBS = union(*_HIDDEN_JOBS, select(tables.job.c.id).where(~JOB_IS_SEEN))


def unlisted_ids() -> Any:
    """All that is not listed, of what an event names."""
    return union_all(UNLISTED_DATASETS, *_HIDDEN_JOBS)
