"""What is too old to keep: the rules of retention, read from the store; nothing is changed here."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, or_, select

from headwater.model.run_states import state_of
from headwater.store import tables
from headwater.store.maintenance.redundant_runs import OldRun, ReportedUses, find_repeats
from headwater.store.query.paging import in_parts

# A run's columns that show whether events came in since it was judged.
COMPARED = ("job", "job_at", "parent_run", "first_event", "last_event", "last_start", "terminal_at")
_COLUMNS = tuple(
    tables.run.c[name]
    for name in ("id", *COMPARED, "terminal", "first_start", "first_running", "root_run")
)


class Removable(NamedTuple):
    """A run that can be removed: as it was when judged, and the kept run that states the same."""

    id: bytes
    compared: tuple[Any, ...]
    same_as: bytes | None


class Newest(NamedTuple):
    """A job's newest executions: runs by themselves, and parents of runs."""

    runs: frozenset[bytes]
    parents: frozenset[bytes]

    def has(self, run: Row[Any]) -> bool:
        return run.id in self.runs or run.parent_run in self.parents


def find_removable(
    connection: Connection, horizon: int, progress: Callable[[int, int], None]
) -> list[Removable]:
    """Find the runs that can go; those that a kept run names as its parent or root stay."""
    found: dict[bytes, Removable] = {}
    old = select(tables.run.c.job).where(tables.run.c.last_event < horizon).distinct()
    jobs = connection.execute(old).scalars().all()
    for done, job in enumerate(jobs):
        progress(done, len(jobs))
        for run in _find_of_job(connection, job, horizon):
            found[run.id] = run
    # Nobody but its children spoke of it.
    named_only = select(*_COLUMNS).where(tables.run.c.last_event.is_(None))
    for row in connection.execute(named_only):
        found[row.id] = Removable(row.id, compared_values(row), None)
    _keep_parents(connection, found)
    return list(found.values())


def _find_of_job(connection: Connection, job: bytes, horizon: int) -> list[Removable]:
    table = tables.run
    query = (
        select(*_COLUMNS)
        .where(table.c.job == job, table.c.first_event < horizon)
        .order_by(table.c.first_event, table.c.id)
    )
    rows = connection.execute(query).all()
    newest = read_newest(connection, job)
    reported, last_uses = read_reported(connection, (row.id for row in rows))
    runs = [
        OldRun(
            id=row.id,
            execution=row.parent_run or row.id,
            began=row.first_event,
            last_use=last_uses.get(row.id, row.last_event),
            reported=reported.get(row.id, ()),
            may_go=is_old(row, horizon) and not newest.has(row),
        )
        for row in rows
    ]
    later = select(table.c.parent_run).where(
        table.c.job == job, table.c.parent_run.is_not(None), table.c.first_event >= horizon
    )
    going_on = set(connection.execute(later.distinct()).scalars())
    repeats = find_repeats(runs, going_on)
    return [
        Removable(row.id, compared_values(row), repeats[row.id])
        for row in rows
        if row.id in repeats
    ]


def _keep_parents(connection: Connection, found: dict[bytes, Removable]) -> None:
    """Take out the runs that kept ones name, and those that these name in turn."""
    table = tables.run
    names = select(table.c.id, table.c.parent_run, table.c.root_run).where(
        or_(table.c.parent_run.is_not(None), table.c.root_run.is_not(None))
    )
    above: dict[bytes, tuple[bytes | None, bytes | None]] = {}
    kept: list[bytes | None] = []
    for id, parent, root in connection.execute(names):
        if id in found:
            above[id] = (parent, root)
        else:
            kept += (parent, root)
    while kept:
        if (id := kept.pop()) in found:
            del found[id]
            kept += above.get(id, ())


def compared_values(row: Row[Any]) -> tuple[Any, ...]:
    return tuple(row._mapping[name] for name in COMPARED)


def is_old(row: Row[Any], horizon: int) -> bool:
    """Ended, and without events since the horizon."""
    _, ended_at = state_of(row)
    return ended_at is not None and row.last_event < horizon


def read_newest(connection: Connection, job: bytes) -> Newest:
    """Read a job's newest execution, and its newest with datasets; all of them where some tie."""
    table = tables.run
    runs: set[bytes] = set()
    parents: set[bytes] = set()
    for conditions in ((), (table.c.first_datasets.is_not(None),)):
        began = table.c.first_event
        known = (table.c.job == job, began.is_not(None), *conditions)
        newest = select(began).where(*known).order_by(began.desc()).limit(1).scalar_subquery()
        query = select(table.c.id, table.c.parent_run).where(*known, began == newest)
        for id, parent in connection.execute(query):
            runs.add(id)
            if parent is not None:
                parents.add(parent)
    return Newest(frozenset(runs), frozenset(parents))


def read_reported(
    connection: Connection, runs: Iterable[bytes]
) -> tuple[dict[bytes, ReportedUses], dict[bytes, int]]:
    """Read what runs reported on their datasets, and when they last used one."""
    table = tables.run_dataset
    columns = tuple(table.c[name] for name in ("dataset", "direction", "schema", "columns"))
    query = select(table.c.run, table.c.last_seen, *columns)
    reported: dict[bytes, ReportedUses] = {}
    last_uses: dict[bytes, int] = {}
    # Most runs of a job say the same: it is held in memory once.
    distinct: dict[ReportedUses, ReportedUses] = {}
    for part in in_parts(runs):
        uses: dict[bytes, list[Any]] = defaultdict(list)
        for run, last_seen, *use in connection.execute(query.where(table.c.run.in_(part))):
            uses[run].append(tuple(use))
            last_uses[run] = max(last_seen, last_uses.get(run, last_seen))
        for run, found in uses.items():
            # Dataset and direction are a key: what may be absent is never compared.
            sorted_uses = tuple(sorted(found, key=lambda use: use[:2]))
            reported[run] = distinct.setdefault(sorted_uses, sorted_uses)
    return reported, last_uses


def list_unchanged(connection: Connection, runs: Sequence[Removable]) -> list[bytes]:
    """List those of some runs that can still go, judged again by what is stored now."""
    rows = read_runs(connection, (run.id for run in runs))
    requested = [run.id for run in runs] + [run.same_as for run in runs if run.same_as]
    reported, _ = read_reported(connection, requested)
    newest = {row.job: read_newest(connection, row.job) for row in rows.values() if row.job}
    return [
        run.id
        for run in runs
        if (row := rows.get(run.id)) is not None
        and compared_values(row) == run.compared
        and reported.get(run.id) == (reported.get(run.same_as) if run.same_as else None)
        and (row.last_event is None or not newest[row.job].has(row))
    ]


def read_runs(connection: Connection, runs: Iterable[bytes]) -> dict[bytes, Row[Any]]:
    query = select(*_COLUMNS)
    return {
        row.id: row
        for part in in_parts(runs)
        for row in connection.execute(query.where(tables.run.c.id.in_(part)))
    }
