"""Collecting that is killed amid a pass: nothing is lost, and nothing is there twice."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import update

from headwater.leases import LEASE_SECONDS
from headwater.model.values.instant import SECOND
from headwater.store import tables
from headwater.store.engine import open_engine
from testing.commands import run_program
from testing.services.headwater import Headwater
from testing.stand_ins.connect_rest import ConnectStandIn, serve_stand_in
from testing.wait import wait_until

pytestmark = pytest.mark.integration

COUNT = 400
NAMESPACE = "kafka-connect%3A%2F%2Fshop"


@pytest.fixture
def worker() -> Iterator[ConnectStandIn]:
    """Connectors of a worker that halts half-way, so that a pass can be interrupted."""
    with serve_stand_in() as stand_in:
        for number in range(COUNT):
            topic = f"topic-{number}"
            own = {"connector.class": "FileStreamSink", "topics": topic, "file": f"/x/{topic}"}
            stand_in.add(f"sink-{number}", own)
        stand_in.halts_at = COUNT // 2
        yield stand_in


def count_runs(server: Headwater) -> dict[str, int]:
    """How many runs each job has that the server knows."""
    address = f"{server.url}/api/v1/namespaces/{NAMESPACE}/jobs?limit={COUNT}"
    jobs = httpx2.get(address, trust_env=False).json().get("jobs", [])
    assert all(job["latestRun"]["state"] == "RUNNING" for job in jobs)
    found = {}
    for job in jobs[:: len(jobs) // 20 or 1]:
        runs = httpx2.get(
            f"{server.url}/api/v1/namespaces/{NAMESPACE}/jobs/{job['name']}/runs", trust_env=False
        )
        found[job["name"]] = len(runs.json()["runs"])
    return {**dict.fromkeys((job["name"] for job in jobs), 1), **found}


def test_a_command_that_is_killed(worker: ConnectStandIn, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Headwater.start() as server:
        command = ["collect", "connect", "--url", worker.url, "--group", "shop"]
        command += ["--bootstrap", "k:9092", "--server", server.url, "--state", str(state)]
        program = Path(sys.executable).with_name("headwater")
        with subprocess.Popen([program, *command], stdout=subprocess.DEVNULL) as child:
            # What was delivered first is noted; the rest was not asked for yet.
            wait_until(lambda: bool(list(state.glob("*.json"))))
            child.kill()
        asked = len(worker.requests)
        assert asked < COUNT
        worker.go_on()
        outcome = run_program(*command)
        assert (outcome.status, outcome.err) == (0, ""), outcome
        assert count_runs(server) == {f"sink-{number}": 1 for number in range(COUNT)}
        again = run_program(*command, "-o", "json")
        assert '"stored":0' in again.out.replace(" ", "")


@pytest.mark.slow
def test_a_server_that_is_killed_and_another_that_takes_over(
    worker: ConnectStandIn, tmp_path: Path
) -> None:
    settings = tmp_path / "headwater.toml"
    own = f'url = "{worker.url}"\ngroup = "shop"\nbootstrap = "k:9092"\nevery = "1s"\n'
    settings.write_text(f'[collect.connect]\n{own}state = "{tmp_path}/state"\n')
    env = {"HEADWATER_CONFIG": str(settings)}
    store = f"sqlite:///{tmp_path / 'store.db'}"

    def start() -> Headwater:
        return Headwater.start(store=store, extra=["--collect"], env=env)

    def holder(server: Headwater) -> str | None:
        answer = httpx2.get(f"{server.url}/api/v1/collectors", trust_env=False).json()
        return next((each["holder"] for each in answer["collectors"]), None)

    with start() as first, start() as second:
        wait_until(lambda: bool(list((tmp_path / "state").glob("*.json"))))
        held = holder(second)
        assert held is not None
        killed, other = (first, second) if f":{first.pid}:" in held else (second, first)
        killed.kill()
        asked = len(worker.requests)
        assert asked < COUNT
        worker.go_on()
        let_time_pass(store, LEASE_SECONDS)
        wait_until(lambda: len(count_runs(other)) == COUNT, lambda: f"{len(count_runs(other))}")
        assert set(count_runs(other).values()) == {1}
        assert f":{other.pid}:" in (holder(other) or "")


def let_time_pass(store: str, seconds: float) -> None:
    """A minute is long to wait for: what is leased ends as much earlier."""
    engine = open_engine(store)
    with engine.begin() as connection:
        ends = tables.collector.c.lease_until
        connection.execute(
            update(tables.collector).values(lease_until=ends - int(seconds * SECOND))
        )
    engine.dispose()
