"""A server that holds the woven graph, and what a read of it costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import httpx2

from bench import load, process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from tests.services.headwater import Headwater
from tests.services.postgresql import PostgreSQL

REPEATS = 5
# What is carried on into the lake meanwhile is no part of what a read costs.
_NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}

# What reads cost by themselves; compression is on top, for who asks for it.
UNCOMPRESSED = {"Accept-Encoding": "identity"}


class Read(NamedTuple):
    """A path of the API that is read so many times for one sample."""

    what: str
    path: str
    times: int
    limit: float | None = None


@contextmanager
def woven_headwater(client: Client, events: int, store: str | None = None) -> Iterator[Headwater]:
    with Headwater.start(store, env=_NO_LAKE) as server:
        print(f"  filling with {events:,} events", flush=True)
        client.send(server.port, partial(load.woven_batches, events))
        yield server


def measure(read: Read, server: Headwater, database: PostgreSQL | None = None) -> Sample:
    """CPU-ms of one read, with the database's where there is one."""
    pids = (server.pid,) if database is None else (server.pid, database.pid)
    url = f"{server.url}/api/v1/"
    with httpx2.Client(base_url=url, headers=UNCOMPRESSED, trust_env=False) as http:
        size = 0
        with process.meter(*pids) as reading:
            for _ in range(read.times):
                answer = http.get(read.path, timeout=60)
                if answer.status_code != 200:
                    said = f"{answer.status_code}: {answer.text[:200]}"
                    raise RuntimeError(f"{read.path} answered {said}")
                size = len(answer.content)
    sample = Sample(reading.cpu * 1000 / read.times, reading.steal)
    print(f"  {sample.value:8.2f} CPU-ms, {size / 1e6:6.2f} MB  {read.path}", flush=True)
    return sample


def compare(read: Read, short: Headwater, longer: Headwater, what: str) -> Figure:
    """A read of a long history to one of a short, in turns, each warm."""
    low, high = [], []
    for server in (short, longer):
        measure(read, server)
    for _ in range(REPEATS):
        low.append(measure(read, short))
        high.append(measure(read, longer))
    return Figure(f"{read.what}{what}", "x", ratios(high, low), limit=1.3)
