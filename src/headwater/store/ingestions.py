"""Ingestions by name: what each is to do, who runs it, when, and with what result.

One process at a time runs an ingestion: it holds a lease. Times are in microseconds since 1970.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, case, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from headwater.errors import NotFound
from headwater.store import leases, tables

# Runs of each ingestion that are kept.
KEPT_RUNS = 20


class StoredIngestion(NamedTuple):
    """An ingestion; `body` is its configuration in JSON, `revision` counts its changes."""

    name: str
    body: str
    revision: int
    created_at: int
    updated_at: int
    updated_by: str
    is_paused: int
    holder: str
    lease_until: int
    requested_at: int | None
    started_at: int | None
    ended_at: int | None
    next_at: int | None
    all_stored: int
    failures: int
    """Runs that failed one after another, up to the last."""
    problem: str | None

    @property
    def version(self) -> tuple[int, int]:
        """What changes with each change, also where it was removed and added again."""
        return self.created_at, self.revision

    @property
    def is_requested(self) -> bool:
        return (self.requested_at or 0) > (self.started_at or 0)

    @property
    def is_begun(self) -> bool:
        """Whether its last run has begun and not ended, by whomever."""
        return self.started_at is not None and (self.ended_at or 0) < self.started_at


class StoredIngestionRun(NamedTuple):
    """A run, as it goes or as it ended."""

    ingestion: str
    started_at: int
    ended_at: int | None = None
    stored: int = 0
    rejected: int = 0
    excluded: int = 0
    marked: int = 0
    lag: int | None = None
    problem: str | None = None


def list_ingestions(connection: Connection) -> list[StoredIngestion]:
    rows = connection.execute(select(*_columns()).order_by(tables.ingestion.c.name))
    return [StoredIngestion._make(row) for row in rows]


def find_ingestion(connection: Connection, name: str) -> StoredIngestion | None:
    query = select(*_columns()).where(tables.ingestion.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else StoredIngestion._make(row)


def read_ingestion_row(connection: Connection, name: str) -> StoredIngestion:
    found = find_ingestion(connection, name)
    if found is None:
        known = [each.name for each in list_ingestions(connection)]
        raise NotFound("ingestion", name, known[:5])
    return found


def put_ingestion(
    connection: Connection, name: str, body: str, actor: str, at: int, next_at: int | None
) -> bool:
    """Add an ingestion or change it; returns whether it is new. Positions stay as they are."""
    table = tables.ingestion
    changed = {"body": body, "updated_at": at, "updated_by": actor, "next_at": next_at}
    # Written first: SQLite refuses a write after a read if another has written in between.
    known = update(table).where(table.c.name == name)
    changed_too = {"revision": table.c.revision + 1, "failures": 0, "problem": None}
    if connection.execute(known.values(**changed, **changed_too)).rowcount:
        return False
    new = {"revision": 1, "created_at": at, "is_paused": 0, "holder": "", "lease_until": 0}
    fresh = {"all_stored": 0, "failures": 0}
    connection.execute(insert(table).values(name=name, **changed, **new, **fresh))
    return True


def set_paused(connection: Connection, name: str, is_paused: bool) -> None:
    table = tables.ingestion
    values = {"is_paused": int(is_paused)}
    connection.execute(update(table).where(table.c.name == name).values(**values))
    read_ingestion_row(connection, name)


def request_run(connection: Connection, name: str, at: int) -> None:
    """Ask whoever runs an ingestion for a run now."""
    leases.note_requested(connection, tables.ingestion, name, at)
    read_ingestion_row(connection, name)


def remove_ingestion(connection: Connection, name: str) -> None:
    """Remove an ingestion with its runs; who runs it ends after the batch under way."""
    table = tables.ingestion
    if not connection.execute(delete(table).where(table.c.name == name)).rowcount:
        read_ingestion_row(connection, name)
    for other in (tables.ingestion_run, tables.ingestion_member):
        connection.execute(delete(other).where(other.c.ingestion == name))


def take_ingestion(connection: Connection, name: str, holder: str, at: int, until: int) -> bool:
    """Hold the lease of an ingestion, or hold it longer; False where another does."""
    table = tables.ingestion
    its = (table.c.name == name, leases.is_free(table, holder, at))
    held = update(table).where(*its).values(holder=holder, lease_until=until)
    return bool(connection.execute(held).rowcount)


def release_ingestion(connection: Connection, name: str, holder: str, at: int) -> None:
    leases.release_lease(connection, tables.ingestion, name, holder, at)


def release_holder(connection: Connection, holder: str, at: int) -> None:
    """Let others take over at once whatever somebody held who has ended."""
    table = tables.ingestion
    connection.execute(update(table).where(table.c.holder == holder).values(lease_until=at - 1))


def start_run(connection: Connection, name: str, holder: str, at: int) -> bool:
    """Note that a run begins; False where the ingestion is gone or another's.

    Runs that were cut short, of which nobody noted the end, ended by now.
    """
    table, runs = tables.ingestion, tables.ingestion_run
    its = (table.c.name == name, table.c.holder == holder)
    if not connection.execute(update(table).where(*its).values(started_at=at)).rowcount:
        return False
    open_runs = (runs.c.ingestion == name, runs.c.ended_at.is_(None))
    counted = select(func.coalesce(func.sum(runs.c.stored), 0)).where(*open_runs)
    more = {"all_stored": table.c.all_stored + counted.scalar_subquery()}
    connection.execute(update(table).where(*its).values(**more))
    cut_short = {"ended_at": at, "problem": "cut short: the process ended"}
    connection.execute(update(runs).where(*open_runs).values(**cut_short))
    counts = {"stored": 0, "rejected": 0, "excluded": 0, "marked": 0}
    connection.execute(insert(runs).values(ingestion=name, started_at=at, **counts))
    newest = select(runs.c.started_at).where(runs.c.ingestion == name)
    kept = newest.order_by(runs.c.started_at.desc()).limit(KEPT_RUNS)
    old = runs.c.started_at.not_in(kept.scalar_subquery())
    connection.execute(delete(runs).where(runs.c.ingestion == name, old))
    return True


def note_run(connection: Connection, run: StoredIngestionRun) -> None:
    """Note how a run goes; nothing where the ingestion was removed meanwhile."""
    runs = tables.ingestion_run
    its = (runs.c.ingestion == run.ingestion, runs.c.started_at == run.started_at)
    values = run._asdict()
    del values["ingestion"], values["started_at"]
    connection.execute(update(runs).where(*its).values(**values))


def end_run(
    connection: Connection,
    run: StoredIngestionRun,
    revision: int,
    next_at: int | None,
    *,
    is_failed: bool,
) -> None:
    """Note how a run ended, and when the next one is due, unless a change has set that since."""
    note_run(connection, run)
    table = tables.ingestion
    values = {
        "ended_at": run.ended_at,
        "next_at": case((table.c.revision == revision, next_at), else_=table.c.next_at),
        "all_stored": table.c.all_stored + run.stored,
        "failures": table.c.failures + 1 if is_failed else 0,
        "problem": run.problem,
    }
    connection.execute(update(table).where(table.c.name == run.ingestion).values(**values))


def interrupt_run(connection: Connection, run: StoredIngestionRun) -> None:
    """Note that a run was stopped before its end: the next one goes on as soon as it may."""
    note_run(connection, run)
    table = tables.ingestion
    more = {"all_stored": table.c.all_stored + run.stored}
    connection.execute(update(table).where(table.c.name == run.ingestion).values(**more))


def note_problem(
    connection: Connection, name: str, problem: str, at: int, next_at: int | None
) -> None:
    """Note why an ingestion cannot be run at all: a run that ended as it began."""
    table = tables.ingestion
    values = {"problem": problem, "failures": table.c.failures + 1, "next_at": next_at}
    ended = {"started_at": at, "ended_at": at}
    connection.execute(update(table).where(table.c.name == name).values(**values, **ended))


def list_ingestion_runs(connection: Connection, name: str) -> list[StoredIngestionRun]:
    """The runs that are kept, newest first."""
    runs = tables.ingestion_run
    columns = [runs.c[field] for field in StoredIngestionRun._fields]
    query = select(*columns).where(runs.c.ingestion == name)
    rows = connection.execute(query.order_by(runs.c.started_at.desc()))
    return [StoredIngestionRun._make(row) for row in rows]


def add_members(connection: Connection, name: str, members: Iterable[tuple[int, bytes]]) -> None:
    """Note which jobs and datasets came through an ingestion; to note one again is harmless."""
    table = tables.ingestion_member
    on = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    rows = [{"ingestion": name, "kind": kind, "entity": id} for kind, id in sorted(members)]
    if rows:
        connection.execute(on(table).on_conflict_do_nothing(), rows)


def _columns() -> list[Column[Any]]:
    return [tables.ingestion.c[name] for name in StoredIngestion._fields]
