"""`/lineage/datasets` and `/lineage/jobs`: details by every name, lineage both ways, views."""

from typing import Any

import pytest
import yaml

from headwater import __version__
from testing.api import Api
from testing.events.confluent import (
    BOOTSTRAP,
    CLUSTER,
    CONFLUENT,
    GLUE,
    POSTGRES,
    UC_TABLE,
    WORKSPACE,
    dataset,
    job,
)

Json = dict[str, Any]
EVENTS = "/api/v1/lineage/events"


def lineage(api: Api, namespace: str, name: str, **parameters: Any) -> Json:
    where = {"namespace": namespace, "name": name, **parameters}
    found: Json = api.read("/lineage/datasets/lineage", **where)
    return found


def jobs_of(found: Json) -> list[str]:
    return [event["job"]["name"] for event in found["events"]]


def test_upstream_of_a_topic(estate: Api) -> None:
    found = lineage(estate, CONFLUENT, "lineage_bridge.orders_v2", direction="upstream", depth=3)
    assert found["origin"] == {"namespace": CONFLUENT, "name": "lineage_bridge.orders_v2"}
    assert (found["direction"], found["depth"]) == ("upstream", 3)
    assert (found["datasets_visited"], found["jobs_visited"]) == (2, 1)
    (event,) = found["events"]
    assert event["job"]["name"] == "lb-uc-75083e95-datagen-orders"
    assert [each["name"] for each in event["inputs"]] == ["DatagenSource"]
    assert found["not_followed"] == 0


def test_downstream_of_a_table(estate: Api) -> None:
    found = lineage(estate, WORKSPACE, UC_TABLE, direction="downstream")
    assert jobs_of(found) == ["daily-orders"]
    assert found["events"][0]["outputs"][0]["name"] == "main.sales.daily_orders"


def test_the_whole_way_from_postgresql_to_glue(estate: Api) -> None:
    found = lineage(estate, GLUE, "orders", depth=50)
    assert jobs_of(found) == ["glue-crawler", "delta-sink", "CSAS_ENRICHED_1", "postgres-orders"]
    assert found["datasets_visited"] == 5
    shallow = lineage(estate, GLUE, "orders", depth=2)
    assert jobs_of(shallow) == ["glue-crawler", "delta-sink"]
    assert shallow["not_followed"] == 1


def test_both_directions(estate: Api) -> None:
    found = lineage(estate, CONFLUENT, "enriched", direction="both", depth=1)
    assert sorted(jobs_of(found)) == ["CSAS_ENRICHED_1", "app", "delta-sink"]


def test_every_name_of_a_topic_finds_its_lineage(estate: Api) -> None:
    found = lineage(estate, BOOTSTRAP, "lineage_bridge.orders_v2")
    assert jobs_of(found) == ["lb-uc-75083e95-datagen-orders"]
    assert found["origin"]["namespace"] == BOOTSTRAP


def test_the_documented_name_of_a_table_is_accepted_and_shown(estate: Api) -> None:
    found = lineage(estate, "jdbc://db.example.com:5432", "orders", direction="downstream")
    assert jobs_of(found)[0] == "postgres-orders"
    jdbc = {"namespace": "jdbc://db.example.com:5432", "name": "orders"}
    detail = estate.read("/lineage/datasets/detail", **jdbc)
    assert (detail["namespace"], detail["name"]) == (POSTGRES, "shop.public.orders")
    assert jdbc in detail["aliases"]


def test_a_documented_name_of_two_tables_is_a_conflict(estate: Api) -> None:
    estate.post(job("other", "CONNECTOR", [dataset("shop.eu.orders", POSTGRES)], []), EVENTS)
    answer = estate.get(
        "/lineage/datasets/detail", namespace="jdbc://db.example.com:5432", name="orders"
    )
    assert answer.status_code == 409
    assert "shop.eu.orders" in answer.json()["detail"]


def test_an_unknown_dataset_and_one_without_lineage(estate: Api) -> None:
    unknown = estate.get("/lineage/datasets/lineage", namespace=CONFLUENT, name="nothing")
    assert unknown.status_code == 404
    assert f"{CONFLUENT}/nothing" in unknown.json()["detail"]
    alone = lineage(estate, CONFLUENT, "DatagenSource", direction="upstream")
    assert alone["events"] == []
    assert (alone["datasets_visited"], alone["jobs_visited"]) == (1, 0)


@pytest.mark.parametrize(
    "parameters", [{"depth": 0}, {"depth": 51}, {"depth": "deep"}, {"direction": "sideways"}]
)
def test_wrong_parameters_are_refused(estate: Api, parameters: Json) -> None:
    where = {"namespace": CONFLUENT, "name": "orders", **parameters}
    answer = estate.get("/lineage/datasets/lineage", **where)
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_names_are_needed(bridge: Api) -> None:
    for path in ("datasets/detail", "datasets/lineage", "jobs/detail"):
        assert bridge.get(f"/lineage/{path}", namespace="a").status_code == 422
        assert bridge.get(f"/lineage/{path}", namespace="a", name="").status_code == 422
        assert bridge.get(f"/lineage/{path}", namespace="a", name="b").status_code == 404


def test_details_have_facets(estate: Api) -> None:
    topic = estate.read(
        "/lineage/datasets/detail", namespace=CONFLUENT, name="lineage_bridge.orders_v2"
    )
    assert topic["facets"]["confluent_kafka"]["partitions"] == 6
    assert topic["facets"]["schema"]["fields"][0]["description"] == "Its number."
    assert {"namespace": BOOTSTRAP, "name": "lineage_bridge.orders_v2"} in topic["aliases"]
    found = estate.read("/lineage/jobs/detail", namespace=CONFLUENT, name="CSAS_ENRICHED_1")
    assert found["job"]["facets"]["sql"]["query"] == "CREATE STREAM ..."
    assert [each["name"] for each in found["latest_inputs"]] == ["orders"]
    assert [each["name"] for each in found["latest_outputs"]] == ["enriched"]


def test_a_run_in_several_events_is_shown_whole(bridge: Api) -> None:
    """The newest event has only the outputs; what the run read is added to it."""
    event = job("load", "CONNECTOR", [dataset("a")], [], at=1_000_000)
    end = job("load", "CONNECTOR", [], [dataset("b")], at=2_000_000) | {"run": event["run"]}
    bare = job("load", "CONNECTOR", [], [], at=3_000_000) | {"run": event["run"]}
    bridge.post([event | {"eventType": "START"}, end, bare], EVENTS)
    found = lineage(bridge, CONFLUENT, "b")
    assert found["events"][0]["eventTime"] == end["eventTime"]
    assert found["events"][0]["inputs"] == [dataset("a")]
    assert found["events"][0]["outputs"] == [dataset("b")]


def test_gaps_of_jobs_are_reported(bridge: Api) -> None:
    event = job("load", "CONNECTOR", [dataset("a")], [dataset("b")])
    gap = {"kind": "input", "name": "a sub-query", "count": 2}
    event["run"]["facets"] = {"headwater_gaps": {"gaps": [gap]}}
    bridge.post(event, EVENTS)
    (found,) = lineage(bridge, CONFLUENT, "b")["gaps"]
    assert found["job"]["name"] == "load"
    assert found["gaps"][0]["name"] == "a sub-query"


def test_views_by_system(estate: Api) -> None:
    confluent = estate.read("/graphs/confluent/view")
    assert confluent["view"] == "confluent" and confluent["systems"] is None
    names = {event["job"]["name"] for event in confluent["events"]}
    assert "postgres-orders" in names and "daily-orders" not in names
    every = estate.read("/graphs/enriched/view")
    assert every["view"] == "enriched" and every["systems"] is None
    assert {event["job"]["name"] for event in every["events"]} > names
    both = estate.read("/graphs/enriched/view", systems="confluent, databricks")
    assert both["systems"] == ["confluent", "databricks"]
    found = {event["job"]["name"] for event in both["events"]}
    assert found == names | {"daily-orders"}
    assert estate.read("/graphs/enriched/view", systems="external")["events"] == []
    assert estate.read("/graphs/enriched/view", systems="nothing")["events"] == []


def test_a_tableflow_table_is_where_its_cluster_is(estate: Api) -> None:
    found = lineage(estate, CONFLUENT, f"{CLUSTER}.lineage_bridge.orders_v2", depth=1)
    assert jobs_of(found) == ["tableflow/lineage_bridge.orders_v2"]


def test_what_is_known_without_a_store(bridge: Api) -> None:
    assert bridge.read("/health") == {"status": "ok"}
    assert bridge.read("/version") == {"version": __version__, "name": "headwater"}
    assert [each["catalog_type"] for each in bridge.read("/catalogs")] == [
        "UNITY_CATALOG",
        "AWS_GLUE",
        "GOOGLE_DATA_LINEAGE",
        "AWS_DATAZONE",
    ]
    providers = ["databricks_uc", "aws_glue", "google", "datazone"]
    assert bridge.read("/push/providers") == {"providers": providers}
    answer = bridge.get("/openapi.yaml")
    assert answer.headers["content-type"].startswith("text/yaml")
    assert "/api/v1/lineage/datasets/lineage" in yaml.safe_load(answer.text)["paths"]
