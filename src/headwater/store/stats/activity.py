"""Counting over intervals: events by type, and how many jobs, datasets, sources there
were."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, func, select, union_all

from headwater.model.event import EventType, Kind
from headwater.store import tables
from headwater.store.query.direct import ask
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    JOB_IS_LISTED,
    UNLISTED_DATASETS,
)


class EventCounts(NamedTuple):
    start: int = 0
    running: int = 0
    other: int = 0
    complete: int = 0
    fail: int = 0
    abort: int = 0


_COUNTED = {kind: kind.name.lower() for kind in EventType}


def count_events(connection: Connection, bounds: Sequence[int]) -> list[EventCounts]:
    """Count the events of runs between each bound and the next, in an index of just these."""
    counts = []
    for since, until in pairwise(bounds):
        found = dict(ask(connection, _COUNT, since, until))
        by_name = {name: int(found.get(int(kind), 0)) for kind, name in _COUNTED.items()}
        counts.append(EventCounts(**by_name))
    return counts


# In the words of the index.
_COUNT = (
    "SELECT type, count(*) FROM event"
    f" WHERE at >= ? AND at < ? AND kind = {int(Kind.RUN)} GROUP BY type"
)


def list_job_times(connection: Connection) -> list[int]:
    """When each of the jobs that are listed now was first seen, in order."""
    query = select(tables.job.c.first_seen).where(JOB_IS_LISTED)
    return sorted(connection.execute(query).scalars())


def list_dataset_times(connection: Connection) -> list[int]:
    """When each of the datasets that are listed now was first seen, in order."""
    dataset, used, declared = tables.dataset, tables.job_dataset, tables.declared_dataset
    every = union_all(
        select(used.c.dataset, used.c.first_seen), select(declared.c.dataset, declared.c.first_said)
    ).subquery()
    named, first_seen = every.c
    first = select(named, func.min(first_seen).label("first")).group_by(named).subquery()
    query = select(first.c.first).join(dataset, dataset.c.id == first.c[0]).where(DATASET_IS_LISTED)
    return sorted(connection.execute(query).scalars())


def list_unlisted_datasets(connection: Connection) -> list[bytes]:
    return list(connection.execute(UNLISTED_DATASETS).scalars())


def count_known(times: Sequence[int], bounds: Sequence[int]) -> list[int]:
    """How many of some times, in order, are before each bound but the first."""
    return [bisect_left(times, bound) for bound in bounds[1:]]
