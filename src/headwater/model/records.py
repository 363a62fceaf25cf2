"""Events out of lines: one JSON event, an array, or one event a line; each with its place."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Self

import msgspec

from headwater.errors import InvalidEvent
from headwater.model.values.arrays import split_array
from headwater.model.values.json_text import BYTE_ORDER_MARK, WHITE_SPACE, clean

# Of what cannot be used, no more than this is handed on; its size is reported as a number.
KEPT_BYTES = 1_000_000
# No limit of ours: an array is cut up here and goes on in parts.
_ANY_NUMBER = 10**9
_RAW = msgspec.json.Decoder(msgspec.Raw)


class Record(NamedTuple):
    """An event, or why it cannot be one; `line`, `element` or `offset` is its place in the file.

    `size` is that of the whole where `data` is only its start.
    """

    data: bytes
    line: int | None = None
    element: int | None = None
    error: str | None = None
    offset: int | None = None
    size: int | None = None

    @property
    def place(self) -> str:
        """The place as it follows a file's name: `:LINE`, `[ELEMENT]`, `@BYTE`, or nothing."""
        if self.line is not None:
            return f":{self.line}"
        if self.offset is not None:
            return f"@{self.offset}"
        return "" if self.element is None else f"[{self.element}]"

    @property
    def is_unfinished(self) -> bool:
        """A last line that breaks off: the file may still be being written."""
        return self.error is not None and not self.data.endswith(b"\n")


class LongLine(bytes):
    """The start of a line that is too long to be held; `size` is that of the whole line."""

    size: int

    @classmethod
    def of(cls, start: bytes, size: int) -> Self:
        line = cls(start)
        line.size = size
        return line


def read_records(lines: Iterator[bytes], max_bytes: int | None = None) -> Iterator[Record]:
    """Read the events of a file one by one; a truncated one ends with a record of the error.

    What is held at once, an array or one event over many lines, is at most `max_bytes`.
    """
    number = 0
    try:
        for record in _records(lines, max_bytes):
            number = record.line or number
            yield record
    except (OSError, EOFError, zlib.error) as error:
        yield broken_off(error)._replace(line=number + 1)


def broken_off(error: Exception) -> Record:
    """Say in a record, the last one, that there is more which cannot be read."""
    return Record(b"", error=f"cannot be read further: {str(error) or type(error).__name__}")


def parse_line(line: bytes, number: int | None = None, offset: int | None = None) -> Record:
    """Check a line as the element of an array that it may be sent as."""
    if isinstance(line, LongLine):
        reason = f"a line of {line.size:,} bytes, which is over the limit for one event"
        return Record(bytes(line), number, error=reason, offset=offset, size=line.size)
    try:
        data = clean(line)
        if len(split_array(b"[" + data + b"]")) != 1:
            raise InvalidEvent("$", "invalid JSON: more than one value")
    except InvalidEvent as error:
        return Record(line, number, error=error.reason, offset=offset)
    return Record(data, number, offset=offset)


def starts_array(line: bytes) -> bool:
    """Whether a file whose first line this is holds an array."""
    return line.lstrip(WHITE_SPACE).removeprefix(BYTE_ORDER_MARK).startswith(b"[")


def may_go_on(line: bytes) -> bool:
    """Whether a first line is the beginning of JSON that further lines may complete."""
    if parse_line(line).error is None:
        return False
    try:
        _RAW.decode(clean(line))
    except (InvalidEvent, RecursionError):
        return False
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    return False


def _records(lines: Iterator[bytes], max_bytes: int | None) -> Iterator[Record]:
    number, first = _first_line(lines)
    if not first:
        return
    if starts_array(first):
        yield from _array(first, lines, max_bytes)
    elif (record := parse_line(first, number)).error is None:
        yield record
        yield from read_lines(lines, number)
    else:
        yield from _one_or_lines(first, number, lines, max_bytes)


def _first_line(lines: Iterator[bytes]) -> tuple[int, bytes]:
    for number, line in enumerate(lines, 1):
        if line.strip(WHITE_SPACE):
            return number, line
    return 0, b""


def _array(first: bytes, lines: Iterator[bytes], max_bytes: int | None) -> Iterator[Record]:
    gathered, is_all = _gather(first, lines, max_bytes)
    data = b"".join(gathered)
    if not is_all:
        reason = "an array that is too long; write one event per line"
        yield Record(data[:KEPT_BYTES], error=reason)
        return
    try:
        elements = split_array(data, _ANY_NUMBER)
    except InvalidEvent as error:
        # Without the end of its last line, which may be still to come.
        start = data[:KEPT_BYTES].rstrip(WHITE_SPACE)
        yield Record(start, error=error.reason, size=len(data))
        return
    for index, element in enumerate(elements):
        yield Record(element, element=index)


def _one_or_lines(
    first: bytes, number: int, lines: Iterator[bytes], max_bytes: int | None
) -> Iterator[Record]:
    """The first line is no event: the whole is one event over many lines, or that line is bad."""
    gathered, is_all = _gather(first, lines, max_bytes)
    if is_all and len(gathered) > 1:
        whole = parse_line(b"".join(gathered))
        if whole.error is None:
            yield whole
            return
    yield parse_line(first, number)
    yield from read_lines(chain(gathered[1:], lines), number)


def _gather(
    first: bytes, lines: Iterator[bytes], max_bytes: int | None
) -> tuple[list[bytes], bool]:
    """Take all lines, or the first ones if they are too much; whether they are all."""
    gathered: list[bytes] = []
    size = 0
    for line in chain([first], lines):
        gathered.append(line)
        size += len(line)
        if isinstance(line, LongLine) or (max_bytes is not None and size > max_bytes):
            return gathered, False
    return gathered, True


def read_lines(lines: Iterable[bytes], number: int) -> Iterator[Record]:
    """Read one event a line, after the line of a number; blank lines are none."""
    for at, line in enumerate(lines, number + 1):
        if line.strip(WHITE_SPACE):
            yield parse_line(line, at)
