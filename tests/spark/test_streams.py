"""Streams of a real Spark tell what they read and write, by column, from start to end."""

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from testing.wait import wait_until
from tests.spark.observed import ObservedEvents, counted, fields

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.integration


def run(frame: "DataFrame", name: str, tmp_path: Path, **options: str) -> "StreamingQuery":
    writer = frame.writeStream.queryName(name).format("parquet")
    writer = writer.option("checkpointLocation", str(tmp_path / f"checkpoint of {name}"))
    return writer.options(**options).start(str(tmp_path / name))


def test_from_start_to_stop(heard: ObservedEvents, orders: "DataFrame", tmp_path: Path) -> None:
    query = run(
        orders.filter("supplier IS NOT NULL").selectExpr("id", "price * 2 AS total"),
        "clean",
        tmp_path,
    )
    query.processAllAvailable()
    start = heard.last("clean", "START")
    (read,), (written,) = start["inputs"], start["outputs"]
    assert (read["namespace"], read["name"]) == ("file", str(tmp_path / "orders"))
    assert [each["name"] for each in read["facets"]["schema"]["fields"]] == [
        "id",
        "price",
        "supplier",
    ]
    assert (written["namespace"], written["name"]) == ("file", str(tmp_path / "clean"))
    assert written["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "integer"},
        {"name": "total", "type": "double"},
    ]
    assert fields(written) == {"id": ["id IDENTITY"], "total": ["price TRANSFORMATION"]}
    (deciding,) = written["facets"]["columnLineage"]["dataset"]
    assert (deciding["field"], deciding["transformations"][0]["subtype"]) == ("supplier", "FILTER")
    running = heard.last("clean", "RUNNING")
    assert running["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 3
    assert running["run"]["facets"]["spark_stream"]["queryId"] == query.id
    query.stop()
    end = heard.last("clean", "ABORT")
    assert end["inputs"][0]["inputFacets"]["inputStatistics"]["size"] > 100
    counted = end["outputs"][0]["outputFacets"]["outputStatistics"]
    assert counted["rowCount"] == 3 and counted["size"] > 100
    assert end["job"]["facets"]["jobType"]["emissionPattern"]["eventContentMode"] == (
        "COMPLETE_SNAPSHOT"
    )
    assert {event["run"]["runId"] for event in heard.of("clean")} == {query.runId}
    assert end["outputs"][0]["name"] == str(tmp_path / "clean")


def test_one_that_ends_by_itself(
    heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
) -> None:
    writer = orders.writeStream.queryName("once").format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.start(str(tmp_path / "out")).awaitTermination()
    assert heard.last("once", "COMPLETE")["inputs"][0]["name"] == str(tmp_path / "orders")


def test_one_that_fails(heard: ObservedEvents, orders: "DataFrame", tmp_path: Path) -> None:
    query = run(
        orders.selectExpr("CAST(raise_error('no such price') AS string) AS x"), "broken", tmp_path
    )
    with pytest.raises(Exception, match="no such price"):
        query.processAllAvailable()
    error = heard.last("broken", "FAIL")["run"]["facets"]["errorMessage"]
    assert "no such price" in error["message"] + (error["stackTrace"] or "")


def test_what_a_function_does_with_the_batches(
    heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
) -> None:
    def write(batch: "DataFrame", number: int) -> None:
        batch.selectExpr("id", "upper(who) AS loud").write.mode("append").parquet(
            str(tmp_path / "a")
        )
        batch.groupBy("who").count().write.mode("append").json(str(tmp_path / "b"))

    frame = orders.selectExpr("id", "supplier AS who").filter("id > 0")
    query = frame.writeStream.queryName("each").foreachBatch(write)
    running = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    running.processAllAvailable()
    # Spark tells of what was written a little after it was.
    wait_until(lambda: any(len(event["outputs"]) == 2 for event in heard.of("each")))
    running.stop()
    outputs = {each["name"]: each for each in heard.last("each", "ABORT")["outputs"]}
    assert outputs.keys() == {str(tmp_path / "a"), str(tmp_path / "b")}
    assert fields(outputs[str(tmp_path / "a")]) == {
        "id": ["id IDENTITY"],
        "loud": ["supplier TRANSFORMATION"],
    }
    counted = outputs[str(tmp_path / "a")]["outputFacets"]["outputStatistics"]
    assert counted["rowCount"] == 3 and counted["size"] > 0
    grouped = outputs[str(tmp_path / "b")]["facets"]["columnLineage"]
    assert grouped["fields"]["count"] == {"inputFields": []}
    deciding = {each["field"]: each["transformations"] for each in grouped["dataset"]}
    assert [way["subtype"] for way in deciding["id"]] == ["FILTER"]
    assert [way["subtype"] for way in deciding["supplier"]] == ["GROUP_BY"]


# PySpark leaves the socket over which it fetched rows to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_function_that_takes_the_rows_elsewhere(
    writes: ObservedEvents, orders: "DataFrame", tmp_path: Path
) -> None:
    """What it puts elsewhere is not seen, which is said; so is where rows of its own are from."""

    def collect(batch: "DataFrame", number: int) -> None:
        rows = batch.select("id").collect()
        batch.sparkSession.createDataFrame(rows, "id int").write.json(str(tmp_path / "out"))

    query = orders.writeStream.queryName("elsewhere").foreachBatch(collect)
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query.trigger(availableNow=True).start().awaitTermination()
    end = writes.last("elsewhere", "COMPLETE")
    assert end["outputs"] == []
    (gap,) = end["run"]["facets"]["headwater_gaps"]["gaps"]
    assert (gap["kind"], gap["name"]) == ("output", "foreachBatch")
    written = writes.find_write(str(tmp_path / "out"))
    (gap,) = written["run"]["facets"]["headwater_gaps"]["gaps"]
    assert (gap["kind"], gap["name"]) == ("input", "LogicalRDD")


def test_two_writes_of_a_function_to_one_folder(
    writes: ObservedEvents, orders: "DataFrame", tmp_path: Path
) -> None:
    out = str(tmp_path / "out")

    def write(batch: "DataFrame", number: int) -> None:
        batch.selectExpr("id", f"{number} AS batch").write.mode("append").json(out)
        batch.selectExpr("price AS id", "supplier").write.mode("append").json(out)

    query = orders.writeStream.queryName("twice").foreachBatch(write).trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    (written,) = writes.last("twice", "COMPLETE")["outputs"]
    assert fields(written) == {
        "id": ["id IDENTITY", "price IDENTITY"],
        "batch": [],
        "supplier": ["supplier IDENTITY"],
    }


def test_a_restart_from_the_same_checkpoint(
    heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
) -> None:
    first = run(orders, "again", tmp_path)
    first.processAllAvailable()
    first.stop()
    heard.last("again", "ABORT")
    (tmp_path / "orders" / "2.json").write_text('{"id": 2, "price": 1.0, "supplier": "b"}\n')
    second = run(orders, "again", tmp_path)
    second.processAllAvailable()
    second.stop()
    ends = heard.wait("again", "ABORT", 2)
    before, after = (event["run"]["facets"]["spark_stream"] for event in ends)
    assert before["queryId"] == after["queryId"]
    assert before["checkpoint"] == after["checkpoint"]
    assert before["firstBatchId"] == 0
    assert after["firstBatchId"] == 1
    assert ends[0]["run"]["runId"] == first.runId != ends[1]["run"]["runId"]
    assert ends[1]["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 1


def test_one_that_waits_is_alive(
    heard: ObservedEvents, orders: "DataFrame", spark: "SparkSession", tmp_path: Path
) -> None:
    before = str(spark.conf.get("spark.sql.streaming.noDataProgressEventInterval"))
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "100")
    query = run(orders, "waiting", tmp_path)
    try:
        query.processAllAvailable()
        seen = len(heard.of("waiting"))
        heard.wait("waiting", "RUNNING", seen + 3)
    finally:
        query.stop()
        spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", before)


def test_names_of_those_without_one(heard: ObservedEvents, spark: "SparkSession") -> None:
    rate = spark.readStream.format("rate").load()
    query = rate.writeStream.format("noop").start()
    try:
        name = f"query-{query.id}"
        start = heard.last(name, "START")
        (read,), (written,) = start["inputs"], start["outputs"]
        assert (read["namespace"], read["name"]) == ("rate", name)
        assert (written["namespace"], written["name"]) == ("noop", name)
        assert fields(written) == {
            "timestamp": ["timestamp IDENTITY"],
            "value": ["value IDENTITY"],
        }
    finally:
        query.stop()


def test_a_stream_into_a_table_is_one_job(
    writes: ObservedEvents, orders: "DataFrame", spark: "SparkSession", tmp_path: Path
) -> None:
    """Where batch writes are reported as well, the stream's own batches are none of them."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.streams")
    spark.sql("DROP TABLE IF EXISTS lake.streams.orders")
    spark.sql("CREATE TABLE lake.streams.orders (id int, supplier string) USING iceberg")
    query = orders.select("id", "supplier").writeStream.queryName("into a table")
    query = query.trigger(availableNow=True).option("checkpointLocation", str(tmp_path / "c"))
    query.toTable("lake.streams.orders").awaitTermination()
    end = writes.last("into a table", "COMPLETE")
    assert counted(end["outputs"][0])["rowCount"] == 3
    # What comes after it is reported after it.
    spark.table("lake.streams.orders").write.json(str(tmp_path / "after"))
    after = writes.find_write(str(tmp_path / "after"))["job"]["name"]
    names = {event["job"]["name"] for event in writes.events}
    assert names == {"tests", "into a table", after}


def test_lines_of_a_socket(heard: ObservedEvents, spark: "SparkSession", tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        lines = spark.readStream.format("socket").options(host="127.0.0.1", port=str(port)).load()
        query = run(lines.selectExpr("upper(value) AS loud"), "lines", tmp_path)
        try:
            start = heard.last("lines", "START")
        finally:
            query.stop()
    (read,), (written,) = start["inputs"], start["outputs"]
    assert (read["namespace"], read["name"]) == (f"socket://127.0.0.1:{port}", "lines")
    assert fields(written) == {"loud": ["value TRANSFORMATION"]}
