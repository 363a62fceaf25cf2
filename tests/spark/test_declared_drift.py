"""A declared job that runs on a real Spark: no drift as it is declared, and some after a change."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from testing.api import Api, open_api
from tests.spark.observed import ObservedEvents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration

RUN = CliRunner()


def report(api: Api, writes: ObservedEvents, target: str) -> str:
    """Bring what Spark has reported to the server; gives the run that wrote last."""
    run = writes.find_write(target)["run"]["runId"]
    api.store(*writes.events)
    writes.events.clear()
    return str(run)


def test_a_changed_query_is_drift(
    spark: "SparkSession", writes: ObservedEvents, tmp_path: Path
) -> None:
    orders, returns, totals = (str(tmp_path / name) for name in ("orders", "returns", "totals"))
    for folder in (orders, returns):
        rows = "VALUES (1, 2.5D), (2, 3.5D) AS t(id, price)"
        spark.sql(f"SELECT * FROM {rows}").coalesce(1).write.parquet(folder)
        writes.find_write(folder)
    writes.events.clear()
    query = "SELECT id, sum(price) AS total FROM parquet.`{}` GROUP BY id"
    spark.sql(query.format(orders)).write.mode("overwrite").parquet(totals)
    job = writes.find_write(totals)["job"]
    config = tmp_path / "job.yaml"
    config.write_text(
        f"job:\n  name: '{job['name']}'\n  namespace: '{job['namespace']}'\n"
        f"  inputs: ['file:{orders}']\n  outputs: ['file:{totals}']\n"
        "  dialect: spark\n  sql: SELECT id, sum(price) AS total FROM orders GROUP BY id\n"
    )
    with open_api(f"sqlite:///{tmp_path / 'store.db'}") as api:
        declared = RUN.invoke(app, ["declare", str(config), "--server", api.url])
        assert declared.output == "1 stored, 0 refused\n"
        report(api, writes, totals)
        found = RUN.invoke(app, ["drift", "--strict", "--server", api.url])
        assert (found.exit_code, found.output) == (0, "0 of 1 declared jobs differ\n")
        spark.sql(query.format(returns)).write.mode("overwrite").parquet(totals)
        run = report(api, writes, totals)
        found = RUN.invoke(app, ["drift", "--server", api.url])
        assert found.exit_code == 1
        (one,) = api.read("/drift")["jobs"]
        assert (one["name"], one["run"]) == (job["name"], run)
        assert {(edge["kind"], edge["direction"], edge["name"]) for edge in one["edges"]} == {
            ("notObserved", "input", orders),
            ("notDeclared", "input", returns),
        }
        assert {
            (pair["kind"], pair["input"]["name"], pair["input"]["field"], pair["output"]["field"])
            for pair in one["columns"]
        } == {
            ("notObserved", orders, "id", "id"),
            ("notObserved", orders, "price", "total"),
            ("notDeclared", returns, "id", "id"),
            ("notDeclared", returns, "price", "total"),
        }
