"""The feed of a stream: where it begins, which shards a batch reads, and when it is through."""

import logging
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.access import KinesisAccess
from headwater.errors import SourceChanged, SourceUnavailable
from headwater.pipeline.feeds.feed import Moves
from headwater.pipeline.feeds.kinesis import feed as module
from headwater.pipeline.feeds.kinesis.feed import KinesisFeed
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.tasks import Message
from headwater.store.positions import SourcePosition
from testing.stand_ins.kinesis import REGION, AccessKey, KinesisStandIn
from tests.pipeline.kinesis.conftest import STREAM

FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"
Positions = dict[str, SourcePosition]


class Options:
    """As much of Spark's reader of streams as a clock needs."""

    def format(self, name: str) -> "Options":
        assert name == "rate-micro-batch"
        return self

    def option(self, key: str, value: object) -> "Options":
        return self

    def load(self) -> "Options":
        return self


SPARK = cast(SparkSession, SimpleNamespace(readStream=Options()))
FRAME = cast(
    DataFrame, SimpleNamespace(sparkSession=SimpleNamespace(createDataFrame=lambda table: table))
)


class Scene:
    """A feed, and the store's positions as an ingest would keep them."""

    def __init__(self, kinesis: KinesisStandIn, secret: Path, **given: Any) -> None:
        secret.write_text("secret\n")
        self.aws = KinesisAccess(
            region=REGION,
            endpoint_url=kinesis.url,
            access_key_id="id",
            secret_access_key=f"file:{secret}",
        )
        self.positions: Positions = {}
        self.feed = KinesisFeed(KinesisSource(STREAM, self.aws, **given))

    def open(self, *, is_once: bool = False) -> None:
        self.feed.open(SPARK, self.positions, is_once=is_once)
        self._move(self.feed.began())

    def _move(self, moves: Moves) -> None:
        for partition, (value, incarnation) in moves.items():
            self.positions[partition] = SourcePosition(value, incarnation, 0)

    def rows(self) -> list[dict[str, Any]]:
        table = cast(pa.Table, self.feed.batch(FRAME))
        return list(table.to_pylist())

    def batch(self) -> list[Message]:
        """Read what a batch names, and store it."""
        table = cast(pa.Table, self.feed.batch(FRAME))
        # As a task gets them: another object, of one reader.
        read, reached = deepcopy((self.feed.read, self.feed.reached))
        messages = [each for part in table.to_batches() for each in read(part)]
        self._move(self.feed.stored(reached()))
        return messages

    def read_to_end(self) -> list[bytes | None]:
        found: list[bytes | None] = []
        for _ in range(20):
            found += [message.data for message in self.batch()]
            if self.feed.is_through():
                return found
        raise AssertionError("it is never through")


@pytest.fixture
def make(kinesis: KinesisStandIn, tmp_path: Path) -> Callable[..., Scene]:
    return lambda **given: Scene(kinesis, tmp_path / "secret", **given)


def test_once_it_reads_all_there_is(kinesis: KinesisStandIn, make: Callable[..., Scene]) -> None:
    sent = [b"%d" % number for number in range(50)]
    kinesis.put(STREAM, sent)
    scene = make(max_events=10)
    scene.open(is_once=True)
    assert sorted(scene.read_to_end()) == sorted(sent)  # type: ignore[type-var]
    again = make()
    again.positions = scene.positions
    again.open(is_once=True)
    assert again.read_to_end() == []
    assert set(kinesis.calls) == {"DescribeStream", "ListShards", "GetShardIterator", "GetRecords"}


def test_a_stream_that_is_split_and_merged_is_read_in_order(
    kinesis: KinesisStandIn, make: Callable[..., Scene]
) -> None:
    scene = make()
    scene.open()
    kinesis.put(STREAM, [b"a", b"b"])
    assert sorted(message.data or b"" for message in scene.batch()) == [b"a", b"b"]
    kinesis.put(STREAM, [b"c", b"d"])
    kinesis.split(STREAM, FIRST)
    kinesis.put(STREAM, [b"e", b"f", b"g"])
    # The parent's rest and the other shard; its children only then.
    assert sorted(row["shard"] for row in scene.rows()) == [FIRST, SECOND]
    first = {message.data for message in scene.batch()}
    second = {message.data for message in scene.batch()}
    assert b"c" in first and first | second == {b"c", b"d", b"e", b"f", b"g"}
    assert scene.positions[f"{STREAM}/{FIRST}"].incarnation.endswith("closed")
    kinesis.merge(STREAM, SECOND, "shardId-000000000002")
    kinesis.put(STREAM, [b"h", b"i"])
    scene.batch()
    found = {message.data for message in scene.batch()}
    assert found >= {b"h"} or found >= {b"i"}
    # What was read, it knows after a restart as well.
    again = make()
    again.positions = scene.positions
    again.open(is_once=True)
    assert b"a" not in again.read_to_end()


def test_latest_is_what_comes_from_now_on(
    kinesis: KinesisStandIn, make: Callable[..., Scene]
) -> None:
    kinesis.put(STREAM, [b"old"])
    for shard in kinesis.streams[STREAM].shards.values():
        shard.records[:] = [each._replace(arrived=each.arrived - 60) for each in shard.records]
    scene = make(start="LATEST")
    scene.open()
    kinesis.put(STREAM, [b"new"])
    # Stopped before the first batch: what came meanwhile is still to come.
    again = make(start="LATEST")
    again.positions = scene.positions
    again.open(is_once=True)
    assert again.read_to_end() == [b"new"]


def test_from_a_time_on(kinesis: KinesisStandIn, make: Callable[..., Scene]) -> None:
    kinesis.put(STREAM, [b"%d" % number for number in range(8)])
    now = time.time()
    for shard in kinesis.streams[STREAM].shards.values():
        shard.records[:] = [
            record._replace(arrived=now - 100 + 10 * number)
            for number, record in enumerate(shard.records)
        ]
    scene = make(start=round((now - 75) * 1000))
    scene.open(is_once=True)
    assert sorted(scene.read_to_end()) == [b"6", b"7"]  # type: ignore[type-var]
    future = make(start=round((now + 3_600) * 1000))
    future.open(is_once=True)
    assert future.read_to_end() == []


def test_a_stream_that_was_created_again_is_read_from_its_first_record(
    kinesis: KinesisStandIn, make: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.0)
    kinesis.put(STREAM, [b"a", b"b"])
    scene = make(start="LATEST")
    scene.open()
    scene.batch()
    scene.feed.check()
    kinesis.create_stream(STREAM, 1)
    kinesis.put(STREAM, [b"c"])
    with pytest.raises(SourceChanged, match="deleted and created again"):
        scene.feed.check()
    scene.open(is_once=True)
    assert scene.read_to_end() == [b"c"]
    del kinesis.streams[STREAM]
    with pytest.raises(SourceUnavailable, match="there is no such stream"):
        scene.feed.check()


def test_what_is_listed_no_more_is_forgotten(
    kinesis: KinesisStandIn, make: Callable[..., Scene], caplog: pytest.LogCaptureFixture
) -> None:
    scene = make()
    scene.open()
    scene.batch()
    del kinesis.streams[STREAM].shards[FIRST]
    with caplog.at_level(logging.WARNING):
        assert [row["shard"] for row in scene.rows()] == [SECOND]
    assert f"{FIRST} expired before all of it was read" in caplog.text


def test_records_that_may_be_gone_are_told(
    kinesis: KinesisStandIn, make: Callable[..., Scene], caplog: pytest.LogCaptureFixture
) -> None:
    kinesis.put(STREAM, [b"a", b"b"])
    scene = make()
    scene.open()
    scene.batch()
    scene.positions = {
        name: position._replace(value=1) for name, position in scene.positions.items()
    }
    with caplog.at_level(logging.WARNING):
        scene.open()
    assert "older than 24 hours may have been removed" in caplog.text


def test_throttled_shards_are_told_and_not_taken_for_read(
    kinesis: KinesisStandIn,
    make: Callable[..., Scene],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("headwater.pipeline.feeds.kinesis.reader.MAX_SECONDS", 0.1)
    kinesis.put(STREAM, [b"a", b"b"])
    kinesis.faults["GetRecords"] = ["ProvisionedThroughputExceededException"] * 2
    scene = make()
    scene.open(is_once=True)
    with caplog.at_level(logging.WARNING):
        assert scene.batch() == []
    assert "throttles: 2 shards could not be read" in caplog.text
    monkeypatch.undo()
    assert sorted(scene.read_to_end()) == [b"a", b"b"]  # type: ignore[type-var]


def test_keys_that_run_out_are_read_again_as_it_opens(
    kinesis: KinesisStandIn, make: Callable[..., Scene], tmp_path: Path
) -> None:
    kinesis.put(STREAM, [b"a"])
    scene = make()
    scene.open(is_once=True)
    kinesis.keys["id"] = AccessKey("rotated")
    with pytest.raises(SourceUnavailable, match="not accepted"):
        scene.batch()
    (tmp_path / "secret").write_text("rotated")
    scene.open(is_once=True)
    assert scene.read_to_end() == [b"a"]


def test_a_stream_that_is_being_deleted(
    kinesis: KinesisStandIn, make: Callable[..., Scene]
) -> None:
    kinesis.streams[STREAM].status = "DELETING"
    with pytest.raises(SourceUnavailable, match="the stream is DELETING"):
        make().open()


def test_the_dataset_is_named_by_the_endpoint(
    kinesis: KinesisStandIn, make: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = make()
    scene.open()
    host = kinesis.url.removeprefix("http://")
    assert scene.feed.datasets() == [(f"kinesis://{host}", STREAM)]
