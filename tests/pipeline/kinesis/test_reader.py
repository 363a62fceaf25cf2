"""Reading shards as a task does, from a stand-in that is as strict as Kinesis."""

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pytest

from headwater.errors import SourceUnavailable
from headwater.pipeline.feeds.kinesis.access import Access
from headwater.pipeline.feeds.kinesis.feed import SCHEMA
from headwater.pipeline.feeds.kinesis.reader import MAX_SECONDS, ShardReader
from headwater.pipeline.tasks import Message
from testing.stand_ins.kinesis import REGION, AccessKey, KinesisStandIn
from tests.pipeline.kinesis.conftest import STREAM, FakeTime
from tests.pipeline.kinesis.test_aggregation import aggregate

MakeReader = Callable[..., ShardReader]
FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"


def rows(*shards: str, **given: Any) -> pa.RecordBatch:
    """What a batch names: these shards, from their first record on."""
    row = {"kind": "start", "where": "", "value": 0, "most": 1_000, "is_closed": False, **given}
    return pa.RecordBatch.from_pylist([{"shard": shard, **row} for shard in shards], SCHEMA)


def read(reader: ShardReader, *shards: str, **given: Any) -> list[Message]:
    return list(reader.read(rows(*shards, **given)))


def data_of(messages: list[Message]) -> list[bytes | None]:
    return [message.data for message in messages]


def where(reader: ShardReader, shard: str) -> str:
    return reader.reached()[f"{STREAM}/{shard}"].incarnation


def go_on(reader: ShardReader, shard: str) -> Mapping[str, str]:
    """The row that continues where a reader ended."""
    _, kind, *rest = where(reader, shard).split(" ")
    return {"kind": kind, "where": "".join(rest)}


def test_all_records_of_both_shards(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    sent = [b"%d" % number for number in range(9)]
    kinesis.put(STREAM, sent)
    reader = make_reader()
    messages = read(reader, FIRST, SECOND)
    assert sorted(data_of(messages)) == sent  # type: ignore[type-var]
    last = kinesis.streams[STREAM].shards[FIRST].records[-1]
    assert where(reader, FIRST) == f"7 after {last.sequence}"
    reached = reader.reached()[f"{STREAM}/{FIRST}"]
    assert reached.behind == 0
    assert abs(reached.value - last.arrived * 1000) <= 1
    assert messages[0].place == ("kinesis ", STREAM, "/", FIRST, "@", messages[0].place[-1])
    assert set(kinesis.calls) == {"GetShardIterator", "GetRecords"}


def test_it_goes_on_after_the_last_record(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    kinesis.put(STREAM, [b"a", b"-", b"b", b"-"])
    reader = make_reader()
    read(reader, FIRST)
    kinesis.put(STREAM, [b"c"])
    assert data_of(read(make_reader(), FIRST, **go_on(reader, FIRST))) == [b"c"]


def test_nothing_there_leaves_the_position_as_it_is(
    kinesis: KinesisStandIn, make_reader: MakeReader
) -> None:
    reader = make_reader()
    assert read(reader, FIRST) == []
    assert where(reader, FIRST) == "7 start"
    assert reader.reached()[f"{STREAM}/{FIRST}"].behind == 0


def test_a_share_ends_at_its_most(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    kinesis.put(STREAM, [b"%d" % number for number in range(20)])
    reader = make_reader()
    assert len(read(reader, FIRST, most=4)) == 4
    behind = reader.reached()[f"{STREAM}/{FIRST}"].behind
    assert behind is not None and behind > 0
    assert len(read(make_reader(), FIRST, **go_on(reader, FIRST))) == 6


def test_an_empty_answer_is_not_the_end(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    kinesis.put(STREAM, [b"a"])
    kinesis.empty_answers = 3
    assert data_of(read(make_reader(), FIRST)) == [b"a"]


def test_a_shard_that_ended(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    kinesis.put(STREAM, [b"a"])
    kinesis.split(STREAM, FIRST)
    reader = make_reader()
    assert data_of(read(reader, FIRST)) == [b"a"]
    assert where(reader, FIRST) == "7 closed"


def test_an_emulator_that_ends_no_shard(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    """What was listed as closed, and has nothing more, is at its end."""
    kinesis.put(STREAM, [b"a"])
    reader = make_reader()
    assert data_of(read(reader, FIRST, is_closed=True)) == [b"a"]
    assert where(reader, FIRST).startswith("7 after")
    again = make_reader()
    assert read(again, FIRST, is_closed=True, **go_on(reader, FIRST)) == []
    assert where(again, FIRST) == "7 closed"


def test_iterators_that_expire(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    """Between two answers: it goes on where it stood, with nothing read twice."""
    sent = [b"%d" % number for number in range(30)]
    kinesis.put(STREAM, sent)
    kinesis.faults["GetRecords"] = ["ExpiredIteratorException"]
    reader = make_reader()
    messages = iter(reader.read(rows(FIRST, SECOND)))
    found = [next(messages)]
    kinesis.expire_iterators()
    found += messages
    assert sorted(data_of(found)) == sorted(sent)  # type: ignore[type-var]


@pytest.mark.parametrize(
    "code", ["ProvisionedThroughputExceededException", "LimitExceededException", "InternalFailure"]
)
def test_throttled_it_backs_off(
    kinesis: KinesisStandIn, make_reader: MakeReader, clock: FakeTime, code: str
) -> None:
    kinesis.put(STREAM, [b"a", b"b"])
    kinesis.faults["GetRecords"] = [code] * 4
    kinesis.faults["GetShardIterator"] = [code]
    assert sorted(data_of(read(make_reader(), FIRST, SECOND))) == [b"a", b"b"]  # type: ignore[type-var]
    assert max(clock.slept) > 0.4 and sum(clock.slept) < MAX_SECONDS


def test_throttled_for_too_long_the_rest_is_for_the_next_batch(
    kinesis: KinesisStandIn, make_reader: MakeReader, clock: FakeTime
) -> None:
    kinesis.put(STREAM, [b"a"])
    kinesis.faults["GetRecords"] = ["ProvisionedThroughputExceededException"] * 100
    reader = make_reader()
    assert read(reader, FIRST) == []
    assert sum(clock.slept) <= MAX_SECONDS
    # Nothing is claimed of a shard that did not answer.
    assert reader.reached()[f"{STREAM}/{FIRST}"] == (0, "7 start", None)


def test_one_shard_that_is_throttled_does_not_keep_the_other(
    kinesis: KinesisStandIn, make_reader: MakeReader
) -> None:
    kinesis.put(STREAM, [b"a", b"b"])
    kinesis.faults["GetRecords"] = ["ProvisionedThroughputExceededException"]
    assert data_of(read(make_reader(), FIRST, SECOND)) == [b"b", b"a"]


def test_aggregates_are_taken_apart(kinesis: KinesisStandIn, make_reader: MakeReader) -> None:
    packed = aggregate([b"1", b"2"])
    kinesis.put(STREAM, [packed, b"-", packed[:-1] + b"\0", b"-", b"3"])
    messages = read(make_reader(), FIRST)
    assert data_of(messages) == [b"1", b"2", packed[:-1] + b"\0", b"3"]
    assert [message.place[6:] for message in messages] == [("#", 0), ("#", 1), (), ()]
    bad = messages[2]
    assert bad.error is not None and "MD5" in bad.error
    assert bad.size == len(packed)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (AccessKey("secret", frozenset(["GetShardIterator"])), "allow kinesis:GetRecords"),
        (AccessKey("secret", frozenset(["GetRecords"])), "allow kinesis:GetShardIterator"),
        (AccessKey("secret", has_expired=True), "have expired; renew"),
        (AccessKey("another"), "are not accepted; correct"),
    ],
)
def test_refusals_are_told_by_what_to_do(
    kinesis: KinesisStandIn, make_reader: MakeReader, key: AccessKey, reason: str
) -> None:
    kinesis.keys["id"] = key
    with pytest.raises(SourceUnavailable, match=reason) as raised:
        read(make_reader(), FIRST)
    assert "kinesis lineage: " in raised.value.message
    assert "secret" not in raised.value.message


def test_an_endpoint_where_nobody_listens(make_reader: MakeReader) -> None:
    reader = make_reader()
    reader.access = Access(REGION, "http://127.0.0.1:1", "id", "secret")
    with pytest.raises(SourceUnavailable, match="GetShardIterator: Could not connect"):
        read(reader, FIRST)


def test_secrets_are_not_shown() -> None:
    assert "hidden" not in repr(Access(REGION, "", "hidden-id", "hidden", "hidden"))
