"""Batch jobs: each write is a job under its application, with columns and figures."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.model.naming import DatasetName
from headwater.spark.batches import name_write
from headwater.spark.plan_lineage import PlanDataset, PlanLineage
from headwater.spark.relations import PlanRelation
from testing.wait import wait_until
from tests.spark.observed import ObservedEvents, counted, fields, other_names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def orders(spark: "SparkSession", tmp_path: Path) -> str:
    """Written before anybody listens."""
    folder = str(tmp_path / "orders")
    spark.sql("SELECT 1 AS id, 2.5D AS price, 'a' AS supplier").write.parquet(folder)
    return folder


@pytest.mark.integration
class TestBatches:
    # The session is told of what was written before it: fixtures in this order.
    def test_from_files_to_files(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        frame = spark.read.parquet(orders).groupBy("supplier").sum("price")
        frame.withColumnRenamed("sum(price)", "total").write.json(str(tmp_path / "totals"))
        end = writes.find_write(str(tmp_path / "totals"))
        start = writes.find_write(str(tmp_path / "totals"), "START")
        assert start["run"]["runId"] == end["run"]["runId"]
        assert start["eventTime"] < end["eventTime"]
        (read,), (written,) = end["inputs"], end["outputs"]
        assert (read["namespace"], read["name"]) == ("file", orders)
        assert written["name"] == str(tmp_path / "totals")
        assert counted(written)["rowCount"] == 1 and counted(written)["size"] > 0
        assert counted(read, "input")["rowCount"] == 1 and counted(read, "input")["size"] > 0
        assert fields(written) == {
            "supplier": ["supplier IDENTITY"],
            "total": ["price AGGREGATION"],
        }

    def test_one_that_fails(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        frame = spark.read.parquet(orders).selectExpr("CAST(raise_error('no') AS string) AS x")
        with pytest.raises(Exception, match="no"):
            frame.write.json(str(tmp_path / "never"))
        assert writes.find_write(str(tmp_path / "never"), "FAIL")["run"]["facets"]["errorMessage"][
            "message"
        ]

    def test_what_only_reads_is_not_reported(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        assert spark.read.parquet(orders).count() == 1
        spark.read.parquet(orders).write.json(str(tmp_path / "after"))
        after = writes.find_write(str(tmp_path / "after"))["job"]["name"]
        assert {event["job"]["name"] for event in writes.events} == {"tests", after}

    def test_two_writers_of_one_table(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        """Each is a job of its own, in any order, and again; all under the application's run."""
        other, out = str(tmp_path / "other"), str(tmp_path / "out")
        spark.sql("SELECT 2 AS id, 1.5D AS price, 'b' AS supplier").write.parquet(other)
        writes.find_write(other)

        def add(folder: str) -> str:
            def ended() -> list[str]:
                return [
                    event["job"]["name"]
                    for event in writes.events
                    if event["eventType"] == "COMPLETE" and event["outputs"][0]["name"] == out
                ]

            seen = len(ended())
            spark.read.parquet(folder).write.mode("append").parquet(out)
            wait_until(lambda: len(ended()) > seen)
            return str(ended()[-1])

        first, second = add(orders), add(other)
        assert first != second
        assert (add(other), add(orders)) == (second, first)
        runs = [event["run"] for event in writes.events if event["job"]["name"] != "tests"]
        assert len({run["facets"]["parent"]["run"]["runId"] for run in runs}) == 1
        assert {run["facets"]["parent"]["job"]["name"] for run in runs} == {"tests"}
        started = writes.of("tests")[0]
        assert started["run"]["runId"] == runs[0]["facets"]["parent"]["run"]["runId"]
        about = started["run"]["facets"]["spark_application"]
        assert about["user"] and about["applicationId"]

    def test_folders_of_one_name(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        names = []
        for folder in ("a", "b"):
            spark.read.parquet(orders).write.json(str(tmp_path / folder / "out"))
            names.append(writes.find_write(str(tmp_path / folder / "out"))["job"]["name"])
        assert names[0] != names[1]

    def test_tables_have_the_names_of_their_catalog(
        self, orders: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        frame = spark.read.parquet(orders)
        frame.createOrReplaceTempView("orders_read")
        frame.write.saveAsTable("saved")
        spark.sql("CREATE TABLE selected USING json AS SELECT id, price FROM orders_read")
        spark.sql(
            "CREATE TABLE parted USING parquet PARTITIONED BY (supplier)"
            " AS SELECT id, supplier FROM orders_read"
        )
        spark.sql("INSERT INTO parted PARTITION (supplier = 'b') SELECT id FROM orders_read")
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.made")
        spark.sql("CREATE TABLE lake.made.chosen USING iceberg AS SELECT id FROM orders_read")
        place = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        try:
            for name in ("saved", "selected", "parted"):
                named = writes.wait_for(
                    lambda event: other_names(event["outputs"][0]) == [f"default.{name}"]  # noqa: B023
                )
                assert named()["outputs"][0]["name"] == f"{place}/{name}"
            again = writes.wait_for(lambda event: event["outputs"][0]["name"].endswith("chosen"))
            wait_until(lambda: counted(again()["outputs"][0]).get("rowCount") == 1)
            assert other_names(again()["outputs"][0]) == ["made.chosen"]
            inserted = writes.wait_for(
                lambda event: fields(event["outputs"][0]) == {"id": ["id IDENTITY"], "supplier": []}
            )
            assert inserted()["inputs"][0]["name"] == orders
        finally:
            for name in ("saved", "selected", "parted", "lake.made.chosen"):
                spark.sql(f"DROP TABLE IF EXISTS {name}")


def lineage(target: str, source: str) -> PlanLineage:
    read, written = DatasetName("file", source), DatasetName("file", target)
    inputs = [{"namespace": "file", "name": source, "field": "id"}]
    columns = {"fields": {"id": {"inputFields": inputs}}}
    return PlanLineage(
        [PlanDataset(PlanRelation(read), [])],
        [PlanDataset(PlanRelation(written), [], columns)],
        [],
    )


def test_names_do_not_depend_on_the_day() -> None:
    today = name_write(lineage("/out/day=2026-11-18", "/in/2026-11-18"), "write")
    tomorrow = name_write(lineage("/out/day=2026-11-19", "/in/2026-11-19"), "write")
    assert today == tomorrow
    assert today.startswith("write /out (")
    assert today != name_write(lineage("/out/day=2026-11-18", "/other/2026-11-18"), "write")
