"""Reading runs of one job for comparison: what each used, reported and counted."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from headwater.model.relations import Direction
from headwater.model.run_states import ENDS
from headwater.model.values.ids import run_key
from headwater.store import tables
from headwater.store.lineage.newest_runs import read_last_stated
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.jobs import JobRecord
from headwater.store.read.runs import RunRecord, find_joined, make_run

_FINISHED = frozenset(ENDS.values())
# So many of a job's newest runs are looked through for one that has ended.
_LOOKED_THROUGH = 1_000
_COUNTERS = ("rows", "bytes", "files")


class StatedRun(NamedTuple):
    """A run, and the digests of the code and SQL it ran: its own word, or the last before it."""

    run: RunRecord
    code: bytes | None
    sql: bytes | None


class CountedUse(NamedTuple):
    """A dataset that a run read or wrote, how it described it, and its last counters."""

    run: bytes
    dataset: bytes
    direction: int
    schema: bytes | None
    columns: bytes | None
    rows: int | None
    bytes: int | None
    files: int | None


def find_run_of(connection: Connection, job: JobRecord, run_id: str) -> StatedRun | None:
    """Find a run of a job by the id its producer gave it."""
    table = tables.run
    key = run_key(job.namespace, job.name, run_id)
    query = select(table).where(table.c.id == key, table.c.job == job.id)
    row = connection.execute(query).one_or_none()
    if row is None and (joined := find_joined(connection, key)) is not None:
        query = select(table).where(table.c.id == joined, table.c.job == job.id)
        row = connection.execute(query).one_or_none()
    return None if row is None else _stated(connection, row)


def find_newest_finished(
    connection: Connection, job: bytes, but: bytes | None = None, before: int | None = None
) -> StatedRun | None:
    """Find the newest run of a job that has ended, but one, and of those before a time if given."""
    table = tables.run
    query = (
        select(table)
        .where(table.c.job == job, table.c.first_event.is_not(None))
        .order_by(table.c.first_event.desc(), table.c.id.desc())
        .limit(_LOOKED_THROUGH)
    )
    if before is not None:
        query = query.where(table.c.first_event <= before)
    for row in connection.execute(query):
        if row.id != but and make_run(row).state in _FINISHED:
            return _stated(connection, row)
    return None


def _stated(connection: Connection, row: Any) -> StatedRun:
    """A run that does not report its code is assumed to run the code of the one before it."""
    code, sql = row.code, row.sql
    if row.job is not None and row.first_event is not None:
        code = code or read_last_stated(connection, row.job, row.first_event, "code")
        sql = sql or read_last_stated(connection, row.job, row.first_event, "sql")
    return StatedRun(make_run(row), code, sql)


def _uses(is_among: IsAmong) -> Any:
    use, sample = tables.run_dataset, tables.sample
    counters = (
        select(sample.c[name])
        .where(*(sample.c[key] == use.c[key] for key in ("run", "dataset", "direction")))
        .where(sample.c[name].is_not(None))
        .order_by(sample.c.minute.desc())
        .limit(1)
        .correlate(use)
        .scalar_subquery()
        for name in _COUNTERS
    )
    stated = (use.c[name] for name in ("run", "dataset", "direction", "schema", "columns"))
    return select(*stated, *counters).where(
        is_among(use.c.run), use.c.direction != int(Direction.ITSELF)
    )


_USES = Prepared(_uses)


def read_counted_uses(connection: Connection, runs: Iterable[bytes]) -> list[CountedUse]:
    """Read what runs used."""
    return [CountedUse._make(row) for row in _USES.rows(connection, runs)]
