"""`collect dbt`: what the files of a project become, and what is said where they are not right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater.collect import Collected
from headwater.collect.dbt import DbtCollector, DbtSettings
from headwater.errors import BadConfig, SourceUnavailable
from testing.dbt_project import INVOCATION, NAMESPACE, DbtProject, column, result, small_project

Json = dict[str, Any]
Collect = Callable[..., "Found"]


class Found:
    """The events of a pass, by job or dataset."""

    def __init__(self, collected: list[Collected]) -> None:
        self.events = [json.loads(each.data) for each in collected]

    def dataset(self, name: str) -> Json:
        (found,) = (e["dataset"] for e in self.events if e.get("dataset", {}).get("name") == name)
        return dict(found.get("facets", {}))

    def job(self, name: str) -> Json:
        """The declared job of a name."""
        (found,) = (e for e in self._of(name) if "run" not in e)
        return dict(found)

    def ends(self, name: str) -> Json:
        """The end of the run of a job."""
        (found,) = (e for e in self._of(name) if e.get("eventType") not in (None, "START"))
        return dict(found)

    def states(self) -> dict[str, str]:
        return {
            e["job"]["name"]: e["eventType"]
            for e in self.events
            if e.get("eventType") not in (None, "START")
        }

    def gaps(self, name: str = "dbt-run-shop") -> list[Json]:
        facet = self.ends(name)["run"]["facets"].get("headwater_gaps", {})
        return list(facet.get("gaps", []))

    def _of(self, name: str) -> list[Json]:
        return [e for e in self.events if e.get("job", {}).get("name") == name]


@pytest.fixture
def collect(tmp_path: Path) -> Collect:
    def run(project: DbtProject, **settings: Any) -> Found:
        return Found(list(collector(project, **settings).collect()))

    def collector(project: DbtProject, **settings: Any) -> DbtCollector:
        target = project.write(tmp_path / "shop" / "target")
        given = {"target": target, "namespace": NAMESPACE, "state": tmp_path / "state", **settings}
        return DbtCollector(DbtSettings(**given), "http://server")

    return run


def ways(event: Json, output: str) -> dict[str, list[tuple[str, str, str]]]:
    """The sources of an output's columns: name, field and how."""
    (found,) = (each for each in event["outputs"] if each["name"] == output)
    fields = found["facets"]["columnLineage"]["fields"]
    return {
        name: [
            (each["name"], each["field"], way["subtype"])
            for each in field["inputFields"]
            for way in each["transformations"]
        ]
        for name, field in fields.items()
    }


def names(datasets: list[Json]) -> list[str]:
    return [each["name"] for each in datasets]


def test_a_model_is_a_job_named_as_dbt_ol_does(collect: Collect) -> None:
    project = small_project()
    project.ran("build")
    found = collect(project)
    end = found.ends("dw.main.shop.stg_orders.build.run")
    assert end["eventType"] == "COMPLETE"
    assert end["job"]["namespace"] == "dbt"
    assert end["job"]["facets"]["jobType"]["jobType"] == "MODEL"
    assert end["job"]["facets"]["sql"]["dialect"] == "postgres"
    assert names(end["inputs"]) == ["dw.raw.orders"]
    assert end["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 7
    assert end["run"]["facets"]["dbt_run"]["invocation_id"] == INVOCATION
    assert (
        end["run"]["facets"]["parent"]["run"]["runId"] == found.ends("dbt-run-shop")["run"]["runId"]
    )
    assert "dw.main.shop.history.build.snapshot" in found.states()
    assert "dw.main.shop.regions.build.seed" in found.states()


@pytest.mark.parametrize(
    ("command", "model", "test"),
    [("run", "", None), ("test", "", ".test"), ("build", ".build.run", ".build.test")],
)
def test_names_follow_the_command(
    collect: Collect, command: str, model: str, test: str | None
) -> None:
    project = small_project()
    project.ran(command)
    assert project.results is not None
    kinds = {"run": ("model",), "test": ("test",)}.get(command, ("model", "test"))
    project.results["results"] = [
        each for each in project.results["results"] if each["unique_id"].startswith(kinds)
    ]
    found = collect(project)
    assert found.job(f"dw.main.shop.stg_orders{model}")
    assert (f"dw.main.shop.stg_orders{test}" in found.states()) == (test is not None)


def test_names_by_node_are_those_of_structured_logs(collect: Collect) -> None:
    project = small_project()
    project.ran()
    states = collect(project, job_names="node").states()
    assert states["model.shop.stg_orders"] == "COMPLETE"
    assert states["model.shop.stg_orders.test"] == "COMPLETE"


def test_columns_come_from_the_compiled_sql_through_ephemeral_models(collect: Collect) -> None:
    project = small_project()
    project.ran()
    found = collect(project)
    revenue = found.ends("dw.main.shop.revenue.build.run")
    assert names(revenue["inputs"]) == ["dw.main.stg_orders", "dw.main.regions"]
    assert ways(revenue, "dw.main.revenue") == {
        "region": [("dw.main.regions", "region", "IDENTITY")],
        "revenue": [("dw.main.stg_orders", "amount", "AGGREGATION")],
        "orders": [],
    }
    staged = found.ends("dw.main.shop.stg_orders.build.run")
    assert ways(staged, "dw.main.stg_orders")["email"] == [
        ("dw.raw.orders", "email", "TRANSFORMATION")
    ]
    assert found.gaps() == []


def test_a_snapshot_has_the_columns_that_dbt_adds(collect: Collect) -> None:
    fields = collect(small_project()).dataset("dw.main.history")["schema"]["fields"]
    assert [each["name"] for each in fields] == [
        *("id", "email", "amount", "region_id"),
        *("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to"),
    ]


def test_datasets_have_what_the_project_states(collect: Collect) -> None:
    found = collect(small_project())
    orders = found.dataset("dw.raw.orders")
    assert orders["documentation"]["description"] == "From Kafka"
    assert [(t["key"], t.get("field")) for t in orders["tags"]["tags"]] == [
        ("personal data", "email")
    ]
    staged = found.dataset("dw.main.stg_orders")
    assert staged["ownership"]["owners"] == [{"name": "team:data", "type": "OWNER"}]
    assert [(t["key"], t.get("field")) for t in staged["tags"]["tags"]] == [
        ("staging", None),
        ("key", "id"),
    ]
    first = staged["schema"]["fields"][0]
    assert first == {"name": "id", "type": "integer", "description": "the order"}


def test_columns_that_are_only_stated_are_no_schema(collect: Collect) -> None:
    """Of a source without a catalog some columns are known, and nobody says that they are all."""
    project = small_project()
    project.catalog = None
    found = collect(project)
    assert "schema" not in found.dataset("dw.raw.orders")
    (orders,) = found.job("dw.main.shop.stg_orders")["inputs"]
    fields = orders["facets"]["schema"]["fields"]
    assert [each["name"] for each in fields] == ["email", "id"]


def test_owners_are_those_of_the_group_and_other_keys_mark_personal_data(
    collect: Collect,
) -> None:
    project = small_project()
    project.manifest["groups"] = {"group.shop.f": {"name": "f", "owner": {"email": "f@x.org"}}}
    project.model("m", 'select id as secret from "dw"."raw"."orders"', "source.shop.raw.orders")
    node = project.manifest["nodes"]["model.shop.m"]
    node |= {"group": "f", "columns": column("secret", meta={"gdpr": "yes", "pii": False})}
    found = collect(project, personal=("gdpr",)).dataset("dw.main.m")
    assert found["ownership"]["owners"] == [{"name": "f@x.org", "type": "OWNER"}]
    assert [t["key"] for t in found["tags"]["tags"]] == ["personal data"]


def test_an_exposure_is_the_end_of_a_chain(collect: Collect) -> None:
    board = collect(small_project()).job("exposure.shop.board")
    assert board["job"]["facets"]["jobType"]["jobType"] == "DASHBOARD"
    assert board["job"]["facets"]["headwater_declaration"]["url"] == "https://bi.example/1"
    assert board["job"]["facets"]["ownership"]["owners"][0]["name"] == "Ann"
    assert (names(board["inputs"]), board["outputs"]) == (["dw.main.revenue"], [])


def test_metrics_are_followed_to_the_columns_of_models(collect: Collect) -> None:
    project = small_project()
    project.manifest["semantic_models"] = {
        "semantic_model.shop.sales": {
            "unique_id": "semantic_model.shop.sales",
            "name": "sales",
            "dimensions": [{"name": "where", "expr": "region"}],
            "measures": [{"name": "total", "agg": "sum", "expr": "revenue * 2"}],
            "depends_on": {"nodes": ["model.shop.revenue"]},
        }
    }
    project.manifest["metrics"] = {
        "metric.shop.total": {
            "unique_id": "metric.shop.total",
            "name": "total",
            "type": "simple",
            "type_params": {"measure": {"name": "total"}},
            "depends_on": {"nodes": ["semantic_model.shop.sales"]},
        },
        "metric.shop.odd": {"unique_id": "metric.shop.odd", "name": "odd", "type": "new"},
    }
    project.exposure("report", "metric.shop.total", type="notebook")
    found = collect(project)
    model = found.job("semantic_model.shop.sales")
    assert ways(model, "semantic_model.shop.sales")["total"] == [
        ("dw.main.revenue", "revenue", "AGGREGATION")
    ]
    metric = found.job("metric.shop.total")
    assert ways(metric, "metric.shop.total")["value"] == [
        ("semantic_model.shop.sales", "total", "AGGREGATION")
    ]
    report = found.job("exposure.shop.report")
    assert names(report["inputs"]) == ["metric.shop.total"]
    assert [gap["name"] for gap in found.gaps("dbt-artifacts-shop")][-1] == "metric.shop.odd"


def test_tests_are_assertions_with_their_results(collect: Collect) -> None:
    project = small_project()
    project.ran("build", unique_stg_orders_id="warn", not_null_stg_orders_id="fail")
    end = collect(project).ends("dw.main.shop.stg_orders.build.test")
    (dataset,) = end["inputs"]
    first, second = dataset["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (first["assertion"], first["column"], first["success"]) == ("not_null", "id", False)
    assert (first["actual"], first["expected"], first["severity"]) == ("2", "0", "error")
    assert (second["success"], second["severity"]) == (False, "warn")
    assert end["eventType"] == "FAIL"
    assert "1 of 2 tests failed" in end["run"]["facets"]["errorMessage"]["message"]


def test_freshness_is_an_assertion_about_its_source(collect: Collect) -> None:
    project = small_project()
    project.fresh("source.shop.raw.orders", "error")
    end = collect(project).ends("dw.raw.source.shop.raw.orders.freshness")
    facets = end["inputs"][0]["inputFacets"]
    (assertion,) = facets["dataQualityAssertions"]["assertions"]
    assert (assertion["success"], assertion["expected"]) == (False, "error after 1 hour")
    assert facets["dataQualityMetrics"]["lastUpdated"].startswith("2026-11-19T20:58:01")
    assert end["eventType"] == "FAIL"


def test_a_failed_run_says_what_failed_and_not_that_the_rest_ran(collect: Collect) -> None:
    project = small_project()
    project.ran("build", stg_orders="error", revenue="skipped")
    found = collect(project)
    failed = found.ends("dw.main.shop.stg_orders.build.run")
    assert failed["eventType"] == "FAIL"
    assert failed["run"]["facets"]["errorMessage"]["message"] == "it went wrong"
    assert "dw.main.shop.revenue.build.run" not in found.states()
    # Its design is known all the same.
    assert names(found.job("dw.main.shop.revenue.build.run")["outputs"]) == ["dw.main.revenue"]
    assert found.ends("dbt-run-shop")["eventType"] == "FAIL"


def test_a_partial_run_keeps_the_names_of_the_others(tmp_path: Path) -> None:
    project = small_project()
    project.ran("build")
    settings = DbtSettings(
        target=project.write(tmp_path / "target"), namespace=NAMESPACE, state=tmp_path / "state"
    )
    collector = DbtCollector(settings, "http://server")
    collector.acknowledge(list(collector.collect()))
    project.ran("run")
    assert project.results is not None
    project.results["metadata"]["invocation_id"] = "11111111-9cb8-40ad-bda2-e566a9266507"
    project.results["results"] = [result("model.shop.revenue", "success")]
    project.write(tmp_path / "target")
    found = Found(list(collector.collect()))
    assert found.states() == {"dw.main.shop.revenue": "COMPLETE", "dbt-run-shop": "COMPLETE"}
    assert names(found.job("dw.main.shop.revenue")["outputs"]) == ["dw.main.revenue"]
    # It is declared by one job, not by both.
    assert found.job("dw.main.shop.revenue.build.run")["outputs"] == []
    assert not [e for e in found.events if "stg_orders" in e.get("job", {}).get("name", "")]


def test_what_a_command_did_not_compile_is_as_it_was_compiled_last(tmp_path: Path) -> None:
    """`dbt run --select`, `dbt parse` and others leave manifests without the SQL of most nodes."""
    project = small_project()
    project.ran("build")
    target = project.write(tmp_path / "target")
    given: Json = {"target": target, "namespace": NAMESPACE, "state": tmp_path / "state"}
    collector = DbtCollector(DbtSettings(**given), "x")
    collector.acknowledge(list(collector.collect()))
    nodes = project.manifest["nodes"]
    sql = {
        name: nodes[f"model.shop.{name}"].pop("compiled_code") for name in ("stg_orders", "revenue")
    }
    del nodes["snapshot.shop.history"]["compiled_code"]
    assert project.results is not None
    project.results["results"] = [
        result("model.shop.revenue", "success", compiled_code=sql["revenue"])
    ]
    project.write(target)
    file = target / "compiled" / "shop" / "models" / "stg_orders.sql"
    file.parent.mkdir(parents=True)
    file.write_text(sql["stg_orders"])
    later = Found(list(collector.collect()))
    # Only the project's run has other results; of the snapshot nothing is known, and nothing lost.
    assert {e["job"]["name"] for e in later.events} == {"dbt-run-shop"}
    assert later.gaps() == []
    file.unlink()
    first = Found(list(DbtCollector(DbtSettings(**given), "another").collect()))
    assert [gap["name"] for gap in first.gaps()] == [
        "model.shop.stg_orders",
        "snapshot.shop.history",
    ]
    assert names(first.job("dw.main.shop.stg_orders.build.run")["inputs"]) == ["dw.raw.orders"]


def test_a_model_that_is_gone_is_taken_back_once(tmp_path: Path) -> None:
    project = small_project()
    target = project.write(tmp_path / "target")
    given: Json = {"target": target, "namespace": NAMESPACE, "state": tmp_path / "state"}
    collector = DbtCollector(DbtSettings(**given), "x")
    collector.acknowledge(list(collector.collect()))
    del project.manifest["nodes"]["snapshot.shop.history"]
    del project.manifest["exposures"]["exposure.shop.board"]
    project.write(target)
    found = list(collector.collect())
    collector.acknowledge(found)
    gone = ["dw.main.shop.history.snapshot", "exposure.shop.board"]
    assert [e["job"]["name"] for e in Found(found).events] == gone
    assert all(e["inputs"] == e["outputs"] == [] for e in Found(found).events)
    assert list(collector.collect()) == []


def test_compiling_is_no_run(collect: Collect) -> None:
    """`dbt docs generate` writes run_results.json too."""
    project = small_project()
    project.ran("generate")
    assert collect(project).states() == {"dbt-artifacts-shop": "COMPLETE"}


def test_where_dbt_ol_reports_the_runs_the_rest_is_added(collect: Collect) -> None:
    project = small_project()
    project.ran("build", stg_orders="error")
    found = collect(project, runs=False)
    assert found.states() == {"dbt-artifacts-shop": "COMPLETE"}
    assert found.job("dw.main.shop.stg_orders.build.run")


def test_sql_that_cannot_be_parsed_is_a_gap_and_the_model_stays(collect: Collect) -> None:
    project = small_project()
    project.manifest["nodes"]["model.shop.revenue"]["compiled_code"] = "select ((( from where"
    project.ran()
    found = collect(project)
    revenue = found.ends("dw.main.shop.revenue.build.run")
    assert names(revenue["inputs"]) == ["dw.main.stg_orders", "dw.main.regions"]
    assert "columnLineage" not in revenue["outputs"][0].get("facets", {})
    (gap,) = found.gaps("dw.main.shop.revenue.build.run")
    assert (gap["kind"], gap["name"]) == ("expression", "revenue")
    assert gap["description"].startswith("SQL line 1")


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"language": "python"}, "operator", "in Python"),
        ({"compiled_code": None}, "expression", "not compiled"),
        ({"compiled_code": "select * from nowhere"}, "input", "columns of"),
        ({"compiled_code": "select a.x from pg.b.c.d a"}, "input", "does not name"),
        (
            {
                "config": {
                    "materialized": "table",
                    "post-hook": [{"sql": "insert into log select 1"}],
                }
            },
            "operator",
            "post-hook",
        ),
    ],
)
def test_what_is_not_understood_is_a_gap(
    collect: Collect, change: Json, kind: str, text: str
) -> None:
    project = small_project()
    project.manifest["nodes"]["model.shop.revenue"] |= change
    project.ran()
    gaps = collect(project).gaps("dw.main.shop.revenue.build.run")
    assert any(gap["kind"] == kind and text in gap["description"] for gap in gaps), gaps


def test_a_table_that_dbt_does_not_know_is_an_input(collect: Collect) -> None:
    project = small_project()
    sql = "select o.id from dw.raw.orders o join other.rates r on o.id = r.id"
    project.model("m", sql, "source.shop.raw.orders")
    assert names(collect(project).job("dw.main.shop.m")["inputs"]) == [
        "dw.raw.orders",
        "dw.other.rates",
    ]


def test_an_incremental_model_does_not_come_from_itself(collect: Collect) -> None:
    project = small_project()
    sql = 'select id from "dw"."raw"."orders" where id > (select max(id) from "dw"."main"."m")'
    project.model("m", sql, "source.shop.raw.orders")
    job = collect(project).job("dw.main.shop.m")
    assert names(job["inputs"]) == ["dw.raw.orders"]
    rows = job["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert {each["name"] for each in rows} == {"dw.raw.orders"}


def test_results_of_what_is_not_in_the_manifest_are_gaps(collect: Collect) -> None:
    project = small_project()
    project.ran()
    assert project.results is not None
    project.results["results"] += [
        result("model.shop.gone", "success"),
        result("operation.shop.shop-on-run-end-0", "success"),
        result("model.shop.revenue", "levitated"),
    ]
    assert [(gap["name"], gap["kind"]) for gap in collect(project).gaps()] == [
        ("operation.shop.shop-on-run-end-0", "operator"),
        ("model.shop.gone", "other"),
        ("model.shop.revenue", "other"),
    ]


def test_a_changed_model_is_told_by_its_sql_until_the_catalog_is_newer(collect: Collect) -> None:
    project = small_project()
    project.ran()
    project.listed(revenue={"region": "text"}, orders={"id": "integer"})
    found = collect(project).dataset("dw.main.revenue")["schema"]["fields"]
    assert [each["name"] for each in found] == ["region"]
    assert project.catalog is not None
    project.catalog["metadata"]["generated_at"] = "2026-11-18T00:00:00Z"
    found = collect(project).dataset("dw.main.revenue")["schema"]["fields"]
    assert [each["name"] for each in found] == ["region", "revenue", "orders"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("manifest.json", '{"metadata": {"dbt_sch', "no complete JSON"),
        ("manifest.json", "<html>", "no complete JSON"),
        ("manifest.json", "[]", "not what dbt writes"),
        ("manifest.json", '{"metadata": {}, "nodes": {}}', "names no version"),
        (
            "manifest.json",
            '{"metadata": {"dbt_schema_version": "https://x/dbt/manifest/v3.json"}, "nodes": []}',
            "is of version v3; v4 to v12 are read: use a newer dbt",
        ),
        (
            "run_results.json",
            '{"metadata": {"dbt_schema_version": "https://x/dbt/run-results/v9.json"},'
            ' "results": []}',
            "v4 to v6 are read: use a newer Headwater",
        ),
        ("catalog.json", '{"metadata"', "no complete JSON"),
        (
            "sources.json",
            '{"metadata": {"dbt_schema_version": "https://x/dbt/catalog/v1.json"}, "results": []}',
            "names no version of dbt's sources file",
        ),
    ],
)
def test_files_that_cannot_be_used_are_refused_by_name(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    project = small_project()
    project.ran()
    target = project.write(tmp_path / "target")
    (target / name).write_text(content)
    settings = DbtSettings(target=target, namespace=NAMESPACE, state=tmp_path / "state")
    found = []
    with pytest.raises(SourceUnavailable, match=name) as raised:
        found += list(DbtCollector(settings, "x").collect())
    assert reason in raised.value.message
    steps = DbtCollector(settings, "x").check()
    assert not steps[-1].is_ok and name in steps[-1].detail


def test_other_files_count_where_one_is_broken(tmp_path: Path) -> None:
    project = small_project()
    project.ran()
    target = project.write(tmp_path / "target")
    (target / "run_results.json").write_text('{"metadata": {')
    settings = DbtSettings(target=target, namespace=NAMESPACE, state=tmp_path / "state")
    found = []
    with pytest.raises(SourceUnavailable):
        for each in DbtCollector(settings, "x").collect():
            found.append(each)
    assert Found(found).job("dw.main.shop.stg_orders")


def test_an_unchanged_folder_is_not_read_again(tmp_path: Path) -> None:
    project = small_project()
    project.ran()
    target = project.write(tmp_path / "target")
    settings = DbtSettings(target=target, namespace=NAMESPACE, state=tmp_path / "state")
    collector = DbtCollector(settings, "x")
    collector.acknowledge(list(collector.collect()))
    assert (list(collector.collect()), collector.skipped) == ([], 22)
    # Nothing is even counted: the files are as they were.
    collector.skipped = -1
    assert (list(collector.collect()), collector.skipped) == ([], -1)
    project.catalog = None
    (target / "catalog.json").unlink()
    assert list(collector.collect())


def test_older_manifests_have_other_keys(collect: Collect) -> None:
    project = small_project()
    project.manifest["metadata"]["dbt_schema_version"] = "https://x/dbt/manifest/v4.json"
    del project.manifest["semantic_models"], project.manifest["groups"]
    for node in project.manifest["nodes"].values():
        node["compiled_sql"] = node.pop("compiled_code")
    found = collect(project).job("dw.main.shop.stg_orders")
    assert found["outputs"][0]["facets"]["columnLineage"]["fields"]


def test_no_manifest_says_what_to_do(tmp_path: Path) -> None:
    collector = DbtCollector(DbtSettings(target=tmp_path, state=tmp_path / "state"), "x")
    assert collector.find_missing() == [str(tmp_path / "manifest.json")]
    with pytest.raises(SourceUnavailable, match="dbt build"):
        list(collector.collect())


def test_without_a_profile_it_is_said_how_to_name_the_warehouse(tmp_path: Path) -> None:
    target = small_project().write(tmp_path / "shop" / "target")
    settings = DbtSettings(target=target, profiles=tmp_path, state=tmp_path / "state")
    with pytest.raises(BadConfig, match="--namespace"):
        list(DbtCollector(settings, "x").collect())
