"""What the pipeline does a second: facts on executors, and a store in bulk from the lake."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from bench.rows.cost import WARM_UP, singles, warm_headwater
from headwater.config import SparkSettings, variables_set
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.values.instant import now
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.rebuild import ReadShares, fill, share_out
from headwater.pipeline.spark.session import session
from headwater.store.engine import open_engine
from headwater.store.maintenance.replacement import replacement
from headwater.store.migrate import upgrade
from testing import load

REPEATS = 3
PROJECTED = 40_000
SINGLY = 6_000
LOADED = 200_000
LOADED_FULL = 500_000
GROWTH = (100_000, 1_000_000)

Batches = Iterable[Any]


def projection(client: Client) -> list[Figure]:
    """Decode and project in tasks, to a bare parse of the same; and on two cores to one."""
    # Small files, so that two tasks end at about the same time.
    with _lake(PROJECTED, a_file=2_500) as lake:
        with _spark("local[2]", lake) as spark:
            frame = spark.read.parquet(str(lake.folder)).select("payload")
            for work in (parse, state):
                _rate(frame, work)
            pairs = [(_rate(frame, state), _rate(frame, parse)) for _ in range(REPEATS)]
            _rate_of_parts(spark, lake)
            on_two = [_rate_of_parts(spark, lake) for _ in range(REPEATS)]
        with _spark("local[1]", lake) as spark:
            _rate_of_parts(spark, lake)
            on_one = [_rate_of_parts(spark, lake) for _ in range(REPEATS)]
    stated, parsed = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return [
        Figure("decode and project in mapInArrow", "events/s", stated),
        Figure("the same, to a bare orjson parse", "x", ratios(stated, parsed), least=0.5),
        Figure("projection on local[2], to local[1]", "x", ratios(on_two, on_one), least=1.6),
    ]


def bulk(client: Client) -> list[Figure]:
    """A store from the lake in bulk, to events sent singly to one server."""
    return _bulk(client, LOADED)


def bulk_full(client: Client) -> list[Figure]:
    return _bulk(client, LOADED_FULL)


def _bulk(client: Client, events: int) -> list[Figure]:
    http = [_http_rate(client) for _ in range(REPEATS)]
    with _lake(events) as lake, _spark("local[2]", lake) as spark:
        # Spark is warmed up, as the server is.
        with _lake(WARM_UP) as few:
            _load(spark, few, WARM_UP)
        loads = [_load(spark, lake, events)[0] for _ in range(2)]
        http.append(_http_rate(client))
    rate = sorted(http, key=lambda sample: sample.value)[len(http) // 2]
    return [
        Figure(f"bulk load of {events:,} events, to single events by HTTP", "x",
               ratios(loads, [rate] * len(loads)), least=8.0),
        Figure("bulk load", "events/s", loads),
        Figure("single events by HTTP", "events/s", http),
    ]  # fmt: skip


def bulk_growth(client: Client) -> list[Figure]:
    """The cost of an event and the driver's memory, at ten times as many."""
    costs, sizes = [], []
    figures = bulk_full(client)
    for events in GROWTH:
        with _lake(events) as lake, _spark("local[2]", lake) as spark:
            _, cost = _load(spark, lake, events)
            costs.append(cost)
            sizes.append(Sample(_driver_memory(), cost.steal))
    few, many = (f"{events:,}" for events in GROWTH)
    return [
        *figures,
        Figure(f"bulk load, an event of {many}, to one of {few}", "x",
               ratios(costs[1:], costs[:1]), limit=1.2),
        Figure(f"memory of the driver, Python, at {many}, to at {few}", "x",
               ratios(sizes[1:], sizes[:1]), limit=1.2),
    ]  # fmt: skip


def parse(batches: Batches) -> Iterator[Any]:
    """The floor: what it takes to have the bytes in Python as JSON."""
    import orjson

    for batch in batches:
        for data in batch.column(0).to_pylist():
            orjson.loads(data)
        yield _count(batch.num_rows)


def state(batches: Batches) -> Iterator[Any]:
    """The heart: facts of every event."""
    for batch in batches:
        for data in batch.column(0).to_pylist():
            project(decode_event(data))
        yield _count(batch.num_rows)


def _count(rows: int) -> Any:
    return pa.record_batch([pa.array([rows], pa.int64())], ["rows"])


def _rate(frame: DataFrame, work: Callable[[Batches], Iterator[Any]]) -> Sample:
    with process.meter() as reading:
        table = frame.mapInArrow(work, "rows long").toArrow()
    return _per_second(sum(table.column(0).to_pylist()), reading)


class StateParts:
    """Reads parts of the lake as a rebuild does, and states their facts."""

    def __init__(self, read: ReadShares) -> None:
        self._read = read

    def __call__(self, batches: Batches) -> Iterator[Any]:
        for batch in batches:
            rows = 0
            for message in self._read(batch):
                assert message.data is not None
                project(decode_event(message.data))
                rows += 1
            yield _count(rows)


def _rate_of_parts(spark: SparkSession, lake: Lake) -> Sample:
    shares = [share for file in lake.files() for share in share_out([file])]
    return _rate(spark.range(0, len(shares), 1, len(shares)), StateParts(ReadShares(tuple(shares))))


def _load(spark: SparkSession, lake: Lake, events: int) -> tuple[Sample, Sample]:
    """Fill an empty store beside another, as a rebuild does; events a second, and their cost."""
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        engine = open_engine(f"sqlite:///{folder}/headwater.db")
        upgrade(engine)
        with replacement(engine) as new, process.meter(psutil.Process().pid) as reading:
            totals = fill(new, spark, lake, Path(folder))
        engine.dispose()
    if totals.events != events:
        raise RuntimeError(f"{totals.events} of {events} events were loaded")
    print(
        f"  {events / reading.seconds:8,.0f} events a second, steal {reading.steal:.1%}", flush=True
    )
    return _per_second(events, reading), Sample(reading.cpu * 1000 / events, reading.steal)


def _http_rate(client: Client) -> Sample:
    with warm_headwater(client) as server, process.meter() as reading:
        client.send(server.port, singles(SINGLY, after=WARM_UP))
    return _per_second(SINGLY, reading)


def _per_second(events: int, reading: process.Reading) -> Sample:
    return Sample(events / reading.seconds, reading.steal)


def _driver_memory() -> float:
    return process.memory(psutil.Process().pid)


@contextmanager
def _lake(events: int, a_file: int = 20_000) -> Iterator[Lake]:
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        lake = Lake(Path(folder, "lake"))
        source = load.events(events)
        started = time.perf_counter()
        while some := list(islice(source, a_file)):
            lake.add([_lake_event(data) for data in some])
        print(f"  a lake in {time.perf_counter() - started:.0f} s", flush=True)
        yield lake


def _lake_event(data: bytes) -> LakeEvent:
    event = decode_event(data)
    return LakeEvent(event.digest, event.at, now(), event.kind, data)


@contextmanager
def _spark(master: str, lake: Lake) -> Iterator[SparkSession]:
    settings = SparkSettings(master=master)
    # Tasks run functions of this module.
    with (
        variables_set(PYTHONPATH=str(process.ROOT)),
        session(settings, "headwater bench", folder=lake.folder.parent) as spark,
    ):
        yield spark
