"""A server for long: events, rejected ones, reads and prunes; its memory stays as it was early on.

    HEADWATER_SOAK_EVENTS=100000 pytest -m long tests/faults/test_soak.py

The number of the others follows that of the events: 1 in 50 is rejected, 1 read for each 10, ten
prunes. Memory amid work goes up and down by what a server lets go of at once; what must stay is
what it has at rest, ten times on the way. Both are printed, as a plot of text.
"""

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import httpx2
import psutil
import pytest

from testing import load
from testing.commands import run_program
from testing.services.headwater import Headwater
from tests.faults.load import JSON, PATH, new_client
from tests.faults.stored import check_consistent, check_quiet

pytestmark = [pytest.mark.integration, pytest.mark.long]

EVENTS = int(os.environ.get("HEADWATER_SOAK_EVENTS", "1000000"))
BATCH = 100
STEPS = 50
MOST_GROWTH = 1.1
# A quiet server gives memory back within two looks of ten seconds.
REST_SECONDS = 25.0
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
    events = load.events(EVENTS)
    megabytes: list[float] = []
    at_rest: list[float] = []
    with new_client(server.url) as client:
        for step in range(STEPS):
            _send(client, islice(events, EVENTS // STEPS))
            for number in range(EVENTS // STEPS // 10):
                answer = client.get(READS[number % len(READS)])
                assert answer.status_code in (200, 404), answer.text
            if step % (STEPS // 10) == STEPS // 10 - 1:
                _prune(server)
                at_rest.append(_megabytes_at_rest(server))
            megabytes.append(_megabytes(server))
    with capsys.disabled():
        resting = ", ".join(f"{value:.0f}" for value in at_rest)
        print(f"\nsoak: {EVENTS:,} events, memory in MB; at rest {resting}\n{plot(megabytes)}")
    check_consistent(server.store)
    check_quiet(server)
    assert at_rest[-1] <= at_rest[0] * MOST_GROWTH


def _megabytes(server: Headwater) -> float:
    return float(psutil.Process(server.pid).memory_info().rss) / 1_000_000


def _megabytes_at_rest(server: Headwater) -> float:
    """The least that it has while nobody asks anything for a while."""
    least, until = _megabytes(server), time.monotonic() + REST_SECONDS
    while time.monotonic() < until:
        time.sleep(1)
        least = min(least, _megabytes(server))
    return least


def _send(client: httpx2.Client, events: Iterator[bytes]) -> None:
    while batch := list(islice(events, BATCH)):
        answer = client.post(PATH, content=b"[" + b",".join(batch) + b"]", headers=JSON)
        assert answer.status_code == 201, answer.text[:500]
        for _ in range(BATCH // 50):
            broken = batch[0][: len(batch[0]) // 2]
            assert client.post(PATH, content=broken, headers=JSON).status_code == 400


def _prune(server: Headwater) -> None:
    pruned = run_program("db", "prune", "--older-than", "30d", "--store", server.store)
    assert pruned.status == 0, pruned.err


def plot(values: list[float], height: int = 10) -> str:
    """One column a value, from zero up."""
    top = max(values)
    rows = []
    for row in range(height, 0, -1):
        line = "".join("#" if value >= top * (row - 0.5) / height else " " for value in values)
        rows.append(f"{top * row / height:6.0f} |{line}")
    return "\n".join([*rows, "     0 +" + "-" * len(values)])
