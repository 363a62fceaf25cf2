"""What records show: schemas, topics, volume; and that they go on untouched."""

import json
from pathlib import Path

import pytest

from headwater.model.connect.connectors import TRANSFORM_CLASS
from testing.services.connect import Connect
from testing.services.kafka import Kafka
from testing.wait import wait_until
from tests.connect.configs import OURS, file_sink, file_source, schema_source
from tests.connect.graph import Graph, Json, columns, names

pytestmark = pytest.mark.integration

JSON = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def wait_for_lines(file: Path, count: int) -> None:
    wait_until(lambda: len(lines(file)) >= count, lambda: f"only {len(lines(file))} lines")


def rows(event: Json, side: str = "inputs") -> int:
    facets = {
        "inputs": ("inputFacets", "inputStatistics"),
        "outputs": ("outputFacets", "outputStatistics"),
    }
    outer, inner = facets[side]
    return sum(each.get(outer, {}).get(inner, {}).get("rowCount", 0) for each in event[side])


def tasks(event: Json) -> dict[str, str]:
    found = event["run"]["facets"]["kafka_connect"]["tasks"]
    return {number: task["state"] for number, task in found.items()}


def test_a_changed_schema_is_a_new_version_of_the_topic(
    connect: Connect, graph: Graph, name: str
) -> None:
    connect.create(name, schema_source(name, schemas=2))
    graph.wait_for_told(name, "RUNNING records", 2)
    space = f"kafka://{connect.kafka.bootstrap}"
    wait_until(
        lambda: len({tuple(sorted(each)) for each in graph.versions(space, name)}) == 2,
        lambda: str(graph.versions(space, name)),
    )
    connect.delete(name)


def test_two_tasks_are_one_run_with_all_records(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name, partitions=2)
    kafka.produce(name, [b"a", b"b"], partition=0)
    kafka.produce(name, [b"c"], partition=1)
    file = tmp_path / "out.txt"
    connect.create(name, file_sink(file, name, **{"tasks.max": "2"}))
    wait_for_lines(file, 3)
    told = graph.wait_for_event(
        name, lambda event: rows(event) == 3 and tasks(event) == {"0": "RUNNING", "1": "RUNNING"}
    )
    assert sorted(lines(file)) == ["a", "b", "c"]
    assert (names(told["inputs"]), names(told["outputs"])) == ([name], [str(file)])
    assert len(graph.runs(name)) == 1
    connect.delete(name)


def test_records_without_schema_are_sampled_and_odd_ones_go_on(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    kafka.produce(name, [(b"k", None), b'{"id": 1}', (b"k", b'{"id": 2, "item": "x"}'), b"7"])
    file = tmp_path / "out.txt"
    connect.create(name, file_sink(file, name, **JSON))
    wait_for_lines(file, 4)
    told = graph.wait_for_event(
        name, lambda event: any("item" in columns(each) for each in event["inputs"])
    )
    assert columns(told["inputs"][0])["id"] == "int64"
    assert told["inputs"][0]["facets"]["kafka_connect"]["schemaIsInferred"] is True
    assert columns(told["outputs"][0]) == columns(told["inputs"][0])
    assert connect.state(name) == ("RUNNING", ["RUNNING"])
    connect.delete(name)


def test_topics_of_a_pattern_come_in_as_they_are_seen(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(f"{name}.a")
    kafka.produce(f"{name}.a", [b"1"])
    config = file_sink(tmp_path / "out.txt", "", **{"consumer.override.metadata.max.age.ms": "500"})
    del config["topics"]
    connect.create(name, {**config, "topics.regex": f"{name}\\..*"})
    graph.wait_for_event(name, lambda event: names(event["inputs"]) == [f"{name}.a"])
    kafka.create_topic(f"{name}.b")
    kafka.produce(f"{name}.b", [b"2"])
    both = [f"{name}.a", f"{name}.b"]
    graph.wait_for_event(name, lambda event: names(event["inputs"]) == both)
    connect.delete(name)


@pytest.mark.parametrize("order", ["route,openlineage", "openlineage,route"])
def test_a_topic_that_a_router_makes_up_is_the_one_that_is_written(
    order: str, connect: Connect, graph: Graph, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("a\nb\n")
    routed = {
        "transforms": order,
        "transforms.route.type": ROUTER,
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "$1-routed",
    }
    connect.create(name, file_source(file, name, **routed))
    told = graph.wait_for_event(name, lambda event: names(event["outputs"]) == [f"{name}-routed"])
    assert names(told["inputs"]) == [str(file)]
    assert all(name not in names(event["outputs"]) for event in graph.events(name))
    connect.delete(name)


def test_a_sources_topic_has_the_schema_after_the_last_transform(
    connect: Connect, graph: Graph, name: str
) -> None:
    dropping = {
        "transforms": "openlineage,drop",
        "transforms.drop.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
        "transforms.drop.exclude": "double",
    }
    connect.create(name, schema_source(name, 1, **dropping))
    told = graph.wait_for_event(name, lambda event: any(map(columns, event["outputs"])))
    assert "long" in columns(told["outputs"][0])
    assert "double" not in columns(told["outputs"][0])
    connect.delete(name)


def test_a_sinks_topic_is_the_one_that_is_read_wherever_we_stand(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    kafka.produce(name, [b"a"])
    routed = {
        "transforms": "route,openlineage",
        "transforms.route.type": ROUTER,
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "other",
    }
    connect.create(name, file_sink(tmp_path / "out.txt", name, **routed))
    told = graph.wait_for_event(name, lambda event: rows(event) == 1)
    assert names(told["inputs"]) == [name]
    assert columns(told["inputs"][0]) == {"value": "string"}
    connect.delete(name)


def test_what_cannot_be_read_is_left_to_the_dead_letter_queue(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    kafka.produce(name, [b"{broken", b'{"id": 1}'])
    file = tmp_path / "out.txt"
    tolerant = {
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": f"{name}-dead",
        "errors.deadletterqueue.topic.replication.factor": "1",
    }
    connect.create(name, file_sink(file, name, **JSON, **tolerant))
    wait_for_lines(file, 1)
    told = graph.wait_for_event(name, lambda event: rows(event) == 1)
    assert columns(told["inputs"][0]) == {"id": "int64"}
    assert graph.state(name) == "RUNNING"

    def dead_letters(event: Json) -> list[Json]:
        return [each for each in event["outputs"] if each["name"] == f"{name}-dead"]

    counted = graph.wait_for_event(
        name, lambda event: any(each.get("outputFacets") for each in dead_letters(event))
    )
    (dead,) = dead_letters(counted)
    assert dead["outputFacets"]["outputStatistics"]["rowCount"] == 1
    assert dead["facets"]["tags"]["tags"][0]["key"] == "dead-letter-queue"
    connect.delete(name)


def test_secrets_are_neither_sent_nor_logged(
    connect: Connect, graph: Graph, name: str, tmp_path: Path
) -> None:
    secrets = {
        "database.password": "hush-1",
        "transforms.openlineage.value.converter.basic.auth.user.info": "me:hush-2",
        "some.url": "jdbc:postgresql://me:hush-3@db/shop?password=hush-4",
    }
    connect.create(name, file_source(tmp_path / "none.txt", name, **secrets))
    told = graph.wait_for_told(name, "START started")
    shown = told["run"]["facets"]["kafka_connect"]["config"]
    assert shown["database.password"] == "***"
    assert shown["topic"] == name
    assert "hush" not in json.dumps(graph.events(name))
    # Something to log: a server that is not there, by an address with a password.
    address = {"transforms.openlineage.url": "http://me:hush-5@127.0.0.1:1"}
    connect.create(f"{name}-away", file_source(tmp_path / "none.txt", name, **secrets, **address))
    wait_until(lambda: "not sent" in connect.log(), lambda: "nothing was logged")
    connect.delete(f"{name}-away")
    # What Connect itself logs of a configuration is its own; ours is by the loggers' names.
    ours = [line for line in connect.log().splitlines() if " io.headwater.connect." in line]
    assert [line for line in ours if "not sent" in line] != []
    assert [line for line in ours if "hush" in line] == []
    connect.delete(name)


def test_a_connector_without_the_transform_is_known_by_its_configuration(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.touch()
    kafka.create_topic(name)
    config = file_source(file, name)
    connect.create(name, {key: value for key, value in config.items() if key not in OURS})
    # The worker's own counters count from the first look at them: records come after that.
    graph.wait_for_event(name, lambda event: event["eventType"] == "RUNNING")
    file.write_text("a\nb\n")
    # What the topic has: a task that a busy worker starts again writes its lines again.
    told = graph.wait_for_event(
        name, lambda event: rows(event, "outputs") == max(2, sum(kafka.end_offsets(name).values()))
    )
    assert (names(told["inputs"]), names(told["outputs"])) == ([str(file)], [name])
    connect.delete(name)


def test_events_can_go_to_a_topic(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(f"{name}-lineage")
    to_kafka = {
        "transforms.openlineage.type": TRANSFORM_CLASS,
        "transforms.openlineage.transport": "kafka",
        "transforms.openlineage.transport.topic": f"{name}-lineage",
        "transforms.openlineage.namespace": "elsewhere",
    }
    connect.create(name, file_source(tmp_path / "none.txt", name, **to_kafka))
    wait_until(
        lambda: sum(kafka.end_offsets(f"{name}-lineage").values()) > 0, lambda: "no event came"
    )
    record = kafka.consume_all(f"{name}-lineage")[0]
    assert record.key == f"run:elsewhere/{name}".encode()
    assert json.loads(record.value or b"")["eventType"] == "START"
    assert graph.runs(name) == []
    connect.delete(name)


def test_users_tell_of_their_own_connectors(
    connect: Connect, kafka: Kafka, graph: Graph, name: str
) -> None:
    kafka.create_topic(name)
    config = {
        "connector.class": "MockSinkConnector",
        "mock_mode": "none",
        "topics": name,
        "fancy.host": "here",
    }
    connect.create(name, config)
    told = graph.wait_for_told(name, "START started")
    outputs = [(each["namespace"], each["name"]) for each in told["outputs"]]
    assert outputs == [("fancy://here:7000", name)]
    connect.delete(name)
