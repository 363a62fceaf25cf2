"""A server under requests by chance: no 5xx, none without an answer, no memory that stays.

    HEADWATER_FUZZ_REQUESTS=5000 HEADWATER_FUZZ_SEED=7 pytest tests/fuzz/test_requests.py

Each 5xx is logged at once with its request and what the server logged meanwhile, and the whole
request is kept as a file. Memory is printed for each tenth of the requests, amid work.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx2
import psutil
import pytest

from testing import load
from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.fuzz.clients import Answers, dawdle, send_all
from tests.fuzz.mutators import get, mutate, post
from tests.pipeline.corpus import make_corpus

pytestmark = pytest.mark.integration

REQUESTS = [
    int(os.environ.get("HEADWATER_FUZZ_REQUESTS", "300")),
    pytest.param(200_000, marks=pytest.mark.long),
]
MOST_MB = 100
DAWDLERS = 200
PATH = "/api/v1/lineage"
KNOWN = (
    "bench",
    "db://bench",
    "layer_0.table_0",
    "job_0",
    "ns",
    "j1",
    "db",
    "t1",
    "orders",
    "load",
)


def requests(random: Random, count: int, reads: list[tuple[str, list[str]]]) -> Iterator[bytes]:
    events = [*make_corpus().all, *load.events(40)]
    for _ in range(count):
        if random.random() < 0.6:
            yield post(random, PATH, mutate(random, random.choice(events)))
        else:
            path, parameters = random.choice(reads)
            yield get(random, path, parameters, KNOWN)


def read_paths(server: Headwater) -> list[tuple[str, list[str]]]:
    """Every GET of the API document, with the names of its parameters."""
    document = httpx2.get(f"{server.url}/openapi.json", timeout=60, trust_env=False).json()
    return [
        (path, [each["name"] for each in operations["get"].get("parameters", ()) if "name" in each])
        for path, operations in document["paths"].items()
        # A stream does not end by itself.
        if "get" in operations and path != "/api/v1/live"
    ]


def megabytes(server: Headwater) -> float:
    return float(psutil.Process(server.pid).memory_info().rss) / 1_000_000


@pytest.mark.parametrize("count", REQUESTS)
def test_whatever_is_sent_is_answered(
    count: int, store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("HEADWATER_FUZZ_SEED", Random().randrange(2**32)))
    with Headwater.start(store=store_url, env={"HEADWATER__LAKE__IS_ON": "false"}) as server:
        answers = Answers(server.log_file, tmp_path)
        reads = read_paths(server)
        assert len(reads) > 30
        before = megabytes(server)
        curve: list[float] = []

        def sent() -> Iterator[bytes]:
            for number, request in enumerate(requests(Random(seed), count, reads)):
                if number % max(1, count // 10) == 0:
                    curve.append(megabytes(server))
                yield request

        async def run() -> None:
            is_over = asyncio.Event()
            dawdling = asyncio.create_task(dawdle(server.port, DAWDLERS, is_over))
            try:
                await send_all(server.port, sent(), answers)
            finally:
                is_over.set()
                await dawdling

        try:
            asyncio.run(run())
            wait_until(lambda: megabytes(server) < before + MOST_MB, seconds=60)
        finally:
            with capsys.disabled():
                print(f"\nfuzz: seed {seed}, {answers.describe()}")
                amid = ", ".join(f"{value:.0f}" for value in curve)
                print(f"MB: {before:.0f}, amid {amid}, at rest {megabytes(server):.0f}")
        assert httpx2.get(f"{server.url}/readyz", timeout=60, trust_env=False).status_code == 200
        assert "Traceback" not in server.log(), server.log()[-5_000:]
    assert not answers.wrong, f"seed {seed}: {answers.wrong[0].describe()}"
    assert sum(answers.statuses.values()) > count * 0.9
    assert answers.statuses[503] <= count / 500
    assert answers.statuses[201] > count * 0.02


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else str(request.getfixturevalue("postgresql_url"))
