"""A stand-in for Spark's frames: a task is called here, on messages given by hand."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame

from headwater.pipeline.tasks import Chunk, Handed, Message, Task, read_result, take_over
from testing.events.full import Json, encode, run_event
from testing.wait import PATIENCE_SECONDS
from tests.pipeline.lakes import NOON

PLACE = ("kafka ", "orders", "/", 0, "@", 12)


def message(event: Json, place: tuple[object, ...] = PLACE) -> Message:
    return Message(encode(event), NOON, place)


def numbered(*numbers: int, **rest: Any) -> list[Message]:
    """Events that differ, all of one length, job and datasets."""
    return [
        message(
            run_event(eventTime=f"2024-05-01T12:00:{number:02}Z", **rest),
            ("kafka ", "orders", "/", 0, "@", number),
        )
        for number in numbers
    ]


def make_task(**settings: Any) -> Task:
    """A task whose batches are iterables of messages."""
    return Task(**{"read": iter, "max_ahead": 0, "max_bytes": 1_000_000, **settings})


def chunks_of(task: Task, *batches: Iterable[Message]) -> list[Chunk]:
    return [_chunk(result) for result in task(batches)]


def handed_by(task: Task, *batches: Iterable[Message]) -> list[Handed]:
    """What a task hands over, chunk by chunk."""
    seen: set[Path] = set()
    handed = []
    for _ in task(batches):
        (new,) = set(task.spool.iterdir()) - seen
        seen.add(new)
        handed.append(take_over(new))
    return handed


def _chunk(result: Any) -> Chunk:
    (data,) = result.column(0).to_pylist()
    return read_result(data)


class Frame:
    """Batches of messages, which a job takes one after another.

    What else is among them is called, where it stands.
    """

    def __init__(self, *batches: Any, master: str = "local[2]") -> None:
        self._batches = batches
        self._task: Any = None
        self.sparkSession = SimpleNamespace(sparkContext=SimpleNamespace(master=master))
        self.spools: list[Path] = []

    def mapInArrow(self, task: Task, schema: str) -> "Frame":
        assert schema == "chunk binary"
        self._task = task
        self.spools.append(task.spool)
        return self

    def toArrow(self) -> Any:
        results = list(self._task(self._read()))
        return pa.Table.from_batches(results, pa.schema([("chunk", pa.binary())]))

    def _read(self) -> Iterator[Sequence[Message]]:
        for batch in self._batches:
            if callable(batch):
                batch()
            else:
                yield batch


def as_frame(frame: Frame) -> DataFrame:
    return cast(DataFrame, frame)


def wait_for(event: threading.Event) -> None:
    assert event.wait(PATIENCE_SECONDS), "what was waited for did not happen"
