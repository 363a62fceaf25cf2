"""Removing old data. `retention` finds it; it is removed here, a few thousand rows at a time.

Every step can be interrupted and run again: each transaction leaves a store that is whole, and the
next prune finds what the last one did not get to.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Table,
    bindparam,
    delete,
    func,
    select,
    tuple_,
    update,
)
from sqlalchemy.exc import DBAPIError

from headwater.errors import StoreUnavailable
from headwater.model.event import Kind
from headwater.model.values.ids import access_id
from headwater.store import tables
from headwater.store.maintenance.exclusive import change_generation, removing
from headwater.store.maintenance.references import REFERENCES, count_references, list_unreferenced
from headwater.store.maintenance.retention import (
    Removable,
    find_removable,
    is_old,
    list_unchanged,
    read_newest,
    read_runs,
)
from headwater.store.maintenance.rollup import is_old_minute, roll_up_samples
from headwater.store.query.paging import in_parts
from headwater.store.search import index
from headwater.store.write.outbox import is_waiting

# Called with the step, how much is done, and the total if known. What it raises ends the prune.
Progress = Callable[[str, int, int | None], None]

# Beside the names of relations: minutes of samples that became part of an hour.
ROLLED_UP = "sample to hours"

RUNS_AT_ONCE = 500
EVENTS_AT_ONCE = 2_000
DIGESTS_AT_ONCE = 5_000
_CONTENT_TABLES = (tables.content,)


@dataclass(frozen=True)
class _Prune:
    """One prune on its way."""

    engine: Engine
    horizon: int
    progress: Progress
    rows: Counter[str]


def prune(
    engine: Engine,
    horizon: int,
    is_dry_run: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> Counter[str]:
    """Remove what was last seen before a time, in microseconds since 1970.

    Returns how many rows of each relation went, or would go.
    """
    work = _Prune(engine, horizon, progress, Counter())
    try:
        for step in COUNTS if is_dry_run else STEPS:
            step(work)
        if +work.rows and not is_dry_run:
            # Whoever follows the store begins anew.
            with removing(engine) as connection:
                change_generation(connection)
    except DBAPIError as error:
        reason = str(error.orig).partition("\n")[0]
        raise StoreUnavailable(f"the store cannot be pruned now, run it again: {reason}") from error
    return +work.rows


def _note_horizon(work: _Prune) -> None:
    """Note first from when on events may be missing: who walks over them is to know."""
    state = tables.store_state
    is_later = func.coalesce(state.c.pruned_before, work.horizon) <= work.horizon
    with removing(work.engine) as connection:
        connection.execute(update(state).where(is_later).values(pruned_before=work.horizon))


def _find_runs(work: _Prune, connection: Connection) -> list[Removable]:
    return find_removable(
        connection, work.horizon, lambda done, total: work.progress("jobs", done, total)
    )


def _remove_runs(work: _Prune) -> None:
    with work.engine.connect() as connection:
        runs = _find_runs(work, connection)
    for start in range(0, len(runs), RUNS_AT_ONCE):
        work.progress("runs", start, len(runs))
        with removing(work.engine) as connection:
            ids = list_unchanged(connection, runs[start : start + RUNS_AT_ONCE])
            owners = _owners(connection, ids)
            for column, values in _of_runs(ids, owners):
                for part in in_parts(values):
                    gone = connection.execute(delete(column.table).where(column.in_(part)))
                    work.rows[column.table.name] += gone.rowcount


def _of_runs(runs: list[bytes], owners: list[bytes]) -> tuple[tuple[Column[Any], list[bytes]], ...]:
    """The columns by which rows belong to runs, and their values."""
    return (
        (tables.facet.c.owner, owners),
        (tables.sample.c.run, runs),
        (tables.run_dataset.c.run, runs),
        (tables.reported_gaps.c.run, runs),
        (tables.run.c.id, runs),
    )


def _owners(connection: Connection, runs: Sequence[bytes]) -> list[bytes]:
    """What owns the facets of runs: they themselves, and each of their uses of a dataset."""
    table = tables.run_dataset
    uses = select(table.c.run, table.c.dataset, table.c.direction)
    accesses = [
        access_id(*use)
        for part in in_parts(runs)
        for use in connection.execute(uses.where(table.c.run.in_(part)))
    ]
    return [*runs, *accesses]


Place = tuple[int, bytes]


def _remove_events(work: _Prune) -> None:
    done, after = 0, None
    while True:
        work.progress("events", done, None)
        with work.engine.connect() as connection:
            old, last = _find_old_events(connection, work.horizon, after)
        if old:
            with removing(work.engine) as connection:
                old, last = _find_old_events(connection, work.horizon, after)
                places = [{"its_at": at, "its_digest": digest} for at, digest in old]
                for table in (tables.event_set_member, tables.event) if places else ():
                    key = (
                        table.c.at == bindparam("its_at"),
                        table.c.digest == bindparam("its_digest"),
                    )
                    connection.execute(delete(table).where(*key), places)
        work.rows["event"] += len(old)
        done += len(old)
        if last is None:
            return
        after = last


def _find_old_events(
    connection: Connection, horizon: int, after: Place | None
) -> tuple[list[Place], Place | None]:
    """Find the next events of runs that are removed or old, and the place up to which it looked.

    What a run reported that goes on, or is a job's newest, stays whole.
    """
    table = tables.event
    query = (
        select(table.c.at, table.c.digest, table.c.run)
        .where(table.c.at < horizon, table.c.kind == Kind.RUN)
        # What the lake has not is nowhere else.
        .where(~is_waiting(table.c.at, table.c.digest))
        .order_by(table.c.at, table.c.digest)
        .limit(EVENTS_AT_ONCE)
    )
    if after is not None:
        query = query.where(tuple_(table.c.at, table.c.digest) > tuple_(*after))
    events = connection.execute(query).all()
    runs = read_runs(connection, {event.run for event in events})
    old = {id: row for id, row in runs.items() if is_old(row, horizon)}
    newest = {job: read_newest(connection, job) for job in {row.job for row in old.values()}}
    kept = {id for id, row in runs.items() if id not in old or newest[row.job].has(row)}
    found = [(event.at, event.digest) for event in events if event.run not in kept]
    is_more = len(events) == EVENTS_AT_ONCE
    return found, (events[-1].at, events[-1].digest) if is_more else None


def _remove_rejected(work: _Prune) -> None:
    table = tables.rejected
    old = select(table.c.digest).where(table.c.received_at < work.horizon).limit(EVENTS_AT_ONCE)
    while True:
        work.progress("rejected", work.rows["rejected"], None)
        with work.engine.connect() as connection:
            digests = connection.execute(old).scalars().all()
        if not digests:
            return
        with removing(work.engine) as connection:
            _delete(connection, tables.rejected_place, digests)
            work.rows["rejected"] += _delete(connection, table, digests)


def _roll_up(work: _Prune) -> None:
    for count in roll_up_samples(work.engine, work.horizon):
        work.rows[ROLLED_UP] += count
        work.progress("samples", work.rows[ROLLED_UP], None)


def _remove_contents(work: _Prune) -> None:
    """Remove content that nothing refers to, and tell writers to forget that it was stored.

    The store is searched before it is locked, so that mostly there is nothing to lock it for; and
    again within, since a writer may have referred meanwhile to what it remembered as stored.
    """
    with work.engine.connect() as connection:
        digests = list_unreferenced(connection)
    for start in range(0, len(digests), DIGESTS_AT_ONCE):
        work.progress("contents", start, len(digests))
        part = digests[start : start + DIGESTS_AT_ONCE]
        with removing(work.engine) as connection:
            referred = count_references(connection, part)
            gone = [digest for digest in part if digest not in referred]
            index.remove_contents(connection, gone)
            for table in _CONTENT_TABLES:
                work.rows[table.name] += _delete(connection, table, gone)
            change_generation(connection)


def _delete(connection: Connection, table: Table, digests: Iterable[bytes]) -> int:
    """Delete rows by their digest; how many there were."""
    return sum(
        connection.execute(delete(table).where(table.c.digest.in_(part))).rowcount
        for part in in_parts(digests)
    )


# Content last: by then everything that referred to it has gone.
STEPS: tuple[Callable[[_Prune], None], ...] = (
    _note_horizon,
    _remove_runs,
    _remove_events,
    _remove_rejected,
    _roll_up,
    _remove_contents,
)


def _count_runs(work: _Prune) -> None:
    """Count what would go with runs: their rows, and the content that nothing else refers to."""
    with work.engine.connect() as connection:
        runs = [run.id for run in _find_runs(work, connection)]
        referred: Counter[bytes] = Counter()
        owners = _owners(connection, runs)
        for column, values in _of_runs(runs, owners):
            digests = [each for each in REFERENCES if each.table is column.table]
            for part in in_parts(values):
                query = select(column, *digests).where(column.in_(part))
                for _, *found in connection.execute(query):
                    work.rows[column.table.name] += 1
                    referred.update(digest for digest in found if digest is not None)
        all_references = count_references(connection, referred)
        alone = [digest for digest, count in referred.items() if all_references[digest] == count]
        gone = [*list_unreferenced(connection), *alone]
        for table in _CONTENT_TABLES:
            for part in in_parts(gone):
                query = select(func.count()).where(table.c.digest.in_(part))
                work.rows[table.name] += int(connection.execute(query).scalar() or 0)
        # The samples of runs that would go are counted with them.
        minutes = select(tables.sample.c.run).where(is_old_minute(work.horizon))
        old = set(runs)
        work.rows[ROLLED_UP] = sum(run not in old for run in connection.scalars(minutes))


def _count_events(work: _Prune) -> None:
    after = None
    with work.engine.connect() as connection:
        while True:
            old, after = _find_old_events(connection, work.horizon, after)
            work.rows["event"] += len(old)
            work.progress("events", work.rows["event"], None)
            if after is None:
                break
        table = tables.rejected
        rejected = select(func.count()).where(table.c.received_at < work.horizon)
        work.rows["rejected"] = int(connection.execute(rejected).scalar() or 0)


COUNTS: tuple[Callable[[_Prune], None], ...] = (_count_runs, _count_events)
