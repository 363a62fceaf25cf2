"""A throw-away Kafka broker, with what tests need to fill its topics and to look into them."""

import base64
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from testing.services.jars import gathered_jars
from testing.services.process import Process, bound_command, free_port
from testing.wait import wait_until

PROJECT = Path(__file__).with_name("kafka")
ANSWER_SECONDS = 60.0

Headers = Mapping[str, bytes | None] | Sequence[tuple[str, bytes | None]]
Outgoing = bytes | tuple[bytes | None, bytes | None] | tuple[bytes | None, bytes | None, Headers]


@dataclass(frozen=True)
class Record:
    """One record as it stands in a topic."""

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class Kafka(Process):
    """One broker that is its own controller, on ports of the loopback address, in plain text."""

    name = "kafka"

    def __init__(self) -> None:
        super().__init__()
        self.cluster_id = _random_id()
        self.port, self._controller_port = _two_free_ports()

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service._format()
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def create_topic(self, name: str, partitions: int = 1, **config: Any) -> None:
        """Create a topic, ready for use; `retention_ms=1000` sets its `retention.ms`."""
        settings = {key.replace("_", "."): str(value) for key, value in config.items()}
        with self._admin() as admin:
            topic = NewTopic(name, partitions, 1, config=settings)
            admin.create_topics([topic])[name].result(ANSWER_SECONDS)
        # The controller answers before the broker has the partitions.
        with self._consumer() as consumer:
            wait_until(lambda: _has_partitions(consumer, name, partitions))

    def has_partitions(self, name: str, count: int) -> bool:
        """Tell whether a topic has so many partitions, all of them ready for use."""
        with self._consumer() as consumer:
            return _has_partitions(consumer, name, count)

    def delete_topic(self, name: str) -> None:
        """Delete a topic, and wait until clients no longer see it."""
        with self._admin() as admin:
            admin.delete_topics([name])[name].result(ANSWER_SECONDS)
            wait_until(lambda: name not in admin.list_topics(timeout=ANSWER_SECONDS).topics)

    def produce(
        self, topic: str, messages: Iterable[Outgoing], partition: int | None = None
    ) -> None:
        """Write values, (key, value) or (key, value, headers), and wait until all are stored.

        Without `partition`, a key goes where Java's clients put it, and a message without a key
        anywhere.
        """
        failures: list[KafkaError] = []

        def delivered(error: KafkaError | None, _: Message) -> None:
            if error is not None:
                failures.append(error)

        target = -1 if partition is None else partition
        settings = {
            "partitioner": "murmur2_random",
            "message.timeout.ms": int(ANSWER_SECONDS * 1000),
            # What is too large is for the topic to say.
            "message.max.bytes": 100_000_000,
            # Do not wait for a topic that does not exist.
            "topic.metadata.propagation.max.ms": 0,
        }
        with Producer({**self._client(), **settings}) as producer:
            for message in messages:
                key, value, headers = _parts(message)
                while True:
                    try:
                        producer.produce(
                            topic, value, key, target, on_delivery=delivered, headers=headers
                        )
                        break
                    except BufferError:
                        producer.poll(1)
                producer.poll(0)
            producer.flush()
        if failures:
            raise KafkaException(failures[0])

    def end_offsets(self, topic: str) -> dict[int, int]:
        """The offset that the next record gets, for each partition."""
        with self._consumer() as consumer:
            return _end_offsets(consumer, topic)

    def topics(self) -> list[str]:
        """The names of all topics that there are."""
        with self._consumer() as consumer:
            return sorted(consumer.list_topics(timeout=ANSWER_SECONDS).topics)

    def consume_all(self, topic: str) -> list[Record]:
        """What the topic holds now, by partition and offset; of transactions, what is committed."""
        records: list[Record] = []
        deadline = time.monotonic() + ANSWER_SECONDS
        with self._consumer() as consumer:
            open_partitions = set(_end_offsets(consumer, topic))
            consumer.assign(
                [TopicPartition(topic, number, OFFSET_BEGINNING) for number in open_partitions]
            )
            while open_partitions:
                for message in consumer.consume(10_000, 0.1):
                    deadline = time.monotonic() + ANSWER_SECONDS
                    error = message.error()
                    if error is None:
                        records.append(_record(message))
                    elif error.code() == KafkaError._PARTITION_EOF:
                        open_partitions.discard(_number(message.partition()))
                    else:
                        raise KafkaException(error)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no end of {topic}, partitions {sorted(open_partitions)}")
        return sorted(records, key=lambda record: (record.partition, record.offset))

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """What a consumer group has committed in a topic, for the partitions where it has."""
        with self._admin() as admin:
            request = ConsumerGroupTopicPartitions(group)
            answer = admin.list_consumer_group_offsets([request])[group].result(ANSWER_SECONDS)
        partitions = answer.topic_partitions or []
        return {
            each.partition: each.offset
            for each in partitions
            if each.topic == topic and each.offset >= 0
        }

    def command(self) -> Sequence[str]:
        return [*self._java(), "kafka.Kafka", str(self._settings_file)]

    def is_ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            with self._admin() as admin:
                return bool(admin.list_topics(timeout=5).brokers)
        except (OSError, KafkaException):
            return False

    @property
    def _settings_file(self) -> Path:
        return self.directory / "server.properties"

    def _settings(self) -> dict[str, str]:
        own, controller = self.bootstrap, f"127.0.0.1:{self._controller_port}"
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@{controller}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://{own},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{own}",
            "log.dirs": str(self.directory / "data"),
            "auto.create.topics.enable": "false",
            # The broker's own topics on one node, each with one partition to load.
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "transaction.state.log.num.partitions": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "share.coordinator.state.topic.num.partitions": "1",
            # Tests do not wait for other members of a group, nor long for dead ones.
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "1000",
            # A broker that was killed may come back when the controller has missed it for so long.
            "broker.session.timeout.ms": "3000",
            "broker.heartbeat.interval.ms": "500",
            # The default takes 128 MB of the heap.
            "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
        }

    def _format(self) -> None:
        lines = [f"{key}={value}\n" for key, value in self._settings().items()]
        self._settings_file.write_text("".join(lines))
        command = [*self._java(), "kafka.tools.StorageTool", "format"]
        command += ["--cluster-id", self.cluster_id, "--config", str(self._settings_file)]
        command += self._format_options()
        with self.log_file.open("wb") as log:
            status = subprocess.call(
                bound_command(command, signal.SIGKILL),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.directory,
            )
        if status != 0:
            raise self._failure(f"could not format its directory (status {status})")

    def _format_options(self) -> list[str]:
        """Further options of the tool that formats its directory."""
        return []

    def _java(self) -> list[str]:
        # The quick compiler and the plain collector: soon started, and gentle on few cores. What
        # Java puts into temporary files goes with the directory.
        options = ["-Xmx400m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
        options += ["-XX:+ExitOnOutOfMemoryError", f"-Djava.io.tmpdir={self.directory}"]
        options += [f"-Dlog4j2.configurationFile={PROJECT / 'log4j2.properties'}"]
        jars = gathered_jars(PROJECT / "pom.xml")
        return ["java", *options, "-cp", str(jars / "*")]

    def _client(self) -> dict[str, Any]:
        # Errors reach the caller; librdkafka need not write them to the error stream as well.
        return {"bootstrap.servers": self.bootstrap, "log_level": 0}

    def _admin(self) -> AdminClient:
        return AdminClient(self._client())

    def _consumer(self) -> Consumer:
        """A consumer that joins no group and commits nothing, and sees where partitions end."""
        own = {
            "group.id": "checks",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 10,
        }
        return Consumer({**self._client(), **own})


def _random_id() -> str:
    """A cluster id in Kafka's form; as Kafka's own, it does not look like an option."""
    text = "-"
    while text.startswith("-"):
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return text


def _two_free_ports() -> tuple[int, int]:
    first = second = free_port()
    while second == first:
        second = free_port()
    return first, second


def _has_partitions(consumer: Consumer, topic: str, count: int) -> bool:
    try:
        return len(_end_offsets(consumer, topic)) == count
    except KafkaException:
        return False


def _end_offsets(consumer: Consumer, topic: str) -> dict[int, int]:
    known = consumer.list_topics(topic, ANSWER_SECONDS).topics[topic]
    if known.error is not None:
        raise KafkaException(known.error)
    ends = {}
    for number in sorted(known.partitions):
        partition = TopicPartition(topic, number)
        _, ends[number] = consumer.get_watermark_offsets(partition, ANSWER_SECONDS)
    return ends


def _parts(
    message: Outgoing,
) -> tuple[bytes | None, bytes | None, list[tuple[str, str | bytes | None]]]:
    if isinstance(message, bytes):
        return None, message, []
    if len(message) == 2:
        return *message, []
    key, value, headers = message
    return key, value, list(headers.items() if isinstance(headers, Mapping) else headers)


def _record(message: Message) -> Record:
    return Record(
        partition=_number(message.partition()),
        offset=_number(message.offset()),
        timestamp=message.timestamp()[1],
        key=message.key(),
        value=message.value(),
        headers=_pairs(message),
    )


def _pairs(message: Message) -> tuple[tuple[str, bytes | None], ...]:
    headers = message.headers() or []
    assert isinstance(headers, list)
    pairs = []
    for name, value in headers:
        assert not isinstance(value, str)
        pairs.append((name, value))
    return tuple(pairs)


def _number(value: int | None) -> int:
    assert value is not None
    return value
