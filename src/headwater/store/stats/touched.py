"""Which jobs and datasets events are about: what they may have changed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text

from headwater.model.event import Kind, decode_event
from headwater.model.project import project
from headwater.model.relations import Direction, Hidden, JobRow
from headwater.model.values.ids import NO_CONTENT
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.write.packing import unpack

# The columns of an event that tell; the payload only of the few that are not of runs.
STATED = f"kind, job, run, CASE WHEN kind = {int(Kind.RUN)} THEN NULL ELSE payload END"


class Touched(NamedTuple):
    jobs: set[bytes]
    datasets: set[bytes]


def find_touched(connection: Connection, rows: Iterable[Sequence[Any]]) -> Touched:
    """What some events are about, by their kind, job, run and payload."""
    touched, runs = Touched(set(), set()), set()
    for kind, job, run, payload in rows:
        if kind == Kind.RUN:
            touched.jobs.add(job)
            runs.add(run)
        else:
            _add_stated(touched, unpack(payload))
    for row in _PARENTS.rows(connection, runs):
        touched.jobs.update(job for job in row if job is not None)
    # The other jobs of a stream's application: they may be part of it now.
    touched.jobs.update(row[0] for row in _STREAMS.rows(connection, touched.jobs))
    return touched


def _add_stated(touched: Touched, raw: bytes) -> None:
    """Of a declaration or an edit: all that it names."""
    facts = project(decode_event(raw))
    touched.datasets.update(facts.names)
    touched.jobs.update(JobRow._make(row).id for row in facts.rows.get("job", ()))
    hidden = [Hidden._make(row).entity for row in facts.rows.get("hidden", ())]
    for ids in touched:
        ids.update(hidden)


_PARENTS = Prepared(
    lambda is_among: select(tables.run.c.parent_job, tables.run.c.root_job).where(
        is_among(tables.run.c.id), tables.run.c.parent_job.is_not(None)
    )
)
_PART, _WHOLE = tables.stream_job.alias("part"), tables.stream_job.alias("whole")
_STREAMS = Prepared(
    lambda is_among: (
        select(_PART.c.job)
        .join(_WHOLE, _WHOLE.c.application == _PART.c.application)
        .where(is_among(_WHOLE.c.job))
    )
)


class EventPlace(NamedTuple):
    """An event's place in the order of time."""

    at: int
    digest: bytes


class TouchedThen(NamedTuple):
    """What events are about, up to a place in the order of time; None at the end."""

    touched: Touched
    place: EventPlace | None


def has_all_events(connection: Connection, since: int) -> bool:
    """Whether no event since a time was pruned."""
    pruned = connection.execute(select(tables.store_state.c.pruned_before)).scalar()
    return pruned is None or pruned <= since + 1


def walk_touched(
    connection: Connection, after: EventPlace, until: EventPlace, is_newest_first: bool, first: int
) -> Iterator[TouchedThen]:
    """Walk over the events between two places, twice as many at each step."""
    order, most = ("DESC" if is_newest_first else ""), first
    query = text(
        f"SELECT at, digest, {STATED} FROM event"
        " WHERE (at, digest) > (:low, :low_digest) AND (at, digest) < (:high, :high_digest)"
        f" ORDER BY at {order}, digest {order} LIMIT :most"
    )
    low, high = after, until
    while True:
        values = {"low": low.at, "low_digest": low.digest, "high": high.at}
        rows = connection.execute(query, values | {"high_digest": high.digest, "most": most}).all()
        touched = find_touched(connection, (row[2:] for row in rows))
        if len(rows) < most:
            yield TouchedThen(touched, None)
            return
        place = EventPlace(rows[-1].at, bytes(rows[-1].digest))
        yield TouchedThen(touched, place)
        low, high = (low, place) if is_newest_first else (place, high)
        most = min(2 * most, _MOST_AT_ONCE)


_MOST_AT_ONCE = 2_000

_USED = Prepared(
    lambda is_among: (
        select(tables.job_dataset.c.dataset, tables.job_dataset.c.direction)
        .where(is_among(tables.job_dataset.c.job))
        .distinct()
    )
)
_DECLARED = Prepared(
    lambda is_among: (
        select(tables.declared_dataset.c.dataset)
        .where(is_among(tables.declared_dataset.c.job))
        .distinct()
    )
)
_USERS = Prepared(
    lambda is_among: (
        select(tables.job_dataset.c.job).where(is_among(tables.job_dataset.c.dataset)).distinct()
    )
)
_DECLARERS = Prepared(
    lambda is_among: (
        select(tables.declared_dataset.c.job)
        .where(is_among(tables.declared_dataset.c.dataset))
        .distinct()
    )
)
_WRITERS = Prepared(
    lambda is_among: (
        select(tables.job_dataset.c.job)
        .where(
            is_among(tables.job_dataset.c.dataset),
            tables.job_dataset.c.direction == int(Direction.OUTPUT),
        )
        .distinct()
    )
)
_RENAMED = Prepared(
    lambda is_among: select(tables.lifecycle.c.previous).where(
        is_among(tables.lifecycle.c.dataset), tables.lifecycle.c.previous != NO_CONTENT
    )
)


def datasets_of(connection: Connection, jobs: set[bytes]) -> set[bytes]:
    """The datasets that jobs read, write or declare."""
    used = {row[0] for row in _USED.rows(connection, jobs)}
    return used.union(row[0] for row in _DECLARED.rows(connection, jobs))


def add_neighbours(
    connection: Connection, touched: Touched, names_of: Callable[[set[bytes]], set[bytes]]
) -> Touched:
    """With what is next to it: the edges of these may have come or gone as well.

    All who use a dataset that was edited; what jobs use, what that was renamed from, and who else
    writes it: the last to write a dataset is shown only while nobody else does. `names_of` gives
    all names of datasets.
    """
    jobs, edited = set(touched.jobs), names_of(touched.datasets)
    for query in (_USERS, _DECLARERS):
        jobs.update(row[0] for row in query.rows(connection, edited))
    used = _USED.rows(connection, jobs)
    datasets = edited | {row[0] for row in used}
    datasets.update(row[0] for row in _DECLARED.rows(connection, jobs))
    datasets.update(row[0] for row in _RENAMED.rows(connection, datasets))
    written = {dataset for dataset, direction in used if direction == Direction.OUTPUT}
    jobs.update(row[0] for row in _WRITERS.rows(connection, names_of(written)))
    return Touched({job for job in jobs if any(job)}, datasets)
