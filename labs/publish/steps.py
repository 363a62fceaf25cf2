"""The steps of the lab: publish, publish again, change one thing, read back."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from headwater.demo.confluent.example import crawler_event
from headwater.model.values.instant import format_instant, now
from labs.bridge.steps import LB, extract
from labs.checks import check
from labs.publish.stage import GLUE_DATABASE, GLUE_TABLE, UNITY_TABLES, PublishStage

Json = dict[str, Any]
PROVIDERS = ("databricks_uc", "aws_glue", "google", "datazone")
_REFUNDS = {"namespace": "postgres://db.example.com:5432", "name": "orders.public.refunds"}
_DAILY = "main.gold.daily_orders"


def read_the_account(stage: PublishStage) -> None:
    extract(stage)
    stage.call("POST", "/lineage/events", json=[crawler_event()])


def publish(stage: PublishStage) -> None:
    lines = stage.dry_run()
    _show(lines)
    check("create" in lines[-1], "a dry run says what would be created", lines[-1:])
    check(stage.databricks.writes == [], "and sends nothing")
    results = _push_all(stage)
    check(results["databricks_uc"]["lineage_relationships_created"] > 0, "Unity Catalog has links")
    ends = {target for _, target in stage.databricks.links}
    check(f"table:{UNITY_TABLES[1]}" in ends, f"one of them goes to the table {UNITY_TABLES[1]}")
    table = stage.glue.get_table(DatabaseName=GLUE_DATABASE, Name=GLUE_TABLE)["Table"]
    check("headwater.jobs" in table["Parameters"], "Glue's table has parameters", table)
    check(table["Description"].startswith("Lineage: "), "and a description", table)
    check(len(stage.google.events) > 0, f"Google has {len(stage.google.events)} events")
    check(len(stage.datazone.events) > 0, f"DataZone has {len(stage.datazone.events)} events")


def publish_again(stage: PublishStage) -> None:
    before = stage.count_writes()
    _push_all(stage)
    check(stage.count_writes() == before, "no catalog was sent anything", stage.count_writes())


def change_one_thing(stage: PublishStage) -> None:
    """A job adds refunds to a topic: an object of each, two links, an event."""
    stage.call("POST", "/lineage/events", json=[_refund_event()])
    lines = stage.dry_run()
    _show(lines)
    created = [line for line in lines if line.startswith("create ")]
    check(len(created) == 4, "the dry run has two objects and two links", created)
    before = stage.count_writes()
    _push_all(stage)
    sent = {name: count - before[name] for name, count in stage.count_writes().items()}
    check(sent["databricks_uc"] == 4, "Unity Catalog was sent these", sent)
    check(sent["aws_glue"] == 0, "Glue's table comes from elsewhere, and was not written", sent)
    # Google's process is marked as ours, once.
    check(sent["google"] == 2, "Google was sent one event, and a mark for its process", sent)
    check(sent["datazone"] == 1, "DataZone was sent one event", sent)


def read_back(stage: PublishStage) -> None:
    stage.databricks.add_table(_DAILY, "Orders a day", {"total": "double"}, owner="ada")
    stage.databricks.add_lineage(UNITY_TABLES[1], _DAILY, notebookInfos=[{"notebook_id": 1001}])
    started = stage.call("POST", "/tasks/enrich", params={"graph_id": stage.graph})
    ended = stage.wait_for_task(started["task_id"])
    check(ended["status"] == "completed", "the enrichment is completed", ended["error"])
    check("problems" not in ended["result"], "all was read", ended["result"])
    short = "confluent:kafka_topic:env-26wn6m:lineage_bridge.orders_v2"
    path = f"/graphs/{stage.graph}/query/downstream/{short}"
    names = {
        node["qualified_name"] for node in stage.call("GET", path, params={"hops": 10})["nodes"]
    }
    check({"notebook/1001", _DAILY} <= names, "a notebook is downstream of the topic", names)


def publish_what_came_back(stage: PublishStage) -> None:
    before = stage.count_writes()["databricks_uc"]
    stage.call("POST", "/push/databricks_uc")
    sent = stage.count_writes()["databricks_uc"] - before
    check(sent == 0, "Unity Catalog is not told what it told", sent)


def _push_all(stage: PublishStage) -> dict[str, Json]:
    results = {}
    for provider in PROVIDERS:
        results[provider] = result = stage.call("POST", f"/push/{provider}")
        counts = {key: count for key, count in result.items() if isinstance(count, int) and count}
        print(f"     {counts or 'nothing to do'}", flush=True)
        check(result["errors"] == [], "without errors", result["errors"])
    return results


def _refund_event() -> Json:
    topic = {"namespace": LB, "name": "lineage_bridge.orders_v2"}
    return {
        "eventTime": format_instant(now()),
        "eventType": "COMPLETE",
        "producer": "https://headwater.example/lab",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid4()), "facets": {}},
        "job": {"namespace": "shop", "name": "add-refunds", "facets": {}},
        "inputs": [_REFUNDS],
        "outputs": [topic],
    }


def _show(lines: list[str]) -> None:
    for line in lines[-8:]:
        print(f"     {line}", flush=True)


STEPS: tuple[tuple[str, Callable[[PublishStage], None]], ...] = (
    ("Extract the account", read_the_account),
    ("Publish to four catalogs", publish),
    ("Publish again", publish_again),
    ("Change one thing", change_one_thing),
    ("Read the catalog back", read_back),
    ("Publish what came back", publish_what_came_back),
)
