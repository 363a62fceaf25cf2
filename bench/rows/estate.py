"""What looks cost in a company's store: tens of thousands of jobs, and a dataset that many share.

Reads are bounded by what is shown, not by what there is: the same limits hold at both sizes.
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode
from uuid import UUID

import msgspec

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from bench.rows.woven import EACH, REPEATS, Read, costs, measure
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.values.instant import DAY, MINUTE, SECOND, format_instant, now
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from headwater.store.write.writer import open_writer
from testing import load
from testing.services.headwater import Headwater

HUB_READERS = 2_000
NAMESPACE = "warehouse://estate"
HUB = "shared.calendar"
_JOB_NAMESPACES = 10
_DAYS = 3
_AT_ONCE = 500
_TIMES = 5
_NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}


class Size(NamedTuple):
    """How many jobs there are; each writes two datasets, and is heard of in three events."""

    jobs: int

    @property
    def datasets(self) -> int:
        return 2 * self.jobs

    @property
    def what(self) -> str:
        return f", {self.jobs:,} jobs, {self.datasets:,} datasets"


USUAL, LARGE = Size(20_000), Size(50_000)


def estate(client: Client) -> list[Figure]:
    return _measure(USUAL)


def estate_large(client: Client) -> list[Figure]:
    return _measure(LARGE)


def _measure(size: Size) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        data = Path(folder)
        until = now() // MINUTE * MINUTE
        print(f"  filling with {3 * size.jobs:,} events", flush=True)
        fill(f"sqlite:///{data / 'headwater.db'}", size, until)
        with Headwater.start(data=data, env=_NO_LAKE) as server:
            process.wait_until_idle(server.pid)
            return [*costs(reads(size, until), server), _home(size, until, server)]


def _home(size: Size, until: int, server: Headwater) -> Figure:
    """All that the web UI's first page asks for."""
    calls = [Read("Home", path, 1, 0) for path in home_paths(until)]
    rounds = [[measure(call, server) for call in calls] for _ in range(REPEATS + 1)]
    samples = [
        Sample(sum(each.value for each in some), max(each.steal for each in some))
        for some in rounds[1:]
    ]
    return Figure(f"web UI's Home, all its calls{size.what}", "CPU-ms", samples, limit=150)


def home_paths(until: int) -> list[str]:
    changes = {**_since(format_instant(until - DAY), format_instant(until)), "limit": 12}
    recent = urlencode({**changes, "order": "newest", "without": "state"})
    return [
        "systems",
        "health/jobs?limit=20",
        "health/datasets?limit=20",
        f"lineage/diff?{recent}",
        "stats/lineage-events?period=DAY",
    ]


def reads(size: Size, until: int) -> tuple[Read, ...]:
    """The calls, each with what it may cost."""

    def read(what: str, path: str, most: float, **query: Any) -> Read:
        target = f"{path}?{urlencode(query)}" if query else path
        return Read(what, target, _TIMES, most, size.what)

    tables = f"namespaces/{quote(NAMESPACE, safe='')}/datasets"
    hub, near = (f"dataset:{NAMESPACE}:{name}" for name in (HUB, _dataset(0, 1)))
    days = {number: format_instant(until - number * DAY) for number in (1, 3)}
    end = format_instant(until)
    return (
        read("diff of three days, 5 changes", "lineage/diff", 80, **_since(days[3], end), limit=5),
        read("diff of one day", "lineage/diff", 60, **_since(days[1], end)),
        read("diff of a node", "lineage/diff", 60, **_since(days[1], end), nodeId=near),
        read("health of datasets", "health/datasets", 40),
        read("health of jobs", "health/jobs", 40),
        read("list of 100 datasets, the last", tables, 25, offset=size.datasets - 101),
        read("list of 100 jobs, the last", "jobs", 25, offset=size.jobs - 100, sort="name"),
        read("list of 100 jobs by update", "jobs", 25, offset=size.jobs - 100),
        read("lineage of a dataset with 2,000 readers", "lineage", 150, nodeId=hub, depth=1),
        read("namespaces", "namespaces", 15),
        read("systems", "systems", 15),
        read("statistics of jobs", "stats/jobs", 15, period="WEEK"),
        read("statistics of datasets", "stats/datasets", 15, period="WEEK"),
        read("statistics of events", "stats/lineage-events", 15, period="DAY"),
        read("search by update", "search", 15, q="orders", sort="UPDATE_AT"),
        read("nodes by a name", "nodes", 15, name=f"orders_{size.jobs // 2:06}_a"),
    )


def _since(start: str, end: str) -> dict[str, str]:
    """An interval that nobody requested before, by some microseconds."""
    return {"from": start.replace(".000000", f".{EACH}"), "to": end}


def fill(store: str, size: Size, until: int) -> None:
    """Write the facts of the events, without a server."""
    engine = open_engine(store)
    upgrade(engine)
    with closing(open_writer(engine, is_bulk=True)) as writer:
        some = []
        for event in events(size, until):
            some.append(project(decode_event(msgspec.json.encode(event)), until))
            if len(some) == _AT_ONCE:
                writer.write(some)
                some = []
        writer.write(some)
    engine.dispose()


def events(size: Size, until: int) -> Iterator[dict[str, Any]]:
    """Three events of each job, in order of time: its first run's two, and the end of a second."""
    step = (_DAYS * DAY - 10 * MINUTE) // (3 * size.jobs)
    start = until - _DAYS * DAY + MINUTE
    for number in range(3 * size.jobs):
        turn, job = divmod(number, size.jobs)
        at = start + number * step
        run = UUID(int=(job << 8) + (turn == 2))
        end = "FAIL" if job % 50 == 0 else "COMPLETE"
        yield _event(("START", "COMPLETE", end)[turn], at, run, job)
    for reader in range(HUB_READERS):
        job = size.jobs + reader
        event = _event("COMPLETE", start + reader * SECOND, UUID(int=job << 8), job)
        yield event | {"inputs": [{"namespace": NAMESPACE, "name": HUB}], "outputs": []}


def _event(kind: str, at: int, run: UUID, job: int) -> dict[str, Any]:
    inputs = [_dataset(job // 10, 0)] if job % 10 else []
    return {
        "eventType": kind,
        "eventTime": format_instant(at),
        "producer": load.PRODUCER,
        "run": {"runId": str(run)},
        "job": {
            "namespace": f"team{job % _JOB_NAMESPACES}",
            "name": f"load_orders_{job:06}",
            "facets": {"jobType": {"processingType": "BATCH", "integration": "SPARK"}},
        },
        "inputs": [{"namespace": NAMESPACE, "name": name} for name in inputs],
        "outputs": [_output(job, side, kind, at) for side in (0, 1)],
    }


def _dataset(job: int, side: int) -> str:
    return f"sales.orders_{job:06}_{'ab'[side]}"


def _output(job: int, side: int, kind: str, at: int) -> dict[str, Any]:
    fields = [{"name": f"c{column}", "type": "BIGINT"} for column in range(3 + job % 5)]
    output: dict[str, Any] = {
        "namespace": NAMESPACE,
        "name": _dataset(job, side),
        "facets": {"schema": {"fields": fields}},
    }
    if kind == "COMPLETE":
        counted = {"rowCount": 1_000 + job % 7, "size": 64_000}
        output["outputFacets"] = {"outputStatistics": counted}
    return output
