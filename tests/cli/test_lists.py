"""`headwater jobs`, `datasets`, `runs` and `events` against a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner, Result

from headwater.cli.main import app
from testing.api import no_lake, serve
from testing.events.minimal import JOBS, RUN, TABLES, dataset, run_event

RUNNER = CliRunner()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store: Path = tmp_path_factory.mktemp("lists") / "headwater.db"
    with serve(no_lake(f"sqlite:///{store}")) as url:
        events = [
            run_event("START", outputs=[dataset("orders")]),
            run_event("COMPLETE", "2024-05-01T10:05:00Z"),
            run_event("START", "2024-05-02T10:00:00Z", job="[odd] name", run="run-2"),
        ]
        httpx2.post(f"{url}/api/v1/lineage", json=events).raise_for_status()
        httpx2.post(f"{url}/api/v1/lineage", json={"eventTime": "nonsense", "job": {}})
        yield url


def invoke(server: str, *arguments: str) -> Result:
    outcome = RUNNER.invoke(app, [*arguments, "--server", server])
    assert outcome.exit_code == 0, outcome.output
    return outcome


def rows(server: str, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(invoke(server, *arguments, "-o", "json").stdout)
    return found


def test_jobs_show_the_state_of_their_last_run(server: str) -> None:
    assert [(row["name"], row["state"], row["writes"]) for row in rows(server, "jobs")] == [
        ("[odd] name", "RUNNING", 0),
        ("load", "COMPLETED", 1),
    ]


REST = "kafka_connect_rest"


def test_a_deleted_connector_is_told_from_a_stopped_one(tmp_path: Path) -> None:
    def facets(reason: str, name: str = "kafka_connect") -> dict[str, Any]:
        return {"run_facets": {name: {"reason": reason}}}

    with serve(no_lake(f"sqlite:///{tmp_path / 'headwater.db'}")) as url:
        events = [
            run_event("ABORT", job="stopped", run="run-1", **facets("stopped")),
            run_event("ABORT", job="deleted", run="run-2", **facets("deleted")),
            run_event("ABORT", job="outside", run="run-3", **facets("deleted", REST)),
            # Made again: it runs, whatever was reported before.
            run_event("START", job="again", run="run-4", **facets("deleted", REST)),
        ]
        httpx2.post(f"{url}/api/v1/lineage", json=events).raise_for_status()
        found = {row["name"]: row["state"] for row in rows(url, "jobs")}
    deleted = dict.fromkeys(("deleted", "outside"), "ABORTED (deleted)")
    assert found == {"stopped": "ABORTED", "again": "RUNNING", **deleted}


def test_a_name_with_brackets_is_printed_as_it_is(server: str) -> None:
    assert "[odd] name" in invoke(server, "jobs").stdout


def test_datasets_can_be_narrowed_to_a_namespace(server: str) -> None:
    assert [row["name"] for row in rows(server, "datasets", "-n", TABLES)] == ["orders"]


def test_a_limit_is_kept(server: str) -> None:
    assert len(rows(server, "jobs", "--limit", "1")) == 1


def test_runs_come_newest_first(server: str) -> None:
    assert [row["id"] for row in rows(server, "runs")] == ["run-2", RUN]


def test_runs_of_one_job(server: str) -> None:
    (row,) = rows(server, "runs", "load", "-n", JOBS)
    assert (row["state"], row["seconds"]) == ("COMPLETED", 300.0)


def test_events_come_oldest_first_one_a_line_as_json(server: str) -> None:
    lines = invoke(server, "events", "-o", "json").stdout.splitlines()
    assert [json.loads(line)["eventType"] for line in lines] == ["START", "COMPLETE", "START"]


def test_events_of_one_job(server: str) -> None:
    lines = invoke(server, "events", "--job", "load", "-o", "json").stdout.splitlines()
    assert len(lines) == 2


def test_events_of_one_run(server: str) -> None:
    lines = invoke(server, "events", "--run", "run-2", "-o", "json").stdout.splitlines()
    assert [json.loads(line)["run"]["runId"] for line in lines] == ["run-2"]


def test_events_as_a_table(server: str) -> None:
    assert "COMPLETE" in invoke(server, "events").stdout


def test_what_was_rejected_says_why(server: str) -> None:
    (row,) = rows(server, "events", "--rejected")
    assert row["path"] == "$.job.namespace"


def test_following_prints_what_comes_and_ends_with_ctrl_c(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = run_event("START", "2024-05-03T10:00:00Z", job="late", run="run-3")

    def wait(_: float, calls: list[int] = []) -> None:  # noqa: B006
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        httpx2.post(f"{server}/api/v1/lineage", json=late).raise_for_status()

    monkeypatch.setattr("headwater.cli.commands.events.time.sleep", wait)
    lines = invoke(server, "events", "--follow", "-o", "json").stdout.splitlines()
    assert [json.loads(line)["job"]["name"] for line in lines][-1] == "late"
    assert len(lines) == 4


def test_a_server_that_is_not_there_is_one_line() -> None:
    outcome = RUNNER.invoke(app, ["jobs", "--server", "http://127.0.0.1:1"])
    assert outcome.exit_code == 1
