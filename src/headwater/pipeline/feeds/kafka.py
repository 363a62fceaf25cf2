"""Events out of Kafka: what to read and from where on, and the way of a message into a task."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from headwater.access import KafkaAccess
from headwater.kafka_clients import java_properties
from headwater.model.values.instant import now
from headwater.pipeline.message import Message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# By topic and partition: the offset of the next message.
Offsets = dict[str, dict[int, int]]

# Properties that Spark sets itself, and refuses to accept.
_SPARKS_OWN = frozenset(
    (
        "auto.offset.reset",
        "bootstrap.servers",
        "enable.auto.commit",
        "group.id",
        "interceptor.classes",
        "key.deserializer",
        "value.deserializer",
    )
)


@dataclass(frozen=True)
class KafkaSource:
    """Topics of a cluster: one or some by name, or all that fit a pattern."""

    type: ClassVar[str] = "kafka"

    brokers: str
    topics: tuple[str, ...] = ()
    pattern: str = ""
    start: Literal["earliest", "latest"] | int = "earliest"
    """Where to begin what was never read: or by the messages' time, in milliseconds."""
    max_events: int = 50_000
    """Messages in one batch, at most."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings of Kafka's consumer, by their names."""
    access: KafkaAccess = KafkaAccess()
    """How the brokers are reached, where not in plain text."""
    group: str = ""
    """The consumer group that offsets are committed to; empty: named after the ingest."""

    def group_of(self, ingest: str) -> str:
        return self.group or f"headwater-{ingest}"

    @property
    def protocol(self) -> str:
        """Kafka's security.protocol, which a property of the consumer overrides."""
        return self.settings.get("security.protocol", self.access.security_protocol).upper()

    @property
    def is_tls(self) -> bool:
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def client(self) -> dict[str, str]:
        """The settings of a client of the same cluster."""
        named = java_properties(self.access)
        return {**named, **self.settings, "bootstrap.servers": self.brokers}

    @property
    def _consumer(self) -> dict[str, str]:
        """Messages of aborted transactions are skipped unless configured otherwise."""
        settings = {"isolation.level": "read_committed", **self.client}
        return {f"kafka.{key}": value for key, value in settings.items()}

    def stream(self, spark: "SparkSession", offsets: Offsets) -> "DataFrame":
        """The messages from these offsets on, which name every partition there is."""
        reader = spark.readStream.format("kafka").options(**self._options(offsets))
        return reader.load().select("value", "topic", "partition", "offset")

    def frame(self, spark: "SparkSession", topic: str, partition: int, offset: int) -> "DataFrame":
        """One message."""
        options = self._consumer
        options["assign"] = json.dumps({topic: [partition]})
        options["startingOffsets"] = json.dumps({topic: {partition: offset}})
        options["endingOffsets"] = json.dumps({topic: {partition: offset + 1}})
        return spark.read.format("kafka").options(**options).load().select("value")

    def _options(self, offsets: Offsets) -> dict[str, str]:
        options = self._consumer
        options["maxOffsetsPerTrigger"] = str(self.max_events)
        # Detected here, before it is too late: a topic made anew, or messages that Kafka removed.
        options["failOnDataLoss"] = "true"
        if self.pattern:
            options["subscribePattern"] = self.pattern
        else:
            options["subscribe"] = ",".join(self.topics)
        options["startingOffsets"] = json.dumps(offsets)
        return options


def check_consumer_settings(settings: Mapping[str, str]) -> str | None:
    """The setting that cannot be passed on, if there is one."""
    return next((key for key in settings if key in _SPARKS_OWN), None)


def read_messages(batch: Any) -> Iterator[Message]:
    """The messages of a batch of Spark's, as a task takes them."""
    received_at = now()
    columns = (batch.column(name).to_pylist() for name in ("value", "topic", "partition", "offset"))
    for value, topic, partition, offset in zip(*columns, strict=True):
        yield Message(value, received_at, ("kafka ", topic, "/", partition, "@", offset))


def parse_offsets(text: str | None) -> Offsets:
    """Offsets as Spark reports them: JSON by topic and partition."""
    # pyspark makes a text of an offset that is not there.
    found = json.loads(text) if text and text != "None" else {}
    return {
        topic: {int(partition): int(offset) for partition, offset in partitions.items()}
        for topic, partitions in found.items()
    }
