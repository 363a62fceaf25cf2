"""SIGTERM: what was taken is answered and stored, and the server is gone within seconds."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from headwater.store.engine import BUSY_SECONDS
from testing.services.headwater import Headwater
from tests.faults.load import PATH, Load
from tests.faults.stored import check_consistent, check_quiet, events_in
from tests.faults.test_sqlite_locked import locked

pytestmark = pytest.mark.integration

MOST_SECONDS = 10
ROUNDS = [1, pytest.param(30, marks=pytest.mark.long)]


def stop_in_time(server: Headwater, most_seconds: float = MOST_SECONDS) -> None:
    started = time.monotonic()
    server.stop_seconds = most_seconds + 5
    status = server.stop()
    seconds = time.monotonic() - started
    assert status != -signal.SIGKILL, f"still there after {seconds:.0f} s; it had to be killed"
    assert seconds < most_seconds, f"it took {seconds:.1f} s to stop"


def stop_under_load(server: Headwater, rounds: int) -> None:
    """Every request that was taken is answered: what is stored is what was acknowledged."""
    acknowledged: set[bytes] = set()
    for number in range(rounds):
        with Load(server.url, start_run=number * 10_000) as load:
            load.wait_for_more(100 + 10 * number)
            stop_in_time(server)
        assert load.wrong == []
        acknowledged |= load.acknowledged
        assert events_in(server.store) == acknowledged
        check_consistent(server.store)
        check_quiet(server)
        server.restart()


@pytest.mark.parametrize("rounds", ROUNDS)
def test_under_load_on_sqlite(rounds: int, tmp_path: Path) -> None:
    with Headwater.start(data=tmp_path) as server:
        stop_under_load(server, rounds)


def test_under_load_on_postgresql(postgresql_url: str) -> None:
    with Headwater.start(store=postgresql_url) as server:
        stop_under_load(server, rounds=1)


@pytest.mark.parametrize("sent", [b"", b"{"])
def test_with_clients_that_wait_in_the_middle(sent: bytes) -> None:
    """A connection that says nothing, or a body that does not go on, keeps no server alive."""
    head = f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10000\r\n\r\n".encode()
    with (
        Headwater.start() as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        if sent:
            client.sendall(head + sent)
            time.sleep(0.2)
        stop_in_time(server)
        answer = client.recv(65536)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 503 "), answer
        assert events_in(server.store) == set()
        # It may say whom it did not wait for.
        assert "Traceback" not in server.log(), server.log()


@pytest.mark.long
def test_while_the_store_is_locked() -> None:
    """What waits for the store is answered, if only with a refusal.

    The transaction at hand and the one that gathered behind it each wait as long as they may.
    """
    with Headwater.start() as server, Load(server.url) as load:
        load.wait_for_more()
        with locked(server):
            time.sleep(0.5)
            stop_in_time(server, 2 * BUSY_SECONDS + 2)
        load.stop()
        assert load.wrong == []
        assert events_in(server.store) == load.acknowledged
        check_quiet(server)


def test_twice() -> None:
    """An impatient operator asks again: the server still ends by itself, nothing is lost."""
    with Headwater.start() as server, Load(server.url) as load:
        load.wait_for_more()
        os.kill(server.pid, signal.SIGTERM)
        stop_in_time(server)
        load.stop()
        assert load.acknowledged <= events_in(server.store)
        check_consistent(server.store)
        check_quiet(server)
