"""Tasks: extractions by body and by query, their progress, result and failure, and restarts."""

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect import Collected
from headwater.collect.rest import RestUnavailable
from headwater.errors import SourceUnavailable
from headwater.model.values.instant import now
from headwater.store.tasks import add_task, list_waiting, read_task, take_task
from testing.api import Api, open_api
from testing.events.confluent import collected
from tests.server.bridge.conftest import EXTRACT_CALLS, extracted, finished

Json = dict[str, Any]
Report = Callable[[str], None]


@pytest.mark.parametrize(
    "request_of",
    [
        {"json": {"environment_ids": ["env-1", "env-2"], "enable_flink": False}},
        {"params": {"environment_ids": ["env-1", "env-2"], "enable_flink": "false"}},
        {"params": {"environment_ids": "env-1,env-2", "enable_flink": False}},
        {
            "params": {"environment_ids": "env-1, env-2"},
            "json": {"environment_ids": ["env-3"], "enable_flink": False},
        },
    ],
)
def test_a_request_is_the_same_in_body_and_query(bridge: Api, request_of: Json) -> None:
    task = extracted(bridge, **request_of)
    assert task["status"] == "completed", task
    assert EXTRACT_CALLS[-1]["environment_ids"] == ["env-1", "env-2"]
    assert EXTRACT_CALLS[-1]["enable_flink"] is False
    assert EXTRACT_CALLS[-1]["enable_connect"] is True


def test_a_task_has_progress_and_a_result(bridge: Api) -> None:
    task = extracted(bridge)
    assert task["task_type"] == "extract"
    assert task["error"] is None
    assert task["created_at"] <= task["started_at"] <= task["completed_at"]
    assert task["progress"][0] == "1 environments"
    graph = bridge.read(f"/graphs/{task['result']['graph_id']}")
    assert task["result"]["node_count"] == len(graph["nodes"]) == graph["stats"]["node_count"] > 10
    assert task["result"]["edge_count"] == len(graph["edges"]) == graph["stats"]["edge_count"] > 10
    assert any(f"{len(graph['nodes'])} nodes" in line for line in task["progress"])


def test_tasks_are_listed_newest_first(bridge: Api) -> None:
    first, second = (extracted(bridge)["task_id"] for _ in range(2))
    assert [task["task_id"] for task in bridge.read("/tasks")] == [second, first]
    assert [task["task_id"] for task in bridge.read("/tasks", limit=1)] == [second]
    assert bridge.read("/tasks", status="failed") == []
    assert len(bridge.read("/tasks", status="completed", task_type="extract")) == 2
    assert bridge.get("/tasks", status="cancelled").status_code == 422


def test_what_is_unknown_is_refused(bridge: Api) -> None:
    assert bridge.get("/tasks/none").status_code == 404
    assert "detail" in bridge.get("/tasks/none").json()
    bodies: list[Json] = [
        {"environments": []},
        {"enable_flink": "maybe"},
        {"metrics_lookback_hours": 0},
    ]
    for body in bodies:
        answer = bridge.client.post("/api/v1/tasks/extract", json=body)
        assert answer.status_code == 422, body
        assert answer.json()["detail"]
    # Without the environment that was meant, it would be all of them.
    misspelt = bridge.client.post("/api/v1/tasks/extract", params={"environment_id": "env-1"})
    assert misspelt.status_code == 422
    assert "environment_ids" in misspelt.json()["detail"]
    assert bridge.post(b"{", "/api/v1/tasks/extract").status_code == 400
    assert bridge.post(b"[]", "/api/v1/tasks/extract").status_code == 422
    assert bridge.read("/tasks") == []


def test_a_secret_in_clear_is_refused_and_not_repeated(bridge: Api) -> None:
    body = {"sr_credentials": {"env-1": {"api_key": "K", "api_secret": "hunter2-clear"}}}
    answer = bridge.client.post("/api/v1/tasks/extract", json=body)
    assert answer.status_code == 422
    assert "hunter2" not in answer.text
    assert bridge.read("/tasks") == []


def test_without_a_catalog_an_enrichment_says_what_to_do(estate: Api) -> None:
    graph = estate.read("/graphs")[0]["graph_id"]
    answer = estate.client.post(f"/api/v1/tasks/enrich?graph_id={graph}")
    assert answer.status_code == 202
    task = finished(estate, answer.json()["task_id"])
    assert task["status"] == "failed"
    assert "[collect.unity-catalog]" in task["error"]
    assert estate.client.post("/api/v1/tasks/enrich?graph_id=none").status_code == 404
    assert estate.client.post("/api/v1/tasks/enrich").status_code == 422


def test_without_an_account_a_task_says_what_to_do(api: Api) -> None:
    task = extracted(api)
    assert task["status"] == "failed"
    assert "[collect.confluent]" in task["error"]
    assert api.read("/graphs") == []


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'headwater.db'}"


def test_what_cannot_be_read_is_in_the_result(store: str) -> None:
    def extract(_: Json, report: Report) -> Iterator[Collected]:
        yield from collected()
        yield Collected(b"", "lkc-1", error="connectors of lkc-1: 403; give the key a role")
        yield Collected(b'{"eventTime": "yesterday"}', "lkc-1")

    with open_api(store, extract=extract) as api:
        result = extracted(api)["result"]
    assert result["node_count"] > 10
    assert result["problems"][0] == "connectors of lkc-1: 403; give the key a role"
    assert "an event was refused" in result["problems"][1]


def test_an_account_that_does_not_answer_is_a_failed_task(store: str) -> None:
    def extract(_: Json, report: Report) -> Iterable[Collected]:
        raise SourceUnavailable("https://api.confluent.cloud", "401; is the key right?")

    with open_api(store, extract=extract) as api:
        task = extracted(api)
    assert task["status"] == "failed"
    assert task["error"] == "https://api.confluent.cloud: 401; is the key right?"


def test_a_failed_task_says_what_to_do(store: str) -> None:
    def fail(_: Json, report: Report) -> Iterable[Collected]:
        raise RestUnavailable("http://cloud", "has no cluster 'lkc-9'", "the key may read lkc-1")

    with open_api(store, extract=fail) as api:
        task = extracted(api)
    assert task["error"] == "http://cloud: has no cluster 'lkc-9'; the key may read lkc-1"


def test_a_fault_of_our_own_is_logged_and_not_shown(
    store: str, caplog: pytest.LogCaptureFixture
) -> None:
    def extract(_: Json, report: Report) -> Iterable[Collected]:
        raise ZeroDivisionError("hunter2")

    with open_api(store, extract=extract) as api:
        task = extracted(api)
    assert task["error"] == "the server failed at this task; its log has the reason"
    assert "ZeroDivisionError" in caplog.text


def test_a_task_is_begun_again_after_a_restart(store: str) -> None:
    is_stopped = threading.Event()
    is_begun = threading.Event()

    def hang(_: Json, report: Report) -> Iterator[Collected]:
        report("reading")
        is_begun.set()
        is_stopped.wait(60)
        report("still reading")
        yield from collected()

    with open_api(store, extract=hang) as api:
        id = api.client.post("/api/v1/tasks/extract").json()["task_id"]
        assert is_begun.wait(60)
        assert api.read(f"/tasks/{id}")["status"] == "running"
    is_stopped.set()
    with open_api(store, extract=lambda params, report: collected()) as api:
        task = finished(api, id)
        assert task["status"] == "completed", task
        assert "Interrupted; begun again" in task["progress"]
        assert len(api.read("/graphs")) == 1


def test_one_server_at_a_time_runs_a_task(sqlite_api: Api) -> None:
    sqlite_api.empty()
    at = now()
    with sqlite_api.engine.begin() as connection:
        add_task(connection, "a", "extract", {}, at)
        assert list_waiting(connection, "two", at) == ["a"]
        taken = take_task(connection, "a", "one", at, at + 1_000_000)
        assert taken is not None and taken.id == "a"
        assert list_waiting(connection, "two", at + 1) == []
        assert take_task(connection, "a", "two", at + 1, at + 2_000_000) is None
        # Who was interrupted begins again; so does another, once the lease has ended.
        assert list_waiting(connection, "one", at + 1) == ["a"]
        again = take_task(connection, "a", "two", at + 1_000_001, at + 2_000_000)
        assert again is not None and read_task(connection, "a").started_at == at + 1_000_001
