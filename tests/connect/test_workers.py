"""Workers come and go; the run of a connector goes on, and the graph is right afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import schema_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph

pytestmark = pytest.mark.integration


@pytest.fixture
def workers(kafka: Kafka, headwater_server: Headwater, name: str) -> Iterator[list[Connect]]:
    """Two workers of one cluster."""
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    with ExitStack() as stack:
        yield [
            stack.enter_context(Connect.start(kafka, f"group-{name}", settings)) for _ in range(2)
        ]


def test_a_run_goes_on_from_worker_to_worker(
    workers: list[Connect], headwater_server: Headwater, name: str
) -> None:
    graph = Graph(headwater_server.url, f"kafka-connect://group-{name}")
    workers[0].create(name, schema_source(name))
    workers[0].wait_for(name, "RUNNING", ["RUNNING"])
    graph.wait_for_told(name, "RUNNING records")
    assert graph.told(name).count("START started") == 1

    # A worker that is asked to end says so; the other goes on with its work.
    owner = workers[0].worker_of(name)
    first, second = sorted(workers, key=lambda worker: not owner.endswith(f":{worker.port}"))
    first.stop()
    graph.wait_for_told(name, "ABORT the worker was stopped")
    graph.wait_for_told(name, "START started", 2)
    second.wait_for(name, "RUNNING", ["RUNNING"])
    graph.wait_for_state(name, "RUNNING")

    # One that is killed says nothing; when it is back, it goes on with the same run.
    second.kill()
    assert graph.state(name) == "RUNNING"
    second.restart()
    graph.wait_for_told(name, "START started", 3)
    graph.wait_for_state(name, "RUNNING")

    second.stop()
    graph.wait_for_told(name, "ABORT the worker was stopped", 2)
    graph.wait_for_state(name, "ABORTED")
    assert len(graph.runs(name)) == 1
