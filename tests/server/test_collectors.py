"""`/collectors` and `serve --collect`: a collector in a server, its state, a pass on request."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.plans import read_plans
from testing.api import Api, open_api
from testing.stand_ins.connect_rest import ConnectStandIn, StandInAnswer, serve_stand_in
from testing.wait import wait_until

SINK = {"connector.class": "FileStreamSink", "topics": "orders", "file": "/tmp/x"}


@pytest.fixture
def worker() -> Iterator[ConnectStandIn]:
    with serve_stand_in() as stand_in:
        stand_in.add("copy", SINK)
        yield stand_in


def settings_of(worker: ConnectStandIn, folder: Path) -> dict[str, Any]:
    return {
        "type": "connect",
        "every": "1h",
        "url": worker.url,
        "group": "shop",
        "bootstrap": "kafka:9092",
        "state": folder / "state",
    }


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'headwater.db'}"


@pytest.fixture
def api(worker: ConnectStandIn, store: str, tmp_path: Path) -> Iterator[Api]:
    plans = read_plans({"shop": settings_of(worker, tmp_path)})
    with open_api(store, plans) as api:
        yield api


def state(api: Api) -> dict[str, Any]:
    found: dict[str, Any] = api.read("/collectors/shop")
    return found


@pytest.mark.slow
def test_it_collects_by_itself_and_on_request(api: Api, worker: ConnectStandIn) -> None:
    wait_until(lambda: api.get("/collectors/shop").status_code == 200)
    wait_until(lambda: state(api)["lastEndedAt"] is not None)
    found = state(api)
    assert (found["type"], found["state"], found["stored"], found["problem"]) == (
        "connect",
        "waiting",
        1,
        None,
    )
    assert found["nextAt"] > found["lastEndedAt"] >= found["lastStartedAt"]
    assert api.job("kafka-connect://shop", "copy")["latestRun"]["state"] == "RUNNING"
    del worker.connectors["copy"]
    answer = api.client.post("/api/v1/collectors/shop/run")
    assert answer.status_code == 200 and answer.json()["isRequested"]
    wait_until(lambda: state(api)["allStored"] == 2)
    assert api.job("kafka-connect://shop", "copy")["latestRun"]["state"] == "ABORTED"
    (listed,) = api.read("/collectors")["collectors"]
    assert listed["name"] == "shop" and listed["holder"]


def test_what_fails_is_shown(api: Api, worker: ConnectStandIn) -> None:
    wait_until(lambda: api.get("/collectors/shop").status_code == 200)
    wait_until(lambda: state(api)["lastEndedAt"] is not None)
    worker.faults["/"] = [StandInAnswer(401)]
    assert api.client.post("/api/v1/collectors/shop/run").json()["isRequested"]
    wait_until(lambda: state(api)["state"] == "failing", lambda: str(state(api)))
    assert "answered 401" in state(api)["problem"]
    assert state(api)["failures"] == 1


@pytest.mark.slow
def test_one_that_is_not_known(store: str) -> None:
    with open_api(store) as api:
        assert api.read("/collectors") == {"collectors": [], "totalCount": 0}
        assert api.get("/collectors/none").status_code == 404
        answer = api.client.post("/api/v1/collectors/none/run")
        assert answer.status_code == 404 and "none" in json.dumps(answer.json())


@pytest.mark.slow
def test_one_that_is_not_run_any_more_can_be_forgotten(
    worker: ConnectStandIn, store: str, tmp_path: Path
) -> None:
    with open_api(store, read_plans({"shop": settings_of(worker, tmp_path)})) as api:
        wait_until(lambda: api.get("/collectors/shop").status_code == 200)
        wait_until(lambda: state(api)["lastEndedAt"] is not None)
        assert api.client.delete("/api/v1/collectors/shop").status_code == 409
    with open_api(store) as api:
        assert state(api)["state"] == "stopped"
        assert api.client.delete("/api/v1/collectors/shop").json()["name"] == "shop"
        assert api.client.delete("/api/v1/collectors/shop").status_code == 404


@pytest.mark.slow
def test_of_two_servers_one_collects(worker: ConnectStandIn, store: str, tmp_path: Path) -> None:
    plans = read_plans({"shop": settings_of(worker, tmp_path)})
    with open_api(store, plans) as first:
        wait_until(lambda: first.get("/collectors/shop").status_code == 200)
        wait_until(lambda: state(first)["lastEndedAt"] is not None)
        asked = len(worker.requests)
        with open_api(store, plans) as second:
            wait_until(lambda: state(second)["holder"] is not None)
            assert len(worker.requests) == asked
