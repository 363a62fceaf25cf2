"""An ingest killed at any point: what was sent is there once, as if nothing had happened."""

import random
import signal
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

import psutil
import pytest

from testing import load as bench_load
from testing.services.ingest import Ingest, run_headwater
from testing.services.kafka import Kafka
from tests.faults import killed_at
from tests.faults.stored import check_consistent
from tests.faults.taken_in import (
    check_same_rows,
    foreign_events,
    lake_events,
    own_states,
    read_offsets,
)
from tests.faults.test_ingest import check_no_stacks, wait_long

pytestmark = [pytest.mark.integration, pytest.mark.long]

ROUNDS = 10
# Most of it is for Spark's first batch, until which its workers start; later ones take a second.
FIRST_SECONDS = 12.0
LATER_SECONDS = 3.0


@pytest.fixture
def topic(kafka: Kafka) -> str:
    name = f"killed-{uuid4().hex[:12]}"
    kafka.create_topic(name, partitions=2)
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'headwater.db'}"
    return str(request.getfixturevalue("postgresql_url"))


class Sender:
    """Produces a handful of events every moment, until it is stopped."""

    def __init__(self, kafka: Kafka, topic: str) -> None:
        self.sent: list[bytes] = []
        self._kafka = kafka
        self._topic = topic
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._send)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def _send(self) -> None:
        for start in range(0, 10_000_000, 10):
            events = list(bench_load.events(20, start_run=start))
            self._kafka.produce(self._topic, events)
            self.sent += events
            if self._stopped.wait(0.2):
                return


def options(kafka: Kafka, topic: str) -> tuple[str, ...]:
    return ("--brokers", kafka.bootstrap, "--topic", topic, "--name", topic)


def take_in_the_rest(kafka: Kafka, topic: str, data: Path, store: str) -> None:
    storage = ("--data", str(data), "--store", store)
    outcome = run_headwater("ingest", "kafka", *options(kafka, topic), "--once", *storage)
    assert outcome.status == 0, outcome.err
    check_no_stacks(outcome.err)
    ends = kafka.end_offsets(topic)
    assert read_offsets(store, topic, topic) == ends
    assert kafka.committed(f"headwater-{topic}", topic) == ends


def check_all_ends(processes: list[psutil.Process]) -> None:
    """What a killed ingest has started ends by itself."""
    _, alive = psutil.wait_procs(processes, timeout=60)
    left = [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
    assert left == []


def test_at_random(kafka: Kafka, topic: str, store: str, tmp_path: Path) -> None:
    batches = ("--every", "1s", "--max-events", "400")
    with (
        Sender(kafka, topic) as sender,
        Ingest.prepare(*options(kafka, topic), *batches, data=tmp_path, store=store) as service,
    ):
        for number in range(ROUNDS):
            service.restart()
            if number % 2:
                service.wait_for("stored")
            time.sleep(random.uniform(0, LATER_SECONDS if number % 2 else FIRST_SECONDS))
            family = psutil.Process(service.pid).children(recursive=True)
            service.kill_group()
            check_all_ends(family)
            check_consistent(store)
            assert foreign_events(store) <= set(sender.sent)
        check_no_stacks(service.log())
    take_in_the_rest(kafka, topic, tmp_path, store)
    check_same_rows(store, sender.sent, tmp_path)
    assert lake_events(tmp_path) == set(sender.sent)
    assert set(tmp_path.glob("session-*")) == set()
    assert set(tmp_path.glob("ingest/*/spool-*")) == set()


class Killed:
    """What is where when an ingest of one batch was killed at a point, and after the next."""

    def __init__(self, kafka: Kafka, topic: str, store: str, data: Path) -> None:
        self.kafka = kafka
        self.topic = topic
        self.store = store
        self.data = data
        self.sent = set(bench_load.events(300))
        kafka.produce(topic, self.sent)

    def run(self, point: str) -> None:
        assert point in killed_at.POINTS
        program = (sys.executable, killed_at.__file__, point)
        arguments = options(self.kafka, self.topic)
        with Ingest.start(*arguments, data=self.data, store=self.store, program=program) as service:
            assert service.wait_for_end() == -signal.SIGKILL
            check_no_stacks(service.log())

    @property
    def is_in_lake(self) -> bool:
        return bool(lake_events(self.data))

    @property
    def is_stored(self) -> bool:
        return foreign_events(self.store) == self.sent

    @property
    def is_told_to_store(self) -> bool:
        ends = self.kafka.end_offsets(self.topic)
        return read_offsets(self.store, self.topic, self.topic) == ends

    @property
    def is_told_to_group(self) -> bool:
        return bool(self.kafka.committed(f"headwater-{self.topic}", self.topic))

    def check_the_next(self, scratch: Path) -> None:
        check_consistent(self.store)
        more = set(bench_load.events(100, start_run=1_000))
        self.kafka.produce(self.topic, more)
        take_in_the_rest(self.kafka, self.topic, self.data, self.store)
        check_same_rows(self.store, self.sent | more, scratch)
        assert lake_events(self.data) == self.sent | more


@pytest.fixture
def killed(kafka: Kafka, topic: str, tmp_path: Path) -> Killed:
    data = tmp_path / "data"
    return Killed(kafka, topic, f"sqlite:///{data / 'headwater.db'}", data)


@pytest.mark.parametrize("point", ["before_the_store", "before_the_commit"])
def test_between_the_lake_and_the_store(killed: Killed, point: str, tmp_path: Path) -> None:
    killed.run(point)
    assert killed.is_in_lake
    assert foreign_events(killed.store) == set()
    assert not killed.is_told_to_store
    killed.check_the_next(tmp_path)


def test_between_the_lake_and_postgresql(
    kafka: Kafka, topic: str, postgresql_url: str, tmp_path: Path
) -> None:
    killed = Killed(kafka, topic, postgresql_url, tmp_path / "data")
    killed.run("in_a_task")
    assert killed.is_in_lake
    assert foreign_events(killed.store) == set()
    assert not killed.is_told_to_store
    killed.check_the_next(tmp_path)


def test_between_the_store_and_the_position(killed: Killed, tmp_path: Path) -> None:
    killed.run("before_the_position")
    assert killed.is_stored
    assert not killed.is_told_to_store
    killed.check_the_next(tmp_path)


def test_between_the_position_and_the_group(killed: Killed, tmp_path: Path) -> None:
    killed.run("before_the_group")
    assert killed.is_stored
    assert killed.is_told_to_store
    assert not killed.is_told_to_group
    killed.check_the_next(tmp_path)


def test_spark_alone(kafka: Kafka, topic: str, tmp_path: Path) -> None:
    """The ingest says so in one line, and the next goes on."""
    sent = list(bench_load.events(100))
    kafka.produce(topic, sent)
    with Ingest.start(*options(kafka, topic), "--every", "1s", data=tmp_path) as service:
        service.wait_for("stored")
        (java,) = (
            child
            for child in psutil.Process(service.pid).children(recursive=True)
            if child.name() == "java"
        )
        java.kill()
        assert service.wait_for_end() == 1
        # pyspark's own threads may have written more.
        assert "src/headwater" not in service.log()
        last = service.log().splitlines()[-1]
        assert last == "headwater: Spark ended unexpectedly: its JVM ended with status -9"
        assert own_states(service.store)[-1] == "FAIL"
        more = list(bench_load.events(100, start_run=1_000))
        kafka.produce(topic, more)
        service.restart()
        wait_long(lambda: read_offsets(service.store, topic, topic) == kafka.end_offsets(topic))
        assert service.stop() == 0
        check_same_rows(service.store, [*sent, *more], tmp_path)
        assert own_states(service.store)[-1] == "COMPLETE"
