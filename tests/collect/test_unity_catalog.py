"""`collect unity-catalog`: what Databricks knows of tables, with the names that others use."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.unity_catalog import UnityCatalogCollector, UnityReadSettings
from headwater.errors import SourceUnavailable
from testing.stand_ins.catalogs import JOB, TOKEN, fill_databricks
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.recording import Reply, serve_written

Json = dict[str, Any]


@pytest.fixture
def workspace() -> Iterator[DatabricksStandIn]:
    with serve_written(DatabricksStandIn(TOKEN)) as found:
        fill_databricks(found)
        yield found


class Pass:
    """One pass by a collector made anew; its events by the name of their dataset or job."""

    def __init__(self, workspace: DatabricksStandIn, folder: Path, **more: Any) -> None:
        token = folder / "token"
        token.write_text(TOKEN)
        given = {"url": workspace.url, "token": f"file:{token}", "state": folder / "state", **more}
        self.collector = UnityCatalogCollector(UnityReadSettings(**given), "http://server")
        self.found = list(self.collector.collect())
        self.collector.acknowledge(self.found)
        events = [json.loads(each.data) for each in self.found]
        self.tables = {e["dataset"]["name"]: e["dataset"] for e in events if "dataset" in e}
        self.jobs = {e["job"]["name"]: e for e in events if "job" in e}

    def gaps(self) -> list[str]:
        found = [job for name, job in self.jobs.items() if name.startswith("collect ")]
        listed = [gap for job in found for gap in job["run"]["facets"]["headwater_gaps"]["gaps"]]
        return [f"{gap['name']}: {gap['description']}" for gap in listed]


def names(datasets: list[Json]) -> list[str]:
    return [each["name"] for each in datasets]


def test_a_table_has_what_the_catalog_says_of_it(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    found = Pass(workspace, tmp_path)
    # The system's own tables are left out.
    assert set(found.tables) == {"main.sales.orders", "main.gold.daily"}
    facets = found.tables["main.sales.orders"]["facets"]
    assert [each["name"] for each in facets["schema"]["fields"]] == ["order_id", "amount"]
    assert facets["ownership"]["owners"] == [{"name": "ada@example.com", "type": "OWNER"}]
    assert facets["tags"]["tags"] == [{"key": "domain", "value": "sales"}]
    assert facets["unity_catalog_access"]["grants"] == [
        {"principal": "analysts", "privilege": "MODIFY", "inheritedFrom": "main"},
        {"principal": "analysts", "privilege": "SELECT"},
    ]
    described = found.tables["main.gold.daily"]["facets"]
    assert described["documentation"]["description"] == "Orders a day"


def test_its_names_are_those_of_dbt_spark_tableflow_and_sinks(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    location: Json = {"table_type": "EXTERNAL", "storage_location": "s3://lake/topics/raw"}
    workspace.add_table("other.sales.raw", **location)
    found = Pass(workspace, tmp_path)
    host = workspace.url.removeprefix("http://")
    table = found.tables["main.sales.orders"]
    assert table["namespace"] == f"databricks://{host}"
    others = [(e["namespace"], e["name"]) for e in table["facets"]["symlinks"]["identifiers"]]
    assert others == [
        (f"unitycatalog://{host}", "main.sales.orders"),
        (f"databricks://{workspace.url}", "main.sales.orders"),
        # A name without a catalog is of the workspace's default.
        (f"databricks://{host}", "sales.orders"),
    ]
    raw = found.tables["other.sales.raw"]["facets"]["symlinks"]["identifiers"]
    assert {"namespace": "s3://lake", "name": "topics/raw", "type": "LOCATION"} in raw
    assert "sales.raw" not in [each["name"] for each in raw]


def test_what_uses_tables_is_a_job_with_columns(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    found = Pass(workspace, tmp_path)
    assert set(found.jobs) == {"job/7", "notebook/1001", "query/q-1"}
    job = found.jobs["job/7"]
    assert (names(job["inputs"]), names(job["outputs"])) == (
        ["main.sales.orders"],
        ["main.gold.daily"],
    )
    columns = job["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert [each["field"] for each in columns["total"]["inputFields"]] == ["amount"]
    facets = job["job"]["facets"]
    assert facets["documentation"]["description"] == "nightly totals"
    assert facets["ownership"]["owners"][0]["name"] == "bob@example.com"
    assert facets["tags"]["tags"] == [{"key": "team", "value": "finance"}]
    assert found.jobs["notebook/1001"]["job"]["facets"]["jobType"]["jobType"] == "NOTEBOOK"
    query = found.jobs["query/q-1"]
    assert (names(query["inputs"]), query["outputs"]) == (["main.gold.daily"], [])
    assert query["job"]["facets"]["sql"]["query"] == workspace.queries["q-1"]["query_text"]


def test_only_what_changes_is_reported(workspace: DatabricksStandIn, tmp_path: Path) -> None:
    Pass(workspace, tmp_path)
    assert Pass(workspace, tmp_path).found == []
    del workspace.tags["main.sales.orders"], workspace.tables["main.gold.daily"]
    del workspace.lineage["main.gold.daily"]
    workspace.lineage["main.sales.orders"]["downstreams"] = []
    found = Pass(workspace, tmp_path)
    assert found.tables["main.sales.orders"]["facets"]["tags"]["_deleted"] is True
    dropped = found.tables["main.gold.daily"]["facets"]["lifecycleStateChange"]
    assert dropped["lifecycleStateChange"] == "DROP"
    # They still are in the graph, and use nothing any more.
    assert all(job["inputs"] == job["outputs"] == [] for job in found.jobs.values())
    assert set(found.jobs) == {"job/7", "notebook/1001", "query/q-1"}
    workspace.add_table("main.gold.daily")
    again = Pass(workspace, tmp_path).tables["main.gold.daily"]["facets"]
    assert again["lifecycleStateChange"]["lifecycleStateChange"] == "CREATE"


def test_what_may_not_be_read_is_a_gap_and_nothing_is_taken_back(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    Pass(workspace, tmp_path)
    workspace.unreadable.add("main.gold.daily")
    found = Pass(workspace, tmp_path)
    assert found.tables == {}
    assert [gap for gap in found.gaps() if gap.startswith("main.gold.daily: ")]
    # Of what is linked to it, the other side says all there is but the query.
    assert set(found.jobs) <= {"job/7", "notebook/1001", f"collect unity-catalog {workspace.url}"}
    workspace.unreadable.clear()
    assert Pass(workspace, tmp_path).gaps() == []


def test_what_is_not_understood_is_a_gap(workspace: DatabricksStandIn, tmp_path: Path) -> None:
    workspace.add_reader("main.sales.orders", genieInfos=[{"genie_id": "g"}])
    hidden = {"tableInfo": {"has_permission": False}}
    workspace.lineage["main.sales.orders"].setdefault("upstreams", []).append(hidden)
    gaps = Pass(workspace, tmp_path).gaps()
    assert any("'genieInfos'" in gap for gap in gaps)
    assert any("may not see everything" in gap for gap in gaps)


def test_what_headwater_has_published_does_not_come_back(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    table = {"table": {"name": "main.sales.orders"}}
    for name, properties in (("ours", {"managed_by": "headwater"}), ("tableau", {})):
        end = {"external_metadata": {"name": name}}
        link = {"source": table, "target": end, "properties": properties, "id": name}
        workspace.objects[name] = {"name": name}
        workspace.links["table:main.sales.orders", name] = link
    workspace.tables["main.sales.orders"]["comment"] = "Lineage: made of 1 topic"
    found = Pass(workspace, tmp_path)
    assert "documentation" not in found.tables["main.sales.orders"]["facets"]
    outside = [name for name in found.jobs if name.startswith("external_lineage/")]
    assert outside == ["external_lineage/main.sales.orders -> external_metadata/tableau"]


def test_some_tables_and_what_is_linked_to_them(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    workspace.add_table("main.sales.unrelated")
    found = Pass(workspace, tmp_path, tables=("main.sales.orders",))
    assert set(found.tables) == {"main.sales.orders", "main.gold.daily"}
    near = Pass(workspace, tmp_path, tables=("main.sales.orders",), depth=0, state=tmp_path / "2")
    assert set(near.tables) == {"main.sales.orders"}
    assert set(near.jobs) == {"job/7", "notebook/1001"}


def test_a_token_that_is_refused_ends_the_pass_and_is_not_shown(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    workspace.token = "another"
    with pytest.raises(SourceUnavailable) as raised:
        Pass(workspace, tmp_path)
    assert "--token" in str(raised.value) and TOKEN not in str(raised.value)


def test_a_server_that_fails_amid_a_pass_takes_nothing_back(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    Pass(workspace, tmp_path)
    workspace.fail(Reply(500, {}), when=lambda call: "column-lineage" in call.path)
    with pytest.raises(SourceUnavailable):
        Pass(workspace, tmp_path)
    assert Pass(workspace, tmp_path).found == []


def test_a_job_of_another_workspace_has_its_id_alone(
    workspace: DatabricksStandIn, tmp_path: Path
) -> None:
    del workspace.jobs["7"]
    job = Pass(workspace, tmp_path).jobs[f"job/{JOB['job_id']}"]
    assert "documentation" not in job["job"]["facets"]
    assert job["job"]["facets"]["databricks_entity"]["workspaceId"] == "42"
