"""Which shards may be read: parents first, and none that waits for what is gone."""

from typing import Any

from headwater.pipeline.feeds.kinesis.shards import Shard, choose_readable, parse_shards


def listed(name: str, *parents: str, end: str | None = None) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": "1", **({"EndingSequenceNumber": end} if end else {})}
    keys = zip(("ParentShardId", "AdjacentParentShardId"), parents, strict=False)
    return {"ShardId": name, "SequenceNumberRange": numbers, **dict(keys)}


def names(shards: list[Shard]) -> list[str]:
    return [shard.id for shard in shards]


def test_children_wait_for_all_of_their_parents() -> None:
    found = parse_shards([listed("a", end="9"), listed("b", end="9"), listed("c", "a", "b")])
    assert found["c"] == Shard("c", ("a", "b"), is_closed=False)
    assert found["a"].is_closed
    assert names(choose_readable(found, ())) == ["a", "b"]
    assert names(choose_readable(found, {"a"})) == ["b"]
    assert names(choose_readable(found, {"a", "b"})) == ["c"]


def test_a_parent_that_is_listed_no_more_is_not_waited_for() -> None:
    found = parse_shards([listed("c", "gone")])
    assert names(choose_readable(found, ())) == ["c"]
