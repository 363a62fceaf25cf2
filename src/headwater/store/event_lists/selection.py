"""Reading all events that a request asks for, some at a time, in the order of their times."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, select, tuple_

from headwater.model.values.ids import is_uuid, run_key
from headwater.store import tables
from headwater.store.query.globs import is_like
from headwater.store.read.runs import find_joined
from headwater.store.write.packing import unpack

AT_ONCE = 500
Place = tuple[int, bytes]


class EventSelection(NamedTuple):
    """Which events: from a time up to and with another, of jobs whose names are like patterns."""

    since: int | None = None
    until: int | None = None
    namespace: str | None = None
    job: str | None = None


class EventPart(NamedTuple):
    """Some events as they were received, and where the next ones begin, if there are any."""

    events: list[bytes]
    last: Place | None


def read_event_part(
    connection: Connection,
    requested: EventSelection,
    after: Place | None,
    limit: int = AT_ONCE,
    offset: int = 0,
) -> EventPart:
    """Read the next events after a place, oldest first; what people edited is no such event."""
    table = tables.event
    key = (table.c.at, table.c.digest)
    every = select(*key, table.c.payload).where(~tables.IS_EDIT).order_by(*key)
    query = _narrow(every, requested, connection.dialect.name).limit(limit).offset(offset)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    rows = connection.execute(query).all()
    last = (rows[-1].at, rows[-1].digest) if len(rows) == limit else None
    return EventPart([unpack(row.payload) for row in rows], last)


def _narrow(query: Select[Any], requested: EventSelection, dialect: str) -> Select[Any]:
    table, job = tables.event, tables.job
    if requested.since is not None:
        query = query.where(table.c.at >= requested.since)
    if requested.until is not None:
        query = query.where(table.c.at <= requested.until)
    patterns = ((job.c.namespace, requested.namespace), (job.c.name, requested.job))
    likes = [is_like(column, text, dialect) for column, text in patterns if text is not None]
    return query.where(table.c.job.in_(select(job.c.id).where(*likes))) if likes else query


def read_events_of_run(connection: Connection, run_id: str) -> Iterator[list[bytes]]:
    """The events of all runs that an id means: one that is no UUID may be of several jobs."""
    if "\0" in run_id:
        return
    if is_uuid(run_id):
        reported = run_key("", "", run_id)
        keys = [find_joined(connection, reported) or reported]
    else:
        named = select(tables.run.c.id).where(tables.run.c.name == run_id)
        keys = list(connection.execute(named).scalars())
    table = tables.event
    key = (table.c.at, table.c.digest)
    for start in range(0, len(keys), AT_ONCE):
        query = select(*key, table.c.payload).where(table.c.run.in_(keys[start : start + AT_ONCE]))
        query = query.order_by(*key).limit(AT_ONCE)
        rows = connection.execute(query).all()
        while rows:
            yield [unpack(row.payload) for row in rows]
            after = tuple_(*key) > tuple_(rows[-1].at, rows[-1].digest)
            rows = connection.execute(query.where(after)).all()
