"""OpenLineage's own listener by its transport of Kafka, ingested: the graph that HTTP gives."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pytest

from testing.api import Api, open_api
from testing.services.ingest import run_headwater
from testing.services.kafka import Kafka
from tests.faults.taken_in import check_same_rows

pytestmark = [pytest.mark.integration, pytest.mark.long]

PROGRAM = """
import json
import sys
from pathlib import Path

from headwater.config import SparkSettings
from headwater.pipeline.spark.packages import KAFKA, OPENLINEAGE
from headwater.pipeline.spark.session import session

folder, transport = Path(sys.argv[1]), json.loads(sys.argv[2])
conf = {
    "spark.sql.shuffle.partitions": "1",
    "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
    "spark.openlineage.namespace": "shop",
    **{f"spark.openlineage.transport.{key}": value for key, value in transport.items()},
}
with session(SparkSettings(master="local[2]", conf=conf), "shop", [KAFKA, OPENLINEAGE]) as spark:
    orders = spark.read.schema("id int, price double, supplier string")
    orders = orders.json(str(folder / "orders")).filter("id > 0")
    orders.write.mode("overwrite").parquet(str(folder / "clean"))
    clean = spark.read.parquet(str(folder / "clean"))
    totals = clean.groupBy("supplier").agg({"price": "sum"}).toDF("supplier", "total")
    totals.write.mode("overwrite").parquet(str(folder / "totals"))
"""
SERIALIZER = "org.apache.kafka.common.serialization.StringSerializer"
ROOT = Path(__file__).parents[2]


class Graph(NamedTuple):
    """What a store shows of the program."""

    edges: set[tuple[str, str]]
    columns: dict[str, set[str]]
    runs: dict[str, list[str]]


def run_program(folder: Path, transport: Mapping[str, str]) -> None:
    command = [sys.executable, "-c", PROGRAM, str(folder), json.dumps(transport)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr


def read_graph(api: Api, folder: Path) -> Graph:
    graph = api.read("/lineage", nodeId=f"dataset:file:{folder}/totals", depth=20)["graph"]
    edges = {(edge["origin"], edge["destination"]) for node in graph for edge in node["outEdges"]}
    found = api.read("/column-lineage", nodeId=f"dataset:file:{folder}/totals", depth=20)["graph"]
    columns = {
        node["id"]: {each["field"] for each in node["data"]["inputFields"]} for node in found
    }
    jobs = api.read("/namespaces/shop/jobs", limit=100)["jobs"]
    runs = {
        job["name"]: [
            run["state"] for run in api.read(f"/namespaces/shop/jobs/{job['name']}/runs")["runs"]
        ]
        for job in jobs
    }
    return Graph(edges, columns, runs)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "1.json").write_text('{"id": 1, "price": 2.5, "supplier": "a"}\n')
    return tmp_path


def test_by_kafka_as_by_http(kafka: Kafka, folder: Path) -> None:
    with open_api(f"sqlite:///{folder / 'http.db'}") as api:
        run_program(folder, {"type": "http", "url": api.url})
        by_http = read_graph(api, folder)
    topic = f"lineage-{uuid4().hex[:8]}"
    kafka.create_topic(topic)
    properties = {"bootstrap.servers": kafka.bootstrap, "linger.ms": "0"}
    properties |= {"key.serializer": SERIALIZER, "value.serializer": SERIALIZER}
    named = {f"properties.{key}": value for key, value in properties.items()}
    run_program(folder, {"type": "kafka", "topicName": topic, **named})

    store = f"sqlite:///{folder / 'kafka.db'}"
    options = ("--brokers", kafka.bootstrap, "--topic", topic, "--once", "--store", store)
    outcome = run_headwater("ingest", "kafka", *options, "--data", str(folder / "data"))
    assert outcome.status == 0, outcome.err
    with open_api(store) as api:
        by_kafka = read_graph(api, folder)
    names = {node.rpartition("/")[2] for edge in by_http.edges for node in edge}
    assert {"orders", "clean", "totals"} <= names
    assert by_kafka == by_http
    sent = [record.value for record in kafka.consume_all(topic) if record.value is not None]
    check_same_rows(store, sent, folder)
