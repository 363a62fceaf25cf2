"""Reading the executions of jobs: runs that share a parent run are one."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import BigInteger, Connection, and_, bindparam, case, func, or_, select

from headwater.model.aspects import JOB_TYPE
from headwater.model.project.projection import NOBODY
from headwater.model.relations import Direction, Slot
from headwater.model.uses import Execution
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import SNAPSHOT_TYPES

_AT = bindparam("at", type_=BigInteger)


def _executions(is_among: IsAmong) -> Any:
    job, run, facet = tables.job, tables.run, tables.facet
    newest, sibling = run.alias("newest"), run.alias("sibling")
    newest_id = (
        select(newest.c.id)
        .where(
            newest.c.job == job.c.id, newest.c.first_event <= _AT, newest.c.first_datasets <= _AT
        )
        .order_by(newest.c.first_event.desc(), newest.c.id.desc())
        .limit(1)
        .correlate(job)
        .scalar_subquery()
    )
    began = (
        select(func.min(sibling.c.first_event))
        .where(sibling.c.job == run.c.job, sibling.c.parent_run == run.c.parent_run)
        .correlate(run)
        .scalar_subquery()
    )
    its_type = and_(
        facet.c.owner == job.c.id,
        facet.c.slot == int(Slot.JOB),
        facet.c.name == JOB_TYPE,
        facet.c.author == NOBODY,
    )
    return (
        select(
            job.c.id,
            case((run.c.parent_run.is_(None), run.c.first_event), else_=began),
            run.c.id,
            run.c.parent_run,
            facet.c.digest,
        )
        .select_from(job.join(run, run.c.id == newest_id).outerjoin(facet, its_type))
        .where(is_among(job.c.id))
    )


_EXECUTIONS = Prepared(_executions)


def read_executions(
    connection: Connection, jobs: Iterable[bytes], at: int
) -> dict[bytes, Execution]:
    """Read each job's newest execution with datasets by a time; its runs share a parent run."""
    rows = _EXECUTIONS.rows(connection, jobs, at=at)
    snapshots = SNAPSHOT_TYPES.read(connection, (row[4] for row in rows))
    return {row[0]: Execution._make((*row[:4], snapshots.get(row[4], False))) for row in rows}


# A job with more runs at a time than this is judged by its newest.
_RUNS_AT_ONCE = 64


def read_snapshot(connection: Connection, execution: Execution, at: int) -> set[tuple[bytes, int]]:
    """Read the datasets and directions that the newest snapshots of a job's runs still name."""
    run, used = tables.run, tables.run_dataset
    overlapping = (
        select(run.c.id)
        .where(
            run.c.job == execution.job,
            run.c.first_event <= at,
            run.c.last_event >= execution.began,
        )
        .order_by(run.c.first_event.desc())
        .limit(_RUNS_AT_ONCE)
        .subquery()
    )
    query = (
        select(used.c.run, used.c.dataset, used.c.direction, used.c.first_seen, used.c.last_seen)
        .join(overlapping, overlapping.c.id == used.c.run)
        .where(used.c.first_seen <= at)
    )
    rows = connection.execute(query).all()
    newest: dict[bytes, int] = {}
    for row in rows:
        newest[row.run] = max(min(row.last_seen, at), newest.get(row.run, row.first_seen))
    return {
        (row.dataset, row.direction)
        for row in rows
        if min(row.last_seen, at) >= newest[row.run] and row.last_seen >= execution.began
    }


def read_next_execution(connection: Connection, execution: Execution, after: int) -> int | None:
    """Read when the first execution with datasets began after a time, other than the one given."""
    run = tables.run
    query = select(func.min(run.c.first_event)).where(
        run.c.job == execution.job, run.c.first_event > after, run.c.first_datasets.is_not(None)
    )
    if execution.parent_run is not None:
        is_other = or_(run.c.parent_run.is_(None), run.c.parent_run != execution.parent_run)
        query = query.where(is_other)
    found = connection.execute(query).scalar()
    return None if found is None else int(found)


# Of an execution with more runs than this, as of micro-batches, the newest tell.
_RUNS_OF_EXECUTION = 256


def read_execution_maps(
    connection: Connection, execution: Execution, dataset: bytes, at: int
) -> set[bytes]:
    """Read the column maps that runs of an execution stated last for an output, each its own."""
    run, used = tables.run, tables.run_dataset
    newest = (
        select(run.c.id)
        .where(
            run.c.job == execution.job,
            run.c.parent_run == execution.parent_run,
            run.c.first_event <= at,
        )
        .order_by(run.c.first_event.desc())
        .limit(_RUNS_OF_EXECUTION)
        .subquery()
    )
    query = (
        select(used.c.columns)
        .join(newest, newest.c.id == used.c.run)
        .where(
            used.c.dataset == dataset,
            used.c.direction == int(Direction.OUTPUT),
            used.c.first_seen <= at,
            used.c.columns.is_not(None),
        )
        .distinct()
    )
    return set(connection.execute(query).scalars())
