"""What LineageBridge 0.6.1 does wrong, as it was verified there: here each is right."""

from typing import Any

import pytest

from headwater.answers.bridge.job_events import with_lists
from testing.api import Api
from testing.events.confluent import (
    CLUSTER,
    CONFLUENT,
    ENVIRONMENT,
    POSTGRES,
    UC_TABLE,
    WORKSPACE,
    dataset,
    job,
)
from testing.events.minimal import run_event
from tests.server.bridge.conftest import extracted

Json = dict[str, Any]
EVENTS = "/api/v1/lineage/events"


def event_of(api: Api, name: str) -> Json:
    found = {event["job"]["name"]: event for event in api.read("/graphs/enriched/view")["events"]}
    return dict(found[name])


def test_1_a_source_connector_keeps_its_external_input(estate: Api) -> None:
    event = event_of(estate, "postgres-orders")
    assert [(each["namespace"], each["name"]) for each in event["inputs"]] == [
        (POSTGRES, "shop.public.orders")
    ]
    jobs = [event["job"]["name"] for event in estate.read("/lineage/events", job="*")]
    assert not any(name.startswith("_identity") for name in jobs)


def test_2_tableflow_and_consumer_groups_have_their_edges(estate: Api) -> None:
    where = {"namespace": WORKSPACE, "name": UC_TABLE}
    lineage = estate.read("/lineage/datasets/lineage", **where)
    assert (lineage["datasets_visited"], lineage["jobs_visited"]) == (3, 2)
    assert [each["name"] for each in event_of(estate, "app")["inputs"]] == ["enriched"]
    graph = estate.read("/graphs")[0]["graph_id"]
    kinds = {edge["edge_type"] for edge in estate.read(f"/graphs/{graph}/edges")["edges"]}
    expected = {"produces", "consumes", "transforms", "materializes", "has_schema", "member_of"}
    assert kinds == expected


def test_3_facets_have_their_values(estate: Api) -> None:
    facets = event_of(estate, "postgres-orders")["job"]["facets"]
    assert facets["confluent_connector"]["connector_class"] == "PostgresCdcSource"
    assert facets["confluent_connector"]["connector_type"] == "source"
    where = {"namespace": CONFLUENT, "name": "orders"}
    topic = estate.read("/lineage/datasets/detail", **where)["facets"]
    assert topic["confluent_kafka"]["partitions"] == 6
    assert topic["schema"]["fields"][0]["description"] == "Its number."


def test_4_a_flink_job_is_in_the_namespace_of_its_topics(estate: Api) -> None:
    event = event_of(estate, "enrich-orders")
    assert event["job"]["namespace"] == event["inputs"][0]["namespace"] == CONFLUENT


def test_5_nodes_and_edges_that_are_added_stay(bridge: Api) -> None:
    graph = bridge.client.post("/api/v1/graphs").json()["graph_id"]
    node = {
        "node_id": f"confluent:kafka_topic:{ENVIRONMENT}:{CLUSTER}/orders",
        "system": "confluent",
        "node_type": "kafka_topic",
        "qualified_name": f"{CLUSTER}/orders",
        "display_name": "orders",
    }
    assert bridge.post(node, f"/api/v1/graphs/{graph}/nodes").status_code == 201
    assert bridge.read(f"/graphs/{graph}/nodes")["total"] == 1
    bridge.post(job("load", "CONNECTOR", [], [dataset("orders")]), EVENTS)
    assert bridge.read(f"/graphs/{graph}/edges")["total"] == 1


def test_6_an_extraction_is_lineage_without_a_view(bridge: Api) -> None:
    extracted(bridge)
    where = {"namespace": CONFLUENT, "name": "lineage_bridge.orders_v2"}
    before = bridge.read("/lineage/datasets/lineage", **where)
    assert before["jobs_visited"] == 1
    count = bridge.event_count()
    for view in ("confluent", "enriched"):
        bridge.read(f"/graphs/{view}/view")
    assert bridge.event_count() == count
    assert bridge.read("/lineage/datasets/lineage", **where) == before


def test_7_the_newest_event_of_a_job_counts(bridge: Api) -> None:
    for number, topic in enumerate(("old", "new")):
        event = job("load", "CONNECTOR", [dataset("in")], [dataset(topic)], at=10**15 + number)
        bridge.post(event, EVENTS)
    detail = bridge.read("/lineage/jobs/detail", namespace=CONFLUENT, name="load")
    assert [each["name"] for each in detail["latest_outputs"]] == ["new"]
    lineage = bridge.read("/lineage/datasets/lineage", namespace=CONFLUENT, name="new")
    assert [each["name"] for each in lineage["events"][0]["outputs"]] == ["new"]


@pytest.mark.parametrize(
    "event",
    [
        run_event("OTHER"),
        run_event(None),
        {"eventTime": "2024-05-01T10:00:00Z", "dataset": dataset("orders"), "producer": "test:a"},
        {"eventTime": "2024-05-01T10:00:00Z", "job": {"namespace": "a", "name": "b"}},
        run_event("COMPLETE", run="any id"),
    ],
)
def test_8_events_of_every_kind_are_accepted_one_by_one(bridge: Api, event: Json) -> None:
    assert bridge.post(event, EVENTS).status_code == 201
    assert bridge.post(event).status_code == 201
    assert len(bridge.read("/lineage/events")) == 1


def test_8_nothing_is_dropped_or_filled_with_nulls(bridge: Api) -> None:
    fields = [{"name": "a", "type": "struct", "fields": [{"name": "b", "type": "int"}]}]
    event = job("load", "CONNECTOR", [], [dataset("t", schema={"fields": fields}, own={"x": 1})])
    bridge.post(event, EVENTS)
    assert bridge.read("/lineage/events") == [event]
    assert b"null" not in with_lists(b'{"job":{},"inputs":null}')


def test_9_topics_are_listed_whatever_they_are_called(bridge: Api) -> None:
    names = ["_private", "confluent-audit-log-events", "orders"]
    bridge.post(job("load", "CONNECTOR", [], [dataset(name) for name in names]), EVENTS)
    assert sorted(each["name"] for each in bridge.read("/lineage/datasets")) == sorted(names)


def test_10_lineage_is_walked_and_not_searched(bridge: Api) -> None:
    """A chain of fifty jobs among others is found whole, and no more events are read for it."""
    chain = [
        job(f"step-{n}", "CONNECTOR", [dataset(f"t-{n}")], [dataset(f"t-{n + 1}")])
        for n in range(60)
    ]
    others = [job(f"other-{n}", "CONNECTOR", [], [dataset(f"o-{n}")]) for n in range(500)]
    bridge.post(chain + others, EVENTS)
    where = {"namespace": CONFLUENT, "name": "t-60", "depth": 50}
    found = bridge.read("/lineage/datasets/lineage", **where)
    assert (found["datasets_visited"], found["jobs_visited"]) == (51, 50)
    assert found["not_followed"] == 1
