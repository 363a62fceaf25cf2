"""What Headwater's plugin costs a worker of Kafka Connect, and a record."""

import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka

JAVA_PROJECT = process.ROOT / "connect"
COMPILED = JAVA_PROJECT / "target" / "bench"
RECORDS = 2_000_000
PAIRS = 5
WARM_UPS = 3
TOPIC = "orders"
SINK = {
    "connector.class": "org.apache.kafka.connect.tools.MockSinkConnector",
    "topics": TOPIC,
    "tasks.max": "1",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
}
WITH = {"transforms": "openlineage", "transforms.openlineage.type": TRANSFORM_CLASS}
PATIENCE_SECONDS = 300.0


def connect_apply(client: Client) -> list[Figure]:
    """The transform alone, in a loop that Java's own harness keeps honest."""
    with process.meter() as reading:
        results = _run_harness()
    figures = []
    for result in results:
        samples = [Sample(value, reading.steal) for value in _values(result)]
        if "fields" in result["params"]:
            what = f"columns of {result['params']['fields']} fields through six transforms"
            figures.append(Figure(what, "ms", samples, limit=20))
        elif result["mode"] == "ss":
            what = f"the first record of a topic and a schema of 100 fields: {_kind(result)}"
            figures.append(Figure(what, "ms", samples, limit=5))
            slowest = [Sample(max(sample.value for sample in samples), reading.steal)]
            figures.append(Figure(f"the slowest of {len(samples)} of these", "ms", slowest))
        else:
            what = f"a record through the transform for Connect: {_kind(result)}"
            figures.append(Figure(what, "ns", samples, limit=100))
    return figures


def connect_worker(client: Client) -> list[Figure]:
    """A sink that does nothing reads a topic again and again, with and without the transform."""
    with Kafka.start() as broker, Headwater.start() as server:
        broker.create_topic(TOPIC)
        broker.produce(TOPIC, _orders())
        with Connect.start(broker, "plain", with_extension=False, is_long_lived=True) as worker:
            plain = _memory_after(worker, {})
        told = {"headwater.url": server.url}
        with Connect.start(broker, "told", told, is_long_lived=True) as worker:
            with process.meter() as reading:
                more = _memory_after(worker, WITH) - plain
            _check_told(server, broker)
            with_it, without = _pairs(worker)
    return [
        Figure("a worker of Connect with the transform, to the same without, a record", "x",
               ratios(with_it, without), limit=1.03),
        Figure("the same without", "CPU-us", without),
        Figure("memory of a worker with the plugin, more than without", "MB",
               [Sample(more, reading.steal)], limit=20),
    ]  # fmt: skip


def _run_harness() -> list[dict[str, Any]]:
    options = ["--batch-mode", "--quiet", "--strict-checksums", "--activate-profiles", "bench"]
    _run("mvn", *options, "--file", str(JAVA_PROJECT / "pom.xml"), "process-test-classes")
    jars = (COMPILED / "classpath").read_text().strip()
    classes = f"{COMPILED / 'classes'}:{COMPILED / 'test-classes'}:{jars}"
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        found = Path(folder) / "results.json"
        _run("java", "-cp", classes, "org.openjdk.jmh.Main", "-foe", "true",
             "-rf", "json", "-rff", str(found))  # fmt: skip
        results: list[dict[str, Any]] = json.loads(found.read_text())
    return results


def _kind(result: dict[str, Any]) -> str:
    return str(result["params"]["records"]).lower().replace("_", " ")


def _values(result: dict[str, Any]) -> list[float]:
    return [float(value) for fork in result["primaryMetric"]["rawData"] for value in fork]


def _orders() -> Iterator[tuple[bytes, bytes]]:
    """Small records, each with its schema, as the JSON converter reads them."""
    types = {"id": "int64", "customer": "string", "status": "string", "total": "double"}
    fields = [{"field": name, "type": kind, "optional": False} for name, kind in types.items()]
    schema = {"type": "struct", "name": "order", "optional": False, "fields": fields}
    start = json.dumps({"schema": schema})[:-1]
    for number in range(RECORDS):
        order = (
            f'{{"id": {number}, "customer": "c-{number % 997}", "status": "paid", "total": 9.5}}'
        )
        yield b"%d" % number, f'{start}, "payload": {order}}}'.encode()


def _pairs(worker: Connect) -> tuple[list[Sample], list[Sample]]:
    """Samples with and without, in pairs; passes that Java still compiles in are not counted."""
    for number in range(WARM_UPS):
        _pass(worker, f"warm-without-{number}", {})
        _pass(worker, f"warm-with-{number}", WITH)
    with_it: list[Sample] = []
    without: list[Sample] = []
    for number in range(PAIRS):
        # Once before and once after: a worker that still gets quicker favours neither.
        first = _pass(worker, f"with-first-{number}", WITH)
        others = [_pass(worker, f"without-{number}-{turn}", {}) for turn in range(2)]
        last = _pass(worker, f"with-last-{number}", WITH)
        with_it.append(_mean(first, last))
        without.append(_mean(*others))
    return with_it, without


def _mean(one: Sample, other: Sample) -> Sample:
    return Sample((one.value + other.value) / 2, (one.steal + other.steal) / 2)


def _pass(worker: Connect, name: str, transform: dict[str, str]) -> Sample:
    """CPU-microseconds a record of a new connector that reads the whole topic."""
    with process.meter(worker.pid) as reading:
        worker.create(name, {**SINK, **transform})
        _wait_for_end(worker, name)
    worker.delete(name)
    sample = Sample(reading.cpu * 1e6 / RECORDS, reading.steal)
    kind = "with" if transform else "without"
    print(f"  {kind:8} {sample.value:7.3f} CPU-us a record, steal {sample.steal:.1%}", flush=True)
    return sample


def _check_told(server: Headwater, broker: Kafka) -> None:
    """A transform that is not at work would cost nothing."""
    namespace = quote(f"kafka://{broker.bootstrap}", safe="")
    url = f"{server.url}/api/v1/namespaces/{namespace}/datasets/{TOPIC}"
    answer = httpx2.get(url, trust_env=False)
    if answer.status_code != 200 or not answer.json()["fields"]:
        raise RuntimeError(f"the schema of {TOPIC} was not told: {answer.text[:500]}")


def _wait_for_end(worker: Connect, name: str) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while worker.kafka.committed(f"connect-{name}", TOPIC) != {0: RECORDS}:
        if time.monotonic() > give_up:
            raise RuntimeError(f"the connector {name} does not get to the end of its topic")
        time.sleep(0.1)


def _memory_after(worker: Connect, transform: dict[str, str]) -> float:
    """MB of the heap and of classes that are in use after a connector has read the topic."""
    # Offsets are kept by the connector's name: that of one worker is not read on by the next.
    name = f"memory-{worker.group}"
    worker.create(name, {**SINK, **transform})
    _wait_for_end(worker, name)
    _run("jcmd", str(worker.pid), "GC.run")
    report = _run("jcmd", str(worker.pid), "GC.heap_info")
    used = re.findall(r"(?:generation .*|Metaspace *)used (\d+)K", report)
    if len(used) != 3:
        raise RuntimeError(f"Java tells of its memory in another way: {report}")
    worker.delete(name)
    return sum(map(int, used)) * 1024 / 1e6


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout
