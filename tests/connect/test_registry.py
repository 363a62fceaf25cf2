"""Records in Avro with a schema registry: the converter has the schema, we need no registry."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.services.connect import Connect
from testing.services.connect_apicurio import Apicurio
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import file_sink, schema_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, columns

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    with Apicurio.start() as service:
        yield service


def test_avro_has_its_schemas_on_both_sides_of_the_topic(
    kafka: Kafka, headwater_server: Headwater, registry: Apicurio, name: str, tmp_path: Path
) -> None:
    graph = Graph(headwater_server.url, f"kafka-connect://group-{name}")
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    avro = {
        "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
        "value.converter.apicurio.registry.url": registry.url,
        "value.converter.apicurio.registry.auto-register": "true",
        # As Confluent's clients write it: the schema's number in the value.
        "value.converter.apicurio.registry.headers.enabled": "false",
    }
    with Connect.start(kafka, f"group-{name}", settings, plugins=["connect-avro"]) as worker:
        worker.create(name, schema_source(name, schemas=2, **avro))
        written = graph.wait_for_told(name, "RUNNING records", 2)
        sink = f"{name}-sink"
        worker.create(sink, file_sink(tmp_path / "out.txt", name, **avro))
        read = graph.wait_for_told(sink, "RUNNING records", 2)
        assert registry.subjects()
        types = columns(written["outputs"][0])
        assert (types["id"], types["long"], types["double"]) == ("int32", "int64", "float64")
        both = {frozenset(each) for each in graph.versions(f"kafka://{kafka.bootstrap}", name)}
        assert len(both) == 2
        assert frozenset(columns(read["inputs"][0])) in both
