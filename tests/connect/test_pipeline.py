"""A whole chain with connectors that people use: PostgreSQL, topics, Iceberg and S3."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.moto import Moto
from testing.services.postgresql import LogicalPostgreSQL, PostgreSQL
from testing.wait import wait_until
from tests.connect.configs import OURS
from tests.connect.conftest import GROUP, SETTINGS
from tests.connect.graph import Graph, Json, columns, names

pytestmark = pytest.mark.integration

PLUGINS = ("connect-debezium", "connect-iceberg", "connect-s3")
TABLES = """
    CREATE TABLE orders (id bigint PRIMARY KEY, item text, price numeric(10, 2), at timestamptz);
    CREATE TABLE bids (id bigint PRIMARY KEY, bidder text NOT NULL);
    INSERT INTO orders VALUES (1, 'pen', 1.50, now()), (2, 'ink', 7.25, now());
    INSERT INTO bids VALUES (1, 'Ann');
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[LogicalPostgreSQL]:
    """A database with orders and bids."""
    with LogicalPostgreSQL.start() as service:
        with psycopg.connect(service.url("shop"), autocommit=True) as connection:
            connection.execute(TABLES)
        yield service


@pytest.fixture(scope="module")
def s3() -> Iterator[Moto]:
    with Moto.start() as service:
        service.create_bucket("lake")
        yield service


@pytest.fixture(scope="module")
def worker(kafka: Kafka, headwater_server: Headwater) -> Iterator[Connect]:
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    with Connect.start(kafka, f"{GROUP}-lake", settings, plugins=PLUGINS) as service:
        yield service


@pytest.fixture(scope="module")
def lake(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, f"kafka-connect://{GROUP}-lake")


def debezium(shop: PostgreSQL) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": "127.0.0.1",
        "database.port": str(shop.port),
        "database.user": "postgres",
        "database.password": "hush-hush",
        "database.dbname": "shop",
        "topic.prefix": "cdc",
        "plugin.name": "pgoutput",
        "publication.autocreate.mode": "filtered",
        "table.include.list": "public.orders,public.bids",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "transforms": "unwrap,openlineage",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.openlineage.type": TRANSFORM_CLASS,
    }


def iceberg(folder: Path) -> dict[str, str]:
    return {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "tasks.max": "2",
        "topics": "cdc.public.orders",
        "consumer.override.auto.offset.reset": "earliest",
        "iceberg.tables": "shop.orders",
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "iceberg.catalog.uri": f"jdbc:sqlite:{folder}/catalog.db",
        "iceberg.catalog.warehouse": str(folder / "warehouse"),
        "iceberg.control.topic": "control-iceberg",
        "iceberg.control.commit.interval-ms": "1000",
        **OURS,
    }


def camel(s3: Moto) -> dict[str, str]:
    """As the lab has it: topics and datasets are told with the transform, side by side."""
    url = "aws2-s3://lake?accessKey=any&secretKey=hush-hush&region=us-east-1"
    here = f"overrideEndpoint=true&uriEndpointOverride={s3.url}"
    own = {
        "connector.name": "orders-s3-sink",
        "connector.class": "org.apache.camel.kafkaconnector.CamelSinkConnector",
        "topics": "cdc.public.orders,cdc.public.bids",
        "dataset.namespace": "s3://lake",
        "dataset.names": "orders,bids",
        "key.converter.schema.read": "false",
        "value.converter.schema.read": "true",
        "value.converter.schema.registry.url": "http://registry:8081",
        "value.converter.basic.auth.credentials.source": "USER_INFO",
        "value.converter.basic.auth.user.info": "me:hush-hush",
    }
    return {
        "connector.class": "org.apache.camel.kafkaconnector.CamelSinkConnector",
        "tasks.max": "1",
        "topics": "cdc.public.orders,cdc.public.bids",
        "consumer.override.auto.offset.reset": "earliest",
        "camel.sink.url": f"{url}&{here}&keyName=raw/${{exchangeId}}",
        "transforms": "openlineage,text",
        "transforms.openlineage.type": TRANSFORM_CLASS,
        **{f"transforms.openlineage.{key}": value for key, value in own.items()},
        "transforms.text.type": (
            "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform"
        ),
        "transforms.text.converter.type": "value",
    }


def by_name(datasets: list[Json]) -> dict[str, Json]:
    return {dataset["name"]: dataset for dataset in datasets}


def test_from_a_table_to_the_lake(
    worker: Connect, kafka: Kafka, shop: PostgreSQL, s3: Moto, lake: Graph, tmp_path: Path
) -> None:
    kafka.create_topic("control-iceberg")
    worker.create("orders-source", debezium(shop))
    both = ["cdc.public.bids", "cdc.public.orders"]

    def has_records(event: Json) -> bool:
        """Topics are known by the configuration; their columns by the first records."""
        return names(event["outputs"]) == both and all(map(columns, event["outputs"]))

    told = lake.wait_for_event("orders-source", has_records)
    space = f"postgres://127.0.0.1:{shop.port}"
    tables = {(each["namespace"], each["name"]) for each in told["inputs"]}
    assert tables == {(space, "shop.public.orders"), (space, "shop.public.bids")}
    topics = by_name(told["outputs"])
    assert columns(topics["cdc.public.orders"])["id"] == "int64"
    assert columns(topics["cdc.public.orders"])["at"] == "timestamp with time zone"
    assert columns(topics["cdc.public.bids"]) == {"id": "int64", "bidder": "string"}

    worker.create("orders-iceberg-sink", iceberg(tmp_path))
    table = f"{tmp_path}/warehouse/shop/orders"
    wait_until(lambda: any(Path(table).rglob("*.parquet")), lambda: worker.log()[-3_000:])
    told = lake.wait_for_told("orders-iceberg-sink", "RUNNING records")
    assert names(told["outputs"]) == [table]
    assert columns(told["outputs"][0]) == columns(topics["cdc.public.orders"])

    worker.create("s3-sink", camel(s3))
    wait_until(lambda: len(s3.keys("lake")) == 3, lambda: f"{lake.events('orders-s3-sink')[-1]}")
    told = lake.wait_for_event("orders-s3-sink", lambda event: len(event["outputs"]) == 2)
    # What Camel's transform makes of records is not known: no columns rather than wrong ones.
    assert sorted(by_name(told["outputs"])) == ["bids", "orders"]
    assert not any(map(columns, told["outputs"]))
    gaps = told["run"]["facets"]["headwater_gaps"]["gaps"]
    assert any("SchemaAndStructToJsonTransform" in str(gap) for gap in gaps)
    assert "hush" not in str(lake.events("orders-s3-sink") + lake.events("orders-source"))

    assert {"shop.public.orders", "orders-source", "cdc.public.orders"} <= lake.upstream(
        "file", table
    )
    assert "shop.public.bids" in lake.upstream("s3://lake", "bids")

    # A column that comes later is a new version of the topic, and of what is made of it.
    with psycopg.connect(shop.url("shop"), autocommit=True) as connection:
        connection.execute("ALTER TABLE orders ADD COLUMN note text")
        connection.execute("INSERT INTO orders VALUES (3, 'cap', 2.00, now(), 'late')")
    topic = (f"kafka://{kafka.bootstrap}", "cdc.public.orders")
    wait_until(lambda: len(lake.versions(*topic)) >= 2, lambda: f"{lake.versions(*topic)}")
    assert "note" in lake.versions(*topic)[0]
    for name in ("orders-source", "orders-iceberg-sink", "orders-s3-sink"):
        assert lake.state(name) == "RUNNING"


def test_of_a_hundred_tables_each_topic_has_one_parent(
    worker: Connect, kafka: Kafka, shop: PostgreSQL, lake: Graph
) -> None:
    numbers = range(100)
    with psycopg.connect(shop.url("shop"), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA many")
        for number in numbers:
            connection.execute(f"CREATE TABLE many.t{number} (id bigint PRIMARY KEY)")
            connection.execute(f"INSERT INTO many.t{number} VALUES (1)")
    # No list of tables: which topic is of which table is known from the records.
    config = {
        **debezium(shop),
        "topic.prefix": "all",
        "schema.include.list": "many",
        "slot.name": "many",
        "publication.name": "many",
    }
    del config["table.include.list"]
    worker.create("many-source", config)
    space = f"kafka://{kafka.bootstrap}"

    def others(number: int) -> set[str]:
        """What a topic comes from besides its own table and the connector."""
        topic = f"all.many.t{number}"
        return lake.upstream(space, topic) ^ {f"shop.many.t{number}", "many-source", topic}

    for number in numbers:
        wait_until(lambda: others(number) == set(), lambda: f"t{number}: {others(number)}")  # noqa: B023
    worker.delete("many-source")
