"""Reading shards in a task, side by side: a shard that must wait does not keep the others waiting.

A shard's part of a batch ends at the newest record, at its end, after so many records, or when the
batch has taken long enough. Where that was is known here alone, so the task reports it.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.model.values.instant import now
from headwater.pipeline.feeds.kinesis.access import Access, open_client
from headwater.pipeline.feeds.kinesis.aggregation import (
    BadAggregate,
    is_aggregate,
    unpack_records,
)
from headwater.pipeline.feeds.kinesis.positions import CLOSED, ShardPosition
from headwater.pipeline.feeds.kinesis.requests import code_of, explain
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.message import Message, Reached

# What is left unread after it is for the next batch; a stop waits for no more than that.
MAX_SECONDS = 30.0
# Kinesis answers five reads a second of a shard, over all of its readers.
_PAUSE_SECONDS = 0.2
_MAX_RECORDS = 10_000
_FIRST_BACK_OFF = 0.5
_LONGEST_BACK_OFF = 5.0
# Worth another try a little later: too much was read, or Kinesis itself is at a loss.
_LATER = frozenset(
    (
        "InternalFailure",
        "InternalFailureException",
        "KMSThrottlingException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingException",
    )
)


@dataclass
class ShardShare:
    """A shard's part of a batch, and how far it is."""

    shard: str
    position: ShardPosition
    left: int
    """Records that may be read still."""
    is_closed: bool
    """Whether Kinesis listed it as closed before the batch began."""
    value: int
    """When the last record arrived, in milliseconds."""
    behind: int | None = None
    iterator: str | None = None
    ready_at: float = 0.0
    failures: int = 0
    is_done: bool = False

    def back_off(self, at: float) -> None:
        """Try again later, each time after twice as long, and not all readers at once."""
        wait = min(_FIRST_BACK_OFF * 2**self.failures, _LONGEST_BACK_OFF)
        self.failures += 1
        self.ready_at = at + wait * random.uniform(0.5, 1.0)

    def take(self, answer: Mapping[str, Any], at: float) -> None:
        """Go on to where an answer ends."""
        records = answer["Records"]
        if records:
            self.position = ShardPosition("after", records[-1]["SequenceNumber"])
            self.value = round(records[-1]["ApproximateArrivalTimestamp"].timestamp() * 1000)
        self.left -= len(records)
        self.behind = answer["MillisBehindLatest"]
        self.iterator = answer.get("NextShardIterator")
        self.failures, self.ready_at = 0, at + _PAUSE_SECONDS
        # Emulators give iterators for ever; of a closed shard nothing can come any more.
        is_at_end = self.is_closed and not records and self.behind == 0
        if self.iterator is None or is_at_end:
            self.position, self.behind = CLOSED, 0
        self.is_done = self.position is CLOSED or self.behind == 0 or self.left <= 0


class ShardReader:
    """Reads what the rows of a batch name; it is sent to tasks with the access of the moment."""

    def __init__(
        self,
        source: KinesisSource,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        connect: Callable[[Access], Any] = lambda access: open_client(access, 1),
    ) -> None:
        self.access = Access("")
        self.created = ""
        self._source = source
        self._clock = clock
        self._sleep = sleep
        self._connect = connect
        self._reached: dict[str, Reached] = {}

    def reached(self) -> dict[str, Reached]:
        """How far each shard was read, by partition."""
        return self._reached

    def read(self, batch: Any) -> Iterator[Message]:
        """The records of the shards that a batch names."""
        shares = [_parse_share(row) for row in batch.to_pylist()]
        client = self._connect(self.access)
        end = self._clock() + MAX_SECONDS
        while open_shares := [share for share in shares if not share.is_done]:
            share = min(open_shares, key=lambda share: share.ready_at)
            wait = share.ready_at - self._clock()
            if self._clock() + max(wait, 0.0) > end:
                break
            if wait > 0:
                self._sleep(wait)
            yield from self._read_some(client, share)
        for share in shares:
            self._reached[f"{self._source.name}/{share.shard}"] = Reached(
                share.value, share.position.text(self.created), share.behind
            )

    def _read_some(self, client: Any, share: ShardShare) -> Iterator[Message]:
        answer = self._request(client, share)
        if answer is None:
            return
        received_at = now()
        for record in answer["Records"]:
            yield from self._messages(record, share.shard, received_at)
        share.take(answer, self._clock())

    def _request(self, client: Any, share: ShardShare) -> Mapping[str, Any] | None:
        """One answer with records; None where the shard is to be tried again."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            if share.iterator is None:
                share.iterator = self._open_iterator(client, share)
            found: Mapping[str, Any] = client.get_records(
                **self._source.owner,
                ShardIterator=share.iterator,
                Limit=min(share.left, _MAX_RECORDS),
            )
            return found
        except (BotoCoreError, ClientError) as error:
            action = "GetRecords" if share.iterator else "GetShardIterator"
            failure = explain(self._source, action, error)
            code = code_of(error)
        if code == "ExpiredIteratorException":
            # After five minutes, if others were that slow; where it stood is known.
            share.iterator = None
        elif code in _LATER:
            share.back_off(self._clock())
        else:
            raise failure
        return None

    def _open_iterator(self, client: Any, share: ShardShare) -> str:
        answer = client.get_shard_iterator(
            **self._source.identifier, ShardId=share.shard, **share.position.iterator
        )
        return str(answer["ShardIterator"])

    def _messages(
        self, record: Mapping[str, Any], shard: str, received_at: int
    ) -> Iterator[Message]:
        """What a record holds: an event, or some that were packed into one."""
        data: bytes = record["Data"]
        place = ("kinesis ", self._source.name, "/", shard, "@", record["SequenceNumber"])
        if not is_aggregate(data):
            yield Message(data, received_at, place)
            return
        try:
            parts = unpack_records(data)
        except BadAggregate as error:
            yield Message(data, received_at, place, str(error), len(data))
            return
        for number, part in enumerate(parts):
            yield Message(part, received_at, (*place, "#", number))


def _parse_share(row: Mapping[str, Any]) -> ShardShare:
    position = ShardPosition(row["kind"], row["where"])
    return ShardShare(row["shard"], position, row["most"], row["is_closed"], row["value"])
