"""A relay between two servers: all that the first acknowledged is at the second in the end."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.faults.load import Load, new_client
from tests.faults.stored import events_read

pytestmark = pytest.mark.integration

PROGRAM = Path(sys.executable).with_name("headwater")
NAME = "second"


@contextmanager
def relaying(
    first: Headwater, second: Headwater, batch: int = 1
) -> Iterator["subprocess.Popen[str]"]:
    options = ["--to", second.url, "--name", NAME, "--watch", "--batch", str(batch)]
    command = [str(PROGRAM), "publish", "openlineage", *options, "--store", first.store]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def count(server: Headwater) -> int:
    try:
        answer = httpx2.get(
            f"{server.url}/api/v1/events/lineage",
            params={"limit": 0},
            trust_env=False,
            timeout=30,
        )
    except httpx2.TransportError:
        return 0
    return int(answer.json()["totalCount"]) if answer.status_code == 200 else 0


@pytest.fixture(params=["sqlite", "postgresql"])
def first(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Headwater]:
    """The server that events are sent to, on each database."""
    store = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else None
    with Headwater.start(store=store, data=tmp_path / "first") as server:
        yield server


def read(server: Headwater) -> set[bytes]:
    """All events of a server, byte for byte."""
    with new_client(server.url) as client:
        return events_read(client)


def wait_for_more(server: Headwater, number: int = 20) -> None:
    goal = count(server) + number
    wait_until(lambda: count(server) >= goal)


def wait_until_equal(first: Headwater, second: Headwater) -> None:
    wait_until(lambda: count(second) == count(first), lambda: f"{count(second)} of {count(first)}")


@pytest.mark.parametrize(
    ("first", "batch"), [("sqlite", 1), ("postgresql", 50)], indirect=["first"]
)
def test_the_second_is_killed_and_started_again(
    first: Headwater, batch: int, tmp_path: Path
) -> None:
    with (
        Headwater.start(data=tmp_path / "second") as second,
        relaying(first, second, batch) as relay,
    ):
        with Load(first.url, senders=1) as load:
            wait_for_more(second)
            second.kill()
            load.wait_for_more()
        second.launch()
        wait_for_more(second)
        second.kill()
        second.launch()
        wait_until_equal(first, second)
        relay.send_signal(signal.SIGINT)
        _, errors = relay.communicate(timeout=60)
        assert relay.returncode == 0
        assert "no answer" in errors and "Traceback" not in errors
        assert read(second) == read(first) >= load.acknowledged
        assert load.wrong == []


def test_the_relay_is_killed(first: Headwater, tmp_path: Path) -> None:
    with Headwater.start(data=tmp_path / "second") as second:
        with Load(first.url, senders=1) as load:
            for _ in range(3):
                with relaying(first, second, batch=50):
                    wait_for_more(second)
        with relaying(first, second, batch=50):
            wait_until_equal(first, second)
        assert read(second) == read(first) >= load.acknowledged
