"""Memory: no request makes a server process grow far beyond the body it brings."""

import gzip
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import httpx2
import msgspec
import psutil
import pytest

from headwater.model.intake import take_in
from headwater.store.write.outbox import fill
from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.store.stores import open_store

pytestmark = pytest.mark.integration

MOST_MB = 150


class Watched:
    """A server process, and how far its memory has grown at its highest."""

    def __init__(self, service: Headwater) -> None:
        self.url = f"{service.url}/api/v1/lineage"
        self._status = Path(f"/proc/{service.pid}/status")
        self._before = self._megabytes("VmRSS")

    def _megabytes(self, name: str) -> float:
        found = re.search(rf"{name}:\s+(\d+) kB", self._status.read_text())
        assert found is not None
        return int(found[1]) / 1024

    def growth(self) -> float:
        return self._megabytes("VmHWM") - self._before

    def post(self, body: bytes, **headers: str) -> httpx2.Response:
        fields = {"content-type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return httpx2.post(self.url, content=body, headers=fields, timeout=120, trust_env=False)


@pytest.fixture
def watched() -> Iterator[Watched]:
    with Headwater.start() as service:
        yield Watched(service)


def test_a_gzip_bomb(watched: Watched) -> None:
    """Ten gigabytes in ten megabytes."""
    bomb = gzip.compress(bytes(100_000_000)) * 100
    assert watched.post(bomb, content_encoding="gzip").status_code == 413
    assert watched.growth() < MOST_MB


def test_a_gzip_bomb_again_and_again(watched: Watched) -> None:
    bomb = gzip.compress(bytes(100_000_000))
    for _ in range(20):
        assert watched.post(bomb, content_encoding="gzip").status_code == 413
    assert watched.growth() < MOST_MB


def broken(number: int) -> tuple[bytes, dict[str, str]]:
    return b'{"n":%d,' % number + bytes(19_000_000), {}


def packed(number: int) -> tuple[bytes, dict[str, str]]:
    body, _ = broken(number)
    return gzip.compress(body, 1), {"content_encoding": "gzip"}


def without_a_job(number: int) -> tuple[bytes, dict[str, str]]:
    return msgspec.json.encode({"eventTime": f"{number:019000000}"}), {}


def no_array(number: int) -> tuple[bytes, dict[str, str]]:
    return b"[" + broken(number)[0], {}


@pytest.mark.parametrize("make", [broken, packed, without_a_job, no_array])
def test_refused_bodies_again_and_again(
    watched: Watched, make: Callable[[int], tuple[bytes, dict[str, str]]]
) -> None:
    """Nothing of a body is held once it is answered."""
    for number in range(20):
        body, headers = make(number)
        assert 400 <= watched.post(body, **headers).status_code <= 422
    assert watched.growth() < MOST_MB


def test_a_body_without_end(watched: Watched) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(400):
            yield b" " * 1_000_000

    with httpx2.Client(timeout=120, trust_env=False) as client:
        answer = client.post(watched.url, content=pieces())
    assert answer.status_code == 413
    assert watched.growth() < MOST_MB


def test_twenty_megabytes_of_nesting(watched: Watched) -> None:
    assert watched.post(b'{"a":' * 3_900_000).status_code == 400
    assert watched.post(b"[" * 19_000_000).status_code == 400
    assert watched.growth() < MOST_MB


def test_twenty_megabytes_of_short_strings(watched: Watched) -> None:
    body = b"[" * 600 + b'"ab",' * 3_900_000
    assert watched.post(body).status_code == 400
    assert watched.growth() < 2 * MOST_MB


def test_a_great_many_elements_that_are_no_events(watched: Watched) -> None:
    """0.4 MB that are 200,000 refusals: at 20 MB it would be fifty times that."""
    body = b"[" + b"0," * 199_999 + b"0]"
    assert 400 <= watched.post(body).status_code < 500
    assert watched.growth() < MOST_MB


def test_a_great_many_events_at_once(watched: Watched) -> None:
    events = [run_event(run=f"run-{number}") for number in range(30_000)]
    body = msgspec.json.encode(events)
    assert 5_000_000 < len(body) < 8_000_000
    assert watched.post(body).status_code == 201
    assert watched.growth() < 2 * MOST_MB


def test_large_events_on_their_way_into_the_lake(tmp_path: Path) -> None:
    """The process that carries them on holds a few of them at a time; the server none."""
    store = f"sqlite:///{tmp_path / 'headwater.db'}"
    with open_store(store) as filled:
        for number in range(50):
            # Random, so that nothing is saved by compressing it.
            event = run_event(run=f"run-{number}", padding=random.randbytes(2_000_000).hex())
            filled.writer.write([take_in(msgspec.json.encode(event), 0, 2**62, "test").facts])
        with filled.engine.begin() as connection:
            fill(connection)
    often = {"HEADWATER__LAKE__EVERY": "1s"}
    with Headwater.start(store=store, data=tmp_path, env=often) as service:
        watched = Watched(service)
        most = 0.0

        def is_carried_on() -> bool:
            nonlocal most
            most = max(most, *map(megabytes_of, psutil.Process(service.pid).children()), 0.0)
            return "wrote 50 events" in service.log()

        wait_until(is_carried_on)
        assert watched.growth() < 20
        # Of which 130 MB are what it needs for a single small one.
        assert 0 < most < 400


def megabytes_of(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):
        return float(process.memory_info().rss) / 2**20
    return 0.0


def test_bodies_are_counted_as_they_are_once_unpacked(tmp_path: Path) -> None:
    """Small bodies that unpack to 15 MB each pile up before a busy store; 40 MB may be held."""
    packed = gzip.compress(msgspec.json.encode(run_event(padding=" " * 15_000_000)), 1)
    limit = {"HEADWATER__INTAKE__MAX_IN_FLIGHT_BYTES": "40000000"}
    store = tmp_path / "headwater.db"
    with (
        Headwater.start(store=f"sqlite:///{store}", env=limit) as service,
        closing(sqlite3.connect(store, isolation_level=None)) as other,
        ThreadPoolExecutor(30) as senders,
    ):
        watched = Watched(service)
        other.execute("BEGIN IMMEDIATE")
        sent = [senders.submit(watched.post, packed, content_encoding="gzip") for _ in range(30)]
        # However many are there by then: the one that is refused was one too many.
        wait_until(lambda: any(each.done() for each in sent))
        other.execute("ROLLBACK")
        assert {answer.result().status_code for answer in sent} == {201, 503}
        assert watched.growth() < 2 * MOST_MB


THREADS = """
import sys, threading
from headwater.server.background.memory import GiveMemoryBack, limit_allocator, read_resident_bytes

if sys.argv[1] == "limited":
    limit_allocator()
bodies = [bytearray(20_000_000) for _ in range(2)]
del bodies
all_there = threading.Barrier(10)

def work():
    held = [bytearray(50_000) for _ in range(400)]
    all_there.wait()
    del held
    all_there.wait()
    all_there.wait()

before = read_resident_bytes()
for _ in range(9):
    threading.Thread(target=work).start()
all_there.wait()
all_there.wait()
sizes = iter([0, 10**9])
GiveMemoryBack(read_bytes=lambda: next(sizes, 0)).work()
print(read_resident_bytes() - before)
all_there.wait()
"""


@pytest.mark.parametrize("limits", ["limited", "unlimited"])
def test_threads_keep_little_of_what_they_freed(limits: str) -> None:
    """Of nine times 20 MB, after a large body; without limits, to know that it is seen."""
    done = subprocess.run(
        [sys.executable, "-c", THREADS, limits], capture_output=True, text=True, check=True
    )
    kept = int(done.stdout) / 1_000_000
    assert kept < 20 if limits == "limited" else kept > 40
