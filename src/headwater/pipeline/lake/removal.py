"""Removing events from the lake: a file that holds some is written anew without them.

The new file is there before the old one goes: whoever reads finds every other event at any time,
and an interruption leaves copies, and what was to go, for the next time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from headwater.pipeline.lake.compaction import compacting, write_compacted
from headwater.pipeline.lake.files import FileGone, LakeEvent, read_file, read_footer, writing
from headwater.pipeline.lake.lake import Lake, day_of

EVENTS_AT_ONCE = 1_000

# The digests of those of some events that are to go.
Find = Callable[[Sequence[LakeEvent]], set[bytes]]
# Called with how many files are done, and how many there are.
Progress = Callable[[int, int], None]


class RemovedFromLake(NamedTuple):
    events: int
    files: int
    """That held them; what else was in these is in new ones."""


def remove_from_lake(
    lake: Lake,
    find: Find,
    before: date | None = None,
    progress: Progress = lambda done, total: None,
) -> RemovedFromLake:
    """Remove the events that `find` names, from all days or those before one.

    Returns once the others are on disk. Only one at a time, and no compaction meanwhile.
    """
    events = files = 0
    if not lake.days():
        return RemovedFromLake(0, 0)
    with compacting(lake.folder):
        done: set[Path] = set()
        # Others may add files meanwhile.
        while new := [file for file in files_before(lake, before) if file not in done]:
            for file in new:
                progress(len(done), len(done | {*new}))
                done.add(file)
                count, written = _remove_from_file(file, find)
                events += count
                files += count > 0
                done.update(written)
    return RemovedFromLake(events, files)


def files_before(lake: Lake, before: date | None) -> list[Path]:
    return [
        file
        for file in lake.files()
        if before is None or ((day := day_of(file.parent)) is not None and day < before)
    ]


def read_batches(files: Iterable[Path]) -> Iterator[list[LakeEvent]]:
    """The events of files, some at a time; of files that are gone since, none."""
    for file in files:
        with suppress(FileGone):
            events = read_file(file)
            while some := list(islice(events, EVENTS_AT_ONCE)):
                yield some


def _remove_from_file(file: Path, find: Find) -> tuple[int, list[Path]]:
    """Remove events from a file; how many, and the files that hold the others now."""
    try:
        total = read_footer(file).events
    except FileGone:
        return 0, []
    gone = {digest for events in read_batches([file]) for digest in find(events)}
    if not gone:
        return 0, []
    left = (event for event in read_file(file) if event.digest not in gone)
    written = write_compacted(file.parent, left)
    remaining = sum(read_footer(path).events for path in written)
    with writing(file.parent.parent):
        file.unlink(missing_ok=True)
        if not written:
            # Unless others are in it.
            with suppress(OSError):
                file.parent.rmdir()
    return total - remaining, written
