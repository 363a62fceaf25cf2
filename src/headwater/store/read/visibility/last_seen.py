"""Reading whether a job or dataset was seen in an interval."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, or_, select

from headwater.store import tables


def was_seen(connection: Connection, id: bytes, since: int, at: int) -> bool:
    """Whether a job or dataset was seen after one time and by another.

    What was seen later than that may have been seen between as well: its runs decide.
    """
    return any(
        connection.execute(select(1).where(select(1).where(*conditions).exists())).scalar()
        for conditions in (
            _of_job(id, since, at),
            _of_dataset(id, since, at),
            _of_declaration(id, since, at),
        )
    )


def _of_job(id: bytes, since: int, at: int) -> tuple[ColumnElement[Any], ...]:
    job, run = tables.job, tables.run
    by_run = (
        select(1).where(run.c.job == id, run.c.first_event <= at, run.c.last_event > since).exists()
    )
    is_last = job.c.last_seen.between(since + 1, at)
    return job.c.id == id, or_(is_last, (job.c.last_seen > at) & by_run)


def _of_dataset(id: bytes, since: int, at: int) -> tuple[ColumnElement[Any], ...]:
    use, run, used = tables.job_dataset, tables.run, tables.run_dataset
    by_run = (
        select(1)
        .select_from(run.join(used, used.c.run == run.c.id))
        .where(
            run.c.job == use.c.job,
            run.c.first_event <= at,
            used.c.dataset == id,
            used.c.first_seen <= at,
            used.c.last_seen > since,
        )
        .correlate(use)
        .exists()
    )
    is_seen = or_(use.c.first_seen.between(since + 1, at), use.c.last_seen.between(since + 1, at))
    return use.c.dataset == id, or_(is_seen, (use.c.last_seen > at) & by_run)


def _of_declaration(id: bytes, since: int, at: int) -> tuple[ColumnElement[Any], ...]:
    declared = tables.declared_dataset
    is_declared = or_(
        declared.c.first_said.between(since + 1, at), declared.c.last_said.between(since + 1, at)
    )
    return declared.c.dataset == id, is_declared
