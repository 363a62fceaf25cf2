"""What OpenMetadata's own connector loses of events, and an ingest of the same events keeps: a test
for each row of the table in docs/openmetadata.md."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from headwater.store.write.bulk import write_or_reject
from headwater.store.write.writer import open_writer
from testing.api import Api, open_api
from testing.events.full import run_event
from tests.pipeline.frames import handed_by, make_task, message

TABLE = {"namespace": "postgres://db:5432", "name": "Shop.public.Orders"}
TOPIC = {"namespace": "kafka://broker:9092", "name": "orders"}

Ingest = Callable[..., None]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


@pytest.fixture
def ingest(api: Api, tmp_path: Path) -> Ingest:
    """Take events in as a task of Spark's does, and store them as its driver."""
    spool = tmp_path / "spool"
    spool.mkdir()

    def take_in(*events: dict[str, Any]) -> None:
        messages = [message(event) for event in events]
        with closing(open_writer(api.engine)) as writer:
            for handed in handed_by(make_task(spool=spool), messages):
                assert handed.chunk.rejected == 0
                write_or_reject(writer, handed.rows)

    return take_in


def of_load(kind: str, **more: Any) -> dict[str, Any]:
    return run_event(kind, job={"namespace": "etl", "name": "load"}, **more)


@pytest.mark.parametrize(
    ("kind", "state"),
    [("FAIL", "FAILED"), ("ABORT", "ABORTED"), ("OTHER", "RUNNING"), ("COMPLETE", "COMPLETED")],
)
def test_how_a_run_ended(api: Api, ingest: Ingest, kind: str, state: str) -> None:
    ingest(of_load("START", inputs=[], outputs=[]), of_load(kind, inputs=[TABLE], outputs=[TOPIC]))
    assert api.job("etl", "load")["latestRun"]["state"] == state


def test_events_without_inputs_or_outputs(api: Api, ingest: Ingest) -> None:
    event = of_load("START")
    del event["inputs"], event["outputs"]
    ingest(event)
    assert api.job("etl", "load")["latestRun"]["state"] == "RUNNING"


def test_events_with_one_side_alone(api: Api, ingest: Ingest) -> None:
    event = of_load("COMPLETE", outputs=[TABLE])
    del event["inputs"]
    ingest(event)
    (output,) = api.job("etl", "load")["outputs"]
    assert output == TABLE


def test_tables_that_no_catalog_knows(api: Api, ingest: Ingest) -> None:
    """With the names of the events, whatever their case."""
    ingest(of_load("COMPLETE", inputs=[TABLE], outputs=[TOPIC]))
    job = api.job("etl", "load")
    assert (job["inputs"], job["outputs"]) == ([TABLE], [TOPIC])
    assert api.dataset(**TABLE)["name"] == TABLE["name"]


def test_owners_and_tags(api: Api, ingest: Ingest) -> None:
    owners = {"owners": [{"name": "team:data", "type": "OWNER"}]}
    tags = {"tags": [{"key": "PII", "value": "true", "source": "CONFIG"}]}
    dataset = {**TABLE, "facets": {"ownership": owners, "tags": tags}}
    ingest(of_load("COMPLETE", inputs=[], outputs=[dataset]))
    assert api.read("/owners/team%3Adata")["totalCount"] == 1
    assert "PII" in [tag["name"] for tag in api.read("/tags")["tags"]]


def columns_of(field: str, source: dict[str, str], source_field: str) -> dict[str, Any]:
    found = {**source, "field": source_field, "transformations": [{"type": "DIRECT"}]}
    return {"columnLineage": {"fields": {field: {"inputFields": [found]}}}}


def upstream_columns(api: Api, dataset: dict[str, str], field: str) -> set[str]:
    node = f"datasetField:{dataset['namespace']}:{dataset['name']}:{field}"
    graph = api.client.get("/api/v1/column-lineage", params={"nodeId": node}).json()["graph"]
    return {each["id"] for each in graph} - {node}


@pytest.mark.parametrize(
    ("inputs", "source", "target", "field"),
    [
        (TABLE, "customer.address.City", TOPIC, "city"),
        (TOPIC, "payload.after.id", TABLE, "Id"),
    ],
)
def test_nested_columns_and_columns_of_topics(
    api: Api, ingest: Ingest, inputs: Any, source: str, target: Any, field: str
) -> None:
    outputs = [{**target, "facets": columns_of(field, inputs, source)}]
    ingest(of_load("COMPLETE", inputs=[inputs], outputs=outputs))
    expected = f"datasetField:{inputs['namespace']}:{inputs['name']}:{source}"
    assert expected in upstream_columns(api, target, field)


def test_an_event_that_is_none_is_kept_with_its_reason(api: Api, tmp_path: Path) -> None:
    spool = tmp_path / "other"
    spool.mkdir()
    with closing(open_writer(api.engine)) as writer:
        for handed in handed_by(make_task(spool=spool), [message({"eventType": "START"})]):
            assert handed.chunk.rejected == 1
            write_or_reject(writer, handed.rows)
    (rejected,) = api.rejected()
    assert "eventTime" in str(rejected)
