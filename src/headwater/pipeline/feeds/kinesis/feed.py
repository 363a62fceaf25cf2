"""A stream of Kinesis as a feed. Positions are by shard, for the stream that was created then.

Kinesis does not tell where a shard ends now: only who reads it sees that. So Spark's stream is a
clock; a batch names the shards to read and where from, and its tasks report how far they came.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from headwater.errors import SourceChanged, SourceUnavailable
from headwater.model import naming
from headwater.pipeline.feeds.feed import Ending, Feed, Moves, Positions
from headwater.pipeline.feeds.kinesis.access import DRIVER_ATTEMPTS, AwsCredentials, open_client
from headwater.pipeline.feeds.kinesis.positions import (
    CLOSED,
    TRIM_HORIZON,
    ShardPosition,
    parse_position,
)
from headwater.pipeline.feeds.kinesis.reader import ShardReader
from headwater.pipeline.feeds.kinesis.requests import StreamState, describe_stream, list_shards
from headwater.pipeline.feeds.kinesis.shards import Shard, choose_readable
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.message import Message, Reached
from headwater.store.positions import SourcePosition

log = logging.getLogger(__name__)

# DescribeStream may be called ten times a second, by all of an account together.
CHECK_SECONDS = 5.0
_HOUR = 3_600_000
SCHEMA = pa.schema(
    [
        ("shard", pa.string()),
        ("kind", pa.string()),
        ("where", pa.string()),
        ("value", pa.int64()),
        ("most", pa.int64()),
        ("is_closed", pa.bool_()),
    ]
)


class KinesisFeed(Feed):
    """The stream that a source names."""

    ends_by: Ending = "reached"
    is_in_python = True

    def __init__(self, source: KinesisSource) -> None:
        self.place = source.place
        self._source = source
        self._reader = ShardReader(source)
        self._credentials: AwsCredentials | None = None
        self._positions: dict[str, ShardPosition] = {}
        self._arrivals: dict[str, int] = {}
        self._caught_up: set[str] = set()
        self._created = ""
        self._checked_at = 0.0
        self._is_once = self._is_through = False

    @property
    def read(self) -> Callable[[Any], Iterator[Message]]:
        return self._reader.read

    @property
    def reached(self) -> Callable[[], dict[str, Reached]]:
        return self._reader.reached

    def open(self, spark: SparkSession, positions: Positions, *, is_once: bool) -> DataFrame:
        # Anew each time: keys in a file, a profile or a reference may be others by now.
        self._credentials = AwsCredentials(self._source.aws, self.place)
        self._is_once, self._is_through = is_once, False
        self._caught_up.clear()
        state = self._describe()
        self._created = self._reader.created = state.created
        self._find_beginning(positions, state)
        # Of its rows nothing is used: each batch of it is a time to read.
        return spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()

    def _client(self) -> Any:
        assert self._credentials is not None
        return open_client(self._credentials.access(), DRIVER_ATTEMPTS)

    def _describe(self) -> StreamState:
        self._checked_at = time.monotonic()
        state = describe_stream(self._client(), self._source)
        if state.status not in ("ACTIVE", "UPDATING"):
            raise SourceUnavailable(self.place, f"the stream is {state.status}")
        return state

    def _find_beginning(self, positions: Positions, state: StreamState) -> None:
        """Where the store is; where it knows nothing at all, as requested; else from the first."""
        first = TRIM_HORIZON if positions else self._requested(state)
        self._positions.clear()
        self._arrivals.clear()
        for shard in list_shards(self._client(), self._source).values():
            known = positions.get(self._partition(shard.id))
            found = None if known is None else parse_position(known, state.created)
            self._positions[shard.id] = found or first
            if known is not None and found is not None:
                self._arrivals[shard.id] = known.value
                self._warn_of_loss(shard, found, known, state)

    def _requested(self, state: StreamState) -> ShardPosition:
        """Where to begin, in a form that means the same when it is read again later."""
        match self._source.start:
            case "TRIM_HORIZON":
                return TRIM_HORIZON
            case "LATEST":
                return ShardPosition("at", str(state.time))
            case start:
                # Kinesis refuses a time that has not come yet.
                return ShardPosition("at", str(min(start, state.time)))

    def _warn_of_loss(
        self, shard: Shard, found: ShardPosition, known: SourcePosition, state: StreamState
    ) -> None:
        oldest = state.time - state.retention_hours * _HOUR
        if found.kind == "after" and known.value < oldest:
            what = f"records of {shard.id} older than {state.retention_hours} hours"
            log.warning("%s may have been removed by Kinesis before they were read", what)

    def check(self) -> None:
        if time.monotonic() - self._checked_at < CHECK_SECONDS:
            return
        if self._describe().created != self._created:
            raise SourceChanged(self.place, "the stream was deleted and created again")

    def batch(self, frame: DataFrame) -> DataFrame:
        """A row for each shard to read now, spread over the tasks."""
        assert self._credentials is not None
        self._reader.access = self._credentials.access()
        shards = list_shards(self._client(), self._source)
        self._forget_expired(shards)
        done = {name for name, position in self._positions.items() if position == CLOSED}
        readable = [each for each in choose_readable(shards, done) if self._is_unread(each)]
        self._is_through = self._is_once and not readable
        most = max(1, self._source.max_events // max(1, len(readable)))
        rows = [self._row(shard, most) for shard in readable]
        return frame.sparkSession.createDataFrame(pa.Table.from_pylist(rows, SCHEMA))

    def _is_unread(self, shard: Shard) -> bool:
        return not (self._is_once and shard.id in self._caught_up)

    def _row(self, shard: Shard, most: int) -> dict[str, Any]:
        # Shards that a split or a merge made are read from their first record.
        position = self._positions.setdefault(shard.id, TRIM_HORIZON)
        value = self._arrivals.get(shard.id, 0)
        own = {"shard": shard.id, "value": value, "most": most, "is_closed": shard.is_closed}
        return {**own, **position._asdict()}

    def _forget_expired(self, shards: Mapping[str, Shard]) -> None:
        """Drop shards that Kinesis lists no more: the last of their records has expired."""
        for name in self._positions.keys() - shards.keys():
            if self._positions.pop(name) != CLOSED:
                log.warning("%s expired before all of it was read", name)

    def stored(self, reached: Mapping[str, Reached]) -> Moves:
        unread = 0
        for partition, end in reached.items():
            shard = partition.rpartition("/")[2]
            known = SourcePosition(end.value, end.incarnation, 0)
            self._positions[shard] = parse_position(known, self._created) or TRIM_HORIZON
            self._arrivals[shard] = end.value
            unread += end.behind is None
            if end.behind == 0:
                self._caught_up.add(shard)
        if unread:
            log.warning("Kinesis throttles: %d shards could not be read in this batch", unread)
        return {name: (end.value, end.incarnation) for name, end in reached.items()}

    def is_through(self) -> bool:
        return self._is_through

    def began(self) -> Moves:
        return {
            self._partition(shard): (
                self._arrivals.get(shard, 0),
                position.text(self._created),
            )
            for shard, position in self._positions.items()
        }

    def moved(self, end: str | None) -> Moves:
        """Positions move as batches are stored; Spark's own word says only the time."""
        return {}

    def commit(self, end: str | None) -> None:
        """Nobody else asks."""

    def lag(self, progress: Mapping[str, Any]) -> int | None:
        return None

    def waiting(self) -> int | None:
        return None

    def datasets(self) -> Sequence[tuple[str, str]]:
        assert self._credentials is not None
        host = urlsplit(self._credentials.access().endpoint).netloc
        return [naming.kinesis(host, self._source.name)]

    def close(self) -> None:
        """Clients are kept for other feeds of this process."""

    def _partition(self, shard: str) -> str:
        return f"{self._source.name}/{shard}"
