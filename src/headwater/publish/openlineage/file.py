"""Events to a file, one in each line, on the disk before they count as sent."""

import os
from collections.abc import Iterator, Sequence
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from headwater.errors import TargetUnavailable
from headwater.plugins import CheckStep

_TAIL = 1_000_000


class FileTarget:
    """A file that events are added to; what is in it stays."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BufferedRandom | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def check(self) -> list[CheckStep]:
        folder = self._path.absolute().parent
        if self._path.is_dir():
            return [CheckStep("file", False, f"{self._path} is a folder", "name a file in it")]
        if not folder.is_dir():
            return [CheckStep("file", False, f"there is no folder {folder}", "make the folder")]
        place = self._path if self._path.exists() else folder
        if not os.access(place, os.W_OK):
            return [CheckStep("file", False, f"{place} cannot be written", "change who may")]
        return [CheckStep("file", True, f"{self._path} can be written")]

    def send(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        """Add events; none counts before all of them are on the disk."""
        try:
            file = self._file = self._file or _open(self._path)
            file.writelines(_line(event) for event in events)
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise TargetUnavailable(str(self._path), error.strerror or str(error)) from None
        yield from ((index, None) for index in range(len(events)))

    def send_one(self, event: bytes) -> None:
        list(self.send([event]))


def _line(event: bytes) -> bytes:
    """An event in one line: between tokens of JSON line breaks mean nothing."""
    return event.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _open(path: Path) -> BufferedRandom:
    """Open a file at its end, without what an interrupted write has left there."""
    file = path.open("a+b")
    size = file.seek(0, os.SEEK_END)
    rest = _last_line(file, size)
    if not rest:
        return file
    try:
        msgspec.json.decode(rest)
        file.write(b"\n")
    except msgspec.MsgspecError:
        # A part of an event, which is sent again.
        file.truncate(size - len(rest))
    return file


def _last_line(file: BufferedRandom, size: int) -> bytes:
    """What follows the last line break."""
    tail = _TAIL
    while True:
        start = max(0, size - tail)
        file.seek(start)
        _, found, rest = file.read().rpartition(b"\n")
        if found or start == 0:
            return rest
        tail *= 4
