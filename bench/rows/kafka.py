"""A steady stream from Kafka: a burst is caught up with, and what is sent is soon seen."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import httpx2

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from testing import load
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.process import free_port

BURST = 100_000
INTERVAL_SECONDS = 5
SEEN = 3
PATIENCE_SECONDS = 300.0
TOPIC = "lineage"


def kafka_stream(client: Client) -> list[Figure]:
    """The default interval, SQLite, a server beside it."""
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder, Kafka.start() as broker:
        broker.create_topic(TOPIC, partitions=2)
        data = Path(folder)
        with Headwater.start(data=data) as server, _ingest(broker, data) as lag:
            _produce(broker, 100, 0)
            _wait(lambda: _count_events(server) >= 100)
            seen = [_time_to_see(broker, server, number) for number in range(SEEN)]
            with process.meter() as reading:
                _produce(broker, BURST, 1_000)
                sent = time.perf_counter()
                _wait(lambda: _count_events(server) >= 100 + SEEN + BURST and lag() == 0)
            behind = time.perf_counter() - sent
    return [
        Figure("an event in Kafka until the API has it, in batch intervals", "x", seen, limit=2),
        Figure(f"a burst of {BURST:,} events in Kafka, until the lag is zero", "s",
               [Sample(behind, reading.steal)], limit=PATIENCE_SECONDS),
        Figure("the same, sent and ingested", "events/s",
               [Sample(BURST / reading.seconds, reading.steal)]),
    ]  # fmt: skip


def _time_to_see(broker: Kafka, server: Headwater, number: int) -> Sample:
    before = _count_events(server)
    with process.meter() as reading:
        _produce(broker, 1, 500_000 + number * 10)
        _wait(lambda: _count_events(server) > before)
    return Sample(reading.seconds / INTERVAL_SECONDS, reading.steal)


def _produce(broker: Kafka, count: int, start_run: int) -> None:
    source = load.events(count, start_run=start_run)
    while some := list(islice(source, 10_000)):
        broker.produce(TOPIC, some)


def _count_events(server: Headwater) -> int:
    """Events of the load alone: the ingest tells of itself as well."""
    url = f"http://127.0.0.1:{server.port}/api/v1/events/lineage"
    answer = httpx2.get(url, params={"limit": 1, "before": "2026-01-01T00:00:00Z"}, trust_env=False)
    return int(answer.json()["totalCount"])


@contextmanager
def _ingest(broker: Kafka, data: Path) -> Iterator[Callable[[], float]]:
    """Run the command; gives a function that asks it for its lag."""
    port = free_port()
    options = ["--brokers", broker.bootstrap, "--topic", TOPIC, "--every", f"{INTERVAL_SECONDS}s"]
    options += ["--metrics-port", str(port), "--data", str(data)]
    program = Path(sys.executable).with_name("headwater")
    command = [str(program), "ingest", "kafka", *options]
    with (data / "ingest.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield lambda: _read_lag(port)
    finally:
        running.terminate()
        running.wait(60)


def _read_lag(port: int) -> float:
    answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)
    lines = (line.split() for line in answer.text.splitlines())
    return next(float(line[1]) for line in lines if line[0] == "headwater_ingest_lag_messages")


def _wait(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > give_up:
            raise RuntimeError("the ingest does not get there")
        time.sleep(0.1)
