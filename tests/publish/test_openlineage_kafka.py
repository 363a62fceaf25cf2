"""OpenLineage to a real broker: each event once a pass, those of a job in their order."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.errors import TargetUnavailable
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.publish.openlineage import OpenLineagePublisher, OpenLineageSettings
from headwater.publish.openlineage.graph import (
    OpenLineageGraphPublisher,
    OpenLineageGraphSettings,
)
from headwater.store.engine import Engine
from headwater.store.write.outbox_readers import get_reader, list_refused
from headwater.store.write.writer import open_writer
from testing.events.minimal import run_event
from testing.services.kafka import Kafka
from testing.stores import open_prepared

pytestmark = pytest.mark.integration

JOBS, EVENTS = 5, 60
LARGE = 7


def event(number: int) -> bytes:
    at = f"2024-05-01T10:{number:02d}:00Z"
    text = "x" * 200_000 if number == LARGE else ""
    # Not to be compressed: brokers measure what arrives.
    text = "".join(chr(33 + (i * i + i // 7) % 90) for i in range(len(text))).replace('"', "'")
    return msgspec.json.encode(run_event(at=at, job=f"job-{number % JOBS}", x=text, number=number))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Engine]:
    engine = open_prepared(f"sqlite:///{tmp_path / 'store.db'}")
    with closing(open_writer(engine)) as writer:
        writer.write([project(decode_event(event(number))) for number in range(EVENTS)])
    yield engine
    engine.dispose()


def read(kafka: Kafka, topic: str) -> list[Any]:
    return [
        (record.partition, (record.key or b"").decode(), msgspec.json.decode(record.value or b""))
        for record in kafka.consume_all(topic)
    ]


def test_a_relay(kafka: Kafka, store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too large for the topic is refused; while brokers are away all wait."""
    kafka.create_topic("openlineage.events", 3, **{"max.message.bytes": "20000"})
    to = f"kafka://{kafka.bootstrap}/openlineage.events"
    settings = OpenLineageSettings.model_validate({"to": to})
    assert all(step.is_ok for step in OpenLineagePublisher(settings, store).check())
    missing = OpenLineageSettings.model_validate({"to": to.replace(".events", ".typo")})
    assert not OpenLineagePublisher(missing, store).check()[-1].is_ok
    assert "openlineage.typo" not in kafka.topics()
    steps = list(OpenLineagePublisher(settings, store).publish())
    assert sum(step.sent for step in steps) == EVENTS - 1
    with store.connect() as connection:
        (refused,) = list_refused(connection, get_reader(connection, to).id, 10)
    assert "size" in refused.reason.lower() or "large" in refused.reason.lower()
    found = read(kafka, "openlineage.events")
    assert len(found) == EVENTS - 1
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    partitions: defaultdict[str, set[int]] = defaultdict(set)
    for partition, key, each in found:
        assert key == f"scheduler/{each['job']['name']}"
        numbers[key].append(each["number"])
        partitions[key].add(partition)
    assert len(numbers) == JOBS
    assert all(some == sorted(some) for some in numbers.values())
    assert all(len(some) == 1 for some in partitions.values())
    assert list(OpenLineagePublisher(settings, store).publish()) == []
    monkeypatch.setattr("headwater.publish.openlineage.kafka.DELIVERY_MS", 2_000)
    away = OpenLineageSettings.model_validate({"to": "kafka://127.0.0.1:1/t", "name": "away"})
    with pytest.raises(TargetUnavailable):
        list(OpenLineagePublisher(away, store).publish())


def test_the_graph(kafka: Kafka, store: Engine) -> None:
    kafka.create_topic("openlineage.graph", 2)
    given = {"to": f"kafka://{kafka.bootstrap}/openlineage.graph"}
    settings = OpenLineageGraphSettings.model_validate(given)
    publisher = OpenLineageGraphPublisher(settings, store)
    assert sum(step.created for step in publisher.publish()) == JOBS
    assert sum(step.sent for step in OpenLineageGraphPublisher(settings, store).publish()) == 0
    found = read(kafka, "openlineage.graph")
    assert {key for _, key, _ in found} == {f"scheduler/job-{number}" for number in range(JOBS)}
