"""A range of bytes of a file: cut into pieces, put together into tasks, and read."""

import gzip
from collections.abc import Iterable, Iterator
from io import BufferedReader, UnsupportedOperation
from pathlib import Path
from typing import NamedTuple

from headwater.model.records import (
    KEPT_BYTES,
    LongLine,
    Record,
    broken_off,
    parse_line,
    read_records,
    starts_array,
)
from headwater.model.values.json_text import WHITE_SPACE

WHOLE = -1
GZIP_MAGIC = b"\x1f\x8b"
# More than that is no event; it would be held in memory several times over.
MAX_LINE_BYTES = 64_000_000
_MAX_ARRAY_BYTES = 256_000_000

_TASK_BYTES = 32_000_000
# To open a file takes as long as to read so much of one.
_FILE_BYTES = 64_000
# What is read whole is packed about so tightly, or is held in memory.
_WHOLE_WEIGHT = 8
# Of a packed file that breaks off, up to so much before the break is lost; from 3.14 on, Python
# would take sixteen times that.
_UNPACKED_AT_ONCE = 8_192


class ByteRange(NamedTuple):
    """The lines that begin at `start` or later and before `end`; the whole file at end -1."""

    path: str
    start: int
    end: int


class Planned(NamedTuple):
    """A range of bytes, and what it takes to read it, in bytes of lines."""

    byte_range: ByteRange
    weight: int


def plan_lines(path: str, start: int, end: int) -> Planned:
    return Planned(ByteRange(path, start, end), end - start + _FILE_BYTES)


def plan_whole(path: str, size: int) -> Planned:
    return Planned(ByteRange(path, 0, WHOLE), size * _WHOLE_WEIGHT + _FILE_BYTES)


def to_tasks(planned: Iterable[Planned], task_bytes: int = _TASK_BYTES) -> list[list[ByteRange]]:
    """Cut what is long and put together what is short, so that tasks are about of one size."""
    tasks: list[list[ByteRange]] = []
    room = 0
    for byte_range, weight in _cut(planned, task_bytes):
        if not tasks or weight > room:
            tasks.append([])
            room = task_bytes
        tasks[-1].append(byte_range)
        room -= weight
    return tasks


def _cut(planned: Iterable[Planned], task_bytes: int) -> Iterator[Planned]:
    for one in planned:
        path, start, end = one.byte_range
        if end == WHOLE:
            yield one
        # Anywhere: the tasks find the beginnings of lines.
        for at in range(start, end, task_bytes):
            yield plan_lines(path, at, min(at + task_bytes, end))


def read_byte_range(
    path: str, start: int, end: int, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Record]:
    """Read the events of a range; nothing is raised for what is in the file, or if it is gone.

    Places are lines or elements where reading begins with the file, and bytes elsewhere. Lines are
    read one by one; of one longer than `max_line_bytes` only the start is kept.
    """
    if end == WHOLE:
        return read_records(_lines_of_all(path, max_line_bytes), _MAX_ARRAY_BYTES)
    return _read_lines(path, start, end, max_line_bytes)


def _lines_of_all(path: str, max_line_bytes: int) -> Iterator[bytes]:
    with Path(path).open("rb") as raw, _unpacked(raw) as file:
        head = file.peek(64)
        if b"\0" in head:
            raise UnsupportedOperation("neither gzip nor text in UTF-8")
        # An array may well be one line.
        most = _MAX_ARRAY_BYTES if starts_array(head) else max_line_bytes
        while line := _next_line(file, most):
            yield line


def _unpacked(raw: BufferedReader) -> BufferedReader:
    if not raw.peek(2).startswith(GZIP_MAGIC):
        return raw
    # GzipFile gives lines slowly.
    return BufferedReader(gzip.open(raw, "rb"), _UNPACKED_AT_ONCE)


def _read_lines(path: str, start: int, end: int, max_line_bytes: int) -> Iterator[Record]:
    position, number = start, 0
    try:
        with Path(path).open("rb") as file:
            position = _find_line(file, start)
            while position < end and (line := _next_line(file, max_line_bytes)):
                number += 1
                if line.strip(WHITE_SPACE):
                    yield _parse(line, start, number, position)
                position += line.size if isinstance(line, LongLine) else len(line)
    except OSError as error:
        yield broken_off(error)._replace(offset=position)


def _parse(line: bytes, start: int, number: int, position: int) -> Record:
    return parse_line(line, number) if start == 0 else parse_line(line, offset=position)


def _find_line(file: BufferedReader, start: int) -> int:
    """Go to the first line that begins at `start` or later."""
    if start > 0:
        file.seek(start - 1)
        _skip_line(file)
    return file.tell()


def _next_line(file: BufferedReader, most: int) -> bytes:
    line = file.readline(most + 1)
    if len(line) <= most or line.endswith(b"\n"):
        return line
    start = line[:KEPT_BYTES]
    size = len(line)
    del line
    rest = _skip_line(file)
    return LongLine.of(start, size + rest)


def _skip_line(file: BufferedReader) -> int:
    """Go past the end of a line, of any length; gives how far that was."""
    size = 0
    while part := file.readline(KEPT_BYTES):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size
