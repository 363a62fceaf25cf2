"""Counting over stretches of time: events by type, and how many jobs, datasets, sources there
were."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, func, select, union_all

from headwater.model.event import EventType, Kind
from headwater.store import tables
from headwater.store.read.datasets import IS_SHOWN
from headwater.store.read.jobs import IS_LISTED
from headwater.store.read.sources import list_source_times


class EventCounts(NamedTuple):
    start: int = 0
    running: int = 0
    other: int = 0
    complete: int = 0
    fail: int = 0
    abort: int = 0


_COUNTED = {kind: kind.name.lower() for kind in EventType}


def count_events(connection: Connection, bounds: Sequence[int]) -> list[EventCounts]:
    """Count the events of runs between each bound and the next; time leads the table's key."""
    table = tables.event
    counts = []
    for since, until in pairwise(bounds):
        query = (
            select(table.c.type, func.count())
            .where(table.c.at >= since, table.c.at < until, table.c.kind == int(Kind.RUN))
            .group_by(table.c.type)
        )
        found = {kind: int(count) for kind, count in connection.execute(query)}
        by_name = {name: found.get(int(kind), 0) for kind, name in _COUNTED.items()}
        counts.append(EventCounts(**by_name))
    return counts


def count_jobs(connection: Connection, bounds: Sequence[int]) -> list[int]:
    """How many of the jobs that are listed now were known by each bound but the first."""
    query = select(tables.job.c.first_seen).where(IS_LISTED)
    return _known_by(sorted(connection.execute(query).scalars()), bounds)


def count_datasets(connection: Connection, bounds: Sequence[int]) -> list[int]:
    dataset, used, declared = tables.dataset, tables.job_dataset, tables.declared_dataset
    every = union_all(
        select(used.c.dataset, used.c.first_seen), select(declared.c.dataset, declared.c.first_said)
    ).subquery()
    named, first_seen = every.c
    first = select(named, func.min(first_seen).label("first")).group_by(named).subquery()
    query = select(first.c.first).join(dataset, dataset.c.id == first.c[0]).where(IS_SHOWN)
    return _known_by(sorted(connection.execute(query).scalars()), bounds)


def count_sources(connection: Connection, bounds: Sequence[int]) -> list[int]:
    return _known_by(sorted(list_source_times(connection)), bounds)


def _known_by(times: Sequence[int], bounds: Sequence[int]) -> list[int]:
    return [bisect_left(times, bound) for bound in bounds[1:]]
