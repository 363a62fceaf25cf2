"""Clusters by name: topics that events call by several names are one when they are read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.config import ClusterSettings, Settings
from headwater.errors import BadConfig
from headwater.server.clusters import cluster_names
from testing.api import Api, open_api
from testing.events.minimal import JOBS, dataset, run_event, schema

SHORT, LONG, SECOND = "kafka", "kafka://b1:9092", "kafka://b2:9092"
RUN = "01890000-0000-7000-8000-00000000000"


def named(namespace: str, name: str) -> dict[str, str]:
    return {"namespace": namespace, "name": name}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    """A server that knows one cluster, by two brokers, with a chain through several names."""
    clusters = {"main": ClusterSettings(bootstrap="b1:9092, b2:9092", aliases=["kafka-eu"])}
    with open_api(f"sqlite:///{tmp_path / 'store.db'}", clusters=clusters) as api:
        fill(api)
        yield api


def fill(api: Api) -> None:
    for number, (job, inputs, outputs) in enumerate(
        (
            ("cdc", [], [named(LONG, "orders")]),
            ("enrich", [named(SHORT, "orders")], [named("kafka-eu", "enriched")]),
            ("sink", [named(SECOND, "enriched")], [dataset("raw.enriched")]),
        )
    ):
        event = run_event("COMPLETE", job=job, inputs=inputs, outputs=outputs)
        event["run"]["runId"] = f"{RUN}{number}"
        api.store(event)


def jobs_around(api: Api, node: str) -> set[str]:
    graph = api.read("/lineage", nodeId=node, depth=10)["graph"]
    return {each["data"]["name"] for each in graph if each["type"] == "JOB"}


@pytest.mark.parametrize(
    "node",
    [
        f"dataset:{LONG}:orders",
        f"dataset:{SHORT}:orders",
        f"dataset:{SECOND}:orders",
        "dataset:kafka-eu:orders",
        "dataset:kafka://main:orders",
        "dataset:kafka://orders",
        f"job:{JOBS}:sink",
    ],
)
def test_a_chain_through_several_names_is_one(api: Api, node: str) -> None:
    assert jobs_around(api, node) == {"cdc", "enrich", "sink"}


def test_a_topic_is_found_by_every_name(api: Api) -> None:
    for namespace in (LONG, SHORT, SECOND, "kafka-eu", "kafka://main"):
        assert api.dataset(namespace, "enriched")["name"] == "enriched"
    shown = api.dataset(SHORT, "orders")
    assert named(LONG, "orders").items() <= shown["aliases"][0].items()


def test_columns_meet_under_their_names(api: Api) -> None:
    source = {**named(SHORT, "orders"), "field": "price"}
    lineage = {"fields": {"amount": {"inputFields": [source]}}}
    output = {**named(LONG, "totals"), "facets": dataset("t", columnLineage=lineage)["facets"]}
    source_of = {
        **named(LONG, "orders"),
        "facets": dataset("t", schema=schema(price="INT"))["facets"],
    }
    event = run_event("COMPLETE", job="total", inputs=[source_of], outputs=[output])
    event["run"]["runId"] = f"{RUN}9"
    api.store(event)
    node = "datasetField:kafka://totals:amount"
    graph = api.read("/column-lineage", nodeId=node, depth=1)["graph"]
    fields = [each for each in graph if each["data"].get("inputFields")]
    assert [each["field"] for each in fields[0]["data"]["inputFields"]] == ["price"]


def test_a_person_can_part_two_names(api: Api) -> None:
    entity = {"type": "dataset", **named(LONG, "orders")}
    cut = {"identifiers": [{**named(SHORT, "orders"), "type": "CUT"}]}
    answer = api.client.post("/api/v1/edits", json={"entity": entity, "set": {"symlinks": cut}})
    assert answer.status_code < 300, answer.text
    assert "enrich" not in jobs_around(api, f"dataset:{LONG}:orders")


def test_without_clusters_names_are_as_they_are(tmp_path: Path) -> None:
    with open_api(f"sqlite:///{tmp_path / 'store.db'}") as api:
        fill(api)
        assert jobs_around(api, f"dataset:{LONG}:orders") == {"cdc"}
        assert jobs_around(api, "dataset:kafka://orders") == {"enrich"}


@pytest.mark.parametrize(
    ("clusters", "where"),
    [
        ({"a": ClusterSettings(bootstrap=" , ")}, "clusters.a.bootstrap"),
        ({"a": ClusterSettings(bootstrap="b"), "c": ClusterSettings(bootstrap=["b:9092"])}, "of a"),
    ],
)
def test_settings_that_cannot_be(clusters: dict[str, ClusterSettings], where: str) -> None:
    with pytest.raises(BadConfig, match=where):
        cluster_names(Settings(clusters=clusters))
