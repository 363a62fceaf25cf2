"""Events out of files: one JSON event, an array, or one event a line; plain or gzipped."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self, cast

from headwater.errors import InvalidEvent, InvalidRequest
from headwater.model.arrays import split_array
from headwater.model.json_text import WHITE_SPACE, clean

STDIN = "-"
# No limit of ours: an array is cut up here and sent in parts that a server takes.
_ANY_NUMBER = 10**9
_GZIP_MAGIC = b"\x1f\x8b"


class Record(NamedTuple):
    """An event to send, or why it cannot be; `line` or `element` is its place in the file."""

    data: bytes
    line: int | None = None
    element: int | None = None
    error: str | None = None

    @property
    def place(self) -> str:
        """The place as it follows a file's name: `:LINE`, `[ELEMENT]`, or nothing."""
        if self.line is not None:
            return f":{self.line}"
        return "" if self.element is None else f"[{self.element}]"

    @property
    def is_unfinished(self) -> bool:
        """A last line that breaks off: the file may still be being written."""
        return self.error is not None and not self.data.endswith(b"\n")


class Source:
    """One file or standard input, open; `read_bytes` of `size` are behind us."""

    def __init__(self, name: str) -> None:
        self.name = "stdin" if name == STDIN else name
        self._open = ExitStack()
        try:
            self._raw = self._open_raw(name)
            self.size = None if name == STDIN else Path(name).stat().st_size
        except OSError as error:
            raise InvalidRequest(name, f"cannot be read: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def _open_raw(self, name: str) -> BinaryIO:
        if name == STDIN:
            return sys.stdin.buffer
        # Closed with the source, by the stack.
        return self._open.enter_context(Path(name).open("rb"))

    @property
    def read_bytes(self) -> int:
        return self._raw.tell() if self.size is not None else 0

    def records(self) -> Iterator[Record]:
        """Read the events one by one; a file that breaks off ends with a record that says so."""
        number = 0
        try:
            lines = self._lines()
            for record in _records(lines):
                number = record.line or number
                yield record
        except (OSError, EOFError, zlib.error) as error:
            reason = str(error) or type(error).__name__
            yield Record(b"", line=number + 1, error=f"cannot be read on: {reason}")

    def _lines(self) -> Iterator[bytes]:
        # Told by its content, so that a pipe may bring either.
        peeked = self._raw.peek(2)  # type: ignore[attr-defined]
        if peeked.startswith(_GZIP_MAGIC):
            return iter(cast(BinaryIO, self._open.enter_context(gzip.open(self._raw, "rb"))))
        return iter(self._raw)


def _records(lines: Iterator[bytes]) -> Iterator[Record]:
    number, first = _first_line(lines)
    if not first:
        return
    if first.lstrip(WHITE_SPACE).removeprefix(b"\xef\xbb\xbf").startswith(b"["):
        yield from _array(first + b"".join(lines))
    elif _parse(first, number).error is None:
        yield _parse(first, number)
        yield from _by_line(lines, number)
    else:
        yield from _one_or_lines(first, number, lines)


def _first_line(lines: Iterator[bytes]) -> tuple[int, bytes]:
    for number, line in enumerate(lines, 1):
        if line.strip(WHITE_SPACE):
            return number, line
    return 0, b""


def _array(data: bytes) -> Iterator[Record]:
    try:
        elements = split_array(data, _ANY_NUMBER)
    except InvalidEvent as error:
        yield Record(b"", error=error.reason)
        return
    for index, element in enumerate(elements):
        yield Record(element, element=index)


def _one_or_lines(first: bytes, number: int, lines: Iterator[bytes]) -> Iterator[Record]:
    """The first line is no event: the whole is one event over many lines, or that line is bad."""
    rest = list(lines)
    whole = _parse(first + b"".join(rest), number)
    if whole.error is None and rest:
        yield whole._replace(line=None)
        return
    yield _parse(first, number)
    yield from _by_line(iter(rest), number)


def _by_line(lines: Iterator[bytes], number: int) -> Iterator[Record]:
    for at, line in enumerate(lines, number + 1):
        if line.strip(WHITE_SPACE):
            yield _parse(line, at)


def _parse(line: bytes, number: int) -> Record:
    """A line as the element of an array that it will be sent as."""
    try:
        data = clean(line)
        if len(split_array(b"[" + data + b"]")) != 1:
            raise InvalidEvent("$", "invalid JSON: more than one value")
    except InvalidEvent as error:
        return Record(line, line=number, error=error.reason)
    return Record(data, line=number)
