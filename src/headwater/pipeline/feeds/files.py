"""What comes next of files that grow: how far each was taken, and how far the next batch goes.

An offset tells of every file how far it was taken. It is all that a batch is planned from, so that
the same batch can be planned again after a restart.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from headwater.listing import FoundFile, Listing
from headwater.model.records import may_go_on, starts_array
from headwater.model.values.ids import digest
from headwater.model.values.json_text import WHITE_SPACE
from headwater.pipeline.feeds.byte_ranges import (
    GZIP_MAGIC,
    MAX_LINE_BYTES,
    WHOLE,
    Planned,
    plan_lines,
    plan_whole,
)

MAX_BYTES = 256_000_000
SETTLE_SECONDS = 5.0

_MARKED_BYTES = 1_024
_CHUNK_BYTES = 65_536
_UNREADABLE = "unreadable"


@dataclass(frozen=True)
class FilesPlace:
    """Where files of events are."""

    type: ClassVar[str] = "files"

    place: str
    """A directory that grows, a file, or a pattern."""


class Taken(NamedTuple):
    """How far a file was taken.

    Of lines, those before `done`. A last line without its end goes on to `end`; it is taken again
    from `done` once there is more of it. `mark` tells by the first bytes whether it still is the
    same file. What is read whole has `done` -1, its size as `end` and its time as `mark`.
    """

    done: int
    end: int
    mark: str


Offset = Mapping[str, Taken]


def to_json(offset: Offset) -> dict[str, Any]:
    # Spark compares the text.
    return {"files": {path: list(taken) for path, taken in sorted(offset.items())}}


def from_json(offset: Mapping[str, Any]) -> dict[str, Taken]:
    return {path: Taken(*taken) for path, taken in offset["files"].items()}


def plan_batch(start: Offset, end: Offset) -> list[Planned]:
    """The byte ranges between two offsets."""
    planned = (plan_file(path, start.get(path), taken) for path, taken in end.items())
    return [one for one in planned if one]


def plan_file(path: str, before: Taken | None, after: Taken) -> Planned | None:
    """The bytes that take a file from one state to another; from its start if it is another."""
    if after == before:
        return None
    if after.done == WHOLE:
        return plan_whole(path, after.end)
    is_same = before is not None and before.mark == after.mark and before.done <= after.done
    start = before.done if before and is_same else 0
    return plan_lines(path, start, after.end) if after.end > start else None


class Planner:
    """Plans one batch after another over a place, each of about `max_bytes` at the most.

    What may be unfinished, a last line without its end or a file that is read whole, waits until
    its file was left alone for `settle_seconds`. With `is_once` nothing waits, and what comes after
    the first call is not looked at.
    """

    def __init__(
        self,
        place: str,
        max_bytes: int = MAX_BYTES,
        settle_seconds: float = SETTLE_SECONDS,
        is_once: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._listing = Listing(place)
        self._max_bytes = max_bytes
        self._settle_seconds = settle_seconds
        self._is_once = is_once
        self._clock = clock
        self._frozen: list[FoundFile] | None = None
        # Files as last seen, and since when; and those of which there is nothing left to take.
        self._seen: dict[str, tuple[FoundFile, float]] = {}
        self._finished: dict[str, tuple[FoundFile, Taken]] = {}

    def plan(self, before: Offset) -> Offset:
        """The offset that the next batch goes to; `before` itself where there is nothing new."""
        after: dict[str, Taken] = {}
        room = self._max_bytes
        found = self._list()
        for file in found:
            old = before.get(file.path)
            new = self._next(file, old, room) if room > 0 else old
            planned = plan_file(file.path, old, new) if new else None
            # What can only be taken whole may be more than there is room for, if it is alone.
            if planned and planned.byte_range.end == WHOLE and room < planned.weight:
                is_alone = room == self._max_bytes
                new, planned = (new, planned) if is_alone else (old, None)
            if new:
                after[file.path] = new
            if planned:
                room -= planned.weight
        self._forget_all_but(found)
        # Files that are gone are forgotten when there is a batch anyway.
        return after if any(before.get(path) != taken for path, taken in after.items()) else before

    def _list(self) -> list[FoundFile]:
        if not self._is_once:
            return self._listing.list()
        if self._frozen is None:
            self._frozen = self._listing.list()
        return self._frozen

    def _next(self, file: FoundFile, old: Taken | None, room: int) -> Taken | None:
        if self._finished.get(file.path) == (file, old):
            return old
        try:
            with Path(file.path).open("rb") as opened:
                new = self._look(opened, file, old, room)
        except FileNotFoundError:
            return old
        except OSError:
            # Handed out, so that the reason is reported where events are taken in; once it can be
            # read it is another file than this one.
            return old or Taken(WHOLE, 0, _UNREADABLE)
        if new is None:
            return old
        if new.end == file.size:
            self._finished[file.path] = (file, new)
        return new

    def _look(
        self, opened: BufferedReader, file: FoundFile, old: Taken | None, room: int
    ) -> Taken | None:
        """How far a file can be taken now; None while what is there may be unfinished."""
        is_quiet = self._is_once or self._is_quiet(file)
        if old and old.done != WHOLE and old.done <= file.size and _has_mark(opened, old.mark):
            start, mark = old.done, old.mark
        elif _is_by_line(opened, file.size):
            start, mark = 0, _mark(opened, min(file.size, _MARKED_BYTES))
        else:
            return Taken(WHOLE, file.size, str(file.changed_at)) if is_quiet else None
        end = _last_line_end(opened, start, file.size)
        if end - start > room:
            end = _next_line_end(opened, start + room)
        elif is_quiet:
            return Taken(end, file.size, mark)
        elif end == start < file.size:
            return None
        return Taken(end, end, mark)

    def _is_quiet(self, file: FoundFile) -> bool:
        now = self._clock()
        seen, since = self._seen.get(file.path, (None, now))
        if seen != file:
            since = now
            self._seen[file.path] = (file, now)
        # Clocks of file systems may be ahead of ours.
        return now - min(since, file.changed_at / 1e9) >= self._settle_seconds

    def _forget_all_but(self, found: Iterable[FoundFile]) -> None:
        paths = {file.path for file in found}
        self._seen = {path: seen for path, seen in self._seen.items() if path in paths}
        self._finished = {path: it for path, it in self._finished.items() if path in paths}


def _is_by_line(file: BufferedReader, size: int) -> bool:
    """Whether a file may be read in parts; a doubtful one is read whole."""
    file.seek(0)
    head = file.peek(2)
    if head.startswith(GZIP_MAGIC) or b"\0" in head:
        return False
    while (line := file.readline(MAX_LINE_BYTES)) and not line.strip(WHITE_SPACE):
        pass
    # One event over many lines is not that long: it is many events, and the first is broken.
    return not starts_array(line) and (size > MAX_LINE_BYTES or not may_go_on(line))


def _mark(file: BufferedReader, length: int) -> str:
    file.seek(0)
    return f"{length}-{digest(file.read(length)).hex()[:12]}"


def _has_mark(file: BufferedReader, mark: str) -> bool:
    return _mark(file, int(mark.partition("-")[0])) == mark


def _last_line_end(file: BufferedReader, start: int, end: int) -> int:
    """Where the last line ends that is finished before `end`; `start` if none is."""
    while end > start:
        chunk_start = max(start, end - _CHUNK_BYTES)
        file.seek(chunk_start)
        newline = file.read(end - chunk_start).rfind(b"\n")
        if newline >= 0:
            return chunk_start + newline + 1
        end = chunk_start
    return start


def _next_line_end(file: BufferedReader, position: int) -> int:
    """Where the line ends that the byte before `position` is in."""
    file.seek(position - 1)
    while (part := file.readline(_CHUNK_BYTES)) and not part.endswith(b"\n"):
        pass
    return file.tell()
