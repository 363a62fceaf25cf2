"""Events out of files or standard input, plain or gzipped, for `headwater emit`."""

import gzip
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from headwater.errors import InvalidRequest
from headwater.model.records import Record, read_records

STDIN = "-"
_GZIP_MAGIC = b"\x1f\x8b"


class EventInput:
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
        """Read the events one by one; a truncated file ends with a record of the error."""
        return read_records(self._lines())

    def _lines(self) -> Iterator[bytes]:
        # Detected by its content, so that a pipe may have either.
        peeked = self._raw.peek(2)  # type: ignore[attr-defined]
        if peeked.startswith(_GZIP_MAGIC):
            with gzip.open(self._raw, "rb") as unpacked:
                yield from unpacked
        else:
            yield from self._raw
