"""Events for a lake, and a look at its files."""

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headwater.model.event import Kind
from headwater.model.values.ids import digest
from headwater.model.values.instant import parse_instant
from headwater.pipeline.lake.lake import Lake, LakeEvent

NOON = parse_instant("2026-01-31T12:00:00Z")


def lake_event(payload: bytes, at: int = NOON, received_at: int = NOON) -> LakeEvent:
    return LakeEvent(digest(payload), at, received_at, Kind.RUN, payload)


def lake_events(*payloads: str, at: int = NOON) -> list[LakeEvent]:
    return [lake_event(payload.encode(), at) for payload in payloads]


def files(lake: Lake, day: str = "*") -> set[Path]:
    """The files of a day, or of all days, without those that are not finished."""
    return {file for file in lake.folder.glob(f"day={day}/*") if not file.name.startswith(".")}


def payloads(lake: Lake) -> list[bytes]:
    """The payload of every event, as often as a reader sees it."""
    return sorted(event.payload for event in lake.read())


def random_bytes(size: int) -> bytes:
    return random.Random(size).randbytes(size)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder in which nothing can be made; to root only a file system says so."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield
        folder.chmod(0o755)
        return
    # Seen twice, and here for reading only: what is in it stays.
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", folder], check=True)
