"""A stand-in for Kinesis, and readers of it that wait for nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from headwater.pipeline.feeds.kinesis.access import Access
from headwater.pipeline.feeds.kinesis.reader import ShardReader
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from testing.stand_ins.kinesis import REGION, KinesisStandIn, serve_kinesis

STREAM = "lineage"


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def kinesis() -> Iterator[KinesisStandIn]:
    with serve_kinesis() as stand_in:
        stand_in.create_stream(STREAM, 2)
        yield stand_in


@pytest.fixture
def clock() -> FakeTime:
    return FakeTime()


@pytest.fixture
def make_reader(kinesis: KinesisStandIn, clock: FakeTime) -> Callable[..., ShardReader]:
    """Readers as tasks have them."""

    def make(**given: Any) -> ShardReader:
        source = KinesisSource(STREAM)
        reader = ShardReader(source, clock=clock.read, sleep=clock.sleep, **given)
        reader.access = Access(REGION, kinesis.url, "id", "secret")
        reader.created = "7"
        return reader

    return make
