"""What a pass over a large Kafka cluster costs, and discovery of what nobody documented there."""

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from bench.rows.collect import Pass, figures_of_passes, run_collector
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka

TOPICS, GROUPS = 10_000, 2_000
REPEATS = 3
_AT_ONCE = 500
_AT_WORK = 8
_ANSWER_SECONDS = 120.0
# Of every topic: a large index each would be a hundred megabytes on disk.
_SMALL = {"segment.index.bytes": "1024"}


def kafka_estate(client: Client) -> list[Figure]:
    """Ten thousand topics and two thousand groups of a real broker that nobody else reports."""
    passes: list[tuple[Pass, Pass]] = []
    looks: list[Sample] = []
    with Kafka.start() as kafka:
        print(f"  making {TOPICS:,} topics and {GROUPS:,} groups", flush=True)
        _fill(kafka)
        for _ in range(REPEATS):
            with Headwater.start() as server, tempfile.TemporaryDirectory() as folder:
                own = ["kafka", "--bootstrap", kafka.bootstrap, "--server", server.url]
                command = [*own, "--state", folder]
                # A group without members is told twice: it was, and it is idle.
                passes.append(_two(command, Path(folder), TOPICS + 2 * GROUPS))
                process.wait_until_idle(server.pid)
                looks.append(_look(server))
    what = f"{TOPICS:,} topics and {GROUPS:,} groups"
    found = figures_of_passes(what, passes, 30, 300)
    return [*found, Figure(f"discovery in {what}, by the API", "s", looks, limit=30)]


def _two(command: Sequence[str], folder: Path, expected: int) -> tuple[Pass, Pass]:
    first, second = (run_collector(command, folder) for _ in range(2))
    if (first.stored, second.stored) != (expected, 0):
        raise RuntimeError(f"sent {first.stored} and {second.stored}, not {expected} and 0")
    return first, second


def _look(server: Headwater) -> Sample:
    with process.meter() as reading:
        started = time.perf_counter()
        url = f"{server.url}/api/v1/discovery?limit=1000"
        answer = httpx2.get(url, timeout=120, trust_env=False).raise_for_status().json()
        seconds = time.perf_counter() - started
    if answer["totalCount"] != TOPICS + GROUPS:
        raise RuntimeError(f"{answer['totalCount']} findings, not {TOPICS + GROUPS}")
    return Sample(seconds, reading.steal)


def _fill(kafka: Kafka) -> None:
    # With so many new topics the first answers take their time.
    patient = {"log_level": 0, "socket.timeout.ms": int(_ANSWER_SECONDS * 1_000)}
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap, **patient})
    names = [f"shop.topic-{number:05}" for number in range(TOPICS)]
    for start in range(0, TOPICS, _AT_ONCE):
        some = [NewTopic(name, 1, 1, config=_SMALL) for name in names[start : start + _AT_ONCE]]
        for future in admin.create_topics(some, request_timeout=_ANSWER_SECONDS).values():
            future.result(_ANSWER_SECONDS)
    with ThreadPoolExecutor(_AT_WORK) as workers:
        for _ in workers.map(lambda number: _commit(kafka, names, number), range(GROUPS)):
            pass


def _commit(kafka: Kafka, names: Sequence[str], number: int) -> None:
    """A group without members, that was at the beginning of two topics."""
    own = {"group.id": f"shop.group-{number:04}", "enable.auto.commit": False, "log_level": 0}
    read = [TopicPartition(names[number], 0, 0), TopicPartition(names[-1 - number], 0, 0)]
    give_up = time.monotonic() + _ANSWER_SECONDS
    with Consumer({"bootstrap.servers": kafka.bootstrap, **own}) as consumer:
        while True:
            try:
                consumer.commit(offsets=read, asynchronous=False)
                return
            except KafkaException:
                # The broker is still busy with the topics, and has no coordinator of groups yet.
                if time.monotonic() > give_up:
                    raise
