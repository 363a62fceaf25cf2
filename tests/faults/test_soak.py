"""A server for long: events, rejected ones, reads and prunes; its memory stays as it was early on.

    HEADWATER_SOAK_EVENTS=100000 pytest -m long tests/faults/test_soak.py

The number of the others follows that of the events: 1 in 50 is rejected, 1 read for each 10, ten
prunes. All are sent beside each other. Memory amid work goes up and down by what a server lets go
of at once; what must stay is what it has at rest, at a tenth of the way, half-way and at the end:
fewer than some 100,000 events are too few, as a server is not warm after a tenth of them.
Both are printed, as a plot of text, and how long a million events would take.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from threading import Lock, local

import httpx2
import psutil
import pytest

from testing import load
from testing.commands import run_program
from testing.services.headwater import Headwater
from tests.faults.load import JSON, PATH, body_of, new_client
from tests.faults.stored import check_consistent, check_quiet

pytestmark = [pytest.mark.integration, pytest.mark.long]

MILLION = 1_000_000
EVENTS = int(os.environ.get("HEADWATER_SOAK_EVENTS", str(MILLION)))
BATCH = 100
STEPS = 50
PRUNES = 10
# After these prunes: a tenth of the way, half-way, the end.
RESTS = (1, 5, 10)
MOST_GROWTH = 1.1
# Of a tenth of a million events, on a machine that does much else.
PRUNE_SECONDS = 1_800
SENDERS, READERS = 2, 6
# A quiet server gives memory back within two looks of ten seconds.
REST_SECONDS = 30.0
READS = (
    "/api/v1/jobs?limit=20",
    "/api/v1/namespaces/bench/jobs?limit=20",
    "/api/v1/search?q=table",
    "/api/v1/events/lineage?limit=10",
    "/api/v1/health/jobs?limit=5",
    "/api/v1/lineage?nodeId=job:bench:job_0&depth=2",
    "/api/v1/namespaces",
)


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Headwater]:
    store = None if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url"))
    env = {"HEADWATER__LAKE__IS_ON": "false"}
    with Headwater.start(store, tmp_path, env=env) as started:
        yield started


def test_memory_stays(server: Headwater, capsys: pytest.CaptureFixture[str]) -> None:
    megabytes: list[float] = []
    at_rest: list[float] = []
    started, rested = time.monotonic(), 0.0
    traffic = Traffic(server)
    for step in range(STEPS):
        traffic.run(EVENTS // STEPS)
        prune, is_between = divmod(step + 1, STEPS // PRUNES)
        if not is_between:
            _prune(server)
            if prune in RESTS:
                before = time.monotonic()
                at_rest.append(_megabytes_at_rest(server))
                rested += time.monotonic() - before
        megabytes.append(_megabytes(server))
    traffic.close()
    took = time.monotonic() - started - rested
    cpu = sum(psutil.Process(server.pid).cpu_times()[:2])
    with capsys.disabled():
        resting = ", ".join(f"{value:.0f}" for value in at_rest)
        print(f"\nsoak: {traffic.describe()}, in {took:,.0f} s and {rested:,.0f} s at rest")
        minutes = (took * MILLION / EVENTS + rested) / 60
        least = (cpu * MILLION / EVENTS + rested) / 60
        print(f"a million would take {minutes:,.0f} min, {least:,.0f} by the server's CPU alone")
        print(f"memory in MB; at rest {resting}\n{plot(megabytes)}")
    check_consistent(server.store)
    check_quiet(server)
    assert at_rest[-1] <= at_rest[0] * MOST_GROWTH


class Traffic:
    """Senders and readers beside each other, each with a connection of its own."""

    def __init__(self, server: Headwater) -> None:
        self._url = server.url
        self._events = load.events(EVENTS)
        self._lock = Lock()
        self._mine = local()
        self._clients: list[httpx2.Client] = []
        self._pool = ThreadPoolExecutor(SENDERS + READERS)
        self.events = self.rejected = self.reads = 0

    def run(self, events: int) -> None:
        """So many events, with what is rejected and read beside them; to the end of all."""
        sending = [self._pool.submit(self._send, events // SENDERS) for _ in range(SENDERS)]
        reading = [self._pool.submit(self._read, events // 10 // READERS) for _ in range(READERS)]
        for each in wait([*sending, *reading]).done:
            each.result()

    def close(self) -> None:
        self._pool.shutdown()
        for client in self._clients:
            client.close()

    def describe(self) -> str:
        return f"{self.events:,} events, {self.rejected:,} rejected, {self.reads:,} reads"

    def _client(self) -> httpx2.Client:
        if not hasattr(self._mine, "client"):
            self._mine.client = new_client(self._url)
            self._clients.append(self._mine.client)
        client: httpx2.Client = self._mine.client
        return client

    def _send(self, count: int) -> None:
        for _ in range(count // BATCH):
            with self._lock:
                batch = list(islice(self._events, BATCH))
            broken = batch[0][: len(batch[0]) // 2]
            # One that is no event among others, and a body that is no JSON.
            answer = self._post(body_of([*batch, b'{"eventTime": 7}']))
            assert answer.status_code == 200, answer.text[:500]
            assert answer.json()["summary"]["successful"] == BATCH
            assert self._post(broken).status_code == 400
            with self._lock:
                self.events += BATCH
                self.rejected += 2

    def _post(self, body: bytes) -> httpx2.Response:
        return self._client().post(PATH, content=body, headers=JSON)

    def _read(self, count: int) -> None:
        for number in range(count):
            answer = self._client().get(READS[number % len(READS)])
            assert answer.status_code in (200, 404), answer.text
        with self._lock:
            self.reads += count


def _megabytes(server: Headwater) -> float:
    return float(psutil.Process(server.pid).memory_info().rss) / 1_000_000


def _megabytes_at_rest(server: Headwater) -> float:
    """The least that it has while nobody asks anything for a while."""
    least, until = _megabytes(server), time.monotonic() + REST_SECONDS
    while time.monotonic() < until:
        time.sleep(1)
        least = min(least, _megabytes(server))
    return least


def _prune(server: Headwater) -> None:
    arguments = ("db", "prune", "--older-than", "30d", "--store", server.store)
    pruned = run_program(*arguments, seconds=PRUNE_SECONDS)
    assert pruned.status == 0, pruned.err


def plot(values: list[float], height: int = 10) -> str:
    """One column a value, from zero up."""
    top = max(values)
    rows = []
    for row in range(height, 0, -1):
        line = "".join("#" if value >= top * (row - 0.5) / height else " " for value in values)
        rows.append(f"{top * row / height:6.0f} |{line}")
    return "\n".join([*rows, "     0 +" + "-" * len(values)])
