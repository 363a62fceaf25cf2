"""The same jar in a worker of an older release."""

from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import file_sink, file_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, columns, names

pytestmark = [pytest.mark.integration, pytest.mark.long]


def test_a_worker_of_kafka_3(
    kafka: Kafka, headwater_server: Headwater, name: str, tmp_path: Path
) -> None:
    graph = Graph(headwater_server.url, f"kafka-connect://group-{name}")
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    read, written = tmp_path / "in.txt", tmp_path / "out.txt"
    read.write_text("a\nb\n")
    sink, bad = f"{name}-sink", f"{name}-bad"
    with Connect.start(kafka, f"group-{name}", settings, release="connect-3.9") as worker:
        worker.create(name, file_source(read, name))
        told = graph.wait_for_told(name, "RUNNING records")
        assert (names(told["inputs"]), names(told["outputs"])) == ([str(read)], [name])
        assert columns(told["outputs"][0]) == {"value": "string"}

        worker.create(sink, file_sink(written, name))
        told = graph.wait_for_told(sink, "RUNNING records")
        assert (names(told["inputs"]), names(told["outputs"])) == ([name], [str(written)])

        worker.stop_connector(name)
        graph.wait_for_state(name, "ABORTED")
        transforms = {
            "transforms": "openlineage,insert",
            "transforms.insert.type": "org.apache.kafka.connect.transforms.InsertField$Value",
        }
        worker.create(bad, file_source(read, bad, **transforms))
        graph.wait_for_state(bad, "FAILED")
        worker.delete(sink)
        graph.wait_for_state(sink, "ABORTED")
