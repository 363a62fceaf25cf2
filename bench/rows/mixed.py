"""What readers notice of writers: many of both at one server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from urllib.parse import quote

from bench.client import CONNECTIONS, Client
from bench.figure import Figure, Sample, ratios
from testing import load
from testing.services.headwater import Headwater

READERS = 50
SECONDS = 4.0
HISTORY = 10_000
ROUNDS = 2


def readers_and_writers(client: Client) -> list[Figure]:
    """The wait of 50 readers for mixed reads, alone and beside 8 writers who do not pause."""
    alone, beside, written = [], [], []
    paths = _paths()
    with Headwater.start() as server, Client() as readers, ThreadPoolExecutor(1) as beside_them:
        client.send(server.port, partial(load.woven_batches, HISTORY))
        readers.read(server.port, paths, READERS, SECONDS / 2)
        for turn in range(1, ROUNDS + 1):
            alone.append(readers.read(server.port, paths, READERS, SECONDS))
            bodies = partial(_events_for, SECONDS + 1, turn)
            sending = beside_them.submit(client.send, server.port, bodies, CONNECTIONS)
            beside.append(readers.read(server.port, paths, READERS, SECONDS))
            written.append(sending.result())
    waits = [Sample(sent.p95, 0.0) for sent in alone]
    longer = [Sample(sent.p95, 0.0) for sent in beside]
    rates = [Sample(sent.requests / sent.seconds, 0.0) for sent in written]
    reads = [Sample(sent.requests / sent.seconds, 0.0) for sent in alone]
    return [
        Figure("p95 of 50 readers beside 8 writers, to alone", "x", ratios(longer, waits), limit=3),
        Figure("p95 of 50 readers alone", "ms", waits),
        Figure("responses to 50 readers alone", "answers/s", reads),
        Figure("events of 8 writers beside 50 readers", "events/s", rates),
    ]


def _paths() -> list[str]:
    """What people look at: one dataset, one job, what is near, a list, a search."""
    namespace = quote(load.NAMESPACE, safe="")
    near = quote(f"dataset:{load.NAMESPACE}:layer5.t010", safe="")
    job = load.woven_jobs()[0].name
    return [
        f"/api/v1/namespaces/{namespace}/datasets/layer5.t010",
        f"/api/v1/namespaces/{load.JOB_NAMESPACE}/jobs/{quote(job, safe='')}",
        f"/api/v1/lineage?nodeId={near}&depth=2",
        f"/api/v1/namespaces/{load.JOB_NAMESPACE}/jobs?limit=10",
        "/api/v1/search?q=layer5",
    ]


def _events_for(seconds: float, turn: int) -> Iterator[bytes]:
    """Events of runs not sent before, for so long."""
    end = perf_counter() + seconds
    for event in load.woven_events(10**9, start_run=turn * 1_000_000):
        if perf_counter() > end:
            return
        yield event
