"""Requests by chance to a server, from one seed; and what became of them and of its memory."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import httpx2
import psutil

from testing import load
from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.fuzz.clients import CLIENTS, Answers, dawdle, send_all
from tests.fuzz.mutators import get, mutate, post
from tests.pipeline.corpus import make_corpus

# As many have a random of their own: a run that goes on need not make all that came before.
BLOCK = 500
DAWDLERS = 200
MOST_MB = 100
SAY_SECONDS = 20.0
PATH = "/api/v1/lineage"
NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}
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
Say = Callable[[str], None]


@dataclass
class Fuzz:
    """So many requests of a seed, from one of them on."""

    seed: int
    count: int
    first: int = 0
    curve: list[float] = field(default_factory=list)
    """MB before each tenth of the requests, amid work."""
    before: float = 0
    after: float = 0

    def run(self, server: Headwater, folder: Path, say: Say) -> Answers:
        """Send them all, and wait until the server has given back what they took."""
        answers = Answers(server.log_file, folder)
        reads = read_paths(server)
        assert len(reads) > 30
        self.before = megabytes(server)
        try:
            asyncio.run(self._send(server, answers, reads, say))
            wait_until(lambda: megabytes(server) < self.before + MOST_MB, seconds=60)
        finally:
            self.after = megabytes(server)
            say(f"seed {self.seed}, {answers.describe()}")
            amid = ", ".join(f"{value:.0f}" for value in self.curve)
            say(f"MB: {self.before:.0f}, amid {amid}, at the end {self.after:.0f}")
            if answers.sent < self.count:
                # Those that were not answered yet are sent again.
                say(self._go_on(max(0, answers.sent - CLIENTS)))
        return answers

    def check(self, server: Headwater, answers: Answers) -> None:
        """No 5xx but a few 503, nothing without an answer, no fault in the log."""
        ready = httpx2.get(f"{server.url}/readyz", timeout=60, trust_env=False)
        assert ready.status_code == 200
        assert "Traceback" not in server.log(), server.log()[-5_000:]
        assert not answers.wrong, f"seed {self.seed}: {answers.wrong[0].describe()}"
        assert sum(answers.statuses.values()) > self.count * 0.9
        assert answers.statuses[503] <= self.count / 500
        assert answers.statuses[201] > self.count * 0.02

    async def _send(self, server: Headwater, answers: Answers, reads: "Reads", say: Say) -> None:
        is_over = asyncio.Event()
        dawdling = asyncio.create_task(dawdle(server.port, DAWDLERS, is_over))
        try:
            await send_all(server.port, self._watched(server, answers, reads, say), answers)
        finally:
            is_over.set()
            await dawdling

    def _watched(
        self, server: Headwater, answers: Answers, reads: "Reads", say: Say
    ) -> Iterator[bytes]:
        started = said = time.monotonic()
        for number, request in enumerate(requests(self.seed, self.first, self.count, reads)):
            if number % max(1, self.count // 10) == 0:
                self.curve.append(megabytes(server))
            if time.monotonic() - said > SAY_SECONDS:
                said = time.monotonic()
                say(self._progress(number, said - started, answers, megabytes(server)))
            yield request

    def _progress(self, number: int, took: float, answers: Answers, used: float) -> str:
        left = (self.count - number) * took / max(1, number) / 60
        failed = f"{len(answers.wrong):,} wrong, {answers.statuses[503]:,} times 503"
        return (
            f"{number:,} of {self.count:,} ({number * 100 // self.count} %), "
            f"{number / took:,.0f} a second, {left:,.0f} min left, {used:,.0f} MB, {failed}; "
            f"{self._go_on(number)}"
        )

    def _go_on(self, number: int) -> str:
        return f"go on from here with --seed {self.seed} --first {self.first + number}"


Reads = list[tuple[str, list[str]]]


def requests(seed: int, first: int, count: int, reads: Reads) -> Iterator[bytes]:
    """Those of a seed, from one on: the same whichever a run began with."""
    skipped = first % BLOCK
    return islice(_blocks(seed, first // BLOCK, reads), skipped, skipped + count)


def _blocks(seed: int, first: int, reads: Reads) -> Iterator[bytes]:
    events = [*make_corpus().all, *load.events(40)]
    for block in itertools.count(first):
        random = Random(f"{seed}:{block}")
        for _ in range(BLOCK):
            if random.random() < 0.6:
                yield post(random, PATH, mutate(random, random.choice(events)))
            else:
                path, parameters = random.choice(reads)
                yield get(random, path, parameters, KNOWN)


def read_paths(server: Headwater) -> Reads:
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
