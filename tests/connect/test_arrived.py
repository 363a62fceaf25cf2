"""What is reported of real connectors, beside what arrived: topics, tables, files, objects."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.moto import Moto
from testing.services.postgresql import LogicalPostgreSQL
from testing.wait import wait_until
from tests.connect.configs import OURS, Config, file_sink, file_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, Json, columns

pytestmark = pytest.mark.integration

GROUP = "arrived"
PLUGINS = (
    "connect-debezium",
    "connect-debezium-jdbc",
    "connect-iceberg",
    "connect-mirror",
    "connect-s3",
)
KAFKAS = "org.apache.kafka.connect.transforms."
TABLES = """
    CREATE TABLE orders (id bigint PRIMARY KEY, item text);
    CREATE TABLE bids (id bigint PRIMARY KEY, bidder text);
    CREATE TABLE "order items" (id bigint PRIMARY KEY);
    CREATE SCHEMA sales;
    CREATE TABLE sales.orders_2024 (id bigint PRIMARY KEY);
    CREATE TABLE sales.orders_2025 (id bigint PRIMARY KEY);
    CREATE TABLE sales.customers (id bigint PRIMARY KEY);
    INSERT INTO orders VALUES (1, 'pen'), (2, 'ink');
    INSERT INTO bids VALUES (1, 'Ann');
    INSERT INTO "order items" VALUES (1);
    INSERT INTO sales.orders_2024 VALUES (1);
    INSERT INTO sales.orders_2025 VALUES (1);
    INSERT INTO sales.customers VALUES (1);
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[LogicalPostgreSQL]:
    """A database that connectors read, and one that they write."""
    with LogicalPostgreSQL.start() as service:
        with psycopg.connect(service.url("shop"), autocommit=True) as connection:
            connection.execute(TABLES)
        service.url("dw")
        yield service


@pytest.fixture(scope="module")
def worker(kafka: Kafka, headwater_server: Headwater) -> Iterator[Connect]:
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    with Connect.start(kafka, GROUP, settings, plugins=PLUGINS) as service:
        yield service


@pytest.fixture
def arrived(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, f"kafka-connect://{GROUP}")


def debezium(shop: LogicalPostgreSQL, prefix: str, **more: str) -> Config:
    slot = prefix.replace("-", "_")
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": "127.0.0.1",
        "database.port": str(shop.port),
        "database.user": "postgres",
        "database.password": "hush-hush",
        "database.dbname": "shop",
        "topic.prefix": prefix,
        "plugin.name": "pgoutput",
        "slot.name": slot,
        "publication.name": slot,
        "publication.autocreate.mode": "filtered",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "transforms": "openlineage",
        "transforms.openlineage.type": TRANSFORM_CLASS,
        **more,
    }


def written(events: list[Json]) -> dict[str, list[str]]:
    """The outputs that records were reported of, each with the names of what it comes from."""
    found = {}
    for event in events:
        for each in event["outputs"] if event["eventType"] == "RUNNING" else []:
            inputs = each["facets"].get("lineage", {"inputs": []})["inputs"]
            found[each["name"]] = sorted(one["name"] for one in inputs)
    return found


def failures(graph: Graph, name: str) -> list[str]:
    """The traces of a connector that has failed, cut."""
    ends = [event for event in graph.events(name) if event["eventType"] == "FAIL"]
    return [event["run"]["facets"]["errorMessage"]["stackTrace"][:2_000] for event in ends]


def tables_in(kafka: Kafka, topic: str) -> list[str]:
    """The tables of the database shop that the records of a topic are changes of."""
    values = [json.loads(record.value or b"null") for record in kafka.consume_all(topic)]
    sources = [value["payload"]["source"] for value in values if value]
    return sorted({f"shop.{source['schema']}.{source['table']}" for source in sources})


# Lists in another case, names that no topic has, shards: and how many topics that makes.
DEBEZIUM: dict[str, tuple[Config, int]] = {
    "odd case and spaces": ({"table.include.list": " PUBLIC.Orders , public\\.bids "}, 2),
    "a name that no topic has, shards, a router that cuts the prefix off": (
        {
            "table.include.list": "public.order items,sales.orders_2024,sales.orders_2025",
            "transforms": " Reroute , strip,openlineage ",
            "transforms.Reroute.type": "io.debezium.transforms.ByLogicalTableRouter",
            "transforms.Reroute.topic.regex": "(.*)orders_\\d+",
            "transforms.Reroute.topic.replacement": "$1all_orders",
            "transforms.strip.type": "RegexRouter",
            "transforms.strip.regex": "([^.]+)\\.([^.]+)\\.(?<table>[^.]+)",
            "transforms.strip.replacement": "$1-${table}",
        },
        2,
    ),
    "a naming strategy by a regular expression": (
        {
            "schema.include.list": "sales",
            "table.include.list": "sales.orders_2024,sales.orders_2025,sales.customers",
            "topic.naming.strategy": "io.debezium.schema.SchemaRegexTopicNamingStrategy",
            "topic.regex": "([^.]+)\\.sales\\.orders_\\d+",
            "topic.replacement": "$1.orders",
        },
        2,
    ),
    "a list of schemas": ({"schema.include.list": "sales"}, 3),
}


@pytest.mark.parametrize("way", DEBEZIUM)
def test_topics_of_debezium(
    way: str, worker: Connect, kafka: Kafka, shop: LogicalPostgreSQL, arrived: Graph, name: str
) -> None:
    config, count = DEBEZIUM[way]
    worker.create(name, debezium(shop, name, **config))

    def real() -> dict[str, list[str]]:
        topics = [topic for topic in kafka.topics() if topic.startswith(name)]
        return {topic: tables_in(kafka, topic) for topic in topics}

    wait_until(lambda: len(real()) == count, lambda: f"{real()}: {failures(arrived, name)}")
    wait_until(
        lambda: len(written(arrived.events(name))) == count,
        lambda: f"{written(arrived.events(name))}, not {real()}",
    )
    assert written(arrived.events(name)) == real()
    worker.delete(name)


def test_tables_of_debeziums_jdbc_sink(
    worker: Connect, shop: LogicalPostgreSQL, arrived: Graph, name: str
) -> None:
    tables = {"table.include.list": "public.orders,public.bids"}
    worker.create(name, debezium(shop, name, **tables))
    config = {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "topics": f" {name}.public.orders , {name}.public.bids ",
        "consumer.override.auto.offset.reset": "earliest",
        "consumer.override.metadata.max.age.ms": "500",
        "connection.url": f"jdbc:postgresql://127.0.0.1:{shop.port}/dw?ssl=false",
        "connection.username": "postgres",
        "connection.password": "hush-hush",
        "insert.mode": "upsert",
        "primary.key.mode": "record_key",
        "schema.evolution": "basic",
        "collection.name.format": "copy_${topic}",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": f"{name}-dead",
        "errors.deadletterqueue.topic.replication.factor": "1",
        "transforms": "openlineage,cut",
        "transforms.openlineage.type": TRANSFORM_CLASS,
        "transforms.cut.type": "RegexRouter",
        "transforms.cut.regex": ".*\\.(public\\..*)",
        "transforms.cut.replacement": f"$1.of_{name.replace('-', '_')}",
        "transforms.cut.predicate": "isOrders",
        "predicates": "isOrders",
        "predicates.isOrders.type": "TopicNameMatches",
        "predicates.isOrders.pattern": ".*orders",
    }
    sink = f"{name}-sink"
    worker.create(sink, config)
    url = shop.url("dw")

    def real() -> dict[str, list[str]]:
        query = """
            SELECT concat_ws('.', table_catalog, table_schema, table_name),
                   array_agg(column_name::text)
            FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1
        """
        with psycopg.connect(url) as connection:
            return {table: sorted(of) for table, of in connection.execute(query).fetchall()}

    wait_until(lambda: len(real()) == 2, lambda: f"{real()}: {failures(arrived, sink)}")

    def reported() -> dict[str, list[str]]:
        events = [event for event in arrived.events(sink) if event["eventType"] == "RUNNING"]
        of = [each for event in events for each in event["outputs"]]
        space = f"postgres://127.0.0.1:{shop.port}"
        return {each["name"]: sorted(columns(each)) for each in of if each["namespace"] == space}

    wait_until(lambda: reported() == real(), lambda: f"{reported()}, not {real()}")
    started = arrived.events(sink)[0]
    # All of it is known before the first record, but for the columns.
    assert {each["name"] for each in started["outputs"]} == {*real(), f"{name}-dead"}
    with psycopg.connect(url) as connection:
        (table,) = [each.rpartition(".")[2] for each in real() if "of_" in each]
        assert connection.execute(f'SELECT count(*) FROM "{table}"').fetchone() == (2,)
    assert "shop.public.orders" in arrived.upstream(
        f"postgres://127.0.0.1:{shop.port}", f"dw.public.{table}"
    )
    for each in (name, sink):
        worker.delete(each)


def test_folders_of_iceberg_tables_by_a_field(
    worker: Connect, kafka: Kafka, arrived: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    kafka.create_topic(f"{name}-control")
    kafka.produce(name, [b'{"id": 1, "region": "eu"}', b'{"id": 2, "region": "us"}'])
    config = {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": name,
        "consumer.override.auto.offset.reset": "earliest",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "iceberg.tables": " shop.eu , shop.us ",
        "iceberg.tables.route-field": "region",
        "iceberg.table.shop.eu.route-regex": "eu",
        "iceberg.table.shop.us.route-regex": "us",
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "iceberg.catalog.uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "iceberg.catalog.warehouse": f"file:{tmp_path}/warehouse/",
        "iceberg.control.topic": f"{name}-control",
        "iceberg.control.commit.interval-ms": "1000",
        **OURS,
    }
    worker.create(name, config)

    def real() -> set[str]:
        files = (tmp_path / "warehouse").rglob("*.parquet")
        return {str(file.parent.parent) for file in files}

    wait_until(lambda: len(real()) == 2, lambda: f"{real()}: {failures(arrived, name)}")
    arrived.wait_for_told(name, "RUNNING records")
    assert written(arrived.events(name)) == {folder: [name] for folder in real()}
    worker.delete(name)


def test_objects_of_an_s3_sink(worker: Connect, kafka: Kafka, arrived: Graph, name: str) -> None:
    kafka.create_topic(name)
    kafka.produce(name, [b"a", b"b"])
    with Moto.start() as s3:
        s3.create_bucket("lake")
        url = "aws2-s3://lake?accessKey=any&secretKey=hush-hush&region=us-east-1"
        here = f"overrideEndpoint=true&uriEndpointOverride={s3.url}"
        config = {
            "connector.class": "org.apache.camel.kafkaconnector.CamelSinkConnector",
            "topics": name,
            "consumer.override.auto.offset.reset": "earliest",
            "value.converter": "org.apache.kafka.connect.storage.StringConverter",
            "camel.sink.url": f"{url}&{here}&keyName=raw/{name}/${{date:now:yyyy}}/${{exchangeId}}",
            **OURS,
        }
        worker.create(name, config)
        wait_until(lambda: len(s3.keys("lake")) == 2, lambda: f"{failures(arrived, name)}")
        event = arrived.wait_for_told(name, "RUNNING records")
        (output,) = event["outputs"]
        assert (output["namespace"], output["name"]) == ("s3://lake", f"raw/{name}")
        assert all(key.startswith(f"{output['name']}/") for key in s3.keys("lake"))
        worker.delete(name)


@pytest.mark.parametrize("policy", ["", "IdentityReplicationPolicy"])
def test_topics_of_a_mirror(
    policy: str, worker: Connect, kafka: Kafka, arrived: Graph, name: str
) -> None:
    topics = [f"{name}.a", f"{name}_b"]
    with Kafka.start() as other:
        for topic in topics:
            other.create_topic(topic)
            other.produce(topic, [b"1", b"2"])
        more = {"replication.policy.separator": "_"}
        if policy:
            more = {"replication.policy.class": f"org.apache.kafka.connect.mirror.{policy}"}
        config = {
            "connector.class": "MirrorSourceConnector",
            "source.cluster.alias": "eu",
            "target.cluster.alias": "us",
            "source.cluster.bootstrap.servers": other.bootstrap,
            "target.cluster.bootstrap.servers": kafka.bootstrap,
            "topics": f"{name}.*",
            "key.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
            "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
            "replication.factor": "1",
            "offset-syncs.topic.replication.factor": "1",
            "sync.topic.acls.enabled": "false",
            **more,
            **OURS,
        }
        worker.create(name, config)

        def real() -> dict[str, list[str]]:
            copied = [topic for topic in kafka.topics() if name in topic]
            filled = [topic for topic in copied if sum(kafka.end_offsets(topic).values()) == 2]
            return {topic: [topic.removeprefix("eu_")] for topic in filled}

        wait_until(lambda: len(real()) == 2, lambda: f"{real()}: {failures(arrived, name)}")
        wait_until(
            lambda: written(arrived.events(name)) == real(),
            lambda: f"{written(arrived.events(name))}, not {real()}",
        )
        inputs = [each for event in arrived.events(name) for each in event["inputs"]]
        assert {each["namespace"] for each in inputs} == {f"kafka://{other.bootstrap}"}
        worker.delete(name)


def test_lines_of_files_by_day(
    worker: Connect, kafka: Kafka, arrived: Graph, name: str, tmp_path: Path
) -> None:
    lines, copy = tmp_path / "lines.txt", tmp_path / "copy.txt"
    lines.write_text("a\nb\nc\n")
    routed = {
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "transforms": " openlineage , day ",
        "transforms.day.type": "TimestampRouter",
        "transforms.day.predicate": "isOfFile",
        # Connect does not trim this one: it is false.
        "transforms.day.negate": " TRUE ",
        "predicates": "isOfFile",
        "predicates.isOfFile.type": f"{KAFKAS}predicates.TopicNameMatches",
        "predicates.isOfFile.pattern": name,
    }
    worker.create(name, file_source(lines, name, **routed))
    # The topic may come after the sink.
    sink = file_sink(copy, "", **{"consumer.override.metadata.max.age.ms": "500"})
    del sink["topics"]
    worker.create(f"{name}-sink", {**sink, "topics.regex": f"{name}-\\d+"})

    def real() -> list[str]:
        return sorted(copy.read_text().split()) if copy.exists() else []

    wait_until(lambda: real() == ["a", "b", "c"], lambda: f"{real()}: {failures(arrived, name)}")
    (topic,) = [topic for topic in kafka.topics() if topic.startswith(name)]
    arrived.wait_for_told(name, "RUNNING records")
    arrived.wait_for_told(f"{name}-sink", "RUNNING records")
    assert topic.removeprefix(f"{name}-").isdigit()
    assert written(arrived.events(name)) == {f"{name}-{{yyyyMMdd}}": [str(lines)]}
    assert written(arrived.events(f"{name}-sink")) == {str(copy): [topic]}
    for each in (name, f"{name}-sink"):
        worker.delete(each)
