"""The shards of a stream, and which of them may be read now: parents before their children."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple


class Shard(NamedTuple):
    """A shard as Kinesis lists it."""

    id: str
    parents: tuple[str, ...]
    """Those it was split or merged from, as far as Kinesis still lists them."""
    is_closed: bool
    """Whether a split or a merge ended it: no record is added to it."""


def parse_shards(listed: Iterable[Mapping[str, Any]]) -> dict[str, Shard]:
    """Shards by their ids, out of the answers of ListShards."""
    found = list(listed)
    known = {each["ShardId"] for each in found}
    return {each["ShardId"]: _parse(each, known) for each in found}


def _parse(listed: Mapping[str, Any], known: Collection[str]) -> Shard:
    parents = (str(listed.get(key, "")) for key in ("ParentShardId", "AdjacentParentShardId"))
    return Shard(
        listed["ShardId"],
        # A parent whose records have expired is listed no more, and nothing of it can be read.
        tuple(parent for parent in parents if parent in known),
        "EndingSequenceNumber" in listed["SequenceNumberRange"],
    )


def choose_readable(shards: Mapping[str, Shard], done: Collection[str]) -> list[Shard]:
    """The shards to read now: their records come after all of their parents'."""
    return [
        shard
        for shard in sorted(shards.values())
        if shard.id not in done and all(parent in done for parent in shard.parents)
    ]
