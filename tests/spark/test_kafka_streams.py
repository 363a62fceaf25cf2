"""Streams between Kafka and Iceberg, by column: what each is expected to tell, written by hand."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from headwater.emit.sender import Sender
from headwater.spark import query_tracker
from headwater.spark.listener import LineageListener
from testing.services.kafka import Kafka
from tests.spark.observed import ObservedEvents, deciding, fields

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.integration

ORDER = (
    "id int, supplier string, price double, at timestamp, lines array<struct<sku: string, n: int>>"
)
MESSAGE = (
    b'{"id": 1, "supplier": "a", "price": 2.5, "at": "2026-01-05T10:00:00Z", '
    b'"lines": [{"sku": "x", "n": 2}]}'
)


class Scene:
    """Topics and tables of one test, and what its stream told."""

    def __init__(
        self, spark: "SparkSession", kafka: Kafka, heard: ObservedEvents, folder: Path
    ) -> None:
        self.spark = spark
        self.kafka = kafka
        self.heard = heard
        self.name = f"t{uuid4().hex[:8]}"
        self._folder = folder

    def topic(self, name: str) -> str:
        topic = f"{self.name}-{name}"
        self.kafka.create_topic(topic)
        self.kafka.produce(topic, [MESSAGE])
        return topic

    def read_raw(self, topic: str, way: str = "subscribe") -> "DataFrame":
        frame = self.spark.readStream.format("kafka").option(way, topic)
        frame = frame.option("kafka.bootstrap.servers", self.kafka.bootstrap)
        return frame.option("startingOffsets", "earliest").load()

    def read(self, topic: str, way: str = "subscribe") -> "DataFrame":
        """A topic's messages, parsed."""
        from pyspark.sql.functions import col, from_json

        raw = self.read_raw(topic, way)
        return raw.select(from_json(col("value").cast("string"), ORDER).alias("v")).select("v.*")

    def table(self, name: str, columns: str) -> str:
        table = f"lake.{self.name}.{name}"
        self.spark.sql(f"CREATE TABLE {table} ({columns}) USING iceberg")
        return table

    def run(
        self, frame: "DataFrame", start: Callable[[Any], Any], checkpoint: str = "checkpoint"
    ) -> dict[str, Any]:
        """Run a stream to its end; gives the event that it ended with."""
        writer = frame.writeStream.queryName(self.name).trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(self._folder / checkpoint))
        start(writer).awaitTermination()
        return self.heard.last(self.name, "COMPLETE")

    def into_topic(self, frame: "DataFrame", topic: str | None) -> dict[str, Any]:
        """Write to a topic, or to those that a column of the frame names."""

        def start(writer: Any) -> Any:
            kafka = writer.format("kafka")
            kafka = kafka.option("topic", topic) if topic is not None else kafka
            return kafka.option("kafka.bootstrap.servers", self.kafka.bootstrap).start()

        return self.run(frame, start)


@pytest.fixture
def scene(
    spark: "SparkSession", kafka: Kafka, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scene]:
    monkeypatch.setattr(query_tracker, "HEARTBEAT_SECONDS", 0.0)
    heard = ObservedEvents()
    listening = LineageListener(spark, Sender(heard.post), "tests")
    yield Scene(spark, kafka, heard, tmp_path)
    listening.close()


def test_a_topic_into_a_table(scene: Scene) -> None:
    topic, table = scene.topic("orders"), scene.table("orders", "id int, total double")
    frame = scene.read(topic).filter("supplier <> 'x'").selectExpr("id", "price * 2 AS total")
    told = scene.run(frame, lambda writer: writer.toTable(table))
    (read,), (written,) = told["inputs"], told["outputs"]
    assert (read["namespace"], read["name"]) == (f"kafka://{scene.kafka.bootstrap}", topic)
    names = [field["name"] for field in read["facets"]["schema"]["fields"]]
    assert names == ["id", "supplier", "price", "at", "lines"]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 1
    assert written["namespace"] == "file"
    assert written["name"].endswith(f"/{scene.name}/orders")
    (other,) = written["facets"]["symlinks"]["identifiers"]
    assert (other["name"], other["type"]) == (f"{scene.name}.orders", "TABLE")
    assert fields(written) == {"id": ["id IDENTITY"], "total": ["price TRANSFORMATION"]}
    assert deciding(written) == ["supplier FILTER"]
    assert read["inputFacets"]["inputStatistics"]["lag"] == 0
    counted = written["outputFacets"]["outputStatistics"]
    assert counted["rowCount"] == 1 and counted["size"] > 0
    (source,) = told["run"]["facets"]["spark_stream"]["sources"]
    assert (source["endOffset"], source["rows"], source["lag"]) == ({topic: {"0": 1}}, 1, 0)


@pytest.mark.parametrize("way", ["subscribePattern", "assign"])
def test_topics_chosen_in_other_ways(scene: Scene, way: str) -> None:
    one, two = scene.topic("a"), scene.topic("b")
    chosen = {
        "subscribePattern": f"{scene.name}-.*",
        "assign": f'{{"{one}": [0], "{two}": [0]}}',
    }
    frame = scene.read(chosen[way], way).selectExpr("id")
    table = scene.table("ids", "id int")
    told = scene.run(frame, lambda writer: writer.toTable(table))
    assert [each["name"] for each in told["inputs"]] == [one, two]
    assert _sources(told["outputs"][0]) == {"id": {one: "id", two: "id"}}
    assert told["run"]["facets"]["spark_stream"]["sources"][0]["rows"] == 2


def test_messages_that_are_text(scene: Scene) -> None:
    topic, target = scene.topic("lines"), scene.topic("copied")
    frame = (
        scene.read_raw(topic)
        .filter("timestamp IS NOT NULL")
        .selectExpr("CAST(key AS string) AS key", "upper(CAST(value AS string)) AS value")
    )
    told = scene.into_topic(frame, target)
    (read,), (written,) = told["inputs"], told["outputs"]
    assert read["facets"]["schema"]["fields"] == [
        {"name": "key", "type": "string"},
        {"name": "value", "type": "string"},
        {"name": "timestamp", "type": "timestamp"},
    ]
    assert fields(written) == {"key": ["key TRANSFORMATION"], "value": ["value TRANSFORMATION"]}
    assert deciding(written) == ["timestamp FILTER"]


def test_messages_of_avro(scene: Scene) -> None:
    from pyspark.sql.avro.functions import from_avro, to_avro

    fields_of = [{"name": "id", "type": "int"}, {"name": "who", "type": ["null", "string"]}]
    order = json.dumps({"type": "record", "name": "order", "fields": fields_of})
    topic, target = scene.topic("orders"), scene.topic("copied")
    kept = {"mode": "PERMISSIVE"}
    read = scene.read_raw(topic).select(from_avro("value", order, kept).alias("v"))
    made = read.selectExpr("named_struct('id', v.id, 'loud', upper(v.who)) AS s")
    told = scene.into_topic(made.select(to_avro("s").alias("value")), target)
    (source,), (written,) = told["inputs"], told["outputs"]
    assert source["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "integer"},
        {"name": "who", "type": "string"},
    ]
    assert fields(written) == {"id": ["id IDENTITY"], "loud": ["who TRANSFORMATION"]}


@pytest.mark.parametrize("written_as", ["json", "avro"])
def test_nested_fields_from_topic_to_topic_to_table(scene: Scene, written_as: str) -> None:
    """The reader names what the writer wrote, field by field."""
    from pyspark.sql.avro.functions import to_avro
    from pyspark.sql.functions import expr, to_json

    topic, middle = scene.topic("orders"), scene.topic("nested")
    made = expr(
        "struct(id, struct(upper(supplier) AS name) AS who, "
        "transform(lines, x -> struct(x.sku AS sku, x.n * price AS cost)) AS items, "
        "map(supplier, price) AS prices)"
    )
    value = to_json(made) if written_as == "json" else to_avro(made)
    frame = scene.read(topic).select(expr("CAST(id AS string) AS key"), value.alias("value"))
    (written,) = scene.into_topic(frame, middle)["outputs"]
    assert fields(written) == {
        "id": ["id IDENTITY"],
        "who.name": ["supplier TRANSFORMATION"],
        "items[].sku": ["lines[].sku IDENTITY"],
        "items[].cost": ["lines[].n TRANSFORMATION", "price TRANSFORMATION"],
        "prices.key": ["supplier IDENTITY"],
        "prices.value": ["price IDENTITY"],
        "key": ["id TRANSFORMATION"],
    }
    items = {each["name"]: each for each in written["facets"]["schema"]["fields"]}["items"]
    (element,) = items["fields"]
    assert [each["name"] for each in element["fields"]] == ["sku", "cost"]
    (cost,) = [
        each
        for each in written["facets"]["columnLineage"]["fields"]["items[].cost"]["inputFields"]
        if each["field"] == "price"
    ]
    assert cost["transformations"][0]["description"] == "lines[].n * price"
    if written_as == "avro":
        return
    schema = "id int, who struct<name: string>, items array<struct<sku: string, cost: double>>"
    read = scene.read_raw(middle).selectExpr(
        f"from_json(CAST(value AS string), '{schema}') AS v", "CAST(key AS string) AS k"
    )
    scene.name += "r"
    table = scene.table("costs", "name string, sku string, cost double, k string")
    again = read.selectExpr("v.who.name", "explode(v.items) AS item", "k").selectExpr(
        "name", "item.sku", "item.cost", "k"
    )
    (costs,) = scene.run(again, lambda writer: writer.toTable(table), "again")["outputs"]
    named = {"name": "who.name", "sku": "items[].sku", "cost": "items[].cost", "k": "key"}
    assert _sources(costs) == {name: {middle: field} for name, field in named.items()}


def test_a_topic_that_a_column_chooses(scene: Scene) -> None:
    topic, big, small = scene.topic("orders"), scene.topic("big"), scene.topic("small")
    frame = scene.read(topic).selectExpr(
        "to_json(struct(id)) AS value",
        f"CASE WHEN price > 2 THEN '{big}' ELSE '{small}' END AS topic",
    )
    told = scene.into_topic(frame, None)
    assert sorted(each["name"] for each in told["outputs"]) == [big, small]
    for written in told["outputs"]:
        assert fields(written) == {"id": ["id IDENTITY"]}
        assert deciding(written) == ["price FILTER"]
    assert "headwater_gaps" not in told["run"]["facets"]


def test_a_topic_that_is_computed(scene: Scene) -> None:
    topic, target = scene.topic("orders"), scene.topic("a")
    prefix = target.removesuffix("a")
    frame = scene.read(topic).selectExpr(
        "to_json(struct(id)) AS value", f"concat('{prefix}', supplier) AS topic"
    )
    told = scene.into_topic(frame, None)
    assert told["outputs"] == []
    (gap,) = told["run"]["facets"]["headwater_gaps"]["gaps"]
    assert (gap["kind"], gap["name"]) == ("output", "KafkaTable")
    assert told["run"]["facets"]["spark_stream"]["gaps"] == ["KafkaTable"]


def test_a_window_into_another_topic(scene: Scene) -> None:
    topic, target = scene.topic("orders"), scene.topic("stats")
    frame = (
        scene.read(topic)
        .withWatermark("at", "1 minute")
        .groupBy("supplier", "at")
        .agg({"price": "sum"})
        .selectExpr("to_json(struct(supplier, `sum(price)` AS total)) AS value")
    )
    (written,) = scene.into_topic(frame, target)["outputs"]
    assert (written["namespace"], written["name"]) == (f"kafka://{scene.kafka.bootstrap}", target)
    assert fields(written) == {"supplier": ["supplier IDENTITY"], "total": ["price AGGREGATION"]}
    assert written["facets"]["schema"]["fields"] == [
        {"name": "supplier", "type": "string"},
        {"name": "total", "type": "double"},
    ]
    assert deciding(written) == ["at GROUP_BY", "supplier GROUP_BY"]


def test_joined_with_a_table(scene: Scene) -> None:
    topic = scene.topic("orders")
    suppliers = scene.table("suppliers", "name string, country string")
    table = scene.table("joined", "id int, country string")
    static = scene.spark.table(suppliers)
    stream = scene.read(topic)
    frame = stream.join(static, stream.supplier == static.name, "left").select("id", "country")
    told = scene.run(frame, lambda writer: writer.toTable(table))
    assert {each["name"].rpartition("/")[2] for each in told["inputs"]} == {topic, "suppliers"}
    (written,) = told["outputs"]
    assert fields(written) == {"id": ["id IDENTITY"], "country": ["country IDENTITY"]}
    assert sorted(deciding(written)) == ["name JOIN", "supplier JOIN"]


def test_two_streams_joined(scene: Scene) -> None:
    left, right = scene.topic("left"), scene.topic("right")
    table = scene.table("both", "id int, other double")
    a = scene.read(left).withWatermark("at", "1 minute").alias("a")
    b = scene.read(right).withWatermark("at", "1 minute").alias("b")
    frame = a.join(b, _on("a.id = b.id AND a.at = b.at")).selectExpr("a.id", "b.price AS other")
    told = scene.run(frame, lambda writer: writer.toTable(table))
    assert [each["name"] for each in told["inputs"]] == [left, right]
    (written,) = told["outputs"]
    assert _sources(written) == {"id": {left: "id"}, "other": {right: "price"}}
    assert deciding(written) == ["at JOIN", "id JOIN", "at JOIN", "id JOIN"]


def test_duplicates_and_nested_lists(scene: Scene) -> None:
    topic, table = scene.topic("orders"), scene.table("lines", "id int, sku string, n int")
    frame = (
        scene.read(topic)
        .dropDuplicates(["id"])
        .selectExpr("id", "explode(lines) AS line")
        .selectExpr("id", "line.sku", "line.n")
    )
    (written,) = scene.run(frame, lambda writer: writer.toTable(table))["outputs"]
    assert fields(written) == {
        "id": ["id IDENTITY"],
        "sku": ["lines[].sku IDENTITY"],
        "n": ["lines[].n IDENTITY"],
    }
    assert deciding(written) == ["id GROUP_BY"]


def test_a_merge_by_a_function(scene: Scene) -> None:
    topic, table = scene.topic("orders"), scene.table("newest", "id int, total double")

    def merge(batch: "DataFrame", number: int) -> None:
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            f"MERGE INTO {table} t USING batch s ON t.id = s.id "
            "WHEN MATCHED AND s.supplier = 'a' THEN UPDATE SET total = s.price "
            "WHEN NOT MATCHED THEN INSERT (id, total) VALUES (s.id, s.price * 2)"
        )

    told = scene.run(scene.read(topic), lambda writer: writer.foreachBatch(merge).start())
    assert [each["name"] for each in told["inputs"]] == [topic]
    (written,) = told["outputs"]
    assert written["name"].endswith(f"/{scene.name}/newest")
    assert fields(written) == {"id": ["id IDENTITY"], "total": ["price TRANSFORMATION"]}
    assert deciding(written) == ["id JOIN", "supplier FILTER"]


def _on(condition: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(condition)


def _sources(dataset: dict[str, Any]) -> dict[str, dict[str, str]]:
    """By column, the fields that go into it, by dataset."""
    columns = dataset["facets"]["columnLineage"]["fields"]
    return {
        name: {each["name"]: each["field"] for each in column["inputFields"]}
        for name, column in columns.items()
    }
