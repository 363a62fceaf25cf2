"""`--check` of a stream: the step that fails, by the action of IAM that is denied."""

from typing import cast

import pytest

from headwater.access import KinesisAccess
from headwater.pipeline.check_steps import OpenSession, Step
from headwater.pipeline.feeds.kinesis.check import check_kinesis
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from testing.events.full import encode, run_event
from testing.stand_ins.kinesis import REGION, AccessKey, KinesisStandIn
from tests.pipeline.kinesis.conftest import STREAM
from tests.pipeline.kinesis.test_aggregation import aggregate

ACTIONS = ("DescribeStream", "ListShards", "GetShardIterator", "GetRecords")
STEPS = ("stream", "shards", "iterator", "records")


class FakeSession:
    version = "4"


@pytest.fixture
def source(kinesis: KinesisStandIn, monkeypatch: pytest.MonkeyPatch) -> KinesisSource:
    monkeypatch.setenv("KEY", "secret")
    given = {"region": REGION, "endpoint_url": kinesis.url, "access_key_id": "id"}
    return KinesisSource(STREAM, KinesisAccess(**given, secret_access_key="env:KEY"))


def check(source: KinesisSource) -> list[Step]:
    return list(check_kinesis(source, "any", cast(OpenSession, FakeSession)))


def test_all_is_well(kinesis: KinesisStandIn, source: KinesisSource) -> None:
    kinesis.split(STREAM, "shardId-000000000001")
    kinesis.put(STREAM, [encode(run_event())])
    kinesis.empty_answers = 1
    steps = check(source)
    assert [step.name for step in steps] == ["credentials", *STEPS, "Spark"]
    assert all(step.is_good for step in steps)
    texts = {step.name: step.text for step in steps}
    assert texts["stream"] == "lineage is ACTIVE, keeps 24 hours"
    assert texts["shards"] == "4, 1 of them closed"
    assert texts["records"].endswith("is an event")
    assert kinesis.url in texts["credentials"]
    # Four actions, and no other.
    assert set(kinesis.calls) == set(ACTIONS)


@pytest.mark.parametrize(("step", "action"), [*zip(STEPS, ACTIONS, strict=True)])
def test_an_action_that_is_denied_is_named(
    kinesis: KinesisStandIn, source: KinesisSource, step: str, action: str
) -> None:
    kinesis.keys["id"] = AccessKey("secret", frozenset(ACTIONS) - {action})
    last = check(source)[-1]
    assert (last.name, last.is_good) == (step, False)
    assert f"access denied: allow kinesis:{action} on the stream" in last.text


def test_a_stream_that_is_not_there(kinesis: KinesisStandIn, source: KinesisSource) -> None:
    kinesis.streams.clear()
    last = check(source)[-1]
    assert last.name == "stream"
    assert "there is no such stream; are its name and region right?" in last.text


def test_keys_that_are_wrong(kinesis: KinesisStandIn, source: KinesisSource) -> None:
    kinesis.keys["id"] = AccessKey("another")
    last = check(source)[-1]
    assert last.name == "stream" and "the credentials are not accepted" in last.text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x", "is not a valid event and would be rejected"),
        (aggregate([b"x", b"y"]), "is 2 records in one; the first is not a valid event"),
        (aggregate([b"x"]) + b"y", "would be rejected: an aggregated record whose MD5"),
    ],
)
def test_what_the_first_record_is(
    kinesis: KinesisStandIn, source: KinesisSource, data: bytes, text: str
) -> None:
    kinesis.put(STREAM, [data])
    assert text in {step.name: step.text for step in check(source)}["records"]
