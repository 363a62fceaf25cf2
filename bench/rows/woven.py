"""A server that holds the woven graph, what reads of it cost, and whether history costs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import NamedTuple

import httpx2

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from testing import load
from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL

REPEATS = 5
# In a path, six digits that no other request has: an answer that is kept is not to be measured.
EACH = "__each__"
_NUMBERS = count(1)
# What is carried on into the lake meanwhile is no part of what a read costs.
_NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}

# What reads cost by themselves; compression is on top, for who asks for it.
UNCOMPRESSED = {"Accept-Encoding": "identity"}


class Read(NamedTuple):
    """A path of the API that is read so many times for one sample, and what it may cost.

    The limit is in CPU-ms on SQLite; of a read with `to`, in times what that one costs.
    """

    what: str
    path: str
    times: int
    limit: float
    detail: str = ""
    to: "Read | None" = None


@contextmanager
def woven_headwater(client: Client, events: int, store: str | None = None) -> Iterator[Headwater]:
    with Headwater.start(store, env=_NO_LAKE) as server:
        print(f"  filling with {events:,} events", flush=True)
        client.send(server.port, partial(load.woven_batches, events))
        process.wait_until_idle(server.pid)
        yield server


def measure(read: Read, server: Headwater, database: PostgreSQL | None = None) -> Sample:
    """CPU-ms of one read, with the database's where there is one."""
    pids = (server.pid,) if database is None else (server.pid, database.pid)
    url = f"{server.url}/api/v1/"
    with httpx2.Client(base_url=url, headers=UNCOMPRESSED, trust_env=False) as http:
        size = 0
        with process.meter(*pids) as reading:
            for _ in range(read.times):
                path = read.path.replace(EACH, f"{next(_NUMBERS):06}")
                answer = http.get(path, timeout=60)
                if answer.status_code != 200:
                    answered = f"{answer.status_code}: {answer.text[:200]}"
                    raise RuntimeError(f"{read.path} answered {answered}")
                size = len(answer.content)
    sample = Sample(reading.cpu * 1000 / read.times, reading.steal)
    print(f"  {sample.value:8.2f} CPU-ms, {size / 1e6:6.2f} MB  {read.path}", flush=True)
    return sample


def costs(
    reads: Sequence[Read], server: Headwater, database: PostgreSQL | None = None
) -> list[Figure]:
    """Each read, in turns; on PostgreSQL only ratios are judged, the CPU is for comparison."""
    for read in reads:
        measure(read, server, database)
    rounds = [{read: measure(read, server, database) for read in reads} for _ in range(REPEATS)]
    samples = {read: [each[read] for each in rounds] for read in reads}
    figures = []
    for read, own in samples.items():
        name = f"{read.what}{read.detail}{', PostgreSQL' if database else ''}"
        if read.to is not None:
            figure = Figure(name, "x", ratios(own, samples[read.to]), limit=read.limit)
        else:
            figure = Figure(name, "CPU-ms", own, limit=None if database else read.limit)
        figures.append(figure)
    return figures


def growth(reads: Sequence[Read], short: Headwater, longer: Headwater, what: str) -> list[Figure]:
    """Each read of a long history, to one of a short."""
    return [_compare(read, short, longer, what) for read in reads]


def _compare(read: Read, short: Headwater, longer: Headwater, what: str) -> Figure:
    """In turns, each warm."""
    low, high = [], []
    for server in (short, longer):
        measure(read, server)
    for _ in range(REPEATS):
        low.append(measure(read, short))
        high.append(measure(read, longer))
    return Figure(f"{read.what}{what}", "x", ratios(high, low), limit=1.3)
