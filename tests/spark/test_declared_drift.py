"""A declared job that runs on a real Spark: no drift as it is declared, and some after a change."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from testing.api import Api, open_api
from tests.spark.conftest import ORDERS
from tests.spark.observed import Json, ObservedEvents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration

RUN = CliRunner()
NAME = "doubled"


def run_stream(
    spark: "SparkSession", heard: ObservedEvents, folder: Path, number: int, columns: list[str]
) -> Json:
    """A run of the stream that reads a folder; gives its last event."""
    rows = spark.readStream.schema(ORDERS).json(str(folder)).selectExpr(*columns)
    writer = rows.writeStream.queryName(NAME).format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder.parent / f"checkpoint {number}"))
    writer.start(str(folder.parent / NAME)).awaitTermination()
    return heard.wait(NAME, "COMPLETE", 1)[-1]


def send(api: Api, heard: ObservedEvents) -> None:
    api.store(*heard.events)
    heard.events.clear()


def test_a_changed_query_is_drift(
    spark: "SparkSession", heard: ObservedEvents, tmp_path: Path
) -> None:
    orders, returns, target = (tmp_path / name for name in ("orders", "returns", NAME))
    for folder in (orders, returns):
        folder.mkdir()
        (folder / "1.json").write_text('{"id": 1, "price": 2.5, "supplier": "a"}\n')
    job = run_stream(spark, heard, orders, 1, ["id", "price * 2 AS twice"])["job"]
    config = tmp_path / "job.yaml"
    config.write_text(
        f"job:\n  name: {job['name']}\n  namespace: '{job['namespace']}'\n  dialect: spark\n"
        f"  inputs: ['file:{orders}']\n  outputs: ['file:{target}']\n"
        "  sql: SELECT id, price * 2 AS twice FROM orders\n"
    )
    with open_api(f"sqlite:///{tmp_path / 'store.db'}") as api:
        declared = RUN.invoke(app, ["declare", str(config), "--server", api.url])
        assert declared.output == "1 stored, 0 refused\n"
        send(api, heard)
        found = RUN.invoke(app, ["drift", "--strict", "--server", api.url])
        assert (found.exit_code, found.output) == (0, "0 of 1 declared jobs differ\n")
        changed = ["id", "length(supplier) AS twice"]
        run = run_stream(spark, heard, returns, 2, changed)["run"]["runId"]
        send(api, heard)
        assert RUN.invoke(app, ["drift", "--server", api.url]).exit_code == 1
        (one,) = api.read("/drift")["jobs"]
        assert (one["name"], one["run"]) == (NAME, run)
        assert {(edge["kind"], edge["direction"], edge["name"]) for edge in one["edges"]} == {
            ("notObserved", "input", str(orders)),
            ("notDeclared", "input", str(returns)),
        }
        assert {
            (pair["kind"], pair["input"]["name"], pair["input"]["field"], pair["output"]["field"])
            for pair in one["columns"]
        } == {
            ("notObserved", str(orders), "id", "id"),
            ("notObserved", str(orders), "price", "twice"),
            ("notDeclared", str(returns), "id", "id"),
            ("notDeclared", str(returns), "supplier", "twice"),
        }
