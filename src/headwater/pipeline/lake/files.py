"""One file of the lake: written whole or not at all, read a few events at a time."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.errors import LakeUnavailable

SCHEMA = pa.schema(
    [
        pa.field("digest", pa.binary(16), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("received_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("kind", pa.int8(), nullable=False),
        pa.field("payload", pa.binary(), nullable=False),
    ]
)
# A part of a file is held in memory as a whole, by whoever writes it and whoever reads it.
PART_EVENTS = 10_000
PART_BYTES = 16_000_000
_READ_AT_ONCE = 1_000
# No two payloads or digests are the same, and nobody looks for one by its order.
_OPTIONS = {
    "compression": "zstd",
    "use_dictionary": ["kind"],
    "write_statistics": ["at", "received_at", "kind"],
    "write_page_checksum": True,
}


class LakeEvent(NamedTuple):
    """An event as it came; times are in microseconds since 1970."""

    digest: bytes
    at: int
    received_at: int
    kind: int
    payload: bytes


class Footer(NamedTuple):
    """The metadata of a file."""

    events: int
    unpacked_bytes: int
    bytes: int
    parts: tuple[tuple[int, int], ...]
    """How many events each part of it holds, and their bytes when read."""


class FileGone(LakeUnavailable):
    """A file that was there when it was listed: what was in it is in a newer one."""


def write_file(folder: Path, name: str, events: Iterable[LakeEvent]) -> None:
    """Write a file of a day under a name that nobody reads, then give it its own.

    Returns once it is on disk.
    """
    unfinished = folder / f".{name}.tmp"
    with writing(folder.parent):
        _make_folder(folder)
        try:
            with pq.ParquetWriter(unfinished, SCHEMA, **_OPTIONS) as file:
                for part in _in_parts(events):
                    file.write_table(_table(part))
            _sync(unfinished)
            unfinished.replace(folder / f"{name}.parquet")
            _sync(folder)
        finally:
            # Where it cannot be removed either, what went wrong first is reported.
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)


def read_file(path: Path, parts: range | None = None) -> Iterator[LakeEvent]:
    """Every event of a file, or of some parts of it, with copies if it has any.

    Raises `FileGone` if it was compacted away.
    """
    for batch in _read_columns(path, SCHEMA.names, parts):
        at, received_at = (batch.column(name).cast(pa.int64()) for name in ("at", "received_at"))
        digest, kind, payload = (batch.column(name) for name in ("digest", "kind", "payload"))
        columns = (digest, at, received_at, kind, payload)
        yield from map(LakeEvent, *(column.to_pylist() for column in columns))


def read_digests(path: Path) -> Iterator[bytes]:
    for batch in _read_columns(path, ["digest"]):
        yield from batch.column("digest").to_pylist()


def read_footer(path: Path) -> Footer:
    with _reading(path) as file:
        metadata = file.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        parts = tuple((group.num_rows, group.total_byte_size) for group in groups)
        unpacked = sum(size for _, size in parts)
        return Footer(metadata.num_rows, unpacked, path.stat().st_size, parts)


@contextmanager
def writing(lake: Path) -> Iterator[None]:
    """Errors of the file system become LakeUnavailable."""
    try:
        yield
    except OSError as error:
        raise LakeUnavailable(f"the lake at {lake} cannot be written: {error}") from error


@contextmanager
def _reading(path: Path) -> Iterator[Any]:
    """Open a file; one that cannot be read is named, with what to do about it."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            _check_columns(file.schema_arrow)
            yield file
    except (OSError, pa.ArrowException) as error:
        if not os.path.lexists(path):
            raise FileGone(
                f"the lake's file {path} no longer exists; run the command again"
            ) from error
        raise LakeUnavailable(
            f"the lake's file {path} cannot be read: {_first_line(error)}; if it is damaged, move "
            "it away and run `headwater lake flush --all`, which writes what the store still has"
        ) from error


def _check_columns(schema: Any) -> None:
    if any(field not in list(schema) for field in SCHEMA):
        raise pa.ArrowInvalid("its columns are not those of the lake")


def _read_columns(path: Path, columns: list[str], parts: range | None = None) -> Iterator[Any]:
    with _reading(path) as file:
        for part in range(file.num_row_groups) if parts is None else parts:
            yield from file.iter_batches(_READ_AT_ONCE, row_groups=[part], columns=columns)


def _in_parts(events: Iterable[LakeEvent]) -> Iterator[list[LakeEvent]]:
    part: list[LakeEvent] = []
    size = 0
    for event in events:
        part.append(event)
        size += len(event.payload)
        if len(part) == PART_EVENTS or size >= PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _table(events: list[LakeEvent]) -> Any:
    columns = zip(*events, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.table(arrays, SCHEMA)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each of which is on disk once it is there."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
