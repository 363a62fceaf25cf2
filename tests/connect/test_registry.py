"""Records in Avro with a schema registry, which the plugin does not need: the converter has the
schema. Who looks from outside needs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.commands import run_program
from testing.services.connect import Connect
from testing.services.connect_apicurio import Apicurio
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from tests.connect.configs import Config, file_sink, schema_source
from tests.connect.conftest import SETTINGS
from tests.connect.graph import Graph, Json, columns

pytestmark = pytest.mark.integration

GROUP = "avro"
KAFKAS = "org.apache.kafka.connect.transforms."


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    with Apicurio.start() as service:
        yield service


@pytest.fixture(scope="module")
def worker(kafka: Kafka, headwater_server: Headwater) -> Iterator[Connect]:
    settings = {**SETTINGS, "headwater.url": headwater_server.url}
    with Connect.start(kafka, GROUP, settings, plugins=["connect-avro"]) as service:
        yield service


@pytest.fixture
def graph(headwater_server: Headwater) -> Graph:
    return Graph(headwater_server.url, f"kafka-connect://{GROUP}")


@pytest.fixture
def avro(registry: Apicurio) -> Config:
    return {
        "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
        "value.converter.apicurio.registry.url": registry.url,
        "value.converter.apicurio.registry.auto-register": "true",
        # As Confluent's clients write it: the schema's number in the value.
        "value.converter.apicurio.registry.headers.enabled": "false",
    }


def test_avro_has_its_schemas_on_both_sides_of_the_topic(
    worker: Connect, registry: Apicurio, avro: Config, graph: Graph, name: str, tmp_path: Path
) -> None:
    worker.create(name, schema_source(name, schemas=2, **avro))
    written = graph.wait_for_told(name, "RUNNING records", 2)
    sink = f"{name}-sink"
    worker.create(sink, file_sink(tmp_path / "out.txt", name, **avro))
    read = graph.wait_for_told(sink, "RUNNING records", 2)
    assert registry.subjects()
    types = columns(written["outputs"][0])
    assert (types["id"], types["long"], types["double"]) == ("int32", "int64", "float64")
    both = {frozenset(each) for each in graph.versions(f"kafka://{worker.kafka.bootstrap}", name)}
    assert len(both) == 2
    assert frozenset(columns(read["inputs"][0])) in both
    worker.delete(name)
    worker.delete(sink)


def column_fields(event: Json) -> Json:
    """The columns of the one output, with those they come from."""
    (output,) = event["outputs"]
    found: Json = output["facets"].get("columnLineage", {"fields": {}})["fields"]
    return found


def test_columns_are_the_same_from_inside_and_from_outside(
    worker: Connect,
    registry: Apicurio,
    avro: Config,
    graph: Graph,
    headwater_server: Headwater,
    name: str,
    tmp_path: Path,
) -> None:
    worker.create(name, schema_source(name, 1, **avro))
    graph.wait_for_told(name, "RUNNING records")
    others = {
        "transforms.drop.type": f"{KAFKAS}ReplaceField$Value",
        "transforms.drop.exclude": "int",
        "transforms.drop.renames": "long:big",
        "transforms.mask.type": f"{KAFKAS}MaskField$Value",
        "transforms.mask.fields": "double",
    }
    inside, outside = f"{name}-inside", f"{name}-outside"
    with_ours = {"transforms": "openlineage,drop,mask", **avro, **others}
    worker.create(inside, file_sink(tmp_path / "copy.txt", name, **with_ours))
    config = file_sink(tmp_path / "copy.txt", name, **with_ours)
    del config["transforms.openlineage.type"]
    worker.create(outside, {**config, "transforms": "drop,mask"})
    seen = column_fields(
        graph.wait_for_event(inside, lambda event: any(map(columns, event["outputs"])))
    )
    worker.wait_for(outside, "RUNNING", ["RUNNING"])
    outcome = run_program(
        *("collect", "connect", "--url", worker.url, "--group", GROUP),
        *("--bootstrap", worker.kafka.bootstrap, "--server", headwater_server.url),
        *("--registry", f"http://127.0.0.1:{registry.port}/apis/ccompat/v7"),
        *("--state", str(tmp_path / "state")),
    )
    assert outcome.status == 0, outcome
    (collected,) = [e for e in graph.events(outside) if "collect/connect" in e["producer"]]
    assert column_fields(collected) == seen
    ways = {column: field["inputFields"][0] for column, field in seen.items()}
    assert ways["big"]["field"] == "long"
    assert ways["double"]["transformations"][0]["masking"] is True
    assert "int" not in ways
    for each in (name, inside, outside):
        worker.delete(each)
