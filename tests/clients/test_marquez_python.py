"""Marquez's client for Python, each of its methods, against a running server."""

import inspect
import re
import uuid
from pathlib import Path
from typing import Any

import httpx2
import marquez_client
import pytest
from marquez_client import MarquezClient
from marquez_client.errors import APIError
from marquez_client.models import DatasetId, DatasetType, JobType

from testing.services.headwater import Headwater

pytestmark = [
    pytest.mark.integration,
    # The client calls its own methods deprecated, and the clock it reads is.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

METHODS = {
    name
    for name, method in inspect.getmembers(MarquezClient, inspect.isfunction)
    if not name.startswith("_")
}
FIELDS = [
    {"name": "id", "type": "BIGINT", "description": "One a sale"},
    {"name": "email", "type": "TEXT"},
]


@pytest.fixture
def namespace() -> str:
    return f"s3://marquez-{uuid.uuid4()}"


@pytest.fixture
def client(headwater_server: Headwater) -> Any:
    return MarquezClient(headwater_server.url)


def make_dataset(client: Any, namespace: str, name: str = "orders", **rest: Any) -> Any:
    kind = DatasetType.DB_TABLE
    return client.create_dataset(namespace, name, kind, f"public.{name}", "shop-db", **rest)


def make_job(client: Any, namespace: str) -> Any:
    used = {"inputs": [DatasetId(namespace, "in")], "outputs": [DatasetId(namespace, "out")]}
    return client.create_job(
        namespace,
        "copy",
        JobType.BATCH,
        location="https://git.example.org/copy.py",
        description="Copies",
        context={"sql": "SELECT 1"},
        **used,
    )


def test_it_is_the_version_that_is_promised() -> None:
    assert marquez_client.__version__ == "0.50.0"


def test_namespaces(client: Any, namespace: str) -> None:
    made = client.create_namespace(namespace, "sales", "The shop")
    assert (made["name"], made["ownerName"]) == (namespace, "sales")
    assert client.get_namespace(namespace) == made
    assert made in client.list_namespaces(limit=10_000)["namespaces"]


def test_sources(client: Any) -> None:
    name = f"source-{uuid.uuid4()}"
    made = client.create_source(name, "postgresql", "jdbc:postgresql://db:5432/shop", "The shop's")
    assert (made["type"], made["connectionUrl"]) == ("POSTGRESQL", "jdbc:postgresql://db:5432/shop")
    assert client.get_source(name) == made
    assert made in client.list_sources(limit=10_000)["sources"]


def test_tags(client: Any, namespace: str) -> None:
    tag = f"tag-{uuid.uuid4()}"
    assert client.create_tag(tag, "What it means") == {"name": tag, "description": "What it means"}
    assert tag in [each["name"] for each in client.list_tags(limit=10_000)["tags"]]
    assert client.list_tags()["tags"]
    make_dataset(client, namespace, fields=FIELDS)
    assert client.tag_dataset(namespace, "orders", tag)["tags"] == [tag]
    tagged = client.tag_dataset_field(namespace, "orders", "email", tag)
    assert [field["tags"] for field in tagged["fields"]] == [[], [tag]]


def test_datasets_and_their_versions(client: Any, namespace: str) -> None:
    made = make_dataset(client, namespace, description="Orders", fields=FIELDS, tags=["SALES"])
    assert made["id"] == {"namespace": namespace, "name": "orders"}
    assert (made["physicalName"], made["sourceName"]) == ("public.orders", "shop-db")
    assert [field["name"] for field in made["fields"]] == ["id", "email"]
    assert client.get_dataset(namespace, "orders") == made
    assert client.list_datasets(namespace)["datasets"] == [made]
    versions = client.list_dataset_versions(namespace, "orders")["versions"]
    assert versions[0]["version"] == made["currentVersion"]
    version = client.get_dataset_version(namespace, "orders", made["currentVersion"])
    assert [field["name"] for field in version["fields"]] == ["id", "email"]


def test_jobs_and_their_runs(client: Any, namespace: str) -> None:
    make_dataset(client, namespace, "in")
    made = make_job(client, namespace)
    assert made["inputs"] == [{"namespace": namespace, "name": "in"}]
    assert (made["location"], made["description"]) == ("https://git.example.org/copy.py", "Copies")
    assert client.get_job(namespace, "copy") == made
    assert client.list_jobs(namespace)["jobs"] == [made]
    id = str(uuid.uuid4())
    times = {"nominal_start_time": "2026-01-01T00:00:00Z", "nominal_end_time": "2026-01-02"}
    run = client.create_job_run(namespace, "copy", run_id=id, run_args={"day": "1"}, **times)
    assert (run["id"], run["state"], run["args"]) == (id, "NEW", {"day": "1"})
    assert client.mark_job_run_as_started(id)["state"] == "RUNNING"
    written = make_dataset(client, namespace, "out", fields=FIELDS, run_id=id)
    assert len(written["fields"]) == 2
    assert client.mark_job_run_as_completed(id)["state"] == "COMPLETED"
    kept = client.get_job_run(id)
    assert [each["datasetVersionId"]["name"] for each in kept["outputDatasetVersions"]] == ["out"]
    for end, state in (
        (client.mark_job_run_as_failed, "FAILED"),
        (client.mark_job_run_as_aborted, "ABORTED"),
    ):
        other = client.create_job_run(namespace, "copy", mark_as_running=True)
        assert other["state"] == "RUNNING"
        assert end(other["id"])["state"] == state
    runs = client.list_job_runs(namespace, "copy", limit=2)
    assert (len(runs["runs"]), runs["totalCount"]) == (2, 3)


def test_events_and_column_lineage(client: Any, headwater_server: Headwater) -> None:
    # The client puts a namespace into this path as it is: it must have no slash.
    namespace = f"plain-{uuid.uuid4()}"
    source = {"namespace": namespace, "name": "in", "field": "id"}
    columns = {"fields": {"id": {"inputFields": [source]}}}
    output = {"namespace": namespace, "name": "out", "facets": {"columnLineage": columns}}
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "run": {"runId": str(uuid.uuid4())},
        "job": {"namespace": namespace, "name": "copy"},
        "inputs": [{"namespace": namespace, "name": "in"}],
        "outputs": [output],
        "producer": "https://example.org/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
    }
    address = f"{headwater_server.url}/api/v1/lineage"
    httpx2.post(address, json=event, trust_env=False).raise_for_status()
    assert event in client.list_events(limit=10_000)["events"]
    assert client.list_events(namespace)["events"] == [event]
    column = f"datasetField:{namespace}:out:id"
    for graph in (
        client.get_column_lineage_by_dataset(namespace, "out"),
        client.get_column_lineage_by_dataset_field(namespace, "out", "id"),
        client.get_column_lineage_by_job(namespace, "copy", depth=5, with_downstream=True),
    ):
        assert column in [node["id"] for node in graph["graph"]]


def test_what_is_not_there_is_its_own_error(client: Any, namespace: str) -> None:
    with pytest.raises(APIError):
        client.get_dataset(namespace, "nothing")
    with pytest.raises(APIError):
        client.tag_dataset(namespace, "nothing", "A")


def test_no_method_is_left_out() -> None:
    named = set(re.findall(r"\bclient\.(\w+)", Path(__file__).read_text()))
    assert named >= METHODS
