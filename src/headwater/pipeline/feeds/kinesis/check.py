"""Testing access to a stream step by step: one for each action of IAM that an ingest needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headwater.errors import SourceUnavailable
from headwater.pipeline.check_steps import OpenSession, Step, describe_event, run_steps
from headwater.pipeline.feeds.kinesis.access import DRIVER_ATTEMPTS, AwsCredentials, open_client
from headwater.pipeline.feeds.kinesis.aggregation import BadAggregate, is_aggregate, unpack_records
from headwater.pipeline.feeds.kinesis.requests import asking, describe_stream, list_shards
from headwater.pipeline.feeds.kinesis.shards import Shard
from headwater.pipeline.feeds.kinesis.source import KinesisSource

# An answer may be empty though there are records further on.
_MOST_READS = 5


def check_kinesis(source: KinesisSource, name: str, open_session: OpenSession) -> Iterator[Step]:
    """From the credentials up to a record; the first step that fails is the last."""
    check = _Check(source)
    yield from run_steps(
        ("credentials", check.find_credentials),
        ("stream", check.describe),
        ("shards", check.list),
        ("iterator", check.open_iterator),
        ("records", check.read_first),
        ("Spark", lambda: f"version {open_session().version}"),
    )


@dataclass
class _Check:
    """What earlier steps found, for those after them."""

    source: KinesisSource
    client: Any = None
    shards: list[Shard] = field(default_factory=list)
    iterator: str = ""

    def find_credentials(self) -> str:
        credentials = AwsCredentials(self.source.aws, self.source.place)
        access = credentials.access()
        self.client = open_client(access, DRIVER_ATTEMPTS)
        return f"found by {credentials.method}, for {self.client.meta.endpoint_url}"

    def describe(self) -> str:
        state = describe_stream(self.client, self.source)
        if state.status not in ("ACTIVE", "UPDATING"):
            raise SourceUnavailable(self.source.place, f"the stream is {state.status}")
        return f"{self.source.name} is {state.status}, keeps {state.retention_hours} hours"

    def list(self) -> str:
        self.shards = sorted(list_shards(self.client, self.source).values())
        closed = sum(shard.is_closed for shard in self.shards)
        return f"{len(self.shards)}, {closed} of them closed"

    def open_iterator(self) -> str:
        if not self.shards:
            raise SourceUnavailable(self.source.place, "the stream has no shards")
        shard = self.shards[0].id
        with asking(self.source, "GetShardIterator"):
            answer = self.client.get_shard_iterator(
                **self.source.identifier, ShardId=shard, ShardIteratorType="TRIM_HORIZON"
            )
        self.iterator = answer["ShardIterator"]
        return f"of {shard}"

    def read_first(self) -> str:
        """Read one record, the oldest of a shard, as the ingest would."""
        for _ in range(_MOST_READS):
            with asking(self.source, "GetRecords"):
                answer = self.client.get_records(
                    **self.source.owner, ShardIterator=self.iterator, Limit=1
                )
            for record in answer["Records"]:
                place = f"{self.shards[0].id}@{record['SequenceNumber']}"
                return f"{place} {_describe(record['Data'])}"
            self.iterator = answer.get("NextShardIterator") or ""
            if not self.iterator or not answer["MillisBehindLatest"]:
                break
        return f"none found in {self.shards[0].id}"


def _describe(data: bytes) -> str:
    if not is_aggregate(data):
        return describe_event(data)
    try:
        parts = unpack_records(data)
    except BadAggregate as error:
        return f"would be rejected: {error}"
    first = describe_event(parts[0]) if parts else "is empty"
    return f"is {len(parts)} records in one; the first {first}"
