"""Events out of files or standard input, plain or gzipped."""

import gzip
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from headwater.model.records import Record, read_lines, read_records

STDIN = "-"
_GZIP_MAGIC = b"\x1f\x8b"


def is_stream(name: str) -> bool:
    """Whether it can be read only once: standard input, or a pipe, as `<(...)` of a shell is."""
    if name == STDIN:
        return True
    try:
        mode = Path(name).stat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


class EventInput:
    """One file or stream, open; `read_bytes` of `size` are behind us. Raises OSError."""

    def __init__(self, name: str) -> None:
        self.name = "stdin" if name == STDIN else name
        self._open = ExitStack()
        self._raw = self._open_raw(name)
        self.size = None if is_stream(name) else Path(name).stat().st_size

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

    @property
    def share(self) -> float | None:
        """How much has been read, from 0 to 1; None where the end is not known."""
        return min(1.0, self.read_bytes / self.size) if self.size else None

    @property
    def is_plain(self) -> bool:
        """Whether it is a file whose bytes are those of its lines."""
        return self.size is not None and not self._is_packed

    def records(self) -> Iterator[Record]:
        """Read the events one by one; a truncated file ends with a record of the error."""
        return read_records(self._lines())

    def records_from(self, offset: int, line: int) -> Iterator[Record]:
        """Read the events, one a line, that follow a line with its end at a byte."""
        self._raw.seek(offset - 1)
        # What follows a line that had no end is the rest of that line.
        has_ended = self._raw.read(1) == b"\n"
        return read_lines(self._raw, line if has_ended else line - 1)

    @cached_property
    def _is_packed(self) -> bool:
        # Detected by its content, before any is read, so that a pipe may have either.
        peeked: bytes = self._raw.peek(2)  # type: ignore[attr-defined]
        return peeked.startswith(_GZIP_MAGIC)

    def _lines(self) -> Iterator[bytes]:
        if self._is_packed:
            with gzip.open(self._raw, "rb") as unpacked:
                yield from unpacked
        else:
            # Not `yield from`, which would close the file with the generator.
            for line in self._raw:  # noqa: UP028
                yield line
