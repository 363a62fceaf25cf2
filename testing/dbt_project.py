"""A dbt project as its files tell it, made for tests: a small one, and one of any size."""

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

INVOCATION = "8a38ed6d-9cb8-40ad-bda2-e566a9266507"
NAMESPACE = "postgres://warehouse:5432"
_TIME = "2026-11-19T20:58:{:02d}.000000Z"
_SCHEMA = "https://schemas.getdbt.com/dbt/{}/v{}.json"


class DbtProject:
    """The files of a target folder; what a test changes in them is what is written."""

    def __init__(self, adapter: str = "postgres") -> None:
        self.manifest: Json = {
            "metadata": {**_metadata("manifest", 12), "adapter_type": adapter},
            "nodes": {},
            "sources": {},
            "exposures": {},
            "metrics": {},
            "semantic_models": {},
            "groups": {},
        }
        self.results: Json | None = None
        self.catalog: Json | None = None
        self.freshness: Json | None = None

    def source(self, name: str, **more: Any) -> str:
        key = f"source.shop.raw.{name}"
        own = {"source_name": "raw", "schema": "raw", "identifier": name, "columns": {}}
        self.manifest["sources"][key] = {**_node(key, name, "source"), **own, **more}
        return key

    def model(self, name: str, sql: str, *parents: str, **more: Any) -> str:
        return self._add("model", name, sql, parents, more)

    def snapshot(self, name: str, sql: str, *parents: str, **more: Any) -> str:
        return self._add("snapshot", name, sql, parents, more)

    def seed(self, name: str, **more: Any) -> str:
        return self._add("seed", name, "", (), more)

    def test(self, kind: str, of: str, column: str = "", **more: Any) -> str:
        name = f"{kind}_{of.rpartition('.')[2]}_{column}".strip("_")
        metadata = {"name": kind, "kwargs": {"column_name": column}}
        own = {"attached_node": of, "test_metadata": metadata, **more}
        return self._add("test", name, "select 1", (of,), own)

    def exposure(self, name: str, *parents: str, **more: Any) -> str:
        key = f"exposure.shop.{name}"
        own = {"unique_id": key, "name": name, "type": "dashboard"}
        self.manifest["exposures"][key] = {**own, "depends_on": {"nodes": list(parents)}, **more}
        return key

    def ran(self, command: str = "build", **states: str) -> None:
        """One invocation that ran all nodes; `states` of some, by their names."""
        nodes = [
            n for n in self.manifest["nodes"].values() if n["config"]["materialized"] != "ephemeral"
        ]
        self.results = {
            "metadata": _metadata("run-results", 6),
            "args": {"which": command},
            "results": [
                result(each["unique_id"], states.get(each["name"], _good(each))) for each in nodes
            ],
        }

    def listed(self, **columns: Json) -> None:
        """A catalog with the columns of tables, by their names."""
        found: Json = {"metadata": _metadata("catalog", 1, 40), "nodes": {}, "sources": {}}
        for side in ("nodes", "sources"):
            for key, node in self.manifest[side].items():
                if types := columns.get(node["name"]):
                    found[side][key] = {"columns": _listed(types)}
        self.catalog = found

    def fresh(self, source: str, status: str, **more: Any) -> None:
        self.freshness = {
            "metadata": _metadata("sources", 3),
            "results": [
                {
                    "unique_id": source,
                    "status": status,
                    "max_loaded_at": _TIME.format(1),
                    "snapshotted_at": _TIME.format(50),
                    "max_loaded_at_time_ago_in_s": 49.2,
                    "criteria": {"error_after": {"count": 1, "period": "hour"}},
                    **more,
                }
            ],
        }

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        files = {
            "manifest.json": self.manifest,
            "run_results.json": self.results,
            "catalog.json": self.catalog,
            "sources.json": self.freshness,
        }
        for name, content in files.items():
            if content is not None:
                (folder / name).write_text(json.dumps(content))
        return folder

    def _add(self, kind: str, name: str, sql: str, parents: tuple[str, ...], more: Json) -> str:
        key = f"{kind}.shop.{name}"
        materialized = {"model": "table"}.get(kind, kind)
        node = {
            **_node(key, name, kind),
            "alias": name,
            "compiled_code": sql,
            "config": {"materialized": materialized},
            "depends_on": {"nodes": list(parents)},
            "columns": {},
            "relation_name": f'"dw"."main"."{name}"',
        }
        self.manifest["nodes"][key] = {**node, **more}
        return key


def column(name: str, **more: Any) -> Json:
    return {name: {"name": name, **more}}


def result(unique_id: str, status: str, **more: Any) -> Json:
    timing = [
        {"name": "compile", "started_at": _TIME.format(29), "completed_at": _TIME.format(30)},
        {"name": "execute", "started_at": _TIME.format(30), "completed_at": _TIME.format(35)},
    ]
    failures = {"pass": 0, "fail": 2, "warn": 1}.get(status)
    return {
        "unique_id": unique_id,
        "status": status,
        "timing": [] if status in ("skipped", "no-op") else timing,
        "message": "it went wrong" if status in ("error", "fail") else None,
        "failures": failures,
        "adapter_response": {"rows_affected": 7},
        **more,
    }


def small_project() -> DbtProject:
    """Orders from a topic's table to a dashboard: each kind of node once."""
    project = DbtProject()
    pii = column("email", meta={"pii": True}) | column("id", description="of the order")
    orders = project.source("orders", columns=pii, description="From Kafka")
    regions = project.seed("regions", columns=column("region_id"))
    staged = project.model(
        "stg_orders",
        'select id, lower(email) as email, amount, region_id from "dw"."raw"."orders"',
        orders,
        description="Orders, cleaned",
        tags=["staging"],
        meta={"owner": "team:data"},
        columns=column("id", description="the order", tags=["key"]),
    )
    light = project.model(
        "light", "select * from stg", staged, config={"materialized": "ephemeral"}
    )
    revenue = project.model(
        "revenue",
        'with light as (select * from "dw"."main"."stg_orders") '
        "select r.region, sum(light.amount) as revenue, count(*) as orders from light "
        'join "dw"."main"."regions" r on r.region_id = light.region_id group by 1',
        light,
        regions,
    )
    project.snapshot("history", 'select * from "dw"."main"."stg_orders"', staged)
    project.test("not_null", staged, "id")
    project.test("unique", staged, "id", config={"materialized": "test", "severity": "warn"})
    project.exposure(
        "board", revenue, url="https://bi.example/1", owner={"name": "Ann"}, description="Revenue"
    )
    project.listed(
        orders={"id": "integer", "email": "text", "amount": "numeric", "region_id": "integer"},
        regions={"region_id": "integer", "region": "text"},
    )
    return project


def large_project(models: int) -> DbtProject:
    """Layers of models with joins and aggregations, each with twenty columns or so."""
    project = DbtProject()
    names = [f"c{number}" for number in range(18)]
    listed: Json = {}
    sources = []
    for number in range(100):
        listed[f"raw_{number}"] = dict.fromkeys(("id", "at", *names), "integer")
        sources.append(project.source(f"raw_{number}"))
    before = [(key, f'"dw"."raw"."raw_{number}"') for number, key in enumerate(sources)]
    for number in range(models):
        one, other = before[-1 - number % 90], before[-2 - (number * 7) % 90]
        columns = ",\n  ".join(f"coalesce(b.{name}, a.{name}) as {name}" for name in names)
        sql = (
            f"with a as (select * from {one[1]}),\nb as (select * from {other[1]} where at > 5),\n"
            f"joined as (select a.id, a.at, {columns} from a left join b on a.id = b.id)\n"
            f"select id, max(at) as at, {', '.join(f'sum({name}) as {name}' for name in names)} "
            "from joined group by id"
        )
        key = project.model(f"model_{number}", sql, one[0], other[0])
        before.append((key, f'"dw"."main"."model_{number}"'))
    project.listed(**listed)
    project.ran()
    return project


def _metadata(kind: str, version: int, second: int = 38) -> Json:
    return {
        "dbt_schema_version": _SCHEMA.format(kind, version),
        "dbt_version": "1.11.16",
        "generated_at": _TIME.format(second),
        "invocation_id": INVOCATION,
        "invocation_started_at": _TIME.format(26),
        "project_name": "shop",
        "env": {},
    }


def _node(key: str, name: str, kind: str) -> Json:
    return {
        "unique_id": key,
        "name": name,
        "resource_type": kind,
        "package_name": "shop",
        "database": "dw",
        "schema": "main",
        "path": f"{name}.sql",
        "original_file_path": f"models/{name}.sql",
        "language": "sql",
        "tags": [],
        "meta": {},
    }


def _listed(types: Json) -> Json:
    return {
        name: {"name": name, "type": kind, "index": index, "comment": None}
        for index, (name, kind) in enumerate(types.items(), 1)
    }


def _good(node: Json) -> str:
    return "pass" if node["resource_type"] == "test" else "success"
