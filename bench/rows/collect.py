"""What a pass of a collector costs: connectors, a registry, jobs of Flink, a dbt project."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench import process
from bench.client import Client
from bench.cloud_estate import build_large_estate, change_a_hundredth
from bench.figure import Figure, Sample
from headwater.demo.confluent.cloud import serve_cloud
from headwater.demo.confluent.connection import connection_settings
from testing.dbt_project import NAMESPACE, large_project
from testing.services.headwater import Headwater
from testing.stand_ins.connect_rest import ConnectStandIn
from testing.stand_ins.flink_rest import FlinkStandIn
from testing.stand_ins.schema_registry import RegistryStandIn
from testing.stand_ins.serving import serve

CONNECTORS, SUBJECTS, JOBS, MODELS = 1_000, 20_000, 200, 2_000
LATENCY_SECONDS = 0.02
REPEATS = 3
# A sink that a class of its own names, with what a worker tells of a real one.
_SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://db:5432/dw",
    "table.name.format": "public.${topic}",
    "tasks.max": "4",
    "transforms": "route",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": "raw-(.*)",
    "transforms.route.replacement": "$1",
}
_SCRIPT = """
SET 'pipeline.name' = 'job-{number}';
CREATE TABLE orders (id INT, price DOUBLE, at TIMESTAMP(3)) WITH ('connector' = 'kafka',
  'topic' = 'orders-{number}', 'properties.bootstrap.servers' = 'kafka:9092');
CREATE TABLE stats (id INT, total DOUBLE, orders BIGINT) WITH ('connector' = 'kafka',
  'topic' = 'stats-{number}', 'properties.bootstrap.servers' = 'kafka:9092');
INSERT INTO stats SELECT id, SUM(price), COUNT(*) FROM orders WHERE price > 0 GROUP BY id;
"""


class Pass(NamedTuple):
    """One run of the command: how long, its processor time, its most memory in MB, what it sent."""

    seconds: float
    cpu_seconds: float
    memory: float
    stored: int
    steal: float


def collect_connect(client: Client) -> list[Figure]:
    """A thousand connectors on a worker that answers after 20 ms."""
    worker = ConnectStandIn()
    worker.latency = LATENCY_SECONDS
    for number in range(CONNECTORS):
        topic = f"raw-topic-{number}"
        worker.add(f"sink-{number}", {**_SINK, "topics": topic})
        worker.connectors[f"sink-{number}"]["topics"] = [topic]
        worker.connectors[f"sink-{number}"]["offsets"] = [
            {"partition": {"kafka_topic": topic, "kafka_partition": each}, "offset": _at(number)}
            for each in range(4)
        ]
    with serve(worker):
        options = ["--url", worker.url, "--group", "bench", "--bootstrap", "bench:9092"]
        passes = _measure(["connect", *options], CONNECTORS)
    return figures_of_passes(f"{CONNECTORS:,} connectors, 20 ms an answer", passes, 10, 200)


def collect_registry(client: Client) -> list[Figure]:
    """Twenty thousand subjects of a registry that has the list of all schemas."""
    registry = RegistryStandIn()
    for number in range(SUBJECTS):
        fields = [
            {"name": name, "type": kind, "doc": f"The {name} of {number}"}
            for name, kind in (("id", "string"), ("price", "double"), ("at", "long"))
        ]
        record = {"type": "record", "name": f"Record{number}", "fields": fields}
        registry.add(f"topic-{number}-value", json.dumps(record))
    with serve(registry):
        options = ["--url", registry.url, "--bootstrap", "bench:9092"]
        passes = _measure(["schema-registry", *options], SUBJECTS)
    return figures_of_passes(f"{SUBJECTS:,} subjects", passes, 60, None)


def collect_confluent(client: Client) -> list[Figure]:
    """A large account of Confluent Cloud, and the same with a hundredth of it changed."""
    estate = build_large_estate()
    found = []
    with (
        serve_cloud(estate) as cloud,
        Headwater.start() as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        cloud.latency = LATENCY_SECONDS
        settings = connection_settings(cloud, Path(folder))
        keys = [part for key in settings.pop("keys") for part in ("--keys", key)]
        pairs = [(f"--{name.replace('_', '-')}", str(value)) for name, value in settings.items()]
        own = ["confluent", *(part for pair in pairs for part in pair), *keys]
        own += ["--server", server.url]
        first = run_collector(own, Path(folder))
        changed = change_a_hundredth(estate)
        second = run_collector(own, Path(folder))
        if second.stored != changed:
            raise RuntimeError(f"sent {second.stored} of {changed} changes")
        found.append((first, second))
    what = "50 clusters, 20,000 topics, 2,000 connectors, 3,000 statements, 5,000 groups at 20 ms"
    return [
        Figure(
            f"a pass over {what}, from the command to its end",
            "s",
            [Sample(each.seconds, each.steal) for each, _ in found],
            limit=180,
        ),
        Figure(
            "the same with 1 % changed, which sends that alone",
            "s",
            [Sample(each.seconds, each.steal) for _, each in found],
            limit=180,
        ),
        Figure(
            "the most memory of either",
            "MB",
            [Sample(max(one.memory, two.memory), one.steal) for one, two in found],
            limit=500,
        ),
    ]


def collect_flink(client: Client) -> list[Figure]:
    """Two hundred jobs of a cluster that answers after 20 ms, each with its SQL."""
    cluster = FlinkStandIn()
    cluster.latency = LATENCY_SECONDS
    with tempfile.TemporaryDirectory() as scripts, serve(cluster):
        for number in range(JOBS):
            cluster.add(job := f"{number + 1:032x}", f"job-{number}")
            cluster.count(job, "Source__orders[1].numRecordsOut", 1_000 + number)
            (Path(scripts) / f"job-{number}.sql").write_text(_SCRIPT.format(number=number))
        options = ["--url", cluster.url, "--sql", scripts]
        passes = _measure(["flink", *options], 2 * JOBS)
    return figures_of_passes(f"{JOBS} jobs of Flink with SQL, 20 ms an answer", passes, 20, None)


def collect_dbt(client: Client) -> list[Figure]:
    """Two thousand models of some twenty columns, with joins and aggregations, that were run."""
    found = []
    for _ in range(REPEATS):
        with Headwater.start() as server, tempfile.TemporaryDirectory() as folder:
            target = large_project(MODELS).write(Path(folder) / "target")
            own = ["dbt", "--target", str(target), "--namespace", NAMESPACE, "--server", server.url]
            found.append(run_collector([*own, "--state", folder], Path(folder)))
    cpu = [Sample(each.cpu_seconds, each.steal) for each in found]
    memory = [Sample(each.memory, each.steal) for each in found]
    what = f"a dbt project of {MODELS:,} models by column, processor time of the command"
    return [
        Figure(what, "s", cpu, limit=30),
        Figure("its most memory", "MB", memory),
    ]


def _at(number: int) -> dict[str, int]:
    return {"kafka_offset": 1_000 + number}


def _measure(command: Sequence[str], expected: int) -> list[tuple[Pass, Pass]]:
    """A first pass and one without changes, each time to a server that knows nothing."""
    found = []
    for _ in range(REPEATS):
        with Headwater.start() as server, tempfile.TemporaryDirectory() as folder:
            own = [*command, "--server", server.url]
            first, second = (
                run_collector([*own, "--state", folder], Path(folder)) for _ in range(2)
            )
        if (first.stored, second.stored) != (expected, 0):
            raise RuntimeError(f"sent {first.stored} and {second.stored}, not {expected} and 0")
        found.append((first, second))
    return found


def run_collector(options: Sequence[str], folder: Path) -> Pass:
    found, text = run_command(["collect", *options], folder)
    return found._replace(stored=json.loads(text)["stored"])


def run_command(arguments: Sequence[str], folder: Path, status: int = 0) -> tuple[Pass, bytes]:
    """Run `headwater` to its end, which must be with this status; gives what it printed as well."""
    program = Path(sys.executable).with_name("headwater")
    with process.meter() as reading, (folder / "out").open("w+b") as out:
        started = time.perf_counter()
        child = subprocess.Popen([program, *arguments, "-o", "json"], stdout=out)
        _, ended, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(ended)
        out.seek(0)
        text = out.read()
    if child.returncode != status:
        raise RuntimeError(f"the pass ended with status {child.returncode}")
    cpu = used.ru_utime + used.ru_stime
    return Pass(seconds, cpu, used.ru_maxrss / 1e3, 0, reading.steal), text


def figures_of_passes(
    what: str, passes: Sequence[tuple[Pass, Pass]], seconds: float, megabytes: float | None
) -> list[Figure]:
    first = [Sample(each.seconds, each.steal) for each, _ in passes]
    second = [Sample(each.seconds, each.steal) for _, each in passes]
    memory = [Sample(max(one.memory, two.memory), one.steal) for one, two in passes]
    return [
        Figure(f"a pass over {what}, from the command to its end", "s", first, limit=seconds),
        Figure("the same without changes, which sends nothing", "s", second, limit=seconds),
        Figure("the most memory of either", "MB", memory, limit=megabytes),
    ]
