"""What an event from Kinesis costs the ingest, next to one from Kafka."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import httpx2

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from headwater.config import environment_with
from testing import load
from testing.services.kafka import Kafka
from testing.services.moto import REGION, Moto
from testing.services.process import free_port

EVENTS = 100_000
WARM_UP = 500
SHARDS = 8
STREAM = "lineage"
# Of eight shards as much in one answer as Kinesis gives, which moto does not limit.
AT_ONCE = SHARDS * 1_000
PATIENCE_SECONDS = 1_800.0

Send = Callable[[list[bytes]], None]


def kinesis_cost(client: Client) -> list[Figure]:
    """A stream of moto's with eight shards, and a topic of eight partitions, as an ingest reads."""
    kinesis, kafka = _from_kinesis(), _from_kafka()
    return [
        Figure(f"an event of {EVENTS:,} from Kinesis (moto, {SHARDS} shards), to one from Kafka",
               "x", ratios([kinesis], [kafka]), limit=2.0),
        Figure("an event from Kinesis, the ingest with its JVM and tasks", "CPU-us", [kinesis]),
        Figure("an event from Kafka, likewise", "CPU-us", [kafka]),
    ]  # fmt: skip


def _from_kinesis() -> Sample:
    with Moto.start() as moto:
        moto.create_stream(STREAM, SHARDS)
        options = ["kinesis", "--stream", STREAM, "--region", REGION, "--endpoint-url", moto.url]
        return _measure(options, lambda events: moto.put_records(STREAM, events))


def _from_kafka() -> Sample:
    with Kafka.start() as broker:
        broker.create_topic(STREAM, partitions=SHARDS)
        options = ["kafka", "--brokers", broker.bootstrap, "--topic", STREAM]
        return _measure(options, lambda events: broker.produce(STREAM, events))


def _measure(options: Sequence[str], send: Send) -> Sample:
    """The CPU of an event, once Spark is warm."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder,
        _ingest(options, Path(folder)) as (pid, count),
    ):
        _send(send, WARM_UP, 0)
        _wait(lambda: count() >= WARM_UP)
        with process.meter(pid) as reading:
            _send(send, EVENTS, 1_000)
            _wait(lambda: count() >= WARM_UP + EVENTS)
    return Sample(reading.cpu / EVENTS * 1_000_000, reading.steal)


def _send(send: Send, count: int, start_run: int) -> None:
    source = load.events(count, start_run=start_run)
    while some := list(islice(source, 2_000)):
        send(some)


@contextmanager
def _ingest(options: Sequence[str], data: Path) -> Iterator[tuple[int, Callable[[], float]]]:
    """Run the command; gives its process, and a function that asks it how much it has stored."""
    port = free_port()
    program = str(Path(sys.executable).with_name("headwater"))
    own = ["--every", "1s", "--max-events", str(AT_ONCE), "--data", str(data)]
    command = [program, "ingest", *options, *own, "--metrics-port", str(port)]
    keys = environment_with(AWS_ACCESS_KEY_ID="any", AWS_SECRET_ACCESS_KEY="any")
    with (data / "ingest.log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log, env=keys)
    try:
        yield running.pid, lambda: _read_stored(port)
    finally:
        running.terminate()
        running.wait(120)


def _read_stored(port: int) -> float:
    try:
        answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=30)
    except httpx2.TransportError:
        # Not up yet.
        return 0
    lines = (line.rsplit(" ", 1) for line in answer.text.splitlines())
    name = 'headwater_ingest_messages_total{result="stored"}'
    return next((float(line[1]) for line in lines if line[0] == name), 0)


def _wait(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > give_up:
            raise RuntimeError("the ingest does not get there")
        time.sleep(0.5)
