"""Column lineage from a database's table through transforms to tables and objects, all real."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.commands import run_program
from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.moto import Moto
from testing.services.postgresql import LogicalPostgreSQL
from testing.wait import wait_until
from tests.connect.configs import OURS, Config
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, Json

pytestmark = pytest.mark.integration

GROUP = "columns"
PLUGINS = ("connect-debezium", "connect-debezium-jdbc", "connect-iceberg", "connect-s3")
KAFKAS = "org.apache.kafka.connect.transforms."
TABLES = """
    CREATE TABLE customers (id bigint PRIMARY KEY, email text, ssn text, note text);
    INSERT INTO customers VALUES (1, 'a@example.com', '078-05-1120', 'x');
"""
TOPIC = "cols.public.customers"
EARLIEST = {"consumer.override.auto.offset.reset": "earliest"}


@pytest.fixture(scope="module")
def shop() -> Iterator[LogicalPostgreSQL]:
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
def graph(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, f"kafka-connect://{GROUP}")


def debezium(shop: LogicalPostgreSQL) -> Config:
    """Debezium's change events, unwrapped, without a column, with one renamed and one masked."""
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "database.hostname": "127.0.0.1",
        "database.port": str(shop.port),
        "database.user": "postgres",
        "database.password": "hush-hush",
        "database.dbname": "shop",
        "topic.prefix": "cols",
        "plugin.name": "pgoutput",
        "publication.autocreate.mode": "filtered",
        "table.include.list": "public.customers",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "transforms": "unwrap,choose,mask,openlineage",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.unwrap.add.fields": "op,table",
        "transforms.choose.type": f"{KAFKAS}ReplaceField$Value",
        "transforms.choose.exclude": "note",
        "transforms.choose.renames": "email:mail",
        "transforms.mask.type": f"{KAFKAS}MaskField$Value",
        "transforms.mask.fields": "ssn",
        "transforms.openlineage.type": TRANSFORM_CLASS,
    }


def iceberg(folder: Path) -> Config:
    return {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": TOPIC,
        **EARLIEST,
        "iceberg.tables": "shop.customers",
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "iceberg.catalog.uri": f"jdbc:sqlite:{folder}/catalog.db",
        "iceberg.catalog.warehouse": str(folder / "warehouse"),
        "iceberg.control.topic": "control-columns",
        "iceberg.control.commit.interval-ms": "1000",
        **OURS,
    }


def jdbc(shop: LogicalPostgreSQL) -> Config:
    return {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
        "topics": TOPIC,
        **EARLIEST,
        "connection.url": f"jdbc:postgresql://127.0.0.1:{shop.port}/dw",
        "connection.username": "postgres",
        "connection.password": "hush-hush",
        "insert.mode": "upsert",
        "primary.key.mode": "record_key",
        "schema.evolution": "basic",
        "collection.name.format": "customers",
        **OURS,
    }


def camel(s3: Moto) -> Config:
    url = "aws2-s3://lake?accessKey=any&secretKey=hush-hush&region=us-east-1"
    here = f"overrideEndpoint=true&uriEndpointOverride={s3.url}"
    return {
        "connector.class": "org.apache.camel.kafkaconnector.CamelSinkConnector",
        "topics": TOPIC,
        **EARLIEST,
        "camel.sink.url": f"{url}&{here}&keyName=customers/${{exchangeId}}",
        "transforms": "openlineage,text",
        "transforms.openlineage.type": TRANSFORM_CLASS,
        "transforms.text.type": (
            "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform"
        ),
        "transforms.text.converter.type": "value",
    }


Edges = dict[str, list[tuple[str, str, bool]]]


def edges(datasets: list[Json]) -> Edges:
    """Of each column of the one output: what it comes from, how, and whether it is masked."""
    (dataset,) = datasets
    return {
        column: sorted(
            (each["field"], way["subtype"], way["masking"])
            for each in field["inputFields"]
            for way in each["transformations"]
        )
        for column, field in dataset["facets"]["columnLineage"]["fields"].items()
    }


def written_columns(event: Json) -> bool:
    return any("columnLineage" in each["facets"] for each in event["outputs"])


def same(*names: str) -> Edges:
    return {name: [(name, "IDENTITY", False)] for name in names}


def test_from_a_column_of_postgresql_to_a_table_a_lake_and_objects(
    worker: Connect,
    kafka: Kafka,
    shop: LogicalPostgreSQL,
    graph: Graph,
    headwater_server: Headwater,
    tmp_path: Path,
) -> None:
    worker.create("cols-source", debezium(shop))
    event = graph.wait_for_event("cols-source", written_columns)
    assert edges([each for each in event["outputs"] if each["name"] == TOPIC]) == {
        **same("id"),
        "key.id": [("id", "IDENTITY", False)],
        "mail": [("email", "IDENTITY", False)],
        "ssn": [("ssn", "TRANSFORMATION", True)],
    }
    with Moto.start() as s3:
        s3.create_bucket("lake")
        kafka.create_topic("control-columns")
        worker.create("cols-iceberg", iceberg(tmp_path))
        worker.create("cols-jdbc", jdbc(shop))
        worker.create("cols-s3", camel(s3))
        wait_until(lambda: len(s3.keys("lake")) == 1, lambda: worker.log()[-3_000:])
        wait_until(
            lambda: any((tmp_path / "warehouse").rglob("*.parquet")),
            lambda: worker.log()[-3_000:],
        )
        sinks = {
            sink: graph.wait_for_event(sink, written_columns)
            for sink in ("cols-iceberg", "cols-jdbc", "cols-s3")
        }
    whole = same("id", "mail", "ssn", "__op", "__table")
    assert edges(sinks["cols-iceberg"]["outputs"]) == whole
    assert edges(sinks["cols-s3"]["outputs"]) == whole
    # The column of the primary key is that of the record's key.
    key = {"id": [("key.id", "IDENTITY", False)]}
    assert edges(sinks["cols-jdbc"]["outputs"]) == {**whole, **key}

    def arrived() -> list[str]:
        query = "SELECT column_name::text FROM information_schema.columns WHERE table_name = %s"
        with psycopg.connect(shop.url("dw")) as connection:
            return sorted(name for (name,) in connection.execute(query, ["customers"]).fetchall())

    wait_until(lambda: arrived() == sorted(whole), lambda: f"{arrived()}")
    space = f"postgres://127.0.0.1:{shop.port}"
    tables = {
        "file": f"{tmp_path}/warehouse/shop/customers",
        space: "dw.public.customers",
        "s3://lake": "customers",
    }
    # As people ask for it: a column of the database, and all that comes from it.
    node = f"datasetField:{space}:shop.public.customers:ssn"
    down = ["lineage", node, "--down", "--server", headwater_server.url]
    outcome = run_program(*down, "-o", "json")
    assert outcome.status == 0, outcome
    found = [each["data"] for each in json.loads(outcome.out)["graph"]]
    reached = {(each["namespace"], each["dataset"], each["field"]) for each in found}
    assert {(each, table, "ssn") for each, table in tables.items()} <= reached
    assert "DIRECT TRANSFORMATION, masked" in run_program(*down).out
    for each in ("cols-source", *sinks):
        worker.delete(each)
