"""The labs' three configurations, transforms included, with the registry that they name.

What cannot be had here is replaced by a class of the same name in the lab's jar: the connectors,
which read and write nothing outside, and the labs' UnwrapUnionTransform. Everything else that is
changed or added is printed.
"""

from collections.abc import Iterator

import pytest

from testing.services.connect import Connect
from testing.services.connect_apicurio import Apicurio
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import Config
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, Json, columns

pytestmark = pytest.mark.integration

BROKER = "kafka-1:19092"
SCHEMAS = {
    "transforms.openlineage.key.converter.schema.read": "false",
    "transforms.openlineage.value.converter.schema.read": "true",
    "transforms.openlineage.value.converter.schema.registry.url": "http://schema:8081",
    "transforms.openlineage.value.converter.basic.auth.credentials.source": "USER_INFO",
    "transforms.openlineage.value.converter.basic.auth.user.info": "admin:admin",
}
KAFKAS = "org.apache.kafka.connect.transforms."
SOURCE = {
    "connector.class": "com.amazonaws.mskdatagen.GeneratorSourceConnector",
    "tasks.max": "1",
    "transforms": "openlineage,unwrapUnion,extractKey,flattenKey,convertBidTime",
    "transforms.openlineage.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
    "transforms.openlineage.connector.name": "orders-source",
    "transforms.openlineage.connector.class": "com.amazonaws.mskdatagen.GeneratorSourceConnector",
    "transforms.openlineage.topics": "orders",
    **SCHEMAS,
}
S3_SINK = {
    "connector.class": "io.confluent.connect.s3.S3SinkConnector",
    "tasks.max": "1",
    "transforms": "openlineage",
    "transforms.openlineage.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
    "transforms.openlineage.connector.name": "orders-s3-sink",
    "transforms.openlineage.connector.class": "io.confluent.connect.s3.S3SinkConnector",
    "transforms.openlineage.topics": "orders",
    "transforms.openlineage.dataset.namespace": "s3://fh-dev-bucket",
    **SCHEMAS,
}
ICEBERG_SINK = {
    "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "tasks.max": "1",
    "transforms": "openlineage",
    "transforms.openlineage.type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
    "transforms.openlineage.connector.name": "orders-iceberg-sink",
    "transforms.openlineage.connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "transforms.openlineage.topics": "orders",
    "transforms.openlineage.dataset.namespace": "s3://warehouse",
    "transforms.openlineage.dataset.names": "orders",
    **SCHEMAS,
}
# What the guide leaves out of the source, and the configuration in its repository has.
LEFT_OUT = {
    "genv.orders.order_id.with": "#{Internet.uuid}",
    "genv.orders.bid_time.with": "#{date.past '5','SECONDS'}",
    "genv.orders.price.with": "#{number.random_double '2','1','150'}",
    "genv.orders.item.with": "#{Commerce.productName}",
    "genv.orders.supplier.with": "#{regexify '(Alice|Bob)'}",
    "transforms.unwrapUnion.type": "io.factorhouse.smt.UnwrapUnionTransform",
    "transforms.extractKey.type": f"{KAFKAS}ValueToKey",
    "transforms.extractKey.fields": "order_id",
    "transforms.flattenKey.type": f"{KAFKAS}ExtractField$Key",
    "transforms.flattenKey.field": "order_id",
    "transforms.convertBidTime.type": f"{KAFKAS}TimestampConverter$Value",
    "transforms.convertBidTime.field": "bid_time",
    "transforms.convertBidTime.target.type": "Timestamp",
    "transforms.convertBidTime.format": "EEE MMM dd HH:mm:ss zzz yyyy",
    "topic.creation.default.replication.factor": "1",
    "topic.creation.default.partitions": "1",
}
COLUMNS = {
    "order_id": "string",
    "bid_time": "timestamp",
    "price": "float64",
    "item": "string",
    "supplier": "string",
}


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    with Apicurio.start() as service:
        yield service


@pytest.fixture(scope="module", params=[True, False], ids=["with the extension", "alone"])
def worker(
    request: pytest.FixtureRequest, kafka: Kafka, headwater_server: Headwater
) -> Iterator[Connect]:
    """A worker of the labs: what the transform needs is in its environment."""
    env = {
        "OPENLINEAGE_URL": headwater_server.url,
        "OPENLINEAGE_NAMESPACE": f"fh-local-{request.param}",
        "KAFKA_BOOTSTRAP": BROKER,
    }
    settings = SETTINGS if request.param else {}
    with Connect.start(
        kafka,
        f"labs-{request.param}",
        settings,
        env,
        ["connect-avro"],
        with_extension=bool(request.param),
    ) as service:
        yield service


def deployed(stated: Config, registry: Apicurio, topic: str, added: Config) -> Config:
    """A configuration as it is deployed here; prints what differs."""
    converter = {
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
        "value.converter.apicurio.registry.url": registry.url,
        "value.converter.apicurio.registry.auto-register": "true",
        "value.converter.apicurio.registry.headers.enabled": "false",
    }
    own = {key: _in_topic(value, topic) for key, value in {**added, **converter}.items()}
    own = {key.replace("genv.orders.", f"genv.{topic}."): value for key, value in own.items()}
    url = "transforms.openlineage.value.converter.schema.registry.url"
    compatible = f"http://127.0.0.1:{registry.port}/apis/ccompat/v7"
    changed = {**stated, url: compatible, "transforms.openlineage.topics": topic, **own}
    if "transforms.openlineage.dataset.names" in stated:
        changed["transforms.openlineage.dataset.names"] = topic
    for key, value in changed.items():
        if stated.get(key) != value:
            print(f"{stated['connector.class']}: {key}: {stated.get(key)} -> {value}")
    assert stated.keys() <= changed.keys()
    return changed


def _in_topic(value: str, topic: str) -> str:
    return topic if value == "orders" else value


def named(datasets: list[Json]) -> list[tuple[str, str]]:
    return [(each["namespace"], each["name"]) for each in datasets]


def test_they_deploy_and_are_one_graph(
    worker: Connect, registry: Apicurio, headwater_server: Headwater, name: str
) -> None:
    has_extension = worker.group.endswith("True")
    graph = Graph(headwater_server.url, f"fh-local-{has_extension}")
    worker.create("orders-source", deployed(SOURCE, registry, name, LEFT_OUT))
    told = graph.wait_for_event(
        "orders-source",
        lambda event: any(columns(each) for each in event["outputs"] if each["name"] == name),
    )
    assert told["inputs"] == []
    assert named(told["outputs"]) == [(f"kafka://{BROKER}", name)]
    # What UnwrapUnionTransform does is not known: the schema is the registry's, and says so.
    assert columns(told["outputs"][0]) == COLUMNS
    origin = told["outputs"][0]["facets"]["kafka_connect"]["schemaFrom"]
    assert (origin["subject"], origin["version"]) == (f"{name}-value", 1)
    assert "kafka_key" not in told["outputs"][0]["facets"]
    # Without one, or with none any more: its first event may have had one.
    assert told["run"]["facets"].get("headwater_gaps", {"gaps": []})["gaps"] == []

    sinks = {"orders-s3-sink": S3_SINK, "orders-iceberg-sink": ICEBERG_SINK}
    spaces = {"orders-s3-sink": "s3://fh-dev-bucket", "orders-iceberg-sink": "s3://warehouse"}
    earliest = {"topics": name, "consumer.override.auto.offset.reset": "earliest"}
    for sink, config in sinks.items():
        worker.create(sink, deployed(config, registry, name, earliest))
        told = graph.wait_for_event(sink, lambda event: any(map(columns, event["outputs"])))
        assert named(told["inputs"]) == [(f"kafka://{BROKER}", name)]
        assert named(told["outputs"]) == [(spaces[sink], name)]
        assert columns(told["inputs"][0]) == columns(told["outputs"][0]) == COLUMNS
        assert graph.upstream(spaces[sink], name) >= {"orders-source", name, sink}
    for job in ("orders-source", *sinks):
        assert graph.state(job) == "RUNNING"
        worker.delete(job)
        graph.wait_for_told(
            job, "ABORT deleted" if has_extension else "ABORT all tasks were closed"
        )
