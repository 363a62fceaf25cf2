"""`headwater collect run` and `status`: the collectors of the settings."""

import json
from collections.abc import Iterator
from pathlib import Path

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
