"""A worker that is its whole cluster: no group, and no topics of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services.connect import StandaloneConnect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import file_sink, file_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, names

pytestmark = pytest.mark.integration


@pytest.fixture
def worker(kafka: Kafka, headwater_server: Headwater) -> Iterator[StandaloneConnect]:
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    with StandaloneConnect.start(kafka, "standalone", settings) as service:
        yield service


def test_its_connectors_are_reported(
    worker: StandaloneConnect, headwater_server: Headwater, name: str, tmp_path: Path
) -> None:
    graph = Graph(headwater_server.url, "kafka-connect://standalone")
    read, written = tmp_path / "in.txt", tmp_path / "out.txt"
    read.write_text("a\nb\n")
    worker.create(f"{name}-in", file_source(read, name))
    worker.create(f"{name}-out", file_sink(written, name))
    assert names(graph.wait_for_told(f"{name}-in", "RUNNING records")["inputs"]) == [str(read)]
    assert names(graph.wait_for_told(f"{name}-out", "RUNNING records")["inputs"]) == [name]
    assert graph.told(f"{name}-in")[0] == "START started"
    worker.pause(f"{name}-in")
    graph.wait_for_told(f"{name}-in", "OTHER paused")
    worker.delete(f"{name}-in")
    graph.wait_for_state(f"{name}-in", "ABORTED")
    assert graph.state(f"{name}-out") == "RUNNING"
    worker.stop()
    graph.wait_for_state(f"{name}-out", "ABORTED")
    assert str(read) in graph.upstream("file", str(written))
