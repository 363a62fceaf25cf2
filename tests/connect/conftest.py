"""A worker for all tests of connectors, and the graph that its lineage ends in."""

import json
import uuid
from collections.abc import Iterator

import pytest

from testing.services.connect import Connect
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.graph import Graph

GROUP = "shop"
FILE_PROVIDER = "org.apache.kafka.common.config.provider.FileConfigProvider"
SETTINGS = {"headwater.heartbeat.seconds": "2", "headwater.poll.seconds": "0.2"}


# What users can tell of a connector that is not known, or not as they want it.
OWN_ROWS = {
    "connectors": [
        {
            "classes": ["org.apache.kafka.connect.tools.MockSinkConnector"],
            "role": "sink",
            "namespace": "fancy://{fancy.host}:{fancy.port|=7000}",
            "name": "{@topic}",
        }
    ]
}


@pytest.fixture(scope="package")
def connect(
    kafka: Kafka, headwater_server: Headwater, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Connect]:
    """One worker for all tests of this folder, whose connectors are at work as long as it is."""
    rows = tmp_path_factory.mktemp("connectors") / "rows.json"
    rows.write_text(json.dumps(OWN_ROWS))
    settings = {
        **SETTINGS,
        "config.providers": "file",
        "config.providers.file.class": FILE_PROVIDER,
        "headwater.url": headwater_server.url,
        "headwater.connectors.file": str(rows),
    }
    with Connect.start(kafka, GROUP, settings) as service:
        yield service
    # Whatever test has sent it: secrets of tests have these words in them.
    events = json.dumps(Graph(headwater_server.url, "").all_events())
    assert [word for word in ("hush", "planted-") if word in events] == []


@pytest.fixture
def graph(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, f"kafka-connect://{GROUP}")


@pytest.fixture
def name() -> str:
    """A name of this test alone, for a connector or a topic."""
    return f"orders-{uuid.uuid4().hex[:8]}"
