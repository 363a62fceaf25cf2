"""What a pass of `collect kafka` and of `discover` cost on a broker with many topics and groups."""

import json
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench.client import Client
from bench.figure import Figure, Sample
from bench.rows.collect import Pass, run_collector, run_command
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.wait import wait_until

TOPICS, GROUPS, TOPICS_OF_A_GROUP = 10_000, 2_000, 5
PATIENCE_SECONDS = 300.0
_AT_ONCE = 500


def collect_kafka(client: Client) -> list[Figure]:
    """Ten thousand topics and two thousand groups of a broker, which nobody has documented."""
    with (
        Kafka.start() as broker,
        Headwater.start() as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        _fill(broker)
        where = ["--state", folder, "--server", server.url]
        passes = [
            run_collector(["kafka", "--bootstrap", broker.bootstrap, *where], Path(folder))
            for _ in range(2)
        ]
        # Of a group that it began and has no members, and of the cluster what it does not tell.
        expected = TOPICS + 2 * GROUPS + 1
        if (sent := [each.stored for each in passes]) != [expected, 0]:
            raise RuntimeError(f"sent {sent}, not {expected} and 0")
        discovery = _discover([*where, "--bootstrap", broker.bootstrap], Path(folder))
    return _figures(passes[0], passes[1], discovery)


def _figures(first: Pass, second: Pass, discovery: Pass) -> list[Figure]:
    what = f"{TOPICS:,} topics and {GROUPS:,} groups of a broker"
    return [
        Figure(f"collection of {what}, from the command to its end", "s", [_time(first)], limit=30),
        Figure("the same, processor time of the command", "CPU-s", [_cpu(first)]),
        Figure("a second pass, which sends nothing", "s", [_time(second)], limit=30),
        Figure(f"discovery over {what}, with a pass of the collector", "s", [_time(discovery)],
               limit=30),
        Figure("the same, processor time of the command", "CPU-s", [_cpu(discovery)]),
        Figure("the most memory of the three", "MB",
               [Sample(max(each.memory for each in (first, second, discovery)), first.steal)],
               limit=300),
    ]  # fmt: skip


def _time(measured: Pass) -> Sample:
    return Sample(measured.seconds, measured.steal)


def _cpu(measured: Pass) -> Sample:
    return Sample(measured.cpu_seconds, measured.steal)


def _discover(options: Sequence[str], folder: Path) -> Pass:
    """Status 1 is that something was found: here all of it."""
    found, text = run_command(["discover", *options], folder, status=1)
    listed = json.loads(text)
    if len(listed["findings"]) != TOPICS + GROUPS:
        raise RuntimeError(f"found {len(listed['findings'])}, not {TOPICS + GROUPS}")
    return found


def _fill(broker: Kafka) -> None:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    names = [f"shop.topic-{number:05}" for number in range(TOPICS)]
    for start in range(0, TOPICS, _AT_ONCE):
        topics = [NewTopic(name, 1, 1) for name in names[start : start + _AT_ONCE]]
        _wait_for(admin.create_topics(topics, request_timeout=PATIENCE_SECONDS).values())
    wait_until(lambda: len(admin.list_topics(timeout=PATIENCE_SECONDS).topics) >= TOPICS)
    for start in range(0, GROUPS, _AT_ONCE):
        _wait_for(
            answer
            for number in range(start, start + _AT_ONCE)
            for answer in admin.alter_consumer_group_offsets(
                [_reading(number, names)], request_timeout=PATIENCE_SECONDS
            ).values()
        )


def _reading(number: int, names: Sequence[str]) -> ConsumerGroupTopicPartitions:
    """A group that has read some topics; groups of neighbours read the same ones."""
    read = (names[(number + each) % len(names)] for each in range(TOPICS_OF_A_GROUP))
    places = [TopicPartition(name, 0, 0) for name in read]
    return ConsumerGroupTopicPartitions(f"app-{number:04}", places)


def _wait_for(answers: Iterable[Future[Any]]) -> None:
    for answer in list(answers):
        answer.result(PATIENCE_SECONDS)
