"""Expiry of the lake: old events go that a prune has removed from the store.

An old event stays while the store has it, has its run, or shows a value that its run gave; edits
and declarations always stay. So a rebuild gives what the pruned store shows, and nothing that was
pruned.
"""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from headwater.errors import LakeUnavailable
from headwater.model.event import Kind
from headwater.model.values.instant import DAY, EPOCH, MICROSECOND
from headwater.pipeline.lake.lake import Lake, LakeEvent, day_of
from headwater.pipeline.lake.removal import (
    RemovedFromLake,
    files_before,
    read_batches,
    remove_from_lake,
)
from headwater.store.engine import Connection, Engine
from headwater.store.failures import answering
from headwater.store.maintenance.erasable import read_pruned_before
from headwater.store.maintenance.evidence import find_needed_runs, find_stored, run_of

# A run that has events of before and after goes as a whole, once the last one is old; one that is
# silent for longer than this, and then goes on, does not count as the same.
_LONGEST_SILENCE = 30 * DAY

# Called with the step, how much of it is done, and the total if known.
Progress = Callable[[str, int, int | None], None]


def expire(
    engine: Engine,
    lake: Lake,
    before: int,
    is_dry_run: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> RemovedFromLake:
    """Remove events of before a time, as far as the store does without them.

    Whole days: those of the day of that time stay. Can be interrupted, and run again.
    """
    with answering(), engine.connect() as connection:
        pruned_before = read_pruned_before(connection)
        if pruned_before is None:
            return RemovedFromLake(0, 0)
        _check_same(connection, lake, pruned_before)
    before = min(before, pruned_before)
    last = _day(before)
    files = files_before(lake, last)
    needed = _find_needed(engine, files, progress)
    for events in read_batches(files_before(lake, _day(before + _LONGEST_SILENCE))):
        needed |= {run for event in events if event.at >= before if (run := run_of(event.payload))}

    def find(events: Sequence[LakeEvent]) -> set[bytes]:
        return {event.digest for event in events if _is_expired(event, needed)}

    if is_dry_run:
        found = [len(find(events)) for events in read_batches(files)]
        return RemovedFromLake(sum(found), 0)
    if files:
        # First, so that a rebuild knows from when on events may be missing.
        lake.note_expired(before // DAY * DAY)
    return remove_from_lake(lake, find, last, lambda done, total: progress("files", done, total))


def _find_needed(engine: Engine, files: Sequence[Path], progress: Progress) -> set[bytes]:
    """The runs that the store needs of those that have events in some files."""
    needed: set[bytes] = set()
    done = 0
    for events in read_batches(files):
        progress("searching for what is needed", done, None)
        payloads = [event.payload for event in events if _is_of_run(event)]
        with answering(), engine.connect() as connection:
            needed |= find_needed_runs(connection, payloads)
        done += len(events)
    return needed


def _check_same(connection: Connection, lake: Lake, pruned_before: int) -> None:
    """Refuse a store that is not the lake's, such as an empty one after the old one was lost.

    What was not pruned must be in it: of the first such events, the half at least.
    """
    later = [
        file for file in lake.files() if (day := day_of(file.parent)) and day > _day(pruned_before)
    ]
    for events in read_batches(later):
        places = [(event.at, event.digest) for event in events]
        if len(find_stored(connection, places)) * 2 < len({*places}):
            raise LakeUnavailable(
                f"the store lacks most events of {later[0].parent.name} that the lake at "
                f"{lake.folder} has: is it another store? `headwater rebuild` fills it"
            )
        return


def _is_of_run(event: LakeEvent) -> bool:
    return event.kind == Kind.RUN and run_of(event.payload) is not None


def _is_expired(event: LakeEvent, needed: set[bytes]) -> bool:
    if event.kind != Kind.RUN:
        return False
    run = run_of(event.payload)
    return run is not None and run not in needed


def _day(at: int) -> date:
    return (EPOCH + at // DAY * DAY * MICROSECOND).date()
