"""dbt itself, on DuckDB and PostgreSQL: its files, and dbt-ol beside the collector."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.config import variables_set
from testing.api import Api, open_api
from testing.commands import run_program
from testing.services.dbt import DbtShop
from testing.services.postgresql import PostgreSQL

pytestmark = [pytest.mark.integration, pytest.mark.long]

Json = dict[str, Any]

ORDERS = """
create table raw.orders as
select 1 as order_id, 'Ann@x.org' as email, 3.5 as amount,
    cast('2026-11-19 10:00:00' as timestamp) as created_at, 1 as region_id
"""
TOPIC = ("kafka://broker:9092", "shop.orders")
BUILD = "shop.main.shop.{}.build.run"


@pytest.fixture(scope="module")
def duckdb(tmp_path_factory: pytest.TempPathFactory) -> DbtShop:
    """The shop in a file, not built yet."""
    shop = DbtShop(tmp_path_factory.mktemp("duckdb"), "duckdb")
    run = f"import duckdb; c = duckdb.connect({str(shop.file)!r})"
    shop.run_python(f"{run}; c.execute('create schema raw'); c.execute('''{ORDERS}''')")
    return shop


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


def collect(shop: DbtShop, api: Api, *more: str, status: int = 0) -> str:
    state = str(shop.folder.parent / "state")
    options = ["--target", str(shop.target), "--state", state, "--server", api.url, *more]
    with variables_set(**shop.variables):
        outcome = run_program("collect", "dbt", *options)
    assert outcome.status == status, outcome
    return outcome.out + outcome.err


def jobs(api: Api) -> dict[str, Json]:
    found = api.read("/namespaces/dbt/jobs", limit=100)["jobs"]
    return {each["name"]: each for each in found}


def runs(api: Api, job: str) -> list[Json]:
    return list(api.read(f"/namespaces/dbt/jobs/{job}/runs")["runs"])


def report_topic(api: Api, namespace: str) -> None:
    """A connector that writes the topic's records into the table of the source."""
    field = {"namespace": TOPIC[0], "name": TOPIC[1], "field": "amount"}
    way = {"type": "DIRECT", "subtype": "IDENTITY"}
    fields = {"amount": {"inputFields": [{**field, "transformations": [way]}]}}
    facet = {"_producer": "https://x", "_schemaURL": "https://x", "fields": fields}
    api.store(
        {
            "eventTime": "2026-11-19T09:00:00Z",
            "eventType": "RUNNING",
            "producer": "https://x",
            "run": {"runId": "01890000-0000-7000-8000-000000000001"},
            "job": {"namespace": "connect", "name": "orders-sink"},
            "inputs": [{"namespace": TOPIC[0], "name": TOPIC[1]}],
            "outputs": [
                {
                    "namespace": namespace,
                    "name": "shop.raw.orders",
                    "facets": {"columnLineage": facet},
                }
            ],
        }
    )


def check_graph(api: Api, namespace: str) -> None:
    """A dashboard is reached from a topic's column; a model is one job."""
    report_topic(api, namespace)
    node = f"datasetField:{TOPIC[0]}:{TOPIC[1]}:amount"
    assets = {each["name"]: each for each in api.read("/impact", nodeId=node)["assets"]}
    assert assets["shop.main.daily_revenue"]["columns"] == ["revenue"]
    assert assets["shop.main.daily_revenue"]["dependency"] == "direct"
    assert assets["exposure.shop.revenue_dashboard"]["owners"] == ["Ann"]
    assert assets["metric.shop.total_revenue"]["type"] in ("DATASET", "JOB")
    found = [name for name in jobs(api) if "daily_revenue" in name]
    assert sorted(found) == [
        BUILD.format("daily_revenue"),
        "shop.main.shop.daily_revenue.build.test",
    ]
    inputs = {each["name"] for each in jobs(api)[BUILD.format("daily_revenue")]["inputs"]}
    assert inputs == {"shop.main.stg_orders", "shop.main.regions"}


def transformations(api: Api, namespace: str) -> dict[str, set[str]]:
    """How the columns of a model come from others."""
    node = f"datasetField:{namespace}:shop.main.daily_revenue:revenue"
    graph = api.read("/column-lineage", nodeId=node)["graph"]
    (found,) = (each for each in graph if each["id"] == node)
    return {each["field"]: {each["transformationType"]} for each in found["data"]["inputFields"]}


def test_a_build_on_duckdb_with_a_catalog_and_freshness(duckdb: DbtShop, api: Api) -> None:
    duckdb.dbt("build")
    first = collect(duckdb, api)
    assert "0 refused" in first
    namespace = f"duckdb://{duckdb.file}"
    check_graph(api, namespace)
    assert transformations(api, namespace)["amount"] == {"AGGREGATION"}
    duckdb.dbt("docs", "generate", "--no-compile")
    duckdb.dbt("source", "freshness", fails=False)
    collect(duckdb, api)
    fields = api.dataset(namespace, "shop.raw.orders")["fields"]
    assert [each["name"] for each in fields] == [
        *("order_id", "email", "amount", "created_at", "region_id"),
    ]
    assert fields[1]["tags"] == ["personal data"]
    assert "shop.raw.source.shop.raw.orders.freshness" in jobs(api)
    assert [each["state"] for each in runs(api, BUILD.format("stg_orders"))] == ["COMPLETED"]
    assert collect(duckdb, api).startswith("0 stored")


def test_beside_dbt_ol_a_model_is_one_job_with_one_run(duckdb: DbtShop, api: Api) -> None:
    duckdb.dbt_ol(api.url, "build")
    reported = jobs(api)
    collect(duckdb, api)
    check_graph(api, f"duckdb://{duckdb.file}")
    for name in reported:
        (run,) = runs(api, name)
        assert run["state"] == "COMPLETED", name
    added = set(jobs(api)) - set(reported)
    assert not {name for name in added if name.endswith((".build.run", ".build.test"))}
    assert "exposure.shop.revenue_dashboard" in added


def test_a_failed_build_on_postgresql(postgresql: PostgreSQL, tmp_path: Path, api: Api) -> None:
    with psycopg.connect(postgresql.url("shop"), autocommit=True) as connection:
        connection.execute("create schema raw")
        connection.execute(ORDERS)
    shop = DbtShop(tmp_path, "postgres", postgresql.port)
    model = shop.folder / "models" / "daily_revenue.sql"
    good = model.read_text()
    model.write_text(good.replace("sum(orders.amount)", "sum(orders.no_such)"))
    shop.dbt("build", fails=True)
    collect(shop, api)
    failed = jobs(api)[BUILD.format("daily_revenue")]["latestRun"]
    assert failed["state"] == "FAILED"
    assert "no_such" in failed["facets"]["errorMessage"]["message"]
    assert jobs(api)[BUILD.format("revenue_so_far")]["latestRun"] is None
    model.write_text(good)
    shop.dbt("build")
    collect(shop, api)
    check_graph(api, f"postgres://127.0.0.1:{postgresql.port}")
    # Incremental: the second time it reads itself.
    shop.dbt("build")
    collect(shop, api)
    last = jobs(api)[BUILD.format("revenue_so_far")]
    assert last["latestRun"]["state"] == "COMPLETED"
    assert [each["name"] for each in last["inputs"]] == ["shop.main.daily_revenue"]
