"""What publishing to catalogs costs: a plan over a large store, and a run with nothing to do."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.client import Client
from bench.figure import Figure, Sample
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from headwater.store.write.writer import open_writer
from testing.events.bridge import column_lineage
from testing.events.minimal import dataset, run_event, schema
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import Call, Reply, WrittenStandIn, serve_written

TABLES = 10_000
CHANGES = 100
COLUMNS = 20
_TOKEN = "bench"
_UNITY = "unitycatalog://bench"
_AT_ONCE = 200
_WHAT = f"{TABLES:,} tables, {TABLES * COLUMNS:,} columns from columns"


class _Run(NamedTuple):
    cpu_seconds: float
    megabytes: float


def publish(client: Client) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        store = f"sqlite:///{Path(folder) / 'store.db'}"
        print(f"  filling with {TABLES:,} events", flush=True)
        fill(store)
        with serve_written(DatabricksStandIn(_TOKEN)) as databricks:
            options = ("--namespace", _UNITY, "--dry-run")
            planned = _publish(store, "unity-catalog", databricks, *options)
        with serve_written(GoogleLineageStandIn(_TOKEN)) as google:
            _publish(store, "google-lineage", google, "--project", "bench")
            sent = len(google.writes)
            again = _publish(store, "google-lineage", google, "--project", "bench")
            writes = len(google.writes) - sent
            sent = len(google.writes)
            change(store)
            changed = _publish(store, "google-lineage", google, "--project", "bench")
            changes = len([call for call in google.writes[sent:] if call.method == "POST"])
        relays = [_relay(store, Path(folder) / "events.ndjson"), *_relays_by_http(store)]
    return [
        Figure(f"plan for Unity Catalog, {_WHAT}", "CPU-s", [_cpu(planned)], limit=20),
        Figure(f"its memory, {_WHAT}", "MB", [_memory(planned)], limit=400),
        Figure(
            f"publish again to Google, nothing changed, {_WHAT}", "CPU-s", [_cpu(again)], limit=20
        ),
        Figure("writes of a run that has nothing to do", "calls", [Sample(writes, 0)], limit=0),
        Figure(f"writes of {CHANGES} changes", "calls", [Sample(changes, 0)], limit=CHANGES),
        Figure(f"a run with {CHANGES} changes, {_WHAT}", "CPU-s", [_cpu(changed)], limit=20),
        *relays,
    ]


def fill(store: str) -> None:
    """Topics, and from each a table of Unity Catalog, by column."""
    engine = open_engine(store)
    upgrade(engine)
    engine.dispose()
    _write(store, _events(TABLES))


def change(store: str) -> None:
    """Let some tables be made of less columns than before, by a later run."""
    _write(store, _events(CHANGES, COLUMNS - 1, "2024-05-02T10:00:00Z", "01890000-0000-7000-9000"))


def _write(store: str, events: Iterable[bytes]) -> None:
    engine = open_engine(store)
    with closing(open_writer(engine)) as writer:
        waiting = iter(events)
        while some := list(islice(waiting, _AT_ONCE)):
            writer.write([project(decode_event(event)) for event in some])
    engine.dispose()


def _events(
    count: int,
    columns: int = COLUMNS,
    at: str = "2024-05-01T10:00:00Z",
    runs: str = "01890000-0000-7000-8000",
) -> Iterator[bytes]:
    for number in range(count):
        # Each has names of its own, so that no two share what was stored of them.
        names = [f"c{number}_{column}" for column in range(columns)]
        source = dataset(f"topic-{number}", "kafka://bench:9092")
        facets = {"schema": schema(**dict.fromkeys(names, "string"))}
        lineage = column_lineage(source, *names)
        target = dataset(f"main.bench.t{number}", _UNITY, **facets, columnLineage=lineage)
        run = f"{runs}-{number:012d}"
        inputs = [{**source, "facets": facets}]
        yield msgspec.json.encode(
            run_event(
                "COMPLETE", at=at, run=run, job=f"sink-{number}", inputs=inputs, outputs=[target]
            )
        )


class _Backend(WrittenStandIn):
    """An OpenLineage backend that takes all there is."""

    def answer(self, call: Call) -> Reply:
        self.calls.clear()
        return Reply(201)


def _relay(store: str, file: Path) -> Figure:
    return _per_event("to a file", _run(store, "openlineage", "--to", f"file:{file}"))


def _relays_by_http(store: str) -> Iterator[Figure]:
    for batch in (1, 100):
        with serve_written(_Backend()) as backend:
            options = ("--to", backend.url, "--batch", str(batch), "--name", f"batch-{batch}")
            run = _run(store, "openlineage", *options)
        # A request costs the client most of this, whatever is in it.
        yield _per_event(f"by HTTP, {batch} a request", run, limit=1.0 if batch == 1 else 0.5)


def _per_event(how: str, run: _Run, limit: float = 0.5) -> Figure:
    each = Sample(1_000 * run.cpu_seconds / (TABLES + CHANGES), 0)
    what = f"relay of {TABLES + CHANGES:,} events {how}"
    return Figure(what, "CPU-ms each", [each], limit=limit)


def _publish(store: str, name: str, target: WrittenStandIn, *more: str) -> _Run:
    return _run(store, name, "--url", target.url, "--token", "env:BENCH_TOKEN", *more)


def _run(store: str, name: str, *options: str) -> _Run:
    """Run the command; its CPU time and the most memory that it had."""
    program = Path(sys.executable).with_name("headwater")
    options = (*options, "--store", store)
    running = subprocess.Popen(
        [program, "publish", name, *options],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "BENCH_TOKEN": _TOKEN},
    )
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise RuntimeError(f"publish {name} ended with {running.returncode}")
    return _Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _cpu(run: _Run) -> Sample:
    return Sample(run.cpu_seconds, 0)


def _memory(run: _Run) -> Sample:
    return Sample(run.megabytes, 0)
