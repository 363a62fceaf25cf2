"""Compaction of the lake: a day's small files become few, and copies go.

Files are only added, and go once what is in them is in others: whoever reads finds every event at
any time, and an interruption leaves copies at worst. A file that a compaction wrote has a name of
its own (`c-NAME.parquet`); one that is large as well is not written again.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TextIO
from uuid import uuid4

from headwater.errors import LakeUnavailable
from headwater.pipeline.lake.files import (
    LakeEvent,
    read_digests,
    read_file,
    read_footer,
    write_file,
    writing,
)

try:
    import fcntl
except ImportError:  # Not there on Windows: two at once then write copies, and lose nothing.
    fcntl = None  # type: ignore[assignment]

# Bytes of events in one file, before they are compressed; a file of half of that is large enough.
FILE_BYTES = 256_000_000
_PREFIX = "c-"
_LOCK = ".compacting"
# Nobody takes that long to write a file: what is unfinished since then was interrupted.
_LEFT_SECONDS = 86_400


class Compacted(NamedTuple):
    days: int
    files_removed: int
    files_written: int
    copies_removed: int

    def plus(self, other: "Compacted") -> "Compacted":
        return Compacted(*(one + another for one, another in zip(self, other, strict=True)))


NOTHING = Compacted(0, 0, 0, 0)


@contextmanager
def compacting(lake: Path) -> Iterator[None]:
    """Keep others from compacting the same lake; the lock goes with the process."""
    with writing(lake):
        file = (lake / _LOCK).open("w")
    with file:
        with writing(lake):
            _lock(lake, file)
        yield


def _lock(lake: Path, file: TextIO) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LakeUnavailable(
            f"another compaction of the lake at {lake} is running; wait until it ends"
        ) from error


def compact_day(folder: Path, files: Sequence[Path]) -> Compacted:
    """Merge a day's files, if there is anything to gain, and then remove them."""
    with writing(folder.parent):
        _remove_left(folder)
    sizes = {file: read_footer(file) for file in files}
    fragments = [
        file
        for file, footer in sizes.items()
        if not is_compacted(file) or footer.unpacked_bytes < FILE_BYTES // 2
    ]
    has_new = any(not is_compacted(file) for file in fragments)
    if len(fragments) < 2 and not (has_new and len(files) > 1):
        return NOTHING
    large = [file for file in files if file not in fragments]
    seen = {digest for file in large for digest in read_digests(file)}
    known = len(seen)
    written = len(write_compacted(folder, _read_distinct(fragments, seen)))
    with writing(folder.parent):
        _remove(fragments)
    copies = sum(sizes[file].events for file in fragments) - (len(seen) - known)
    return Compacted(1, len(fragments), written, copies)


def is_compacted(file: Path) -> bool:
    return file.name.startswith(_PREFIX)


def _read_distinct(files: Iterable[Path], seen: set[bytes]) -> Iterator[LakeEvent]:
    for file in files:
        for event in read_file(file):
            if event.digest not in seen:
                seen.add(event.digest)
                yield event


def write_compacted(folder: Path, events: Iterator[LakeEvent]) -> list[Path]:
    """Write files of a size, each while it is read."""
    written = []
    for first in events:
        name = f"{_PREFIX}{uuid4().hex}"
        write_file(folder, name, _take(first, events))
        written.append(folder / f"{name}.parquet")
    return written


def _take(first: LakeEvent, others: Iterator[LakeEvent]) -> Iterator[LakeEvent]:
    """An event and those after it that go into the same file."""
    yield first
    size = len(first.payload)
    while size <= FILE_BYTES and (event := next(others, None)) is not None:
        size += len(event.payload)
        yield event


def _remove(files: Iterable[Path]) -> None:
    """Remove what a compaction wrote first: interrupted, a day that has copies then still has a
    file that no compaction wrote, by which the next one knows that there is something to do."""
    for file in sorted(files, key=is_compacted, reverse=True):
        file.unlink(missing_ok=True)


def _remove_left(folder: Path) -> None:
    """Remove what somebody who was interrupted has left unfinished."""
    for file in folder.glob(".*.tmp"):
        # It may be finished meanwhile, and have another name.
        with suppress(FileNotFoundError):
            if file.stat().st_mtime < time.time() - _LEFT_SECONDS:
                file.unlink()
