"""Which of the jobs and datasets that came through an ingestion were not seen for a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, func, select

from headwater.model.event import Kind
from headwater.store import tables
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    DATASET_TIMES,
    JOB_IS_KNOWN,
    JOB_TIMES,
)

_LONG_AGO = -(2**62)


class UnseenEntity(NamedTuple):
    """A job or dataset, and when an event last named it, by whichever way it came."""

    kind: Kind
    namespace: str
    name: str
    last_seen: int


def read_newest_seen(connection: Connection, ingestion: str) -> int | None:
    """When any job that came through an ingestion was last seen: how far its source tells."""
    member, job = tables.ingestion_member, tables.job
    query = select(func.max(job.c.last_seen)).select_from(
        member.join(job, job.c.id == member.c.entity)
    )
    its = (member.c.ingestion == ingestion, member.c.kind == int(Kind.JOB))
    return connection.execute(query.where(*its)).scalar()


def read_unseen(connection: Connection, ingestion: str, before: int) -> Iterator[UnseenEntity]:
    """What is shown, came through an ingestion, and was last seen before a time."""
    yield from _unseen(connection, ingestion, before, Kind.JOB, tables.job, JOB_IS_KNOWN, JOB_TIMES)
    yield from _unseen(
        connection,
        ingestion,
        before,
        Kind.DATASET,
        tables.dataset,
        DATASET_IS_LISTED,
        DATASET_TIMES,
    )


def _unseen(
    connection: Connection,
    ingestion: str,
    before: int,
    kind: Kind,
    table: Table,
    is_shown: ColumnElement[bool],
    times: tuple[ColumnElement[Any], ...],
) -> Iterator[UnseenEntity]:
    member = tables.ingestion_member
    query = (
        select(table.c.namespace, table.c.name, *times)
        .select_from(member.join(table, table.c.id == member.c.entity))
        .where(member.c.ingestion == ingestion, member.c.kind == int(kind), is_shown)
        .where(*(func.coalesce(time, _LONG_AGO) < before for time in times))
        .order_by(table.c.namespace, table.c.name)
    )
    for namespace, name, *seen in connection.execute(query):
        known = [time for time in seen if time is not None]
        if known:
            yield UnseenEntity(kind, namespace, name, max(known))
