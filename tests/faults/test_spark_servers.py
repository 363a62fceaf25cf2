"""Servers that are away, hang, refuse or talk nonsense cost a stream nothing but its lineage."""

import json
import threading
from pathlib import Path

import httpx2
import pytest

from headwater.emit.sender import MAX_WAITING_BYTES, Sender, http_post
from testing.services.headwater import Headwater
from testing.services.process import free_port
from tests.faults import spark_programs
from tests.faults.bad_servers import bad_servers

REFUSING = ["unknown", "forbidden", "moved"]
FAILING = ["never", "drops", "garbage", "broken"]


@pytest.mark.integration
def test_whatever_servers_do(tmp_path: Path) -> None:
    """One program tells them all, and one that works."""
    away = f"http://127.0.0.1:{free_port()}"
    with Headwater.start() as server, bad_servers([*REFUSING, *FAILING]) as urls:
        ended = spark_programs.run("tell_many", tmp_path, server.url, away, *urls)
        assert ended.returncode == 0, ended.stderr
        assert "Traceback" not in ended.stderr, ended.stderr
        told = json.loads(ended.stdout.splitlines()[-1])
        assert told["rows"] == 30
        good, *others = told["servers"]
        refusing, failing = others[1 : 1 + len(REFUSING)], [others[0], *others[1 + len(REFUSING) :]]
        assert good["sent"] >= 3
        assert good["dropped"] == 0
        assert [each["sent"] for each in others] == [0] * len(others)
        # Of those that wait, a heartbeat takes the place of the one before it.
        assert all(1 <= each["dropped"] <= 3 for each in failing), failing
        assert all(each["dropped"] >= 3 for each in refusing), refusing
        for said in ("refused it: 401", "refused it: 403", "refused it: 301", "does not accept"):
            assert said in ended.stderr, ended.stderr
        events = httpx2.get(f"{server.url}/api/v1/events/lineage", trust_env=False).json()["events"]
        kinds = [event["eventType"] for event in events]
        assert (kinds[0], kinds[-1]) == ("ABORT", "START")


@pytest.mark.integration
@pytest.mark.parametrize(("server", "is_stopped"), [("away", "stopped"), ("never", "running")])
def test_the_end_of_a_program_is_not_held_up(server: str, is_stopped: str, tmp_path: Path) -> None:
    """Whether nobody is there or somebody who does not answer."""
    with bad_servers(["never"]) as (never,):
        url = never if server == "never" else f"http://127.0.0.1:{free_port()}"
        ended = spark_programs.run("end_while_away", tmp_path, url, is_stopped)
    assert ended.returncode == 0, ended.stderr
    # Five seconds, and what a machine with other things to do takes to notice; a single request is
    # waited for ten by itself.
    assert json.loads(ended.stdout.splitlines()[-1])["seconds"] < 9


@pytest.mark.integration
@pytest.mark.long
def test_a_server_that_is_away_for_long(tmp_path: Path) -> None:
    """Of hundreds of heartbeats one waits."""
    away = f"http://127.0.0.1:{free_port()}"
    ended = spark_programs.run("tell_nobody_for_long", tmp_path, away, "500")
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    assert told["sent"] == 0
    assert 1 <= told["dropped"] <= 3
    assert told["grown"] < 20


@pytest.mark.slow
def test_what_waits_is_bounded_by_its_size() -> None:
    """Events of plans with thousands of columns: few of them are as much as many others."""
    is_open = threading.Event()
    taken: list[int] = []

    def post(body: bytes) -> None:
        is_open.wait()
        taken.append(len(body))

    sender = Sender(post)
    event = {"columns": "c" * (MAX_WAITING_BYTES // 10)}
    for number in range(100):
        sender.send(str(number), event)
    is_open.set()
    sender.close(seconds=60)
    # Those that waited, and the one that was on its way.
    assert 9 <= len(taken) <= 10
    assert sender.dropped == 100 - len(taken)


def test_one_that_is_larger_than_all_that_may_wait() -> None:
    taken: list[int] = []
    sender = Sender(lambda body: taken.append(len(body)))
    sender.send("a", {"columns": "c" * (MAX_WAITING_BYTES + 1)})
    sender.close(seconds=60)
    assert (len(taken), sender.dropped) == (1, 0)


@pytest.mark.parametrize("url", ["localhost:5000", "ftp://localhost", "/lineage"])
def test_an_address_of_nothing(url: str) -> None:
    with pytest.raises(ValueError, match="starts with http://"):
        http_post(url)
