"""The lake through kills and a store that hangs: all that was acknowledged is in it in the end."""

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil
import pytest

from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.lake.outbox import flush
from headwater.store.engine import BUSY_SECONDS, open_engine
from headwater.store.write.outbox import count_waiting, fill
from testing import load as bench_load
from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from testing.wait import wait_until
from tests.faults.load import JSON, PATH, Load, new_client
from tests.faults.stored import check_quiet, events_in
from tests.faults.test_postgresql_away import hung
from tests.faults.test_stop import stop_in_time

pytestmark = pytest.mark.integration

OFTEN = {"HEADWATER__LAKE__EVERY": "1s"}
ROUNDS = [2, pytest.param(20, marks=pytest.mark.long)]


def flush_rest(url: str, lake: Lake) -> None:
    engine = open_engine(url)
    try:
        flush(engine, lake)
    finally:
        engine.dispose()


def payloads(lake: Lake) -> set[bytes]:
    return {event.payload for event in lake.read()}


def post(server: Headwater, *events: bytes) -> None:
    """As senders do: again, until it is stored."""
    with new_client(server.url) as client:

        def is_stored(event: bytes) -> bool:
            return client.post(PATH, content=event, headers=JSON).status_code == 201

        for event in events:
            wait_until(partial(is_stored, event))


@pytest.mark.parametrize("rounds", ROUNDS)
def test_killed_under_load(rounds: int, tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    acknowledged: set[bytes] = set()
    with Headwater.start(data=tmp_path, env=OFTEN) as server:
        for number in range(rounds):
            with Load(server.url, start_run=number * 10_000) as load:
                load.wait_for_more(1)
                time.sleep(random.uniform(1, 2.5))
                server.kill()
                load.wait_for_silence()
            acknowledged |= load.acknowledged
            server.restart()
        wait_until(lambda: acknowledged <= payloads(lake))
        server.stop()
        check_quiet(server)
        flush_rest(server.store, lake)
        assert payloads(lake) == events_in(server.store)
        lake.compact()
        assert payloads(lake) == events_in(server.store)
        assert lake.stats().events == len(events_in(server.store))


def let_all_wait(url: str) -> None:
    engine = open_engine(url)
    with engine.begin() as connection:
        fill(connection)
    engine.dispose()


def is_carried_on(url: str) -> bool:
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            return count_waiting(connection) == 0
    finally:
        engine.dispose()


def test_killed_while_events_are_carried_on(tmp_path: Path) -> None:
    """The process that does it goes with the server; the next server's does it again."""
    lake = Lake(tmp_path / "lake")
    sent = list(bench_load.events(5))
    with Headwater.start(data=tmp_path, env=OFTEN) as server:
        post(server, *sent)
        server.stop()
        let_all_wait(server.store)
        with closing(sqlite3.connect(tmp_path / "headwater.db", isolation_level=None)) as other:
            # Events are written to the lake, but cannot be said to be there.
            other.execute("BEGIN IMMEDIATE")
            server.restart()
            wait_until(lambda: payloads(lake) == set(sent))
            (child,) = psutil.Process(server.pid).children()
            os.kill(server.pid, signal.SIGKILL)
            # Sooner than it would give the store up by itself.
            psutil.wait_procs([child], timeout=BUSY_SECONDS - 1)
            assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
            other.execute("ROLLBACK")
        assert not is_carried_on(server.store)
        server.restart()
        wait_until(lambda: is_carried_on(server.store))
        server.stop()
        check_quiet(server)
        assert payloads(lake) == set(sent)


def test_a_store_that_is_away_for_a_while() -> None:
    """Said in one line each time; what came before and after is carried on."""
    before, after = (list(bench_load.events(5, start_run=run)) for run in (0, 1_000))
    with (
        PostgreSQL.start() as postgresql,
        Headwater.start(store=postgresql.url("away"), env=OFTEN) as server,
    ):
        lake = Lake(server.data / "lake")
        post(server, *before)
        postgresql.stop()
        wait_until(lambda: "lake failed, will be tried again in 0:00:01" in server.log())
        postgresql.restart()
        wait_until(server.is_ready)
        post(server, *after)
        wait_until(lambda: payloads(lake) == {*before, *after})
        check_quiet(server)


@pytest.mark.long
def test_a_stop_while_the_store_hangs() -> None:
    """In the middle of carrying on, which must not keep the server from ending."""
    with (
        PostgreSQL.start() as postgresql,
        Headwater.start(store=postgresql.url("hung"), env=OFTEN) as server,
    ):
        post(server, *bench_load.events(5))
        wait_until(lambda: len(payloads(Lake(server.data / "lake"))) == 5)
        with hung(postgresql):
            # It has begun on a connection that it had before.
            time.sleep(2)
            stop_in_time(server)
