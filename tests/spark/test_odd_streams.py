"""Streams of a real Spark that are odd, huge or broken: what can be told is told."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from headwater.spark.columns import expressions, operators
from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.spark.observed import ObservedEvents, deciding, fields

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.integration

Json = dict[str, Any]
COLUMNS = 10_000


def start(frame: "DataFrame", name: str, folder: Path) -> "StreamingQuery":
    writer = frame.writeStream.queryName(name).format("parquet")
    writer = writer.option("checkpointLocation", str(folder / f"checkpoint of {name}"))
    return writer.start(str(folder / name))


def run(heard: ObservedEvents, frame: "DataFrame", name: str, folder: Path) -> Json:
    """Run a stream over what there is; gives its end."""
    writer = frame.writeStream.queryName(name).format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / f"checkpoint of {name}"))
    writer.start(str(folder / name)).awaitTermination()
    return heard.last(name, "COMPLETE")


def gaps(event: Json) -> list[str]:
    told: list[str] = event["run"]["facets"]["spark_stream"]["gaps"]
    return told


class TestPlans:
    def test_nodes_never_seen(
        self,
        heard: ObservedEvents,
        orders: "DataFrame",
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """As Spark's next version will have them: here, those that were forgotten."""
        monkeypatch.delitem(operators.READERS, "Deduplicate")
        monkeypatch.setattr(operators, "PASSING", frozenset())
        monkeypatch.delitem(expressions.READERS, "CaseWhen")
        frame = (
            orders.filter("supplier IS NOT NULL")
            .repartition(2)
            .dropDuplicates(["id"])
            .selectExpr("id", "CASE WHEN price > 1 THEN supplier END AS dear")
        )
        end = run(heard, frame, "unseen", tmp_path)
        (written,) = end["outputs"]
        assert fields(written) == {
            "id": ["id IDENTITY"],
            "dear": ["price TRANSFORMATION", "supplier TRANSFORMATION"],
        }
        assert deciding(written) == ["supplier FILTER"]
        assert gaps(end) == ["Deduplicate", "Repartition"]

    def test_one_that_cannot_be_read(
        self,
        heard: ObservedEvents,
        orders: "DataFrame",
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """What it gives is taken to be made of all that comes in, which is told as a gap."""

        def fail(*_: Any) -> Any:
            raise KeyError("projectList")

        monkeypatch.setitem(operators.READERS, "Project", fail)
        end = run(heard, orders.selectExpr("id", "id + 1 AS more"), "unread", tmp_path)
        assert gaps(end) == ["Project"]
        (gap,) = end["run"]["facets"]["headwater_gaps"]["gaps"]
        assert (gap["kind"], gap["description"]) == (
            "operator",
            "Project could not be read: KeyError.",
        )
        assert [event["eventType"] for event in heard.of("unread")][0] == "START"

    def test_ten_thousand_columns(
        self,
        heard: ObservedEvents,
        orders: "DataFrame",
        headwater_server: Headwater,
    ) -> None:
        frame = orders.selectExpr(*(f"id + {n} AS c{n}" for n in range(COLUMNS)))
        query = frame.writeStream.queryName("wide").format("noop").start()
        try:
            started = heard.last("wide", "START")
        finally:
            query.stop()
        (written,) = started["outputs"]
        assert len(written["facets"]["schema"]["fields"]) == COLUMNS
        assert fields(written)[f"c{COLUMNS - 1}"] == ["id TRANSFORMATION"]
        url = f"{headwater_server.url}/api/v1/lineage"
        answer = httpx2.post(url, json=started, trust_env=False, timeout=60)
        assert answer.status_code == 201, answer.text

    def test_a_long_sum(self, heard: ObservedEvents, orders: "DataFrame", tmp_path: Path) -> None:
        """A tree of expressions that is as deep as the chain is long."""
        total = " + ".join(["id"] * 600)
        end = run(heard, orders.selectExpr(f"{total} AS total"), "summed", tmp_path)
        assert gaps(end) == []
        assert fields(end["outputs"][0]) == {"total": ["id TRANSFORMATION"]}

    def test_a_view_of_itself(
        self, heard: ObservedEvents, spark: "SparkSession", orders: "DataFrame", tmp_path: Path
    ) -> None:
        """A name that is given anew to what it is made of, again and again."""
        orders.createOrReplaceTempView("again")
        for _ in range(50):
            frame = spark.sql("SELECT id, price + 1 AS price FROM again")
            frame.createOrReplaceTempView("again")
        end = run(heard, spark.table("again"), "again and again", tmp_path)
        assert fields(end["outputs"][0]) == {
            "id": ["id IDENTITY"],
            "price": ["price TRANSFORMATION"],
        }
        with pytest.raises(Exception, match=r"RECURSIVE_VIEW"):
            spark.sql("CREATE OR REPLACE VIEW endless AS SELECT 1 AS id")
            spark.sql("CREATE OR REPLACE VIEW endless AS SELECT * FROM endless")
        spark.sql("DROP VIEW endless")


class TestQueries:
    def test_the_same_name_twice(
        self, heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
    ) -> None:
        """Spark has one at a time; one after the other are runs of one job."""
        first = start(orders, "twice", tmp_path)
        with pytest.raises(Exception, match="already active"):
            start(orders, "twice", tmp_path / "other")
        first.processAllAvailable()
        first.stop()
        second = start(orders.select("id"), "twice", tmp_path)
        second.stop()
        wait_until(
            lambda: [each["run"]["runId"] for each in heard.of("twice")][-1:] == [second.runId]
        )
        runs = [
            event["run"]["runId"] for event in heard.of("twice") if event["eventType"] == "START"
        ]
        assert runs == [first.runId, second.runId]

    def test_two_without_a_name(self, heard: ObservedEvents, orders: "DataFrame") -> None:
        queries = [orders.writeStream.format("noop").start() for _ in range(2)]
        for query in queries:
            heard.last(f"query-{query.id}", "START")
            query.stop()
            heard.last(f"query-{query.id}", "ABORT")
        assert len({query.id for query in queries}) == 2

    def test_one_that_dies_before_its_plan(
        self, heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
    ) -> None:
        """A checkpoint that is no checkpoint: it ends before there is a batch."""
        offsets = tmp_path / "checkpoint of dead" / "offsets"
        offsets.mkdir(parents=True)
        (offsets / "0").write_text("not an offset")
        query = start(orders, "dead", tmp_path)
        with pytest.raises(Exception, match="log file"):
            query.awaitTermination()
        assert "log file" in heard.last("dead", "FAIL")["run"]["facets"]["errorMessage"]["message"]
        assert [event["eventType"] for event in heard.of("dead")] == ["START", "FAIL"]

    def test_those_that_end_at_once(
        self, heard: ObservedEvents, orders: "DataFrame", tmp_path: Path
    ) -> None:
        """However soon Spark has forgotten a query, what it did is told."""
        names = [f"quick{n}" for n in range(10)]
        for name in names:
            writer = orders.writeStream.queryName(name).format("noop").trigger(availableNow=True)
            writer.start()
        for name in names:
            end = heard.last(name, "COMPLETE")
            assert [each["name"] for each in end["inputs"]] == [str(tmp_path / "orders")], name
