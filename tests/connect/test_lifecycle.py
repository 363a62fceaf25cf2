"""All that can happen to a connector ends in the right state in the graph."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.model.connect.connector_runs import connector_run_id
from testing.services.connect import Connect
from tests.connect.configs import Config, failing, file_source, schema_source
from tests.connect.graph import Graph, Json, columns

pytestmark = pytest.mark.integration


@pytest.fixture
def running(connect: Connect, graph: Graph, name: str) -> Iterator[Config]:
    """A source that runs under the name of this test."""
    config = schema_source(name)
    connect.create(name, config)
    connect.wait_for(name, "RUNNING", ["RUNNING"])
    graph.wait_for_told(name, "RUNNING records")
    yield config
    if connect.state(name)[0] != "ABSENT":
        connect.delete(name)


def test_a_start_is_reported_and_then_what_records_show(
    running: Config, connect: Connect, graph: Graph, name: str
) -> None:
    start, first = graph.events(name)[:2]
    assert (start["eventType"], first["eventType"]) == ("START", "RUNNING")
    assert start["outputs"][0]["namespace"] == f"kafka://{connect.kafka.bootstrap}"
    assert start["outputs"][0]["name"] == name
    assert columns(first["outputs"][0])["long"] == "int64"
    beat = graph.wait_for_event(
        name, lambda event: event["eventType"] == "RUNNING" and has_rows(event)
    )
    assert beat["outputs"][0]["outputFacets"]["outputStatistics"]["size"] > 0
    assert beat["run"]["facets"]["kafka_connect"]["tasks"]["0"]["state"] == "RUNNING"
    assert graph.state(name) == "RUNNING"


def has_rows(event: Json) -> bool:
    facets = [each.get("outputFacets", {}) for each in event["outputs"]]
    return any(each.get("outputStatistics", {}).get("rowCount", 0) > 20 for each in facets)


def test_who_looks_from_outside_names_the_same_run(
    running: Config, connect: Connect, graph: Graph, name: str
) -> None:
    config = {"name": name, **running}
    outside = connector_run_id(connect.kafka.cluster_id, connect.group, name, config)
    assert [run["id"] for run in graph.runs(name)] == [str(outside)]


def test_a_pause_is_no_end(running: Config, connect: Connect, graph: Graph, name: str) -> None:
    connect.pause(name)
    graph.wait_for_told(name, "OTHER paused")
    connect.resume(name)
    graph.wait_for_told(name, "OTHER resumed")
    assert graph.state(name) == "RUNNING"
    assert len(graph.runs(name)) == 1


def test_a_restart_and_the_same_configuration_are_no_new_run(
    running: Config, connect: Connect, graph: Graph, name: str
) -> None:
    connect.restart_connector(name, with_tasks=False)
    connect.restart_connector(name, with_tasks=True)
    connect.wait_for(name, "RUNNING", ["RUNNING"])
    connect.create(name, running)
    graph.wait_for_told(name, "RUNNING records", 2)
    assert graph.state(name) == "RUNNING"
    assert len(graph.runs(name)) == 1
    assert "COMPLETE reconfigured" not in graph.told(name)


def test_a_stop_ends_the_run_and_a_start_opens_it_again(
    running: Config, connect: Connect, graph: Graph, name: str
) -> None:
    connect.stop_connector(name)
    graph.wait_for_told(name, "ABORT stopped")
    graph.wait_for_state(name, "ABORTED")
    connect.resume(name)
    graph.wait_for_told(name, "START started", 2)
    graph.wait_for_state(name, "RUNNING")
    assert len(graph.runs(name)) == 1


def test_another_configuration_is_another_run(
    running: Config, connect: Connect, graph: Graph, name: str
) -> None:
    connect.create(name, {**running, "throughput": "30"})
    graph.wait_for_told(name, "COMPLETE reconfigured")
    graph.wait_for_told(name, "START started", 2)
    graph.wait_for_state(name, "RUNNING")
    assert [run["state"] for run in graph.runs(name)] == ["RUNNING", "COMPLETED"]


def test_a_delete_ends_the_run(running: Config, connect: Connect, graph: Graph, name: str) -> None:
    connect.delete(name)
    graph.wait_for_told(name, "ABORT deleted")
    graph.wait_for_state(name, "ABORTED")


def test_a_transform_that_fails_on_a_record_fails_the_run(
    connect: Connect, graph: Graph, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("a\nb\n")
    bad = {
        "transforms": "openlineage,mask",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
        "transforms.mask.exclude": "x",
    }
    connect.create(name, file_source(file, name, **bad))
    told = graph.wait_for_told(name, "FAIL failed")
    assert "Only Struct objects supported" in told["run"]["facets"]["errorMessage"]["stackTrace"]
    graph.wait_for_state(name, "FAILED")
    connect.delete(name)
    connect.wait_for(name, "ABSENT")
    assert graph.state(name) == "FAILED"


@pytest.mark.parametrize("mode", ["connector-failure", "task-failure"])
def test_a_failure_of_the_connector_or_a_task_is_reported(
    mode: str, connect: Connect, graph: Graph, name: str
) -> None:
    connect.create(name, failing(mode))
    told = graph.wait_for_told(name, "FAIL failed")
    assert told["run"]["facets"]["errorMessage"]["message"]
    graph.wait_for_state(name, "FAILED")
    assert graph.told(name)[0] == "START started"
    connect.delete(name)


def test_a_transform_that_cannot_be_configured_fails_the_run(
    connect: Connect, graph: Graph, name: str, tmp_path: Path
) -> None:
    bad = {
        "transforms": "openlineage,insert",
        "transforms.insert.type": "org.apache.kafka.connect.transforms.InsertField$Value",
    }
    connect.create(name, file_source(tmp_path / "none.txt", name, **bad))
    graph.wait_for_told(name, "FAIL failed")
    graph.wait_for_state(name, "FAILED")
    connect.delete(name)


def test_a_refused_configuration_leaves_nothing(connect: Connect, graph: Graph, name: str) -> None:
    with pytest.raises(ValueError, match="400"):
        connect.create(name, {"connector.class": "FileStreamSink", "topics": ""})
    assert graph.runs(name) == []


def test_a_failed_connector_that_is_mended_runs_again(
    connect: Connect, graph: Graph, name: str
) -> None:
    connect.create(name, failing("task-failure"))
    graph.wait_for_told(name, "FAIL failed")
    connect.create(name, schema_source(name))
    graph.wait_for_told(name, "START started", 2)
    graph.wait_for_state(name, "RUNNING")
    assert [run["state"] for run in graph.runs(name)] == ["RUNNING", "FAILED"]
    connect.delete(name)
