"""The Kafka broker that tests start: it works, keeps what it was given, and leaves nothing."""

import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from testing.services.kafka import Kafka
from testing.wait import wait_until

pytestmark = pytest.mark.integration

KILLED_WHILE_IT_RUNS = """
import os, signal
from testing.services.kafka import Kafka
from testing.wait import wait_until
service = Kafka.start()
print(service.directory, service.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def topic() -> str:
    return f"orders-{uuid.uuid4()}"


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def values(kafka: Kafka, topic: str) -> list[bytes | None]:
    return [record.value for record in kafka.consume_all(topic)]


def test_listens_on_the_loopback_address_only(kafka: Kafka) -> None:
    connections = psutil.Process(kafka.pid).net_connections("inet")
    listening = {each.laddr for each in connections if each.status == psutil.CONN_LISTEN}
    assert len(listening) == 2
    assert {host.removeprefix("::ffff:") for host, _ in listening} == {"127.0.0.1"}


def test_what_is_produced_can_be_read_back(kafka: Kafka, topic: str) -> None:
    kafka.create_topic(topic, partitions=2)
    assert kafka.end_offsets(topic) == {0: 0, 1: 0}
    assert kafka.consume_all(topic) == []

    started = time.time()
    headers = [("twice", b"1"), ("twice", None)]
    kafka.produce(topic, [b"plain", (b"k", None), (b"k", b"v", headers)], partition=1)
    kafka.produce(topic, [(None, b"", {"one": b"\xff"})], partition=0)

    assert kafka.end_offsets(topic) == {0: 1, 1: 3}
    records = kafka.consume_all(topic)
    assert [(r.partition, r.offset, r.key, r.value, r.headers) for r in records] == [
        (0, 0, None, b"", (("one", b"\xff"),)),
        (1, 0, None, b"plain", ()),
        (1, 1, b"k", None, ()),
        (1, 2, b"k", b"v", (("twice", b"1"), ("twice", None))),
    ]
    assert all(started - 1 < record.timestamp / 1000 < time.time() + 1 for record in records)


def test_many_messages_arrive_and_a_key_has_one_partition(kafka: Kafka, topic: str) -> None:
    kafka.create_topic(topic, partitions=3)
    kafka.produce(topic, ((b"%d" % (n % 50), b"%d" % n) for n in range(150_000)))
    assert sum(kafka.end_offsets(topic).values()) == 150_000
    records = kafka.consume_all(topic)
    assert {int(record.value or b"") for record in records} == set(range(150_000))
    assert len({(record.key, record.partition) for record in records}) == 50


def test_a_topic_has_its_settings_and_can_be_made_anew(kafka: Kafka, topic: str) -> None:
    kafka.create_topic(topic, max_message_bytes=100)
    with pytest.raises(KafkaException, match="TOPIC_ALREADY_EXISTS"):
        kafka.create_topic(topic)
    with pytest.raises(KafkaException, match="MSG_SIZE_TOO_LARGE"):
        kafka.produce(topic, [bytes(200)])
    kafka.produce(topic, [b"old"])
    kafka.delete_topic(topic)
    kafka.create_topic(topic)
    assert kafka.consume_all(topic) == []


def test_topics_do_not_appear_by_themselves(kafka: Kafka, topic: str) -> None:
    with pytest.raises(KafkaException, match="UNKNOWN_TOPIC"):
        kafka.produce(topic, [b"lost"])
    with pytest.raises(KafkaException, match="UNKNOWN_TOPIC"):
        kafka.end_offsets(topic)


def test_committed_offsets_of_a_group(kafka: Kafka, topic: str) -> None:
    group = f"group-{uuid.uuid4()}"
    kafka.create_topic(topic, partitions=2)
    kafka.produce(topic, [b"1", b"2", b"3"], partition=1)
    assert kafka.committed(group, topic) == {}
    settings = {"group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    with Consumer({"bootstrap.servers": kafka.bootstrap, **settings}) as consumer:
        consumer.subscribe([topic])
        assert len(consumer.consume(3, timeout=30)) == 3
        consumer.commit(offsets=[TopicPartition(topic, 1, 2)], asynchronous=False)
    assert kafka.committed(group, topic) == {1: 2}


def test_of_transactions_the_committed_are_read(kafka: Kafka, topic: str) -> None:
    kafka.create_topic(topic)
    settings = {"bootstrap.servers": kafka.bootstrap, "transactional.id": topic}
    with Producer(settings) as producer:
        producer.init_transactions(30)
        for value, end in ((b"kept", "commit"), (b"undone", "abort")):
            producer.begin_transaction()
            producer.produce(topic, value)
            producer.flush(30)
            getattr(producer, f"{end}_transaction")(30)
    assert values(kafka, topic) == [b"kept"]
    assert kafka.end_offsets(topic) == {0: 4}


def test_restart_and_crash_keep_port_and_data(topic: str) -> None:
    with Kafka.start() as kafka:
        address, first = kafka.bootstrap, kafka.pid
        kafka.create_topic(topic)
        kafka.produce(topic, [b"before"])
        kafka.restart()
        assert (kafka.bootstrap, kafka.pid != first) == (address, True)
        kafka.produce(topic, [b"between"])
        kafka.kill()
        kafka.restart()
        assert values(kafka, topic) == [b"before", b"between"]


def test_close_leaves_no_process_and_no_files() -> None:
    kafka = Kafka.start()
    broker = psutil.Process(kafka.pid)
    kafka.close()
    assert is_gone(broker)
    assert not kafka.directory.exists()


def test_a_killed_test_run_leaves_no_process() -> None:
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_IT_RUNS], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    directory, pid = run.stdout.split()
    wait_until(lambda: not psutil.pid_exists(int(pid)) or is_gone(psutil.Process(int(pid))))
    shutil.rmtree(directory)
