"""Killed under load, the server or the database: nothing acknowledged is lost."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from tests.faults.load import Load, check_refused
from tests.faults.stored import check_quiet, check_store

pytestmark = pytest.mark.integration

ROUNDS = [3, pytest.param(50, marks=pytest.mark.long)]
FEW_ROUNDS = [1, pytest.param(10, marks=pytest.mark.long)]


@pytest.fixture
def own_postgresql() -> Iterator[PostgreSQL]:
    """A cluster that a test may kill."""
    with PostgreSQL.start() as service:
        yield service


def kill_under_load(server: Headwater, rounds: int) -> None:
    acknowledged: set[bytes] = set()
    for number in range(rounds):
        with Load(server.url, start_run=number * 10_000) as load:
            load.wait_for_more(1)
            time.sleep(random.uniform(0, 0.7))
            server.kill()
            load.wait_for_silence()
        assert load.wrong == []
        acknowledged |= load.acknowledged
        server.restart()
        check_store(server, acknowledged)
    check_quiet(server)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_the_server_on_sqlite(rounds: int, tmp_path: Path) -> None:
    with Headwater.start(data=tmp_path) as server:
        kill_under_load(server, rounds)


@pytest.mark.parametrize("rounds", FEW_ROUNDS)
def test_the_server_on_postgresql(rounds: int, postgresql_url: str) -> None:
    with Headwater.start(store=postgresql_url) as server:
        kill_under_load(server, rounds)


@pytest.mark.parametrize("rounds", FEW_ROUNDS)
def test_postgresql_in_the_middle_of_commits(rounds: int, own_postgresql: PostgreSQL) -> None:
    with Headwater.start(store=own_postgresql.url("killed")) as server:
        first = server.pid
        with Load(server.url) as load:
            for _ in range(rounds):
                load.wait_for_more()
                time.sleep(random.uniform(0, 0.7))
                own_postgresql.kill()
                load.wait_for_refusals()
                own_postgresql.restart()
                load.wait_for_more()
        assert load.wrong == []
        assert load.unanswered == set()
        for answer in load.refusals:
            check_refused(answer)
        assert server.pid == first
        check_store(server, load.acknowledged)
        check_quiet(server)
