"""An erasure killed half-way, under load: everything else is there, and the next one ends it."""

import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from headwater.pipeline.lake.lake import Lake
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.maintenance.leftovers import count_leftovers
from headwater.store.maintenance.selection import HoldingText
from headwater.store.write.writer import open_writer
from testing.commands import run_program
from testing.events.minimal import dataset, run_event
from testing.services.headwater import Headwater
from tests.faults.load import Load
from tests.faults.stored import check_quiet, check_store, events_in
from tests.pipeline.test_erase import WHO, encode, facts_of

pytestmark = pytest.mark.integration

ROUNDS = [1, pytest.param(25, marks=pytest.mark.long)]
HERS = 50


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Headwater:
    store = None if request.param == "sqlite" else request.getfixturevalue("postgresql_url")
    return Headwater.start(store, tmp_path, env={"HEADWATER__LAKE__EVERY": "1s"})


def hers(batch: int) -> list[bytes]:
    """Events that name somebody, beside the jobs and datasets of all others."""
    reads: dict[str, Any] = {"inputs": [dataset("orders")]}
    return [
        encode(run_event(job=f"load_{number % 7}", run=f"{WHO}-{batch}-{number}", **reads))
        for number in range(HERS)
    ]


@pytest.mark.parametrize("rounds", ROUNDS)
def test_killed_at_any_time(rounds: int, server: Headwater) -> None:
    program = Path(sys.executable).with_name("headwater")
    command: list[str | Path] = [
        program,
        "db",
        "erase",
        "--matching",
        WHO,
        "--yes",
        "--store",
        server.store,
    ]
    acknowledged: set[bytes] = set()
    with closing(server):
        for number in range(rounds):
            write(server.store, hers(number))
            with Load(server.url, start_run=number * 10_000, senders=1) as load:
                load.wait_for_more(1)
                erasing = subprocess.Popen([*command, "--data", server.data])
                time.sleep(random.uniform(0.5, 4))
                erasing.send_signal(random.choice((signal.SIGKILL, signal.SIGINT)))
                erasing.wait()
                load.wait_for_more(1)
            assert load.wrong == []
            acknowledged |= load.acknowledged
        check_store(server, acknowledged)
        with Load(server.url, start_run=900_000, senders=1) as load:
            load.wait_for_more(1)
            ended = run_program(*map(str, command[1:]), "--data", str(server.data))
            assert ended.status == 0, ended.err
        check_store(server, acknowledged | load.acknowledged)
        check_quiet(server)
    assert not [event for event in events_in(server.store) if WHO.encode() in event]
    engine = open_engine(server.store)
    with engine.connect() as connection:
        assert count_leftovers(connection, HoldingText(WHO)) == {}
        assert not connection.execute(
            select(tables.run).where(tables.run.c.name.contains(WHO))
        ).all()
    engine.dispose()
    in_lake = {event.payload for event in Lake(server.data / "lake").read()}
    assert not [event for event in in_lake if WHO.encode() in event]


def write(url: str, events: list[bytes]) -> None:
    engine = open_engine(url)
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        writer.write([facts_of(event) for event in events])
    engine.dispose()
