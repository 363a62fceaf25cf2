"""The newest event of each job that names datasets, found by when these were reported last."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, func, select

from headwater.emit.spec import INFERRING_AUTHOR
from headwater.model.event import Kind
from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.write.packing import unpack


class NewestEvent(NamedTuple):
    """When a job was reported last, and the event that did, if it is still kept."""

    at: int
    payload: bytes | None


def _newest(is_among: IsAmong) -> Any:
    job, event = tables.job, tables.event
    reported = select(job.c.id, _reported_at().label("at")).where(is_among(job.c.id)).subquery()
    its = (event.c.at == reported.c.at) & (event.c.job == reported.c.id)
    joined = reported.outerjoin(event, its & (event.c.kind != int(Kind.EDIT)))
    columns = (reported.c.id, reported.c.at, event.c.payload)
    # Of several at one time the last one that is listed counts.
    return select(*columns).select_from(joined).order_by(event.c.type, event.c.digest)


def _reported_at() -> Any:
    """When a job was last reported to use a dataset; without any, when it was last reported."""
    job, used, declared = tables.job, tables.job_dataset, tables.declared_dataset
    observed_at = (
        select(func.max(used.c.last_seen))
        .where(used.c.job == job.c.id, used.c.direction != int(Direction.ITSELF))
        .correlate(job)
        .scalar_subquery()
    )
    declared_at = (
        select(func.max(declared.c.last_said))
        .where(declared.c.job == job.c.id, declared.c.author != INFERRING_AUTHOR)
        .correlate(job)
        .scalar_subquery()
    )
    newest = case((declared_at > observed_at, declared_at), else_=observed_at)
    return func.coalesce(newest, declared_at, job.c.last_seen)


_NEWEST = Prepared(_newest)


def read_newest_events(connection: Connection, jobs: Iterable[bytes]) -> dict[bytes, NewestEvent]:
    """Read the newest event of each job; jobs that no event reports are left out."""
    rows = _NEWEST.rows(connection, jobs)
    return {
        bytes(job): NewestEvent(at, unpack(payload) if payload is not None else None)
        for job, at, payload in rows
        if at is not None
    }
