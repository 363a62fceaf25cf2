"""What a sink writes after its transforms, what cannot be known, and what must not be shown."""

import json
from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.kafka import Kafka
from tests.connect.configs import Config, file_sink
from tests.connect.graph import Graph, Json, columns, names

pytestmark = pytest.mark.integration

KAFKAS = "org.apache.kafka.connect.transforms."
# The labs' configurations name this class.
LAB_TRANSFORM = "io.factorhouse.smt.OpenLineageLifecycleSmt"


def jdbc_sink(topic: str, **more: str) -> Config:
    """A sink under the name of one that cannot be had, which discards its records."""
    return {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "connection.url": "jdbc:postgresql://db:5432/dw?currentSchema=sales",
        "topics": topic,
        "tasks.max": "1",
        "consumer.override.auto.offset.reset": "earliest",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "transforms.openlineage.type": "HeadwaterTransform",
        **more,
    }


ROUTED = {
    "transforms": "openlineage,route,rename,insert",
    "transforms.route.type": "RegexRouter",
    "transforms.route.regex": "(.*)-raw",
    "transforms.route.replacement": "final_$1",
    "transforms.route.predicate": "isRaw",
    "transforms.rename.type": f"{KAFKAS}ReplaceField$Value",
    "transforms.rename.renames": "item:product",
    "transforms.insert.type": f"{KAFKAS}InsertField$Value",
    "transforms.insert.static.field": "src",
    "transforms.insert.static.value": "shop",
    "predicates": "isRaw",
    "predicates.isRaw.type": "TopicNameMatches",
    "predicates.isRaw.pattern": ".*-raw",
}


def gaps(event: Json) -> list[str]:
    found = event["run"]["facets"].get("headwater_gaps", {"gaps": []})["gaps"]
    return [gap["name"] for gap in found]


def test_a_sinks_output_follows_its_transforms(
    connect: Connect, kafka: Kafka, graph: Graph, name: str
) -> None:
    kafka.create_topic(f"{name}-raw")
    kafka.produce(f"{name}-raw", [b'{"id": 1, "item": "x"}'])
    connect.create(name, jdbc_sink(f"{name}-raw", **ROUTED))
    told = graph.wait_for_event(name, lambda event: any(map(columns, event["outputs"])))
    assert names(told["outputs"]) == [f"dw.sales.final_{name}"]
    assert set(columns(told["outputs"][0])) == {"id", "product", "src"}
    assert set(columns(told["inputs"][0])) == {"id", "item"}
    assert [each["name"] for each in told["outputs"][0]["facets"]["lineage"]["inputs"]] == [
        f"{name}-raw"
    ]
    assert gaps(told) == []
    # Nothing is written any more: heartbeats continue, and name no dataset.
    idle = graph.wait_for_event(
        name, lambda event: event["eventType"] == "RUNNING" and not event["outputs"]
    )
    assert idle["run"]["facets"]["kafka_connect"]["reason"] == "heartbeat"
    assert graph.upstream("postgres://db:5432", f"dw.sales.final_{name}") >= {name, f"{name}-raw"}
    connect.delete(name)


def test_a_transform_that_cannot_be_followed_is_a_gap(
    connect: Connect, kafka: Kafka, graph: Graph, name: str
) -> None:
    kafka.create_topic(name)
    kafka.produce(name, [b'{"id": 1}'])
    unknown = {
        **ROUTED,
        "transforms": "openlineage,route",
        "predicates.isRaw.type": f"{KAFKAS}predicates.HasHeaderKey",
        "predicates.isRaw.name": "raw",
    }
    connect.create(name, jdbc_sink(name, **unknown))
    told = graph.wait_for_told(name, "RUNNING records")
    assert names(told["outputs"]) == [f"dw.sales.{name}"]
    assert columns(told["outputs"][0]) == {}
    assert told["outputs"][0]["facets"]["kafka_connect"]["isGuessed"] is True
    assert gaps(told) == ["RegexRouter"]
    connect.delete(name)


def test_values_of_config_providers_name_datasets_and_are_not_shown(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    values = tmp_path / "values.properties"
    out = tmp_path / "out.txt"
    values.write_text(f"out={out}\npin=planted-00-secret\n")
    planted = {
        "keyfile": "planted-01-secret",
        "s3.sse.customer.key": "planted-02-secret",
        "oracle.url": "jdbc:oracle:thin:scott/planted-03-secret@//db/X",
        "headers": "Authorization: Bearer planted-04-secret",
        "http.api.url": "https://api/v1?key=planted-05-secret",
        "connection.uri": "mongodb://u:p@planted-06-secret@m1",
        "http.headers.additional": "X-Auth: planted-07-secret",
        "salesforce.consumer.key": "planted-08-secret",
        "database.password": "planted-09-secret",
        "aws.secret.access.key": "planted-10-secret",
        "some.unknown.setting": "planted-11-secret",
        "pin": f"${{file:{values}:pin}}",
        "transforms.openlineage.api.key": "planted-12-secret",
        "value.converter.basic.auth.user.info": "me:planted-13-secret",
        "azure.account.key": "planted-14-secret",
        "consumer.override.sasl.jaas.config": 'x required password="planted-15-secret";',
        "connection.url": "jdbc:postgresql://db/shop?user=me&password=planted-16-secret",
        "iceberg.catalog.uri": "jdbc:mysql://me:planted-17-secret@db/x",
        "gcp.credentials.json": '{"private_key": "planted-18-secret"}',
        "rest.body": '{"api_key": "planted-19-secret"}',
        "proxy.url": "http://me:planted-20-secret@proxy:80",
        "sas.token": "planted-21-secret",
    }
    config = {**file_sink(Path(f"${{file:{values}:out}}"), name), **planted}
    connect.create(name, config)
    told = graph.wait_for_told(name, "START started")
    assert names(told["outputs"]) == [str(out)]
    shown = told["run"]["facets"]["kafka_connect"]["config"]
    assert shown["file"] == config["file"]
    assert shown["topics"] == name
    # Its trace has the value of the provider.
    broken = {
        **config,
        "transforms": "openlineage,time",
        "transforms.time.type": f"{KAFKAS}TimestampConverter$Value",
        "transforms.time.target.type": "string",
        "transforms.time.format": f"${{file:{values}:pin}}",
    }
    connect.create(name, broken)
    failed = graph.wait_for_told(name, "FAIL failed")
    assert "pattern for string timestamps: ***" in str(failed["run"]["facets"]["errorMessage"])
    planted_values = [f"planted-{number:02}-secret" for number in range(len(planted) + 1)]
    assert len(planted_values) > 20
    text = json.dumps(graph.all_events())
    assert f'"{name}"' in text
    assert [value for value in planted_values if value in text] == []
    connect.delete(name)
    graph.wait_for_told(name, "OTHER deleted")
    assert graph.state(name) == "FAILED"


def test_the_labs_s3_sink_deploys_with_its_own_class_and_keys(
    connect: Connect, kafka: Kafka, graph: Graph, name: str
) -> None:
    kafka.create_topic(name)
    kind = "io.confluent.connect.s3.S3SinkConnector"
    own = {
        "type": LAB_TRANSFORM,
        "connector.name": f"{name}-s3-sink",
        "connector.class": kind,
        "topics": name,
        "dataset.namespace": "s3://fh-dev-bucket",
        "key.converter.schema.read": "false",
        "value.converter.schema.read": "true",
        "value.converter.schema.registry.url": "http://schema:8081",
        "value.converter.basic.auth.credentials.source": "USER_INFO",
        "value.converter.basic.auth.user.info": "admin:admin",
    }
    config = {"connector.class": kind, "tasks.max": "1", "topics": name, "s3.bucket.name": "other"}
    lab = {f"transforms.openlineage.{key}": value for key, value in own.items()}
    connect.create(name, {**config, "transforms": "openlineage", **lab})
    told = graph.wait_for_told(f"{name}-s3-sink", "START started")
    assert [(each["namespace"], each["name"]) for each in told["outputs"]] == [
        ("s3://fh-dev-bucket", name)
    ]
    connect.stop_connector(name)
    graph.wait_for_told(f"{name}-s3-sink", "ABORT stopped")
    connect.delete(name)
    graph.wait_for_told(f"{name}-s3-sink", "OTHER deleted")
    assert graph.state(f"{name}-s3-sink") == "ABORTED"


def test_the_log_has_one_line_about_where_lineage_goes(connect: Connect) -> None:
    lines = [line for line in connect.log().splitlines() if "lineage to http" in line]
    assert len(lines) == 1
    assert "namespace kafka-connect://shop, heartbeat every 2 s" in lines[0]


def test_topics_of_a_pattern_are_known_without_the_transform(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    topics = [f"{name}.a", f"{name}_b"]
    for topic in topics:
        kafka.create_topic(topic)
        kafka.produce(topic, [b"1"])
    config = file_sink(tmp_path / "out.txt", "", transforms="")
    del config["topics"], config["transforms.openlineage.type"]
    connect.create(name, {**config, "topics.regex": f"{name}.*"})
    graph.wait_for_event(name, lambda event: names(event["inputs"]) == topics)
    connect.delete(name)
