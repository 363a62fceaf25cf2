"""Files that grow as a stream of a real Spark: batch after batch, over restarts, and once."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headwater.errors import BadConfig
from headwater.pipeline.feeds.byte_ranges import read_byte_range
from headwater.pipeline.feeds.files_source import read_files
from testing.wait import wait_until

pytestmark = [
    pytest.mark.integration,
    # PySpark leaves it to the collector to close what results came through.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


class Stream:
    """A query over a directory, and what its batches brought: the numbers of the events."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.place = folder / "in"
        self.checkpoint = folder / "checkpoint"
        self.batches: dict[int, list[int]] = {}
        self.failures = 0
        self.place.mkdir()

    @contextmanager
    def query(self, **options: Any) -> Iterator[StreamingQuery]:
        frame = read_files(self.spark, str(self.place), **options)
        writer = frame.mapInArrow(_reading(), "n long").writeStream.foreachBatch(self._take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        query = writer.trigger(processingTime="0 seconds").start()
        try:
            yield query
        finally:
            query.stop()

    def _take(self, frame: DataFrame, batch: int) -> None:
        numbers = [row.n for row in frame.collect()]
        if self.failures:
            self.failures -= 1
            raise RuntimeError("told to fail")
        self.batches[batch] = sorted(numbers)

    def numbers(self) -> list[int]:
        return sorted(number for batch in self.batches.values() for number in batch)

    def write(self, name: str, data: bytes, *, add: bool = False) -> None:
        with (self.place / name).open("ab" if add else "wb") as file:
            file.write(data)


def _reading() -> Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]:
    """What tasks do: in another process, which has only the rows, and no modules of tests."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                records = read_byte_range(row["path"], row["start"], row["end"])
                numbers = [json.loads(record.data)["n"] for record in records if not record.error]
                yield pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64())], ["n"])

    return read


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Stream:
    return Stream(spark, tmp_path)


def lines(*numbers: int) -> bytes:
    return b"".join(b'{"n": %d}\n' % number for number in numbers)


def test_a_directory_that_grows(stream: Stream) -> None:
    stream.write("a", lines(1, 2))
    # However long it takes, half a line is not taken for a whole one.
    with stream.query(settle_seconds=3_600) as query:
        query.processAllAvailable()
        assert stream.numbers() == [1, 2]
        stream.write("a", lines(3) + b'{"n": ', add=True)
        query.processAllAvailable()
        assert stream.numbers() == [1, 2, 3]
        stream.write("a", b"4}\n", add=True)
        query.processAllAvailable()
        assert stream.numbers() == [1, 2, 3, 4]
    with stream.query(settle_seconds=0.5) as query:
        stream.write("b.json", b'[{"n": 5}, {"n": 6}]')
        stream.write("c.gz", gzip.compress(lines(7)))
        wait_until(lambda: len(stream.numbers()) >= 7)
        query.processAllAvailable()
    assert stream.numbers() == list(range(1, 8))


def test_it_goes_on_after_a_stop_and_after_a_failure(stream: Stream) -> None:
    stream.write("a", lines(1, 2))
    with stream.query() as query:
        query.processAllAvailable()
    stream.write("a", lines(3), add=True)
    stream.failures = 1
    with stream.query() as query, pytest.raises(StreamingQueryException, match="told to fail"):
        query.processAllAvailable()
    # Not of the batch that failed, which is done again as it was.
    stream.write("a", lines(4), add=True)
    with stream.query() as query:
        query.processAllAvailable()
        assert stream.batches == {0: [1, 2], 1: [3], 2: [4]}
    with stream.query() as query:
        query.processAllAvailable()
    assert stream.numbers() == [1, 2, 3, 4]


def test_once_takes_all_there_is_in_many_batches(stream: Stream) -> None:
    stream.write("a", lines(*range(100)))
    stream.write("b", lines(*range(100, 200)) + b'{"n": 200}')
    stream.write("c.gz", gzip.compress(lines(201)))
    with stream.query(is_once=True, max_bytes=400) as query:
        wait_until(lambda: bool(stream.batches))
        stream.write("d", lines(300))
        query.processAllAvailable()
    assert stream.numbers() == list(range(202))
    assert len(stream.batches) > 6
    with stream.query(is_once=True) as query:
        query.processAllAvailable()
    assert stream.numbers() == [*range(202), 300]


def test_a_directory_that_vanishes_and_comes_back(stream: Stream) -> None:
    stream.write("a", lines(1))
    with stream.query() as query:
        query.processAllAvailable()
        gone = stream.place.rename(stream.place.with_name("gone"))
        query.processAllAvailable()
        gone.rename(stream.place)
        stream.write("a", lines(2), add=True)
        query.processAllAvailable()
    assert stream.batches == {0: [1], 1: [2]}


def test_a_directory_that_is_not_there_is_one_sentence(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="nothing at '.*/nowhere'"):
        read_files(spark, str(tmp_path / "nowhere"))
