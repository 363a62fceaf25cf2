"""`headwater collect run` and `status`: the collectors of the settings."""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import httpx2
import pytest

from headwater.collect.plans import read_plans
from testing.api import Api, open_api
from testing.commands import Run, check_one_line
from testing.stand_ins.connect_rest import ConnectStandIn, StandInAnswer, serve_stand_in
from testing.wait import wait_until

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def worker() -> Iterator[ConnectStandIn]:
    with serve_stand_in() as stand_in:
        stand_in.add("copy", {"connector.class": "FileStreamSink", "topics": "orders"})
        yield stand_in


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        monkeypatch.setenv("HEADWATER_URL", api.url)
        yield api


def post(api: Api, path: str, body: Any = None) -> httpx2.Response:
    return httpx2.post(f"{api.url}/api/v1{path}", json=body, timeout=30, trust_env=False)


def write_settings(worker: ConnectStandIn, more: str = "") -> None:
    section = f'type = "connect"\nurl = "{worker.url}"\ngroup = "shop"\nbootstrap = "kafka:9092"\n'
    Path("headwater.toml").write_text(f'[collect.shop]\n{section}state = "state"\n{more}')


def test_once(api: Api, worker: ConnectStandIn, run: Run) -> None:
    write_settings(worker)
    outcome = run("collect", "run", "shop", "-o", "json")
    assert outcome.status == 0, outcome.err
    (row,) = json.loads(outcome.out)
    assert (row["name"], row["stored"], row["problem"]) == ("shop", 1, None)
    assert api.job("kafka-connect://shop", "copy")["latestRun"]["state"] == "RUNNING"
    (row,) = json.loads(run("collect", "run", "--all", "-o", "json").out)
    assert (row["stored"], row["skipped"]) == (0, 1)


def test_one_that_fails_keeps_no_other_from_running(
    api: Api, worker: ConnectStandIn, run: Run
) -> None:
    other = '\n[collect.away]\ntype = "connect"\nurl = "http://127.0.0.1:1"\ngroup = "x"\n'
    write_settings(worker, other + 'bootstrap = "b"\nstate = "state"\n')
    outcome = run("collect", "run", "away", "shop")
    assert outcome.status == 1
    assert "no answer" in outcome.out and " 1 " in outcome.out


def test_check(api: Api, worker: ConnectStandIn, run: Run) -> None:
    write_settings(worker)
    outcome = run("collect", "run", "--all", "--check")
    assert outcome.status == 0 and "shop: connectors" in outcome.out
    worker.faults["/connectors"] = [StandInAnswer(403)]
    outcome = run("collect", "run", "--all", "--check")
    assert outcome.status == 1 and "answered 403" in outcome.out
    assert worker.requests and api.event_count() == 0


def test_mistakes_are_one_line(api: Api, worker: ConnectStandIn, run: Run) -> None:
    check_one_line(run("collect", "run", "--all"), "no section [collect.NAME]")
    write_settings(worker, 'evry = "1m"\n')
    check_one_line(run("collect", "run", "--all"), "collect.shop.evry", "did you mean 'every'?")
    check_one_line(run("serve", "--collect"), "collect.shop.evry")
    write_settings(worker)
    check_one_line(run("collect", "run", "shpo"), "shpo", "shop")
    assert run("collect", "run").status == 2


def test_status(api: Api, worker: ConnectStandIn, run: Run, tmp_path: Path) -> None:
    assert "no collectors" in run("collect", "status").out
    section = {"url": worker.url, "group": "g", "bootstrap": "b", "state": tmp_path / "s"}
    plans = read_plans({"connect": section})
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}", plans) as serving:
        wait_until(lambda: bool(serving.read("/collectors")["totalCount"]))
        wait_until(lambda: bool(serving.read("/collectors/connect")["lastEndedAt"]))
        outcome = run("collect", "status")
    assert outcome.status == 0
    assert "connect" in outcome.out and "waiting" in outcome.out


class TestWatch:
    """A command that runs collectors on: the server knows of them, and of two one collects."""

    @pytest.fixture
    def watch(self, api: Api, worker: ConnectStandIn) -> Iterator[Callable[[], Popen[str]]]:
        write_settings(worker, 'every = "1h"\n')
        started: list[Popen[str]] = []

        def start() -> Popen[str]:
            program = Path(sys.executable).with_name("headwater")
            command = [str(program), "collect", "run", "--all", "--watch", "--server", api.url]
            started.append(Popen(command, stdout=PIPE, stderr=PIPE, text=True))
            return started[-1]

        yield start
        for each in started:
            each.kill()
            each.communicate()

    @pytest.mark.slow
    def test_its_states_are_at_the_server(
        self, api: Api, worker: ConnectStandIn, watch: Callable[[], Popen[str]]
    ) -> None:
        process = watch()
        wait_until(lambda: api.get("/collectors/shop").status_code == 200)
        wait_until(lambda: api.read("/collectors/shop")["lastEndedAt"] is not None)
        found = api.read("/collectors/shop")
        assert (found["state"], found["stored"], found["everySeconds"]) == ("waiting", 1, 3600)
        assert f":{process.pid}:" in found["holder"]
        # A pass on request, from the server.
        worker.add("another", {"connector.class": "FileStreamSink", "topics": "bids"})
        assert post(api, "/collectors/shop/run").status_code == 200
        wait_until(lambda: api.read("/collectors/shop")["allStored"] == 2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert out == "shop: 1 stored, 0 refused\n" * 2
        assert api.read("/collectors/shop")["state"] == "stopped"

    @pytest.mark.slow
    def test_of_two_one_collects(
        self, api: Api, worker: ConnectStandIn, watch: Callable[[], Popen[str]]
    ) -> None:
        first = watch()
        wait_until(lambda: api.get("/collectors/shop").status_code == 200)
        wait_until(lambda: api.read("/collectors/shop")["lastEndedAt"] is not None)
        second = watch()
        report = {"holder": "somebody", "step": "hold", "type": "connect", "everySeconds": 1}
        answer = post(api, "/collectors/shop/report", report)
        assert answer.json() == {"isHeld": False, "isRequested": False}
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)
        # It released its lease: the other takes over at once.
        wait_until(lambda: f":{second.pid}:" in (api.read("/collectors/shop")["holder"] or ""))

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"holder": "", "step": "hold"},
            {"holder": "x", "step": "dance"},
            {"holder": "x", "step": "ended", "stored": -1},
            {"holder": "x", "step": "ended", "nextSeconds": 10**18},
        ],
    )
    def test_reports_that_are_none(self, api: Api, body: dict[str, Any]) -> None:
        assert post(api, "/collectors/shop/report", body).status_code == 422
        assert api.get("/collectors/shop").status_code == 404
