"""What lists and single answers of Marquez's API cost, and whether they grow with history."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

import httpx2

from bench import load, process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from tests.services.headwater import Headwater
from tests.services.postgresql import PostgreSQL

REPEATS = 5
# Ten runs of every job: as many as are shown. The same graph with ten and a hundred times that.
SHORT, LONGER, LONGEST = 10_000, 100_000, 1_000_000

# What is carried on into the lake meanwhile is no part of what a read costs.
_NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}
_TABLES = f"namespaces/{quote(load.NAMESPACE, safe='')}/datasets"


@dataclass(frozen=True)
class Read:
    what: str
    path: str
    times: int
    limit: float


READS = (
    Read("list of 100 jobs with their latest runs", "namespaces/bench/jobs", 20, 25),
    # From the sixth layer: with schemas and column maps, as the first has none.
    Read("list of 100 datasets", f"{_TABLES}?offset=500", 20, 25),
    Read("one job", "namespaces/bench/jobs/{job}", 100, 3),
    Read("one dataset", f"{_TABLES}/layer5.t010", 100, 3),
)


def lists(client: Client) -> list[Figure]:
    """Lists and single answers after 10,000 events, and after ten times that on the same graph."""
    return _compare(client, LONGER, is_judged=True)


def lists_history(client: Client) -> list[Figure]:
    """The same after a hundred times the history."""
    return _compare(client, LONGEST, is_judged=False)


def lists_postgres(client: Client) -> list[Figure]:
    """The same on PostgreSQL, the database's CPU included; for comparison."""
    with PostgreSQL.start() as database, _filled(client, SHORT, database.url("lists")) as server:
        pids = (server.pid, database.pid)
        return [
            Figure(
                f"{read.what}, PostgreSQL",
                "CPU-ms",
                [_cost(server.port, pids, read) for _ in range(REPEATS)],
            )
            for read in READS
        ]


def _compare(client: Client, events: int, is_judged: bool) -> list[Figure]:
    figures, grown = [], []
    with _filled(client, SHORT) as short, _filled(client, events) as long:
        for read in READS:
            low, high = [], []
            for _ in range(REPEATS):
                low.append(_cost(short.port, (short.pid,), read))
                high.append(_cost(long.port, (long.pid,), read))
            if is_judged:
                figures.append(Figure(read.what, "CPU-ms", high, limit=read.limit))
            what = f"{read.what} after {events:,} events, to after {SHORT:,}"
            grown.append(Figure(what, "x", ratios(high, low), limit=1.3))
    return figures + grown


@contextmanager
def _filled(client: Client, events: int, store: str | None = None) -> Iterator[Headwater]:
    with Headwater.start(store, env=_NO_LAKE) as server:
        print(f"  filling with {events:,} events", flush=True)
        client.send(server.port, partial(load.woven_batches, events))
        for read in READS:
            _cost(server.port, (server.pid,), read)
        yield server


def _cost(port: int, pids: Sequence[int], read: Read) -> Sample:
    """CPU-ms of one read."""
    path = read.path.format(job=load.woven_jobs()[0].name)
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}/api/v1/", trust_env=False) as http:
        size = 0
        with process.meter(*pids) as reading:
            for _ in range(read.times):
                answer = http.get(path, timeout=60)
                if answer.status_code != 200:
                    raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:200]}")
                size = len(answer.content)
    sample = Sample(reading.cpu * 1000 / read.times, reading.steal)
    print(f"  {sample.value:8.2f} CPU-ms, {size / 1e6:6.2f} MB  {path}", flush=True)
    return sample
