"""Writes to databases, topics, tables of Delta and Iceberg; and to what nobody knows."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.emit.sender import Sender
from headwater.spark.listener import LineageListener
from testing.services.kafka import Kafka
from testing.wait import wait_until
from tests.spark.observed import ObservedEvents, counted, deciding, fields, other_names
from tests.spark.provider import make_provider

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.integration

ALL = {"id": ["id IDENTITY"], "price": ["price IDENTITY"], "supplier": ["supplier IDENTITY"]}


@pytest.fixture
def folder(spark: "SparkSession", tmp_path: Path) -> str:
    """Three rows, written before anybody listens."""
    folder = str(tmp_path / "orders")
    rows = "VALUES (1, 2.5D, 'a'), (2, 3.5D, 'b'), (3, 4.5D, 'a') AS t(id, price, supplier)"
    spark.sql(f"SELECT * FROM {rows}").coalesce(1).write.parquet(folder)
    return folder


class TestJdbc:
    def test_a_table_and_a_query(
        self,
        folder: str,
        writes: ObservedEvents,
        spark: "SparkSession",
        jdbc: dict[str, str],
        tmp_path: Path,
    ) -> None:
        frame = spark.read.parquet(folder)
        frame.write.jdbc(jdbc["url"], "sales", properties=jdbc)
        server, database = server_of(jdbc)
        end = writes.find_write(f"{server}/{database}.public.sales")
        (read,), (written,) = end["inputs"], end["outputs"]
        assert counted(read, "input")["rowCount"] == 3
        assert (written["namespace"], written["name"]) == (server, f"{database}.public.sales")
        assert fields(written) == ALL
        assert counted(written)["rowCount"] == 3
        names = []
        for n, options in enumerate(
            [
                {"query": "SELECT id, price FROM sales WHERE price > 3"},
                {"dbtable": "(SELECT id, price FROM sales WHERE price > 3) t"},
                {"query": "SELECT id,  price FROM sales\n WHERE price > 3"},
            ]
        ):
            reader = spark.read.format("jdbc").options(**jdbc, **options)
            reader.load().write.parquet(str(tmp_path / f"out{n}"))
            (read,) = writes.find_write(str(tmp_path / f"out{n}"))["inputs"]
            query = read["facets"]["headwater_query"]
            assert " ".join(query["query"].split()) == "SELECT id, price FROM sales WHERE price > 3"
            assert query["dialect"] == "postgres"
            assert read["namespace"] == server
            assert read["name"].startswith(f"{database}.(query ")
            assert counted(read, "input")["rowCount"] == 2
            names.append(read["name"])
        assert len(set(names)) == 1, "one query, whoever asks it and however"
        assert "postgres@" not in str(writes.events), "no user of a database is told"

    def test_a_view_of_a_table(
        self, folder: str, writes: ObservedEvents, spark: "SparkSession", jdbc: dict[str, str]
    ) -> None:
        """Spark starts another write for it: they are one job, and all of it is understood."""
        spark.read.parquet(folder).write.jdbc(jdbc["url"], "viewed", properties=jdbc)
        spark.read.parquet(folder).createOrReplaceTempView("rows_to_insert")
        options = ", ".join(f"{key} '{value}'" for key, value in jdbc.items())
        spark.sql(
            f"CREATE OR REPLACE TEMPORARY VIEW of_database USING jdbc "
            f"OPTIONS ({options}, dbtable 'viewed')"
        )
        spark.sql("INSERT INTO of_database SELECT id + 10, price, supplier FROM rows_to_insert")
        server, database = server_of(jdbc)
        inserted = writes.wait_for(
            lambda event: "id TRANSFORMATION" in fields(event["outputs"][0])["id"]
        )()
        assert inserted["outputs"][0]["name"] == f"{database}.public.viewed"
        spark.table("of_database").write.parquet(f"{folder} again")
        writes.find_write(f"{folder} again")
        assert not any("headwater_gaps" in event["run"]["facets"] for event in writes.events)

    def test_a_catalog_of_a_database(
        self,
        folder: str,
        writes: ObservedEvents,
        spark: "SparkSession",
        jdbc: dict[str, str],
        tmp_path: Path,
    ) -> None:
        name = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
        spark.conf.set("spark.sql.catalog.shop", name)
        for key, value in jdbc.items():
            spark.conf.set(f"spark.sql.catalog.shop.{key}", value)
        spark.read.parquet(folder).writeTo("shop.public.bought").create()
        spark.table("shop.public.bought").write.parquet(str(tmp_path / "out"))
        server, database = server_of(jdbc)
        (read,) = writes.find_write(str(tmp_path / "out"))["inputs"]
        assert (read["namespace"], read["name"]) == (server, f"{database}.public.bought")

    def test_files_that_are_databases(
        self, folder: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        url = f"jdbc:derby:{tmp_path}/shop;create=true"
        spark.read.parquet(folder).write.jdbc(url, "sales")
        written = writes.find_write(f"derby:{tmp_path}/shop/sales")["outputs"][0]
        assert (written["namespace"], written["name"]) == (f"derby:{tmp_path}/shop", "sales")


def server_of(jdbc: dict[str, str]) -> tuple[str, str]:
    address, _, database = jdbc["url"].removeprefix("jdbc:postgresql://").partition("/")
    return f"postgres://{address}", database


def test_messages(folder: str, writes: ObservedEvents, spark: "SparkSession", kafka: Kafka) -> None:
    topic = "written-in-batch"
    kafka.create_topic(topic)
    frame = spark.read.parquet(folder).selectExpr(
        "to_json(struct(id, upper(supplier) AS who)) value"
    )
    options = {"kafka.bootstrap.servers": kafka.bootstrap, "topic": topic}
    frame.write.format("kafka").options(**options).save()
    written = writes.find_write(f"kafka://{kafka.bootstrap}/{topic}")["outputs"][0]
    assert (written["namespace"], written["name"]) == (f"kafka://{kafka.bootstrap}", topic)
    assert fields(written) == {"id": ["id IDENTITY"], "who": ["supplier TRANSFORMATION"]}
    assert counted(written)["rowCount"] == 3


def test_what_decides_about_one_field_of_a_message_decides_about_no_other(
    folder: str, writes: ObservedEvents, spark: "SparkSession", kafka: Kafka
) -> None:
    kafka.create_topic("decided")
    message = "to_json(struct(price, element_at(array('a', 'b'), id % 2 + 1) AS shop))"
    frame = spark.read.parquet(folder).selectExpr(
        f"CASE WHEN supplier > 'a' THEN {message} ELSE {message} END AS value"
    )
    options = {"kafka.bootstrap.servers": kafka.bootstrap, "topic": "decided"}
    frame.write.format("kafka").options(**options).save()
    written = writes.find_write(f"kafka://{kafka.bootstrap}/decided")["outputs"][0]
    assert fields(written) == {
        "price": ["price IDENTITY", "supplier CONDITIONAL"],
        "shop": ["id CONDITIONAL", "supplier CONDITIONAL"],
    }


def test_messages_beside_what_is_cached(
    folder: str, writes: ObservedEvents, spark: "SparkSession", kafka: Kafka
) -> None:
    """Rows are counted whatever is cached; those that come from there are counted by nobody."""
    kafka.create_topic("beside-a-cache")
    kafka.create_topic("from-a-cache")
    options = {"kafka.bootstrap.servers": kafka.bootstrap}
    cached = spark.read.parquet(folder).selectExpr("upper(supplier) AS value").cache()
    cached.count()
    beside = spark.read.parquet(folder).selectExpr("lower(supplier) AS value")
    beside.write.format("kafka").options(topic="beside-a-cache", **options).save()
    cached.write.format("kafka").options(topic="from-a-cache", **options).save()
    cached.unpersist()
    topics = f"kafka://{kafka.bootstrap}"
    assert counted(writes.find_write(f"{topics}/beside-a-cache")["outputs"][0])["rowCount"] == 3
    assert not counted(writes.find_write(f"{topics}/from-a-cache")["outputs"][0])


def test_messages_read_in_batch(
    folder: str, writes: ObservedEvents, spark: "SparkSession", kafka: Kafka, tmp_path: Path
) -> None:
    topics = ["read-in-batch-a", "read-in-batch-b"]
    for topic in topics:
        kafka.create_topic(topic)
        kafka.produce(topic, [b'{"id": 1, "who": {"name": "a"}}'])

    def read(**chosen: str) -> "DataFrame":
        options = {"kafka.bootstrap.servers": kafka.bootstrap, **chosen}
        return spark.read.format("kafka").options(**options).load()

    frame = read(subscribe=",".join(topics))
    parsed = "from_json(CAST(value AS string), 'id int, who struct<name: string>') AS m"
    frame.selectExpr(parsed).selectExpr("m.id", "m.who.name").write.json(str(tmp_path / "out"))
    end = writes.find_write(str(tmp_path / "out"))
    assert [each["name"] for each in end["inputs"]] == topics
    assert {each["namespace"] for each in end["inputs"]} == {f"kafka://{kafka.bootstrap}"}
    written = end["outputs"][0]
    assert fields(written) == {"id": ["id IDENTITY"] * 2, "name": ["who.name IDENTITY"] * 2}
    # Which topics match a pattern is nowhere in the plan.
    matching = read(subscribePattern="read-in-batch-.*")
    matching.selectExpr("CAST(value AS string) AS v").write.json(str(tmp_path / "matching"))
    end = writes.find_write(str(tmp_path / "matching"))
    (gap,) = end["run"]["facets"]["headwater_gaps"]["gaps"]
    assert (end["inputs"], gap["kind"]) == ([], "input")
    assert gap["name"] == "topics read-in-batch-.*"


def test_several_inserts_of_one_statement(
    folder: str, writes: ObservedEvents, spark: "SparkSession"
) -> None:
    spark.read.parquet(folder).createOrReplaceTempView("of_several")
    names = ("several_dear", "several_all")
    for name in names:
        spark.sql(f"CREATE TABLE {name} (id int, who string) USING parquet")
    try:
        spark.sql(
            "FROM of_several INSERT INTO several_dear SELECT id, supplier WHERE price > 3"
            " INSERT INTO several_all SELECT id, upper(supplier)"
        )
        place = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        dear, every = (writes.find_write(f"{place}/{name}") for name in names)
        for end, rows in ((dear, 2), (every, 3)):
            assert [each["name"] for each in end["inputs"]] == [folder]
            assert counted(end["outputs"][0])["rowCount"] == rows
        assert fields(dear["outputs"][0])["who"] == ["supplier IDENTITY"]
        assert deciding(dear["outputs"][0]) == ["price FILTER"]
        assert fields(every["outputs"][0])["who"] == ["supplier TRANSFORMATION"]
    finally:
        for name in names:
            spark.sql(f"DROP TABLE {name}")


def test_a_statement_that_is_not_accepted(
    folder: str,
    writes: ObservedEvents,
    spark: "SparkSession",
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It has written nothing, and there is nothing to warn of."""
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.refused")
    spark.sql("CREATE OR REPLACE TABLE lake.refused.t (id int NOT NULL) USING iceberg")
    with pytest.raises(Exception, match="INCOMPATIBLE_DATA_FOR_TABLE"):
        spark.sql("INSERT INTO lake.refused.t SELECT 'text' AS id")
    spark.read.parquet(folder).write.json(str(tmp_path / "after"))
    writes.find_write(str(tmp_path / "after"))
    assert not caplog.records
    assert not any("refused" in str(event) for event in writes.events)


class TestDelta:
    def test_files_and_tables(
        self,
        folder: str,
        delta_writes: ObservedEvents,
        delta_session: "SparkSession",
        tmp_path: Path,
    ) -> None:
        spark, out = delta_session, str(tmp_path / "delta")
        frame = spark.read.parquet(folder)
        frame.write.format("delta").save(out)
        end = delta_writes.find_write(out)
        (read,), (written,) = end["inputs"], end["outputs"]
        assert fields(written) == ALL and counted(written)["rowCount"] == 3
        assert counted(read, "input")["rowCount"] == 3
        frame.write.format("delta").saveAsTable("kept")
        try:
            place = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
            written = delta_writes.find_write("spark_catalog.default.kept")["outputs"][0]
            assert written["name"] == f"{place}/kept"
            assert other_names(written) == ["default.kept"]
            assert fields(written) == ALL and counted(written)["rowCount"] == 3
            spark.sql(f"INSERT INTO kept SELECT id + 10, price, supplier FROM delta.`{out}`")
            inserted = delta_writes.wait_for(lambda event: event["inputs"][0]["name"] == out)()
            assert counted(inserted["outputs"][0])["rowCount"] == 3
            spark.table("kept").selectExpr("id").write.json(str(tmp_path / "read"))
            (read,) = delta_writes.find_write(str(tmp_path / "read"))["inputs"]
            assert read["name"] == f"{place}/kept" and other_names(read) == ["default.kept"]
        finally:
            spark.sql("DROP TABLE IF EXISTS kept")

    def test_rows_changed_in_place(
        self,
        folder: str,
        delta_writes: ObservedEvents,
        delta_session: "SparkSession",
        tmp_path: Path,
    ) -> None:
        spark, out = delta_session, str(tmp_path / "delta")
        frame = spark.read.parquet(folder)
        frame.createOrReplaceTempView("changes")
        frame.filter("id < 3").write.format("delta").save(out)
        spark.sql(
            f"MERGE INTO delta.`{out}` t USING changes c ON t.id = c.id"
            " WHEN MATCHED AND c.supplier = 'a' THEN UPDATE SET price = t.price + c.price"
            " WHEN NOT MATCHED THEN INSERT (id, supplier) VALUES (c.id, upper(c.supplier))"
        )
        merged = delta_writes.find_write(out, verb="merge")
        assert [each["name"] for each in merged["inputs"]] == [folder]
        (written,) = merged["outputs"]
        assert fields(written) == {
            "id": ["id IDENTITY"],
            "price": ["price TRANSFORMATION"],
            "supplier": ["supplier TRANSFORMATION"],
        }
        assert set(deciding(written)) == {"id JOIN", "supplier FILTER"}
        assert counted(written)["rowCount"] == 2
        spark.sql(f"UPDATE delta.`{out}` SET price = (SELECT max(price) FROM changes) WHERE id = 1")
        updated = delta_writes.find_write(out, verb="update")
        assert fields(updated["outputs"][0])["price"] == ["price AGGREGATION"]
        assert counted(updated["outputs"][0])["rowCount"] == 1
        spark.sql(f"DELETE FROM delta.`{out}` WHERE id = 1")
        assert delta_writes.find_write(out, verb="delete")["outputs"][0]["name"] == out

    def test_streams(
        self,
        folder: str,
        delta_writes: ObservedEvents,
        delta_session: "SparkSession",
        tmp_path: Path,
    ) -> None:
        spark, source, out = delta_session, str(tmp_path / "source"), str(tmp_path / "out")
        spark.read.parquet(folder).write.format("delta").save(source)
        stream = spark.readStream.format("delta").load(source).selectExpr("id", "price * 2 AS x")
        writer = stream.writeStream.queryName("delta to delta").format("delta")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(out).awaitTermination()
        end = delta_writes.last("delta to delta", "COMPLETE")
        assert [each["name"] for each in end["inputs"]] == [source]
        assert [each["name"] for each in end["outputs"]] == [out]
        assert fields(end["outputs"][0]) == {"id": ["id IDENTITY"], "x": ["price TRANSFORMATION"]}
        assert counted(end["inputs"][0], "input")["rowCount"] == 3
        assert counted(end["outputs"][0])["rowCount"] == 3


class TestIceberg:
    def test_a_stream_of_a_table_by_its_name(
        self, folder: str, heard: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.streamed")
        spark.sql("DROP TABLE IF EXISTS lake.streamed.orders")
        spark.read.parquet(folder).writeTo("lake.streamed.orders").create()
        stream = spark.readStream.format("iceberg").load("lake.streamed.orders")
        writer = stream.writeStream.queryName("of iceberg").format("parquet")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
        (read,) = heard.last("of iceberg", "COMPLETE")["inputs"]
        assert other_names(read) == ["streamed.orders"]
        assert counted(read, "input")["rowCount"] == 3

    def test_a_stream_that_lacks_a_column(
        self, heard: ObservedEvents, orders: "DataFrame", spark: "SparkSession", tmp_path: Path
    ) -> None:
        """What streams write goes by names: the columns behind the one that it lacks as well."""
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.fewer")
        columns = "id int, note string, price double, supplier string"
        spark.sql(f"CREATE TABLE lake.fewer.orders ({columns}) USING iceberg")
        writer = orders.writeStream.queryName("fewer").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.toTable("lake.fewer.orders").awaitTermination()
        (written,) = heard.last("fewer", "COMPLETE")["outputs"]
        assert fields(written) == {
            "id": ["id IDENTITY"],
            "price": ["price IDENTITY"],
            "supplier": ["supplier IDENTITY"],
        }

    def test_rows_changed_in_place(
        self, folder: str, writes: ObservedEvents, spark: "SparkSession"
    ) -> None:
        frame = spark.read.parquet(folder)
        frame.createOrReplaceTempView("news")
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.changed")
        frame.filter("id < 3").writeTo("lake.changed.orders").createOrReplace()
        spark.sql(
            "MERGE INTO lake.changed.orders t USING news n ON t.id = n.id"
            " WHEN MATCHED THEN UPDATE SET price = n.price * 2 WHEN NOT MATCHED THEN INSERT *"
        )
        spark.sql("UPDATE lake.changed.orders SET supplier = 'z' WHERE id = 1")
        spark.sql("DELETE FROM lake.changed.orders WHERE supplier IN (SELECT supplier FROM news)")
        place = "lake.changed.orders"
        merged = writes.find_write(place, verb="merge")
        assert [each["name"] for each in merged["inputs"]] == [folder]
        assert counted(merged["outputs"][0])["rowCount"] == 3
        assert "price TRANSFORMATION" in fields(merged["outputs"][0])["price"]
        writes.find_write(place, verb="update")
        deleted = writes.find_write(place, verb="delete")
        assert deciding(deleted["outputs"][0]) == ["supplier FILTER"]

    def test_tables_about_tables_and_branches(
        self, folder: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
    ) -> None:
        """Snapshots are no rows of the table; a branch is the table."""
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.about")
        spark.read.parquet(folder).writeTo("lake.about.orders").createOrReplace()
        spark.table("lake.about.orders.snapshots").write.json(str(tmp_path / "snapshots"))
        (read,) = writes.find_write(str(tmp_path / "snapshots"))["inputs"]
        assert other_names(read) == ["about.orders.snapshots"]
        table = writes.find_write("lake.about.orders")["outputs"][0]["name"]
        assert read["name"] == f"{table}.snapshots"
        spark.sql("ALTER TABLE lake.about.orders CREATE BRANCH audit")
        spark.table("lake.about.orders.branch_audit").write.json(str(tmp_path / "audit"))
        (read,) = writes.find_write(str(tmp_path / "audit"))["inputs"]
        assert (read["name"], other_names(read)) == (table, ["about.orders"])


def test_files_of_other_formats(
    folder: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
) -> None:
    last = folder
    for n, (read, write) in enumerate(
        [("parquet", "orc"), ("orc", "xml"), ("xml", "avro"), ("avro", "json"), ("json", "csv")]
    ):
        out = str(tmp_path / f"{n}-{write}")
        frame = spark.read.format(read).options(rowTag="ROW").load(last)
        frame.write.format(write).options(rowTag="ROW").save(out)
        end = writes.find_write(out)
        assert [each["name"] for each in end["inputs"]] == [last]
        assert fields(end["outputs"][0]) == ALL
        assert counted(end["outputs"][0])["rowCount"] == 3
        last = out
    frame = spark.read.format("binaryFile").load(folder).select("path", "length")
    frame.write.partitionBy("path").json(str(tmp_path / "lengths"))
    end = writes.find_write(str(tmp_path / "lengths"))
    assert fields(end["outputs"][0])["length"] == ["length IDENTITY"]


def test_a_day_of_a_folder(
    folder: str, writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
) -> None:
    """What is written by partition and read by partition is one dataset."""
    out = str(tmp_path / "parted")
    spark.read.parquet(folder).write.json(f"{out}/day=1")
    assert [each["name"] for each in writes.find_write(out)["outputs"]] == [out]
    spark.read.json(f"{out}/day=*/part-*").write.json(str(tmp_path / "copy"))
    (read,) = writes.find_write(str(tmp_path / "copy"))["inputs"]
    assert read["name"] == out and counted(read, "input")["rowCount"] == 3


class TestUnknownProviders:
    def test_what_they_are_is_a_gap(
        self,
        folder: str,
        writes: ObservedEvents,
        spark: "SparkSession",
        tmp_path: Path,
    ) -> None:
        spark.dataSource.register(make_provider())
        shelf = spark.read.format("shelf").options(board="top", password="hunter2").load()
        shelf.write.parquet(str(tmp_path / "out"))
        end = writes.find_write(str(tmp_path / "out"))
        assert end["inputs"] == []
        (gap,) = end["run"]["facets"]["headwater_gaps"]["gaps"]
        assert gap["kind"] == "input" and "board=top" in gap["description"]
        frame = spark.read.parquet(folder).select("id")
        frame.write.format("shelf").options(board="low", token="hunter2").mode("append").save()
        wait_until(lambda: any("board=low" in str(event) for event in writes.events))
        (end,) = [event for event in writes.events if "board=low" in str(event["run"])][-1:]
        assert end["outputs"] == [] and [each["name"] for each in end["inputs"]] == [folder]
        (gap,) = end["run"]["facets"]["headwater_gaps"]["gaps"]
        assert gap["kind"] == "output"
        assert "hunter2" not in str(writes.events)


def test_five_sinks_of_one_stream(
    delta_session: "SparkSession",
    folder: str,
    kafka: Kafka,
    jdbc: dict[str, str],
    tmp_path: Path,
) -> None:
    """Kafka, JDBC, Delta, Iceberg and files: every sink with its columns and rows."""
    spark = delta_session
    source, sink = "five-sinks", "five-sinks-out"
    kafka.create_topic(source)
    kafka.create_topic(sink)
    to = {"kafka.bootstrap.servers": kafka.bootstrap}
    messages = spark.read.parquet(folder).selectExpr("to_json(struct(id, supplier)) AS value")
    messages.write.format("kafka").options(topic=source, **to).save()
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.five")
    spark.sql("CREATE TABLE lake.five.orders (id int, who string) USING iceberg")
    heard = ObservedEvents()
    listening = LineageListener(spark, Sender(heard.post), "tests")

    def write(batch: "DataFrame", number: int) -> None:
        frame = batch.selectExpr("m.id", "upper(m.supplier) AS who")
        value = frame.selectExpr("to_json(struct(id, who)) AS value")
        value.write.format("kafka").options(topic=sink, **to).save()
        frame.write.jdbc(jdbc["url"], "orders", mode="append", properties=jdbc)
        frame.write.format("delta").mode("append").save(str(tmp_path / "delta"))
        frame.writeTo("lake.five.orders").append()
        frame.write.mode("append").parquet(str(tmp_path / "files"))

    stream = spark.readStream.format("kafka").options(subscribe=source, **to)
    rows = stream.option("startingOffsets", "earliest").load()
    parsed = rows.selectExpr("from_json(CAST(value AS string), 'id int, supplier string') AS m")
    query = parsed.writeStream.queryName("five").foreachBatch(write).trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    end = heard.last("five", "COMPLETE")
    listening.close()
    server, database = server_of(jdbc)
    lake = [each for each in end["outputs"] if other_names(each)]
    assert [other_names(each) for each in lake] == [["five.orders"]]
    assert {(each["namespace"], each["name"]) for each in end["outputs"] if each not in lake} == {
        (f"kafka://{kafka.bootstrap}", sink),
        (server, f"{database}.public.orders"),
        ("file", str(tmp_path / "delta")),
        ("file", str(tmp_path / "files")),
    }
    for written in end["outputs"]:
        assert fields(written) == {"id": ["id IDENTITY"], "who": ["supplier TRANSFORMATION"]}
        assert counted(written)["rowCount"] == 3, written["name"]
    (read,) = end["inputs"]
    assert counted(read, "input")["rowCount"] == 3, "once, though it is read for every sink"
    assert "size" not in counted(read, "input"), "bytes of files are not those of a topic"
