"""Reading what is kept up to date of jobs and datasets: all of them once, then what was touched."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, func, literal_column, select, union_all

from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.visibility.shown import JOB_IS_SEEN

_AT_ONCE = 1_000


class DatasetTimes(NamedTuple):
    """When a dataset was first and last used or declared, and whether any job writes it."""

    id: bytes
    namespace: str
    first_seen: int
    last_seen: int
    is_written: bool


def all_ids(connection: Connection, table: Table, after: bytes = b"") -> Iterator[list[bytes]]:
    """The ids of all jobs or datasets, some at once; those after one of them."""
    last = after
    while True:
        query = select(table.c.id).where(table.c.id > last).order_by(table.c.id).limit(_AT_ONCE)
        ids = list(connection.execute(query).scalars())
        if not ids:
            return
        yield ids
        last = ids[-1]


class JobTimes(NamedTuple):
    """When a job was first and last seen, listed or not."""

    id: bytes
    namespace: str
    first_seen: int
    last_seen: int


_JOB_TIMES = Prepared(
    lambda is_among: select(*(tables.job.c[name] for name in JobTimes._fields)).where(
        is_among(tables.job.c.id), JOB_IS_SEEN
    )
)


def read_job_times(connection: Connection, jobs: Iterable[bytes]) -> list[JobTimes]:
    return [JobTimes._make(row) for row in _JOB_TIMES.rows(connection, jobs)]


def _times_by(column: str) -> Prepared:
    used, declared, dataset = tables.job_dataset, tables.declared_dataset, tables.dataset

    def build(is_among: IsAmong) -> Any:
        is_output = func.max(used.c.direction)
        every = union_all(
            select(
                used.c.dataset, func.min(used.c.first_seen), func.max(used.c.last_seen), is_output
            )
            .where(is_among(used.c[column]))
            .group_by(used.c.dataset),
            select(
                declared.c.dataset,
                func.min(declared.c.first_said),
                func.max(declared.c.last_said),
                literal_column("0"),
            )
            .where(is_among(declared.c[column]))
            .group_by(declared.c.dataset),
        ).subquery()
        id, first, last, direction = every.c
        return (
            select(id, dataset.c.namespace, func.min(first), func.max(last), func.max(direction))
            .join(dataset, dataset.c.id == id)
            .group_by(id, dataset.c.namespace)
        )

    return Prepared(build)


_BY_JOB, _BY_DATASET = _times_by("job"), _times_by("dataset")


def read_uses_of_jobs(connection: Connection, jobs: Iterable[bytes]) -> list[DatasetTimes]:
    """The datasets of jobs, as far as these jobs tell."""
    return _read(connection, _BY_JOB, jobs)


def read_uses_of_datasets(connection: Connection, ids: Iterable[bytes]) -> list[DatasetTimes]:
    return _read(connection, _BY_DATASET, ids)


def _read(connection: Connection, query: Prepared, ids: Iterable[bytes]) -> list[DatasetTimes]:
    return [
        DatasetTimes(id, namespace, first, last, direction == Direction.OUTPUT)
        for id, namespace, first, last, direction in query.rows(connection, ids)
    ]
