"""`collect files`: OpenLineage events that programs have written to files."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from headwater.collect import Collected
from headwater.collect.files.check import check_files
from headwater.collect.files.fetch import EventInput, is_stream
from headwater.collect.files.position import FilePosition
from headwater.collect.files.settings import FilesSettings
from headwater.collect.files.translate import is_started_only, translate
from headwater.config import Section
from headwater.listing import FoundFile, Listing, is_there
from headwater.plugins import CheckStep

__all__ = ["FilesCollector", "FilesSettings"]


class _Delivered(NamedTuple):
    """How far a file is once an event of it was delivered."""

    path: str
    answered: int
    offset: int
    line: int


class _FileState:
    """What is remembered of a file between two rounds."""

    def __init__(self) -> None:
        self.position: FilePosition | None = None
        self.read_as: FoundFile | None = None
        """As it was when it was last read to its end."""
        self.unanswered = 0
        self.failed_as: tuple[FoundFile | None, str] | None = None
        """As it was when it could not be read, and why."""

    def is_done(self, found: FoundFile | None) -> bool:
        return found is not None and found == self.read_as and not self.unanswered


class FilesCollector:
    """Reads files to their end, and each time from where they were delivered up to."""

    settings_class: ClassVar[type[Section]] = FilesSettings

    def __init__(self, settings: FilesSettings, destination: str) -> None:
        self._settings = settings
        self._destination = destination
        self._problems: list[Collected] = []
        self._streams = {path for path in settings.paths if is_stream(path)}
        self._listings = {
            path: Listing(path, self._report) for path in settings.paths if not is_stream(path)
        }
        self._ended: set[str] = set()
        self._states: dict[str, _FileState] = {}
        self.skipped = 0

    def check(self) -> list[CheckStep]:
        return check_files(self._settings)

    @property
    def is_at_end(self) -> bool:
        return self._ended >= set(self._settings.paths)

    def find_missing(self) -> list[str]:
        return [path for path in self._listings if not is_there(path)]

    def collect(self) -> Iterator[Collected]:
        for path in self._settings.paths:
            if path in self._streams:
                if path not in self._ended:
                    yield from self._collect_file(path, None)
                    self._ended.add(path)
                continue
            files = self._listings[path].list()
            yield from self._problems
            self._problems.clear()
            for found in files:
                yield from self._collect_file(found.path, found)

    def _report(self, path: str, what: str) -> None:
        self._problems.append(Collected(b"", path, error=what))

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        last: dict[str, _Delivered] = {}
        for each in delivered:
            if not each.is_unfinished and each.position is not None:
                last[each.position.path] = each.position
                self._states[each.position.path].unanswered -= 1
        for path, place in last.items():
            position = self._states[path].position
            if position is not None:
                position.advance(place.answered, place.offset, place.line)

    def _collect_file(self, path: str, found: FoundFile | None) -> Iterator[Collected]:
        state = self._states.setdefault(path, _FileState())
        if state.is_done(found):
            return
        try:
            yield from self._read(path, found, state)
        except FileNotFoundError:
            # Gone since it was listed.
            return
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            # Tried each time, as who may read it changes nothing of it; reported once.
            if state.failed_as != (found, reason):
                state.failed_as = (found, reason)
                yield Collected(b"", path, error=reason)
            return
        state.failed_as = None

    def _read(self, path: str, found: FoundFile | None, state: _FileState) -> Iterator[Collected]:
        state.unanswered = 0
        with EventInput(path) as source:
            records = source.records()
            first = next(records, None)
            if first is not None:
                position = self._position(path, state, first.data)
                is_incomplete = is_started_only(first)
                is_by_line = source.is_plain and first.line is not None and first.error is None
                answered = position.answered
                if is_by_line and position.offset:
                    records = source.records_from(position.offset, position.line)
                else:
                    records = islice(chain([first], records), answered, None)
                for record in records:
                    answered += 1
                    # Of what is read ahead, as an array is, the place in the file says nothing.
                    offset = source.read_bytes if is_by_line else 0
                    place = _Delivered(path, answered, offset, record.line or 0)
                    one = translate(source.name, record, is_incomplete)
                    state.unanswered += not one.is_unfinished
                    yield one._replace(share=source.share, position=place)
        state.read_as = found

    def _position(self, path: str, state: _FileState, first: bytes) -> FilePosition:
        """How far a file is; one that begins otherwise, or is shorter, is another file."""
        size = 0 if path in self._streams else Path(path).stat().st_size
        position = state.position
        if position is None or not position.is_of(first, size):
            position = FilePosition(self._position_file(path), self._destination, first, size)
            self.skipped += position.answered
        state.position = position
        return position

    def _position_file(self, path: str) -> Path | None:
        if not self._settings.resume or path in self._streams:
            return None
        return FilePosition.file_of(Path(path), self._settings.positions)
