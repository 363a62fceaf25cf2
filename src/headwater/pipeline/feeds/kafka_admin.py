"""Asking a Kafka cluster, by the Java client that Spark itself uses: with the same settings."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from headwater.errors import BadConfig, HeadwaterError, SourceUnavailable
from headwater.pipeline.feeds.kafka import KafkaSource, Offsets
from headwater.pipeline.feeds.kafka_errors import with_advice

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ANSWER_MILLISECONDS = 15_000
_UNKNOWN_TOPIC = "UnknownTopicOrPartitionException"


class Topic(NamedTuple):
    """A topic as it is now; another of the same name has another id."""

    id: str
    partitions: int


class KafkaAdmin:
    """A client of one cluster."""

    def __init__(self, spark: "SparkSession", source: KafkaSource) -> None:
        self._jvm = cast(Any, spark._jvm)
        self._source = source
        self._pattern = self._compile(source.pattern)
        with self._asking():
            self._client = self._package.AdminClient.create(self._properties())

    def _compile(self, pattern: str) -> Any:
        """A pattern as Spark has it: one of Java's, which must fit all of a name."""
        from pyspark.errors import IllegalArgumentException

        try:
            return self._jvm.java.util.regex.Pattern.compile(pattern)
        except IllegalArgumentException as error:
            raise BadConfig("pattern", str(error).partition("\n")[0]) from error

    @property
    def _package(self) -> Any:
        return self._jvm.org.apache.kafka.clients.admin

    def _properties(self) -> Any:
        properties = self._jvm.java.util.Properties()
        limits = {
            "request.timeout.ms": str(_ANSWER_MILLISECONDS),
            "default.api.timeout.ms": str(_ANSWER_MILLISECONDS),
        }
        for key, value in {**limits, **self._source.client}.items():
            properties.setProperty(key, value)
        return properties

    def find_topics(self) -> dict[str, Topic]:
        """The source's topics that exist."""
        with self._asking():
            names = self._client.listTopics().names().get()
            requested = [name for name in names if self._is_included(name)]
            if not requested:
                return {}
            found = self._client.describeTopics(self._list(requested)).allTopicNames().get()
            return {
                name: Topic(found[name].topicId().toString(), found[name].partitions().size())
                for name in requested
            }

    def check_requested(self, topics: Mapping[str, Topic]) -> None:
        """Raise if a requested topic is not among those found, with whether it may be seen."""
        brokers = self._source.brokers
        for name in self._source.topics:
            if name not in topics:
                # A list leaves out what this user may not see; by its name, it is refused.
                try:
                    with self._asking():
                        self._client.describeTopics(self._list([name])).allTopicNames().get()
                except SourceUnavailable as error:
                    if _UNKNOWN_TOPIC not in error.reason:
                        raise
                raise SourceUnavailable(brokers, f"there is no topic '{name}'")
        if not topics:
            raise SourceUnavailable(brokers, f"no topic matches '{self._source.pattern}'")

    def check_group(self, group: str) -> str:
        """What the group's ACLs allow; raises if offsets cannot be committed."""
        options = self._package.DescribeConsumerGroupsOptions().includeAuthorizedOperations(True)
        with self._asking():
            answer = self._client.describeConsumerGroups(self._list([group]), options)
            try:
                operations = answer.all().get()[group].authorizedOperations()
            except Exception as error:
                if "GroupIdNotFound" in str(error):
                    return f"{group}, not used yet"
                raise
        names = set() if operations is None else {each.toString() for each in operations}
        if names and not names & {"READ", "ALL"}:
            kind = "GroupAuthorizationException: Not authorized to commit for group: "
            raise SourceUnavailable(self._source.brokers, with_advice(kind + group))
        return f"offsets can be committed for {group}"

    def _is_included(self, name: str) -> bool:
        if self._source.pattern:
            return bool(self._pattern.matcher(name).matches())
        return name in self._source.topics

    def offsets_to_begin(self, topics: dict[str, Topic]) -> Offsets:
        """Where the source is to be begun, as its user requested."""
        specs = self._package.OffsetSpec
        match self._source.start:
            case "earliest":
                return self.first_offsets(topics)
            case "latest":
                return self.end_offsets(topics)
            case time:
                offsets = self._offsets(topics, specs.forTimestamp(time))
        ends = self.end_offsets(topics)
        for topic, partitions in offsets.items():
            for partition, offset in partitions.items():
                # Nothing in it is as young.
                partitions[partition] = ends[topic][partition] if offset < 0 else offset
        return offsets

    def first_offsets(self, topics: dict[str, Topic]) -> Offsets:
        return self._offsets(topics, self._package.OffsetSpec.earliest())

    def end_offsets(self, topics: dict[str, Topic]) -> Offsets:
        return self._offsets(topics, self._package.OffsetSpec.latest())

    def _offsets(self, topics: dict[str, Topic], which: Any) -> Offsets:
        with self._asking():
            queries = self._jvm.java.util.HashMap()
            for topic, partition in _partitions(topics):
                queries.put(self._partition(topic, partition), which)
            found = self._client.listOffsets(queries).all().get()
            offsets: Offsets = {name: {} for name in topics}
            for entry in found.entrySet():
                place = entry.getKey()
                offsets[place.topic()][place.partition()] = entry.getValue().offset()
            return offsets

    def commit(self, group: str, offsets: Offsets) -> None:
        """Commit the offsets of a group, for tools that monitor its lag."""
        kind = self._jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata
        with self._asking():
            offsets_by_partition = self._jvm.java.util.HashMap()
            for topic, partitions in offsets.items():
                for partition, offset in partitions.items():
                    offsets_by_partition.put(self._partition(topic, partition), kind(offset))
            self._client.alterConsumerGroupOffsets(group, offsets_by_partition).all().get()

    def cluster_id(self) -> str:
        with self._asking():
            return str(self._client.describeCluster().clusterId().get())

    def close(self) -> None:
        self._client.close(self._jvm.java.time.Duration.ofSeconds(1))

    def _partition(self, topic: str, partition: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(topic, partition)

    def _list(self, values: Iterable[str]) -> Any:
        made = self._jvm.java.util.ArrayList()
        for value in values:
            made.add(value)
        return made

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Errors of the client become one sentence."""
        from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

        try:
            yield
        except Py4JNetworkError:
            # It is the JVM that does not answer, and it will not come back.
            raise
        except Py4JJavaError as error:
            raise _explain(self._source.brokers, error) from error
        except Py4JError as error:
            raise SourceUnavailable(self._source.brokers, str(error)) from error


def read_known_settings(spark: "SparkSession") -> set[str]:
    """The names of all settings that Kafka's consumer has."""
    jvm = cast(Any, spark._jvm)
    return set(jvm.org.apache.kafka.clients.consumer.ConsumerConfig.configNames())


def _partitions(topics: dict[str, Topic]) -> Iterator[tuple[str, int]]:
    for name, topic in topics.items():
        for partition in range(topic.partitions):
            yield name, partition


def _explain(brokers: str, error: Any) -> HeadwaterError:
    """What the client threw: only what may pass is worth another try."""
    cause = error.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    kind = cause.getClass().getSimpleName()
    text = str(cause.getMessage() or "").partition("\n")[0]
    # Names that cannot be looked up are of the same kind, and may be known later.
    if kind == "ConfigException" and "resolvable" not in text:
        return BadConfig("consumer", text)
    return SourceUnavailable(brokers, with_advice(f"{kind}: {text}" if text else str(kind)))
