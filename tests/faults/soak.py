"""A server for long: events, rejected ones, reads and prunes, in steps; and its memory meanwhile.

What was done is kept in a folder after each step, so that a soak that was ended goes on there:

python -m tests.faults.soak --events 1000000 --folder ~/soak

The number of the others follows that of the events: 1 in 50 is rejected, 1 read for each 10, ten
prunes. All are sent beside each other. Memory amid work goes up and down by what a server lets go
of at once; what must stay is what it has at rest, at a tenth of the way, half-way and at the end:
fewer than some 100,000 events are too few, as a server is not warm after a tenth of them.
"""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock, local

import httpx2
import msgspec
import psutil

from testing import load
from testing.commands import run_program
from testing.services.headwater import Headwater
from tests.faults.load import JSON, PATH, body_of, new_client
from tests.faults.stored import check_consistent, check_quiet

MILLION = 1_000_000
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
NO_LAKE = {"HEADWATER__LAKE__IS_ON": "false"}
READS = (
    "/api/v1/jobs?limit=20",
    "/api/v1/namespaces/bench/jobs?limit=20",
    "/api/v1/search?q=table",
    "/api/v1/events/lineage?limit=10",
    "/api/v1/health/jobs?limit=5",
    "/api/v1/lineage?nodeId=job:bench:job_0&depth=2",
    "/api/v1/namespaces",
)
Say = Callable[[str], None]


class Done(msgspec.Struct):
    """What a soak has done, and the server's memory in MB after each step and at each rest."""

    events: int
    """That it is to send."""
    sent: int = 0
    rejected: int = 0
    reads: int = 0
    seconds: float = 0
    rested: float = 0
    cpu: float = 0
    amid: list[float] = []
    at_rest: list[float] = []
    servers: int = 0
    """That were started for it, one after the other."""

    def describe(self) -> str:
        resting = ", ".join(f"{value:.0f}" for value in self.at_rest)
        minutes = (self.seconds * MILLION / self.sent + self.rested) / 60
        least = (self.cpu * MILLION / self.sent + self.rested) / 60
        return (
            f"{self.sent:,} events, {self.rejected:,} rejected, {self.reads:,} reads, "
            f"in {self.seconds:,.0f} s and {self.rested:,.0f} s at rest, "
            f"by {self.servers} server(s)\n"
            f"a million would take {minutes:,.0f} min, {least:,.0f} by the server's CPU alone\n"
            f"memory in MB; at rest {resting}\n{plot(self.amid)}"
        )


class Soak:
    """The steps of a soak, from the first that is not done yet."""

    def __init__(self, folder: Path, events: int, say: Say) -> None:
        self._file = folder / "soak.json"
        self._say = say
        is_begun = self._file.exists()
        self.done = (
            msgspec.json.decode(self._file.read_bytes(), type=Done) if is_begun else Done(events)
        )

    def run(self, server: Headwater) -> None:
        """Do what is left; afterwards the store is whole, and memory is what it was early on."""
        done, traffic = self.done, Traffic(server, self.done)
        done.servers += 1
        before = _cpu(server)
        try:
            for step in range(len(done.amid), STEPS):
                self._step(server, traffic, step)
                done.cpu, before = done.cpu + _cpu(server) - before, _cpu(server)
                self._file.write_bytes(msgspec.json.encode(done))
        finally:
            traffic.close()
        self._say(done.describe())
        check_consistent(server.store)
        check_quiet(server)
        assert done.at_rest[-1] <= done.at_rest[0] * MOST_GROWTH, done.at_rest

    def _step(self, server: Headwater, traffic: "Traffic", step: int) -> None:
        done, started = self.done, time.monotonic()
        traffic.run(done.events // STEPS)
        prune, is_between = divmod(step + 1, STEPS // PRUNES)
        if not is_between:
            _prune(server)
        done.seconds += time.monotonic() - started
        if not is_between and prune in RESTS:
            done.at_rest.append(_megabytes_at_rest(server))
            done.rested += REST_SECONDS
        done.amid.append(_megabytes(server))
        left = done.seconds / (step + 1) * (STEPS - step - 1) / 60
        self._say(
            f"step {step + 1} of {STEPS}: {done.sent:,} events, {done.reads:,} reads, "
            f"{done.amid[-1]:,.0f} MB, {left:,.0f} min left"
        )


class Traffic:
    """Senders and readers beside each other, each with a connection of its own."""

    def __init__(self, server: Headwater, done: Done) -> None:
        self._url = server.url
        self._done = done
        # Each run has two events.
        self._events = load.events(done.events, start_run=done.sent // 2)
        self._lock = Lock()
        self._mine = local()
        self._clients: list[httpx2.Client] = []
        self._pool = ThreadPoolExecutor(SENDERS + READERS)

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
                self._done.sent += BATCH
                self._done.rejected += 2

    def _post(self, body: bytes) -> httpx2.Response:
        return self._client().post(PATH, content=body, headers=JSON)

    def _read(self, count: int) -> None:
        for number in range(count):
            answer = self._client().get(READS[number % len(READS)])
            assert answer.status_code in (200, 404), answer.text
        with self._lock:
            self._done.reads += count


def _cpu(server: Headwater) -> float:
    return float(sum(psutil.Process(server.pid).cpu_times()[:2]))


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


def main() -> None:
    options = read_options()
    folder = Path(options.folder or mkdtemp(prefix="headwater-soak-")).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"soak: goes on, once ended, with --folder {folder}", flush=True)
    soak = Soak(folder, options.events, lambda text: print(f"soak: {text}", flush=True))
    with Headwater.start(options.store, folder, env=NO_LAKE) as server:
        soak.run(server)
    print("soak: passed")


def read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.faults.soak")
    parser.add_argument("--events", type=int, default=MILLION)
    parser.add_argument("--folder", help="what was done, and a SQLite file; a new one unless given")
    parser.add_argument("--store", help="an empty PostgreSQL database of one's own, by its URL")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
