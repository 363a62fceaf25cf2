"""`POST /tasks/enrich`: what catalogs know of a graph's tables becomes a part of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testing.api import Api, open_api
from testing.events.confluent import UC_TABLE, WORKSPACE, collected
from testing.stand_ins.catalogs import JOB, NOTEBOOK, TOKEN
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.recording import serve_written
from tests.server.bridge.conftest import extracted, finished

Json = dict[str, Any]
DOWNSTREAM = "main.gold.daily"
_KNOWN_AS = WORKSPACE.removeprefix("databricks://")


@pytest.fixture
def workspace() -> Iterator[DatabricksStandIn]:
    """The workspace that Tableflow writes to; a job and its notebook go on from there."""
    with serve_written(DatabricksStandIn(TOKEN)) as found:
        for table in (UC_TABLE, "main.sales.orders", "main.sales.daily_orders"):
            found.add_table(table, "Orders", {"order_id": "int"}, owner="ada")
        found.add_table(DOWNSTREAM, None, {"total": "decimal"})
        found.add_table("main.gold.unrelated")
        found.add_lineage(UC_TABLE, DOWNSTREAM, jobInfos=[JOB], notebookInfos=[NOTEBOOK])
        yield found


@pytest.fixture
def bridge(
    workspace: DatabricksStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Api]:
    # Else they are looked for in the network.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    token = tmp_path / "token"
    token.write_text(TOKEN)
    section = {"url": workspace.url, "workspace": _KNOWN_AS, "token": f"file:{token}"}
    nowhere = {"type": "glue", "region": "us-east-1", "endpoint_url": "http://127.0.0.1:1"}
    collect = {"unity-catalog": section, "elsewhere": nowhere}
    with open_api(
        f"sqlite:///{tmp_path / 'store.db'}",
        extract=lambda params, report: collected(),
        collect=collect,
    ) as api:
        yield api


def enriched(api: Api, graph: str, **body: Any) -> Json:
    """As LineageBridge's documents have it."""
    answer = api.client.post("/api/v1/tasks/enrich", params={"graph_id": graph}, json=body)
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "pending"
    return finished(api, answer.json()["task_id"])


def test_what_is_downstream_in_a_catalog_is_in_the_graph(
    bridge: Api, workspace: DatabricksStandIn
) -> None:
    before = extracted(bridge)["result"]
    graph = before["graph_id"]
    task = enriched(bridge, graph, enable_catalog=True)
    assert task["status"] == "completed", task["error"]
    assert task["result"]["graph_id"] == graph
    assert task["result"]["node_count"] > before["node_count"]
    assert "unity-catalog: 3 tables of the graph" in task["progress"]
    notebooks = bridge.read(f"/graphs/{graph}/nodes", type="notebook")["nodes"]
    assert {each["qualified_name"] for each in notebooks} == {"daily-orders", "notebook/1001"}
    # It is still one table, by the name that the graph had for it.
    (table,) = bridge.read(f"/graphs/{graph}/nodes", search=UC_TABLE)["nodes"]
    found = bridge.read(f"/graphs/{graph}/query/downstream/{table['node_id']}", hops=3)
    assert DOWNSTREAM in {each["qualified_name"] for each in found["nodes"]}
    found = bridge.read(f"/graphs/{graph}/query/upstream/{table['node_id']}", hops=3)
    assert found["nodes"]
    assert not [call for call in workspace.calls if "unrelated" in str(call)]
    # A second time nothing is added.
    again = enriched(bridge, graph)["result"]
    assert again["node_count"] == task["result"]["node_count"]


def test_a_catalog_that_does_not_answer_is_a_problem_of_the_task(
    bridge: Api, workspace: DatabricksStandIn
) -> None:
    graph = extracted(bridge)["result"]["graph_id"]
    workspace.token = "another"
    task = enriched(bridge, graph, enable_metrics=True)
    assert task["status"] == "completed"
    problems = task["result"]["problems"]
    assert any("unity-catalog" in each and "--token" in each for each in problems)
    assert any("metrics are read by an extraction" in each for each in problems)
    assert TOKEN not in str(task)


def test_without_catalogs_there_is_nothing_to_do(bridge: Api) -> None:
    before = extracted(bridge)["result"]
    task = enriched(bridge, before["graph_id"], enable_catalog=False)
    assert task["status"] == "completed"
    assert task["result"]["node_count"] == before["node_count"]
