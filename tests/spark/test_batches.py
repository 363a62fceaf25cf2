"""Batch jobs tell what they read and write as well, where that is asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.emit.sender import Sender
from headwater.spark.listener import LineageListener
from tests.spark.observed import ObservedEvents, fields

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration


@pytest.fixture
def heard(spark: "SparkSession") -> Iterator[ObservedEvents]:
    heard = ObservedEvents()
    listening = LineageListener(spark, Sender(heard.post), "tests", batch=True)
    yield heard
    listening.close()


@pytest.fixture
def orders(spark: "SparkSession", tmp_path: Path) -> str:
    """Written before anybody listens."""
    folder = str(tmp_path / "orders")
    spark.sql("SELECT 1 AS id, 2.5D AS price, 'a' AS supplier").write.parquet(folder)
    return folder


class TestBatches:
    # The session is told of what was written before it: fixtures in this order.
    def test_from_files_to_files(
        self, orders: str, heard: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        frame = spark.read.parquet(orders).groupBy("supplier").sum("price")
        frame.withColumnRenamed("sum(price)", "total").write.json(str(tmp_path / "totals"))
        end = heard.last("write totals", "COMPLETE")
        start = heard.last("write totals", "START")
        assert start["run"]["runId"] == end["run"]["runId"]
        assert start["eventTime"] < end["eventTime"]
        (read,), (written,) = end["inputs"], end["outputs"]
        assert (read["namespace"], read["name"]) == ("file", orders)
        assert written["name"] == str(tmp_path / "totals")
        counted = written["outputFacets"]["outputStatistics"]
        assert counted["rowCount"] == 1 and counted["size"] > 0
        assert fields(written) == {
            "supplier": ["supplier IDENTITY"],
            "total": ["price AGGREGATION"],
        }

    def test_one_that_fails(
        self, orders: str, heard: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        frame = spark.read.parquet(orders).selectExpr("CAST(raise_error('no') AS string) AS x")
        with pytest.raises(Exception, match="no"):
            frame.write.json(str(tmp_path / "never"))
        assert heard.last("write never", "FAIL")["run"]["facets"]["errorMessage"]["message"]

    def test_what_only_reads_is_not_reported(
        self, orders: str, heard: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        assert spark.read.parquet(orders).count() == 1
        spark.read.parquet(orders).write.json(str(tmp_path / "after"))
        heard.last("write after", "COMPLETE")
        assert {event["job"]["name"] for event in heard.events} == {"write after"}
