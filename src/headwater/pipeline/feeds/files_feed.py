"""Files at a place as a feed. Positions are by path, with what tells if it is the same file."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headwater.model.values.instant import now
from headwater.pipeline.feeds.byte_ranges import read_byte_range
from headwater.pipeline.feeds.feed import Ending, Feed, Moves, Positions
from headwater.pipeline.feeds.files import Offset, Taken, from_json
from headwater.pipeline.feeds.files_source import read_files
from headwater.pipeline.message import Message
from headwater.store.positions import SourcePosition


class FilesFeed(Feed):
    """A directory that grows, a file, or a pattern."""

    ends_by: Ending = "idle"
    is_in_python = True

    def __init__(self, place: str) -> None:
        self.place = place
        self._reported: Offset = {}

    @property
    def read(self) -> Callable[[Any], Iterator[Message]]:
        return read_files_of

    def open(self, spark: SparkSession, positions: Positions, *, is_once: bool) -> DataFrame:
        self._reported = {path: _to_taken(position) for path, position in positions.items()}
        return read_files(spark, self.place, is_once=is_once, begin=self._reported)

    def check(self) -> None:
        """Files that change are seen as such by the source itself."""

    def began(self) -> Moves:
        return {}

    def moved(self, end: str | None) -> Moves:
        # Spark shows what a source in Python calls its offset as Python does.
        offset = from_json(ast.literal_eval(end)) if end else {}
        new = {path: taken for path, taken in offset.items() if self._reported.get(path) != taken}
        self._reported = offset
        return {path: (taken.end, f"{taken.done} {taken.mark}") for path, taken in new.items()}

    def commit(self, end: str | None) -> None:
        """Nobody else asks."""

    def lag(self, progress: Mapping[str, Any]) -> int | None:
        return None

    def waiting(self) -> int | None:
        return None

    def datasets(self) -> Sequence[tuple[str, str]]:
        return [("file", self.place)]

    def close(self) -> None:
        """Nothing is open."""


def read_files_of(batch: Any) -> Iterator[Message]:
    """The events of the byte ranges that a batch of Spark's names."""
    received_at = now()
    columns = (batch.column(name).to_pylist() for name in ("path", "start", "end"))
    for path, start, end in zip(*columns, strict=True):
        for record in read_byte_range(path, start, end):
            place = ("file ", path, record.place)
            yield Message(record.data, received_at, place, record.error, record.size)


def _to_taken(position: SourcePosition) -> Taken:
    done, _, mark = position.incarnation.partition(" ")
    return Taken(int(done), position.value, mark)
