"""The settings of the lab's own transform, unchanged, under the names of the lab's connectors."""

from collections.abc import Iterator

import pytest

from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.services.connect import Connect
from tests.connect.graph import Graph, Json, columns, names

pytestmark = pytest.mark.integration

REGISTRY = {
    "key.converter.schema.read": "false",
    "value.converter.schema.read": "true",
    "value.converter.schema.registry.url": "http://schema:8081",
    "value.converter.basic.auth.credentials.source": "USER_INFO",
    "value.converter.basic.auth.user.info": "admin:hush-hush",
}
SOURCE = "com.amazonaws.mskdatagen.GeneratorSourceConnector"
S3_SINK = "io.confluent.connect.s3.S3SinkConnector"
ICEBERG_SINK = "io.tabular.iceberg.connect.IcebergSinkConnector"


def with_transform(config: dict[str, str], **own: str) -> dict[str, str]:
    keys = {"type": TRANSFORM_CLASS, **REGISTRY, **{key.replace("_", "."): own[key] for key in own}}
    return {
        **config,
        "consumer.override.auto.offset.reset": "earliest",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "transforms": "openlineage",
        **{f"transforms.openlineage.{key}": value for key, value in keys.items()},
    }


def has_both(event: Json) -> bool:
    """Whether both datasets had records: an event names only those that had."""
    return len([each for each in event["outputs"] if columns(each)]) == 2


@pytest.fixture
def topics(connect: Connect, graph: Graph, name: str) -> Iterator[list[str]]:
    """The topics of a source under the name of this test: orders and bids."""
    orders, bids = f"{name}-orders", f"{name}-bids"
    config = {
        "connector.class": SOURCE,
        "tasks.max": "2",
        f"genv.{orders}.order_id.with": "#{{Internet.uuid}}",
        f"genv.{orders}.price.with": "#{{number.number_between '5','10'}}",
        f"genv.{bids}.bidder.with": "#{{Name.full_name}}",
    }
    own = {"connector_name": name, "connector_class": SOURCE, "topics": f"{orders},{bids}"}
    connect.create(name, with_transform(config, **own))
    graph.wait_for_event(name, has_both)
    yield [orders, bids]
    connect.delete(name)


def test_a_source_has_its_topics_each_with_its_schema(
    topics: list[str], graph: Graph, name: str
) -> None:
    told = graph.wait_for_event(name, has_both)
    assert told["inputs"] == []
    assert names(told["outputs"]) == sorted(topics)
    by_topic = {each["name"]: columns(each) for each in told["outputs"]}
    assert by_topic[topics[0]] == {"order_id": "string", "price": "string"}
    assert by_topic[topics[1]] == {"bidder": "string"}
    assert all("kafka_key" not in each["facets"] for each in told["outputs"])


@pytest.mark.parametrize("kind", [S3_SINK, ICEBERG_SINK])
def test_a_sink_has_its_datasets_each_with_the_schema_of_its_topic(
    kind: str, topics: list[str], connect: Connect, graph: Graph, name: str
) -> None:
    sink = f"{name}-sink"
    own = {
        "connector_name": sink,
        "connector_class": kind,
        "topics": ",".join(topics),
        "dataset_namespace": "s3://fh-dev-bucket",
        "dataset_names": f"{name}/orders,{name}/bids",
    }
    config = {"connector.class": kind, "tasks.max": "2", "topics": ",".join(topics)}
    connect.create(sink, with_transform(config, **own))
    told = graph.wait_for_event(sink, has_both)
    by_name = {each["name"]: columns(each) for each in told["outputs"]}
    assert by_name == {
        f"{name}/orders": {"order_id": "string", "price": "string"},
        f"{name}/bids": {"bidder": "string"},
    }
    assert {each["namespace"] for each in told["outputs"]} == {"s3://fh-dev-bucket"}
    assert name in graph.upstream("s3://fh-dev-bucket", f"{name}/bids")
    connect.delete(sink)


def test_without_those_keys_a_sinks_datasets_are_reported_by_its_configuration(
    topics: list[str], connect: Connect, graph: Graph, name: str
) -> None:
    sink = f"{name}-sink"
    config = {
        "connector.class": S3_SINK,
        "tasks.max": "1",
        "topics": ",".join(topics),
        "s3.bucket.name": "fh-dev-bucket",
        "topics.dir": "raw",
    }
    connect.create(sink, with_transform(config))
    told = graph.wait_for_event(sink, has_both)
    assert names(told["outputs"]) == sorted(f"raw/{topic}" for topic in topics)
    connect.delete(sink)
