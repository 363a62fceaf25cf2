"""A run of dbt that dbt-ol and the collector report: one job with one run a node, in any order."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.dbt import DbtCollector, DbtSettings
from testing.api import Api
from testing.dbt_project import INVOCATION, NAMESPACE, small_project

Json = dict[str, Any]

PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt"
PROJECT, PROJECT_RUN = "dbt-run-shop", "01a1de69-072b-74cc-a117-833004b1322e"
NODES = {
    "dw.main.shop.stg_orders.build.run": "01a1de69-0001-74cc-a117-833004b1322e",
    "dw.main.shop.stg_orders.build.test": "01a1de69-0002-74cc-a117-833004b1322e",
}
COLUMN = {"namespace": NAMESPACE, "name": "dw.raw.orders", "field": "id", "transformations": []}


def reported(kind: str, second: str, name: str, run: str, job_type: str, **rest: Any) -> Json:
    """An event as dbt-ol sends it: with a run id that it made up."""
    above = {"job": {"namespace": "dbt", "name": PROJECT}, "run": {"runId": PROJECT_RUN}}
    facets: Json = {"dbt_run": {"invocation_id": INVOCATION, "project_name": "shop"}}
    if job_type != "JOB":
        facets["parent"] = {**above, "root": above}
    return {
        "eventType": kind,
        "eventTime": f"2026-11-19T10:00:{second}Z",
        "producer": PRODUCER,
        "run": {"runId": run, "facets": facets},
        "job": {
            "namespace": "dbt",
            "name": name,
            "facets": {"jobType": {"integration": "DBT", "jobType": job_type}},
        },
        **rest,
    }


def dbt_ol() -> list[Json]:
    """What `dbt-ol build` sends once dbt has ended: all that starts, then all that ends."""
    model, test = NODES
    outputs = [{"namespace": NAMESPACE, "name": "dw.main.stg_orders"}]
    columns = {"columnLineage": {"fields": {"order_id": {"inputFields": [COLUMN]}}}}
    outputs[0]["facets"] = columns  # type: ignore[assignment]
    inputs = [{"namespace": NAMESPACE, "name": "dw.raw.orders"}]
    written = {"inputs": inputs, "outputs": outputs}
    return [
        reported("START", "26.100", PROJECT, PROJECT_RUN, "JOB"),
        reported("START", "30.000", model, NODES[model], "MODEL", **written),
        reported("START", "38.300", test, NODES[test], "TEST"),
        reported("COMPLETE", "31.000", model, NODES[model], "MODEL", **written),
        reported("COMPLETE", "38.301", test, NODES[test], "TEST"),
        reported("COMPLETE", "38.500", PROJECT, PROJECT_RUN, "JOB"),
    ]


def collected(folder: Path, **more: Any) -> list[Json]:
    project = small_project()
    project.ran("build")
    target = project.write(folder / "shop" / "target")
    settings = DbtSettings(target=target, namespace=NAMESPACE, state=folder / "state", **more)
    return [json.loads(each.data) for each in DbtCollector(settings, "http://server").collect()]


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("more", [{}, {"runs": False}])
def test_a_node_has_one_run(sqlite_api: Api, tmp_path: Path, is_first: bool, more: Any) -> None:
    ours, theirs = collected(tmp_path, **more), dbt_ol()
    sqlite_api.store(*(theirs + ours if is_first else ours + theirs))
    for name, run_id in (*NODES.items(), (PROJECT, PROJECT_RUN)):
        (run,) = sqlite_api.read(f"/namespaces/dbt/jobs/{name}/runs")["runs"]
        assert run["state"] == "COMPLETED"
        # It is found by the id that dbt-ol made up as well, with the events of both.
        assert sqlite_api.run(run_id)["id"] == run["id"] != run_id
    jobs = sqlite_api.read("/namespaces/dbt/jobs", limit=100)["jobs"]
    names = [each["name"] for each in jobs]
    assert len([name for name in names if "stg_orders.build" in name]) == 2
    model = next(each for each in jobs if each["name"] in NODES)
    assert (
        model["latestRun"]["id"] == sqlite_api.run(NODES["dw.main.shop.stg_orders.build.run"])["id"]
    )


def test_a_project_by_another_name_is_one_too(sqlite_api: Api, tmp_path: Path) -> None:
    theirs = json.loads(json.dumps(dbt_ol()).replace(PROJECT, "nightly"))
    sqlite_api.store(*theirs, *collected(tmp_path, project_job="nightly"))
    (run,) = sqlite_api.read("/namespaces/dbt/jobs/nightly/runs")["runs"]
    assert sqlite_api.run(PROJECT_RUN)["id"] == run["id"]
    assert sqlite_api.get(f"/namespaces/dbt/jobs/{PROJECT}").status_code == 404
