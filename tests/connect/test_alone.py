"""The transform in a worker without the extension, told what it must know by the environment."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import file_source
from tests.connect.graph import Graph, names

pytestmark = pytest.mark.integration


@pytest.fixture
def worker(kafka: Kafka, headwater_server: Headwater, name: str) -> Iterator[Connect]:
    env = {
        "OPENLINEAGE_URL": headwater_server.url,
        "OPENLINEAGE_NAMESPACE": f"alone-{name}",
        "BOOTSTRAP": "broker:19092",
    }
    with Connect.start(kafka, f"group-{name}", env=env, with_extension=False) as service:
        yield service


def test_a_transform_alone_tells_what_it_sees(
    worker: Connect, headwater_server: Headwater, name: str, tmp_path: Path
) -> None:
    graph = Graph(headwater_server.url, f"alone-{name}")
    file = tmp_path / "lines.txt"
    file.write_text("a\nb\n")
    keys = {
        "transforms.openlineage.dataset.namespace": "file",
        "transforms.openlineage.dataset.names": str(file),
    }
    worker.create(name, file_source(file, name, **keys))
    told = graph.wait_for_told(name, "RUNNING records")
    assert names(told["inputs"]) == [str(file)]
    assert (told["outputs"][0]["namespace"], told["outputs"][0]["name"]) == (
        "kafka://broker:19092",
        name,
    )
    worker.stop_connector(name)
    graph.wait_for_state(name, "ABORTED")
    worker.resume(name)
    graph.wait_for_state(name, "RUNNING")
    assert len(graph.runs(name)) == 1
    worker.stop()
    graph.wait_for_state(name, "ABORTED")
