"""What Spark counts of a query, added up over its batches: rows, bytes, and what is yet to read."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.model.naming import DatasetName

Json = dict[str, Any]


class Count(NamedTuple):
    """What is known of one dataset; None where nobody counts it."""

    rows: int | None = None
    bytes: int | None = None
    lag: int | None = None

    def plus(self, other: "Count") -> "Count":
        return Count(*(_sum(*pair) for pair in zip(self, other, strict=True)))


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


class Work(NamedTuple):
    """What the tasks of a query have done, whatever for."""

    bytes_read: int = 0
    bytes_written: int = 0
    rows_written: int = 0
    rows_read: int = 0

    def plus(self, other: "Work") -> "Work":
        return Work(*(one + more for one, more in zip(self, other, strict=True)))


class SourceCounts(NamedTuple):
    """One source of a query: its rows so far, and by topic where it reads several."""

    rows: int = 0
    rows_by_topic: Mapping[str, int] = {}
    lag_by_topic: Mapping[str, int] = {}
    from_nowhere: Mapping[str, Mapping[str, int]] | None = None
    """Where the first batch ended, if it did not report where it began: at its initial offsets."""
    rows_at_first: int = 0

    def after(self, progress: Json) -> "SourceCounts":
        start, end, latest = (
            _offsets(progress.get(name)) for name in ("startOffset", "endOffset", "latestOffset")
        )
        counted = max(progress.get("numInputRows") or 0, 0)
        first = self.from_nowhere
        if first is None and end:
            # With a start there is nothing left to find out.
            first = {} if start else end
        read = _between(start, end) if start else {}
        by_topic = {
            topic: self.rows_by_topic.get(topic, 0) + read.get(topic, 0)
            for topic in {**self.rows_by_topic, **end}
        }
        if read:
            # A function that uses a batch several times has it read, and counted, as often.
            counted = min(counted, sum(read.values()))
        at_first = counted if first and first is end else self.rows_at_first
        lag = _between(end, latest) if latest else {}
        return SourceCounts(self.rows + counted, by_topic, lag, first, at_first)

    def began_at(self, offsets: Any) -> "SourceCounts":
        """The same, with the rows of the first batch, once its initial offsets are known."""
        initial = _offsets(offsets)
        if not self.from_nowhere or not initial:
            return self
        read = _between(initial, dict(self.from_nowhere))
        by_topic = {topic: rows + read.get(topic, 0) for topic, rows in self.rows_by_topic.items()}
        rows = self.rows - max(self.rows_at_first - sum(read.values()), 0)
        return self._replace(rows=rows, rows_by_topic=by_topic, from_nowhere={})

    @property
    def lag(self) -> int | None:
        return sum(self.lag_by_topic.values()) if self.lag_by_topic else None

    def of(self, names: Sequence[DatasetName]) -> dict[DatasetName, Count]:
        """Rows by dataset; rows of several datasets are only known from their offsets."""
        if len(names) == 1:
            return {names[0]: Count(self.rows, lag=self.lag)}
        by_topic = {} if self.from_nowhere else self.rows_by_topic
        return {
            name: Count(by_topic.get(name.name), lag=self.lag_by_topic.get(name.name))
            for name in names
        }


class QueryCounts:
    """All that is counted of one run of a query."""

    def __init__(self) -> None:
        self.sources: list[SourceCounts] = []
        self.work = Work()
        self.committed: int | None = None
        """The newest batch that has ended."""
        self._sink_rows = 0
        self._written: dict[DatasetName, Count] = {}
        self._static: dict[DatasetName, Count] = {}

    def moved(self, progress: Json) -> None:
        """Add up a batch."""
        reported = progress.get("sources") or []
        self.sources += [SourceCounts()] * (len(reported) - len(self.sources))
        self.sources = [
            source.after(batch) for source, batch in zip(self.sources, reported, strict=False)
        ]
        self.committed = progress.get("batchId", self.committed)
        # A sink that does not count, such as a foreachBatch function, reports -1.
        self._sink_rows += max((progress.get("sink") or {}).get("numOutputRows") or 0, 0)

    def wrote(self, dataset: DatasetName, count: Count) -> None:
        """Add up a write of a function given the batches."""
        self._written[dataset] = self._written.get(dataset, Count()).plus(count)

    def read_static(self, dataset: DatasetName, count: Count) -> None:
        """Note what one batch read of a dataset that does not stream: each reads it anew."""
        before = self._static.get(dataset, Count())
        self._static[dataset] = max(before, count, key=lambda each: each.rows or 0)

    def of_inputs(
        self, sources: Sequence[Sequence[DatasetName]], topics: Collection[DatasetName] = ()
    ) -> dict[DatasetName, Count]:
        """What was read of each dataset; `sources` are those of each source."""
        found: dict[DatasetName, Count] = {}
        if len(sources) == len(self.sources):
            for names, source in zip(sources, self.sources, strict=True):
                for name, count in source.of(names).items():
                    found[name] = found.get(name, Count()).plus(count)
        found = {**self._static, **found}
        # Bytes are those that tasks read, whatever of; messages are not among them.
        if len(found) == 1 and self.work.bytes_read and not topics:
            return {
                name: count._replace(bytes=self.work.bytes_read) for name, count in found.items()
            }
        return found

    def of_outputs(self, names: Sequence[DatasetName]) -> dict[DatasetName, Count]:
        """What was written to each dataset; what tasks count is of one if there is but one."""
        if self._written or len(names) != 1:
            return dict(self._written)
        rows = self._sink_rows or self.work.rows_written
        return {names[0]: Count(rows or None, self.work.bytes_written or None)}


_Offsets = dict[str, dict[str, int]]


def _offsets(value: Any) -> _Offsets:
    """Offsets by topic and partition, as Kafka has them; other sources have others."""
    if isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        return value
    return {}


def _between(
    start: Mapping[str, Mapping[str, int]], end: Mapping[str, Mapping[str, int]]
) -> dict[str, int]:
    """By topic, how many offsets there are from one place to another."""
    return {
        topic: sum(
            max(offset - start.get(topic, {}).get(partition, 0), 0)
            for partition, offset in partitions.items()
        )
        for topic, partitions in end.items()
    }
