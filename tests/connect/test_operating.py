"""What operators of workers see: refusals, the log, topics of clients with names of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.wait import wait_until
from tests.connect.configs import OURS, file_sink, file_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, Json, names
from tests.faults.bad_servers import bad_servers

pytestmark = pytest.mark.integration

ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"


def wait_for_log(connect: Connect, *texts: str) -> None:
    """Wait for a line of our own loggers that has all of some texts."""

    def has_line() -> bool:
        lines = connect.log().splitlines()
        return any("headwater" in line and all(text in line for text in texts) for line in lines)

    wait_until(has_line, lambda: f"no line with {texts}: {connect.log()[-2_000:]}")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("url", "localhost:5000"),
        ("heartbeat.seconds", "soon"),
        ("gzip", "yes"),
        ("transport", "pigeon"),
        ("value.converter.schema.read", "maybe"),
        ("value.converter.schema.registry.url", "schema:8081"),
    ],
)
def test_a_bad_value_is_refused(
    key: str, value: str, connect: Connect, name: str, tmp_path: Path
) -> None:
    config = file_sink(tmp_path / "out.txt", name, **{f"transforms.openlineage.{key}": value})
    problems = connect.validate("FileStreamSink", config)
    assert list(problems) == [f"transforms.openlineage.{key}"]
    with pytest.raises(ValueError, match="400"):
        connect.create(name, config)


def test_what_the_labs_set_is_not_refused(connect: Connect, name: str, tmp_path: Path) -> None:
    own = {
        "transforms.openlineage.connector.name": "orders",
        "transforms.openlineage.url": "http://server:5000",
        "transforms.openlineage.heartbeat.seconds": "0.5",
        "transforms.openlineage.value.converter.schema.registry.url": "http://a:8081,http://b:8081",
    }
    assert connect.validate("FileStreamSink", file_sink(tmp_path / "out.txt", name, **own)) == {}


def test_a_key_that_is_not_known_is_reported(
    connect: Connect, kafka: Kafka, graph: Graph, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    misspelt = {"transforms.openlineage.hartbeat.seconds": "5"}
    connect.create(name, file_sink(tmp_path / "out.txt", name, **misspelt))
    told = graph.wait_for_told(name, "START started")
    gaps = told["run"]["facets"]["headwater_gaps"]["gaps"]
    assert [gap["name"] for gap in gaps] == ["hartbeat.seconds"]
    wait_for_log(connect, "hartbeat.seconds", "not known")
    connect.delete(name)


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("unknown", "the server refuses the API key"),
        ("drops", "no HTTP answer"),
        ("moved", "301"),
    ],
)
def test_the_log_has_what_is_wrong_with_a_server(
    way: str, text: str, connect: Connect, kafka: Kafka, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    with bad_servers([way]) as (url,):
        config = file_sink(tmp_path / "out.txt", name, **{"transforms.openlineage.url": url})
        connect.create(name, config)
        wait_for_log(connect, "lineage cannot be sent", url, text)
        connect.delete(name)


def test_the_log_has_that_an_address_is_not_of_tls(
    connect: Connect, kafka: Kafka, headwater_server: Headwater, name: str, tmp_path: Path
) -> None:
    kafka.create_topic(name)
    url = headwater_server.url.replace("http://", "https://")
    connect.create(name, file_sink(tmp_path / "out", name, **{"transforms.openlineage.url": url}))
    wait_for_log(connect, "lineage cannot be sent", url, "should it begin with http://?")
    wrong = f"{headwater_server.url}/wrong"
    connect.create(name, file_sink(tmp_path / "out", name, **{"transforms.openlineage.url": wrong}))
    wait_for_log(connect, "lineage cannot be sent", wrong, "no OpenLineage API at this address")
    connect.delete(name)


@pytest.fixture(scope="module")
def worker(kafka: Kafka, headwater_server: Headwater) -> Iterator[Connect]:
    """A worker that gives its connectors' clients a name of its own."""
    settings = {
        **SETTINGS,
        "headwater.url": headwater_server.url,
        "headwater.hartbeat": "5",
        "producer.client.id": "mine",
        "consumer.client.id": "mine",
    }
    with Connect.start(kafka, "own-clients", settings) as service:
        yield service


@pytest.fixture
def own_clients(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, "kafka-connect://own-clients")


def test_topics_are_known_whatever_their_clients_are_called(
    worker: Connect, kafka: Kafka, own_clients: Graph, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("a\nb\n")
    # Records decide whether they are routed: the configuration does not name the topic.
    routed = {
        "transforms": "route",
        "transforms.route.type": ROUTER,
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "$1.routed",
        "transforms.route.predicate": "isMarked",
        "transforms.route.negate": "true",
        "predicates": "isMarked",
        "predicates.isMarked.type": "HasHeaderKey",
        "predicates.isMarked.name": "mark",
    }
    source = file_source(file, name, **routed)
    del source["transforms.openlineage.type"]
    worker.create(name, source)
    own_clients.wait_for_event(name, lambda event: names(event["outputs"]) == [f"{name}.routed"])
    sink = file_sink(tmp_path / "out.txt", "", transforms="")
    del sink["topics"], sink["transforms.openlineage.type"]
    worker.create(f"{name}-sink", {**sink, "topics.regex": f"{name}\\..*"})
    own_clients.wait_for_event(
        f"{name}-sink", lambda event: names(event["inputs"]) == [f"{name}.routed"]
    )
    for each in (name, f"{name}-sink"):
        worker.delete(each)


def test_the_log_has_settings_of_the_worker_that_have_no_effect(worker: Connect) -> None:
    wait_for_log(worker, "headwater.hartbeat is not known")


def test_a_task_that_fails_while_another_continues(
    connect: Connect, graph: Graph, name: str
) -> None:
    # A value that a transform after ours cannot read, of one task first, of the other later.
    config = {
        "connector.class": "com.amazonaws.mskdatagen.GeneratorSourceConnector",
        "tasks.max": "2",
        f"genv.{name}.at.with": "#{date.past}",
        "lab.bad.after.0": "100",
        "lab.bad.after.1": "20",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        **OURS,
        "transforms": "openlineage,convert",
        "transforms.convert.type": "org.apache.kafka.connect.transforms.TimestampConverter$Value",
        "transforms.convert.field": "at",
        "transforms.convert.target.type": "Timestamp",
        "transforms.convert.format": "EEE MMM dd HH:mm:ss zzz yyyy",
    }
    connect.create(name, config)
    failed = graph.wait_for_told(name, "FAIL failed")
    assert "Could not parse timestamp" in failed["run"]["facets"]["errorMessage"]["stackTrace"]
    assert sorted(states(failed)) == ["FAILED", "RUNNING"]
    after = graph.wait_for_event(
        name, lambda event: event["eventType"] == "OTHER" and rows(event) > rows(failed)
    )
    assert sorted(states(after)) == ["FAILED", "RUNNING"]
    assert graph.state(name) == "FAILED"
    graph.wait_for_told(name, "FAIL failed", 2)
    # The records that failed are not among them, unless a heartbeat came in between.
    assert 99 + 19 <= max(map(rows, graph.events(name))) < 100 + 20
    connect.delete(name)


def rows(event: Json) -> int:
    counted = [each.get("outputFacets", {}) for each in event["outputs"]]
    return sum(each.get("outputStatistics", {}).get("rowCount", 0) for each in counted)


def states(event: Json) -> list[str]:
    return [task["state"] for task in event["run"]["facets"]["kafka_connect"]["tasks"].values()]
