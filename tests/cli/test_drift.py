"""`headwater drift`, and its API: what is declared beside what runs observe."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.config import ClusterSettings
from testing.api import Api, open_api
from testing.commands import Run
from testing.events.minimal import run_event

pytestmark = pytest.mark.usefixtures("no_settings")

KAFKA = "kafka://b1:9092"
FILE = """\
job:
  name: enrich
  namespace: jobs
  inputs: [kafka://orders, kafka://customers]
  outputs: [kafka://enriched]
  columns:
    enriched: {email: customers.email, amount: orders.price}
"""
RUN = "01890000-0000-7000-8000-00000000000"


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    clusters = {"main": ClusterSettings(bootstrap="b1:9092")}
    store = f"sqlite:///{tmp_path_factory.mktemp('drift') / 'store.db'}"
    with open_api(store, clusters=clusters) as api:
        yield api


@pytest.fixture
def api(shared_api: Api, monkeypatch: pytest.MonkeyPatch, run: Run) -> Api:
    """A server with a declared job that has not run."""
    shared_api.empty()
    monkeypatch.setenv("HEADWATER_URL", shared_api.url)
    Path("job.yaml").write_text(FILE)
    assert run("declare", "job.yaml").status == 0
    return shared_api


def topic(name: str, **columns: tuple[str, str]) -> dict[str, Any]:
    """A topic by the name that a runtime gives it, maybe with what its columns are made of."""
    found: dict[str, Any] = {"namespace": KAFKA, "name": name}
    if columns:
        fields = {
            column: {"inputFields": [{"namespace": KAFKA, "name": source, "field": field}]}
            for column, (source, field) in columns.items()
        }
        facet = {"_producer": "x", "_schemaURL": "x", "fields": fields}
        found["facets"] = {"columnLineage": facet}
    return found


SAME = topic("enriched", email=("customers", "email"), amount=("orders", "price"))


def observe(api: Api, number: int, inputs: list[Any], outputs: list[Any]) -> str:
    event = run_event("COMPLETE", f"2024-05-01T1{number}:00:00Z", job="enrich", inputs=inputs)
    event |= {"outputs": outputs, "job": {"namespace": "jobs", "name": "enrich"}}
    event["run"]["runId"] = f"{RUN}{number}"
    api.store(event)
    return f"{RUN}{number}"


def test_a_job_that_never_ran_is_no_drift_unless_that_is_asked_for(run: Run, api: Api) -> None:
    outcome = run("drift")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == "0 of 1 declared jobs differ; of 1 no run was observed\n"
    assert run("drift", "--strict").status == 1


def test_a_namespace_that_nobody_knows_is_an_error_with_near_ones(run: Run, api: Api) -> None:
    outcome = run("drift", "--namespace", "jobz")
    assert (outcome.status, outcome.out) == (1, "")
    assert "namespace 'jobz' not found; did you mean jobs?" in outcome.err
    api.store(run_event("COMPLETE", job="other", inputs=[topic("orders")]))
    # It is known, and nothing in it is declared.
    assert run("drift", "--namespace", "scheduler").out == "0 of 0 declared jobs differ\n"


def test_what_runs_as_declared_has_none(run: Run, api: Api) -> None:
    """The runtime names the cluster by its broker, and the file does not."""
    observe(api, 1, [topic("orders"), topic("customers")], [SAME])
    assert run("drift", "--strict").out == "0 of 1 declared jobs differ\n"
    # Events of runs that state what is declared are no observation.
    run("emit", "--config", "job.yaml", "--event-type", "START")
    assert run("drift").status == 0


def test_a_changed_query_is_named_with_its_run(run: Run, api: Api) -> None:
    observe(api, 1, [topic("orders"), topic("customers")], [SAME])
    columns = {"email": ("customers", "email"), "amount": ("returns", "price")}
    newest = observe(api, 2, [topic("customers"), topic("returns")], [topic("enriched", **columns)])
    found = api.read("/drift")
    assert (found["totalCount"], found["declaredCount"], found["notRunCount"]) == (1, 1, 0)
    (job,) = found["jobs"]
    assert (job["id"], job["run"]) == ("job:jobs:enrich", newest)
    edges = {(each["kind"], each["direction"], each["name"]): each for each in job["edges"]}
    assert set(edges) == {("notObserved", "input", "orders"), ("notDeclared", "input", "returns")}
    declared = edges["notObserved", "input", "orders"]
    observed = edges["notDeclared", "input", "returns"]
    assert declared["lastObservedAt"].startswith("2024-05-01T11:00")
    assert observed["since"].startswith("2024-05-01T12:00")
    assert {
        (each["kind"], each["output"]["field"], each["input"]["name"], each["input"]["field"])
        for each in job["columns"]
    } == {
        ("notObserved", "amount", "orders", "price"),
        ("notDeclared", "amount", "returns", "price"),
    }
    outcome = run("drift")
    assert outcome.status == 1
    assert f"jobs enrich, run {newest}" in outcome.out
    assert "1 of 1 declared jobs differ" in outcome.out
    assert json.loads(run("drift", "--output", "json").out) == found
    # Declared as it is now, nothing differs.
    Path("job.yaml").write_text(FILE.replace("orders", "returns"))
    run("declare", "job.yaml")
    assert run("drift").status == 0


def test_what_was_never_observed_says_so(run: Run, api: Api) -> None:
    observe(api, 1, [topic("orders")], [SAME])
    (job,) = api.read("/drift")["jobs"]
    (edge,) = job["edges"]
    assert (edge["kind"], edge["name"], edge["lastObservedAt"]) == (
        "notObserved",
        "customers",
        None,
    )
    assert "never" in run("drift").out


def test_jobs_that_nobody_declares_are_left_out(run: Run, api: Api) -> None:
    api.store(run_event("COMPLETE", job="other", inputs=[topic("orders")]))
    assert api.read("/drift")["declaredCount"] == 1


@pytest.mark.slow
def test_many_jobs_are_cut(run: Run, api: Api) -> None:
    jobs = [
        {"name": f"j{n}", "namespace": "jobs", "inputs": ["kafka://orders"]} for n in range(600)
    ]
    Path("many.yaml").write_text(json.dumps({"jobs": jobs}))
    assert run("declare", "many.yaml").out == "600 stored, 0 refused\n"
    for number in range(3):
        event = run_event("COMPLETE", inputs=[topic("returns")])
        event["job"] = {"namespace": "jobs", "name": f"j{number}"}
        event["run"]["runId"] = f"{RUN}{number + 4}"
        api.store(event)
    found = api.read("/drift", limit=2)
    assert (len(found["jobs"]), found["totalCount"], found["isCut"]) == (2, 3, True)
    assert found["declaredCount"] == 601
    assert "2 of 3 jobs; raise --limit" in run("drift", "--limit", "2").out
