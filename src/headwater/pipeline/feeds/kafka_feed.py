"""Topics of Kafka as a feed. Positions are by topic and partition, for one topic of that name."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headwater.errors import SourceChanged, SourceUnavailable
from headwater.model import naming
from headwater.pipeline.feeds.feed import Ending, Feed, Moves, Positions
from headwater.pipeline.feeds.kafka import KafkaSource, Offsets, parse_offsets, read_messages
from headwater.pipeline.feeds.kafka_admin import KafkaAdmin, Topic
from headwater.pipeline.message import Message

log = logging.getLogger(__name__)


class KafkaFeed(Feed):
    """What a source names. Tools that watch lags see how far it is under `group`."""

    ends_by: Ending = "trigger"

    def __init__(self, source: KafkaSource, group: str) -> None:
        self.place = source.brokers
        self._source = source
        self.group = group
        self._admin: KafkaAdmin | None = None
        self._topics: dict[str, Topic] = {}
        self._beginning: Offsets = {}

    @property
    def read(self) -> Callable[[Any], Iterator[Message]]:
        return read_messages

    def open(self, spark: SparkSession, positions: Positions, *, is_once: bool) -> DataFrame:
        self.close()
        self._admin = KafkaAdmin(spark, self._source)
        self._topics = self._admin.find_topics()
        self._admin.check_requested(self._topics)
        self._beginning = self._find_beginning(self._admin, positions)
        return self._source.stream(spark, self._beginning)

    def _find_beginning(self, admin: KafkaAdmin, positions: Positions) -> Offsets:
        """Where the store is; where it knows nothing at all, as requested; else from the first."""
        if not positions:
            return admin.offsets_to_begin(self._topics)
        offsets = admin.first_offsets(self._topics)
        ends = admin.end_offsets(self._topics)
        for topic, partitions in offsets.items():
            for partition, first in partitions.items():
                known = positions.get(f"{topic}/{partition}")
                if known is None or known.incarnation != self._topics[topic].id:
                    continue
                if known.value < first:
                    what = f"{first - known.value:,} messages of {topic}/{partition}"
                    log.warning("%s were removed by Kafka before they were read", what)
                partitions[partition] = min(max(known.value, first), ends[topic][partition])
        return offsets

    def check(self) -> None:
        assert self._admin is not None
        found = self._admin.find_topics()
        for name, topic in self._topics.items():
            if name not in found:
                raise SourceUnavailable(self.place, f"topic '{name}' was deleted")
            if found[name].id != topic.id:
                raise SourceChanged(self.place, f"topic '{name}' was deleted and created again")
        self._topics = found

    def began(self) -> Moves:
        return self._moves(self._beginning)

    def moved(self, end: str | None) -> Moves:
        return self._moves(parse_offsets(end))

    def _moves(self, offsets: Offsets) -> Moves:
        return {
            f"{topic}/{partition}": (offset, self._topics[topic].id)
            for topic, partitions in offsets.items()
            if topic in self._topics
            for partition, offset in partitions.items()
        }

    def commit(self, end: str | None) -> None:
        try:
            if self._admin is not None and (offsets := parse_offsets(end)):
                self._admin.commit(self.group, offsets)
        except SourceUnavailable as error:
            # Tools that watch the lag see it late; what is stored does not depend on it.
            log.warning("offsets could not be committed for group %s: %s", self.group, error.reason)

    def lag(self, progress: Mapping[str, Any]) -> int | None:
        end, latest = (parse_offsets(progress.get(key)) for key in ("endOffset", "latestOffset"))
        return sum(
            max(0, offset - end.get(topic, {}).get(partition, 0))
            for topic, partitions in latest.items()
            for partition, offset in partitions.items()
        )

    def waiting(self) -> int | None:
        if self._admin is None:
            return None
        ends = self._admin.end_offsets(self._topics)
        return sum(
            max(0, end - self._beginning.get(topic, {}).get(partition, 0))
            for topic, partitions in ends.items()
            for partition, end in partitions.items()
        )

    def datasets(self) -> Sequence[tuple[str, str]]:
        return [naming.kafka(self._source.brokers, topic) for topic in sorted(self._topics)]

    def close(self) -> None:
        admin, self._admin = self._admin, None
        if admin is not None:
            admin.close()
