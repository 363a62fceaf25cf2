"""What Spark is given for a source in Kafka, and what it tells."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from headwater.pipeline.feeds import kafka
from headwater.pipeline.feeds.kafka import (
    KafkaSource,
    check_consumer_settings,
    parse_offsets,
    read_messages,
)
from headwater.pipeline.tasks import Message

OFFSETS = {"orders": {0: 5, 1: 0}, "totals": {0: 2**40}}


class Reader:
    """A reader of Spark's that notes what it is given."""

    def __init__(self) -> None:
        self.kind = ""
        self.given: dict[str, str] = {}
        self.columns: tuple[str, ...] = ()

    def format(self, kind: str) -> "Reader":
        self.kind = kind
        return self

    def options(self, **options: str) -> "Reader":
        self.given = options
        return self

    def load(self) -> "Reader":
        return self

    def select(self, *columns: str) -> "Reader":
        self.columns = columns
        return self


def stream(source: KafkaSource) -> Reader:
    reader = Reader()
    spark = cast(SparkSession, SimpleNamespace(readStream=reader))
    return cast(Reader, source.stream(spark, OFFSETS))


class TestStream:
    def test_topics_by_name(self) -> None:
        reader = stream(KafkaSource("a:9092,b:9092", ("orders", "totals"), max_events=7))
        assert reader.kind == "kafka"
        assert reader.columns == ("value", "topic", "partition", "offset")
        assert json.loads(reader.given.pop("startingOffsets")) == {
            "orders": {"0": 5, "1": 0},
            "totals": {"0": 2**40},
        }
        assert reader.given == {
            "kafka.bootstrap.servers": "a:9092,b:9092",
            "kafka.isolation.level": "read_committed",
            "subscribe": "orders,totals",
            "maxOffsetsPerTrigger": "7",
            "failOnDataLoss": "true",
        }

    def test_topics_by_pattern(self) -> None:
        given = stream(KafkaSource("a:9092", pattern="lineage[.].*")).given
        assert given["subscribePattern"] == "lineage[.].*"
        assert "subscribe" not in given

    @pytest.mark.parametrize("start", ["earliest", "latest", 1_700_000_000_000])
    def test_where_to_begin_is_always_reported_by_offsets(self, start: Any) -> None:
        """Found out before, so that the store learns of it too."""
        given = stream(KafkaSource("a:9092", ("orders",), start=start)).given
        assert json.loads(given["startingOffsets"])["orders"] == {"0": 5, "1": 0}

    def test_settings_of_the_consumer_are_passed_on(self) -> None:
        settings = {"security.protocol": "SSL", "ssl.truststore.location": "/a=b"}
        given = stream(KafkaSource("a:9092", ("orders",), settings=settings)).given
        assert given["kafka.security.protocol"] == "SSL"
        assert given["kafka.ssl.truststore.location"] == "/a=b"

    def test_what_is_not_committed_is_read_where_that_is_requested(self) -> None:
        settings = {"isolation.level": "read_uncommitted"}
        given = stream(KafkaSource("a:9092", ("orders",), settings=settings)).given
        assert given["kafka.isolation.level"] == "read_uncommitted"

    def test_the_brokers_are_those_that_were_named(self) -> None:
        source = KafkaSource("a:9092", settings={"bootstrap.servers": "b:9092"})
        assert source.client == {"bootstrap.servers": "a:9092"}


def test_one_message() -> None:
    reader = Reader()
    settings = {"security.protocol": "SSL"}
    source = KafkaSource("a:9092", pattern=".*", settings=settings)
    source.frame(cast(SparkSession, SimpleNamespace(read=reader)), "orders", 3, 41)
    assert (reader.kind, reader.columns) == ("kafka", ("value",))
    assert reader.given.pop("kafka.security.protocol") == "SSL"
    assert reader.given.pop("kafka.bootstrap.servers") == "a:9092"
    assert reader.given.pop("kafka.isolation.level") == "read_committed"
    assert {key: json.loads(value) for key, value in reader.given.items()} == {
        "assign": {"orders": [3]},
        "startingOffsets": {"orders": {"3": 41}},
        "endingOffsets": {"orders": {"3": 42}},
    }


@pytest.mark.parametrize(
    "name",
    [
        "group.id",
        "auto.offset.reset",
        "key.deserializer",
        "value.deserializer",
        "bootstrap.servers",
        "enable.auto.commit",
        "interceptor.classes",
    ],
)
def test_what_spark_decides_cannot_be_set(name: str) -> None:
    assert check_consumer_settings({"security.protocol": "SSL", name: "x"}) == name


def test_the_rest_can() -> None:
    settings = {"security.protocol": "SSL", "sasl.jaas.config": "x", "fetch.max.bytes": "1"}
    assert check_consumer_settings(settings) is None
    assert check_consumer_settings({}) is None


class TestOffsets:
    def test_as_spark_tells_them(self) -> None:
        given = '{"orders":{"1":0,"0":5},"totals":{"0":1099511627776}}'
        assert parse_offsets(given) == OFFSETS

    def test_as_spark_is_reported_them(self) -> None:
        given = stream(KafkaSource("a:9092", ("orders",))).given
        assert parse_offsets(given["startingOffsets"]) == OFFSETS

    @pytest.mark.parametrize("nothing", [None, "", "{}", "None"])
    def test_none(self, nothing: str | None) -> None:
        """Where there is no offset, pyspark makes a text of Python's None."""
        assert parse_offsets(nothing) == {}


def test_messages_have_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka, "now", lambda: 123)
    batch = pa.record_batch(
        {
            "value": pa.array([b"{}", None, b""], pa.binary()),
            "topic": ["orders", "orders", "totals"],
            "partition": pa.array([0, 0, 11], pa.int32()),
            "offset": [4, 5, 2**40],
        }
    )
    assert list(read_messages(batch)) == [
        Message(b"{}", 123, ("kafka ", "orders", "/", 0, "@", 4)),
        Message(None, 123, ("kafka ", "orders", "/", 0, "@", 5)),
        Message(b"", 123, ("kafka ", "totals", "/", 11, "@", 2**40)),
    ]
