"""The OpenLineage client for Python, with its HTTP transports, against a running server."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.facet_v2 import DatasetFacet, schema_dataset
from openlineage.client.serde import Serde
from openlineage.client.uuid import generate_new_uuid
from requests import HTTPError

from testing.services.headwater import Headwater
from tests.clients.reading import read_events, read_run_state

pytestmark = pytest.mark.integration

TOPICS = "kafka://broker:9092"

TRANSPORTS: list[dict[str, Any]] = [
    {"type": "http"},
    {"type": "http", "compression": "gzip"},
    {"type": "async_http"},
    {"type": "async_http", "compression": "gzip"},
]


@pytest.fixture
def namespace() -> str:
    return f"python-{uuid.uuid4()}"


@pytest.fixture(params=TRANSPORTS, ids=lambda transport: "-".join(transport.values()))
def client(
    request: pytest.FixtureRequest, headwater_server: Headwater
) -> Iterator[OpenLineageClient]:
    transport = {**request.param, "url": headwater_server.url}
    client = OpenLineageClient(config={"transport": transport})
    yield client
    client.close(timeout=10)


def now() -> str:
    return datetime.now(UTC).isoformat()


def schema(**types: str) -> dict[str, DatasetFacet]:
    fields = [schema_dataset.SchemaDatasetFacetFields(*field) for field in types.items()]
    return {"schema": schema_dataset.SchemaDatasetFacet(fields=fields)}


def inputs() -> list[InputDataset]:
    return [InputDataset(TOPICS, "orders", facets=schema(customer="STRING", amount="DOUBLE"))]


def outputs() -> list[OutputDataset]:
    return [OutputDataset(TOPICS, "totals", facets=schema(customer="STRING", amount="DECIMAL"))]


def emit_all(client: OpenLineageClient, *events: RunEvent | DatasetEvent | JobEvent) -> list[Any]:
    """Send the events; what the client made of them, with the facets that it adds itself."""
    for event in events:
        client.emit(event)
    assert client.close(timeout=120)
    return [Serde.to_dict(event) for event in events]


def test_run(client: OpenLineageClient, headwater_server: Headwater, namespace: str) -> None:
    run_id = str(generate_new_uuid())

    def event(state: RunState) -> RunEvent:
        return RunEvent(
            eventTime=now(),
            eventType=state,
            run=Run(run_id),
            job=Job(namespace, "sum-orders"),
            inputs=inputs(),
            outputs=outputs(),
        )

    sent = emit_all(client, event(RunState.START), event(RunState.COMPLETE))
    assert read_events(headwater_server.url, namespace) == sent
    assert read_run_state(headwater_server.url, run_id) == "COMPLETED"


def test_dataset(client: OpenLineageClient, headwater_server: Headwater, namespace: str) -> None:
    dataset = StaticDataset(namespace, "orders", facets=schema(customer="STRING"))
    sent = emit_all(client, DatasetEvent(eventTime=now(), dataset=dataset))
    assert read_events(headwater_server.url, namespace) == sent


def test_job(client: OpenLineageClient, headwater_server: Headwater, namespace: str) -> None:
    job = Job(namespace, "sum-orders")
    event = JobEvent(eventTime=now(), job=job, inputs=inputs(), outputs=outputs())
    sent = emit_all(client, event)
    assert read_events(headwater_server.url, namespace) == sent


def test_a_key_is_sent_as_the_client_is_reported(namespace: str) -> None:
    secret = "a-long-secret-of-the-client"
    keys = f"python:{secret}:write,reader:{secret}-too:read"
    event = JobEvent(eventTime=now(), job=Job(namespace, "sum-orders"))
    with Headwater.start(env={"HEADWATER__AUTH__KEYS": keys}) as service:

        def client(api_key: str) -> OpenLineageClient:
            auth = {"type": "api_key", "apiKey": api_key}
            transport = {"type": "http", "url": service.url, "auth": auth}
            return OpenLineageClient(config={"transport": transport})

        emit_all(client(secret), event)
        with pytest.raises(HTTPError, match="403"):
            client(f"{secret}-too").emit(event)
        headers = {"X-API-Key": f"{secret}-too"}
        answer = httpx2.get(f"{service.url}/api/v1/events/lineage", headers=headers)
    assert answer.json()["totalCount"] == 1
