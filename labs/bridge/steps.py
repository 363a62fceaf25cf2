"""The steps of the lab: extract, graph, lineage, an event of another system, export."""

import json
from collections.abc import Callable

from headwater.demo.confluent.example import WORKSPACE, crawler_event
from labs.bridge.stage import BridgeStage, Json
from labs.checks import check

LB = "confluent://env-26wn6m/lkc-mjnq51"
SHOP = "confluent://env-abc/lkc-123"
ORDERS = {"namespace": LB, "name": "lineage_bridge.orders_v2"}
UNITY = "lb_uc_75083e95.lkc-mjnq51.lineage_bridge_enriched_orders"
_DATASET_LINEAGE = "/lineage/datasets/lineage"


def extract(stage: BridgeStage) -> None:
    task = stage.call("POST", "/tasks/extract")
    ended = stage.wait_for_task(task["task_id"])
    check(ended["status"] == "completed", "the extraction is completed", ended["error"])
    stage.graph = ended["result"]["graph_id"]
    counts = f"{ended['result']['node_count']} nodes, {ended['result']['edge_count']} edges"
    check(ended["result"]["edge_count"] > 0, f"its graph has {counts}")
    check(stage.cloud.refused == [], "no request was one that Confluent Cloud refuses")


def look_at_the_graph(stage: BridgeStage) -> None:
    found = stage.call("GET", f"/graphs/{stage.graph}/nodes", params={"type": "connector"})
    for node in found["nodes"]:
        print(f"     {node['node_id']}")
    check(found["total"] == 3, "it has the three connectors", found["total"])
    short = "confluent:kafka_topic:env-26wn6m:lineage_bridge.orders_v2"
    path = f"/graphs/{stage.graph}/query/upstream/{short}"
    upstream = stage.call("GET", path, params={"hops": 3})
    counts = f"{upstream['node_count']} nodes and {upstream['edge_count']} edges"
    check(upstream["node_count"] > 0, f"upstream of a topic, by its short id, are {counts}")


def ask_for_lineage(stage: BridgeStage) -> None:
    found = stage.call("GET", _DATASET_LINEAGE, params={**ORDERS, "direction": "upstream"})
    _show(found)
    visited = (found["datasets_visited"], found["jobs_visited"])
    check(visited == (2, 1), "upstream of orders_v2 are 2 datasets and 1 job", visited)
    table = {"namespace": f"databricks://{WORKSPACE}", "name": UNITY}
    found = stage.call(
        "GET", _DATASET_LINEAGE, params={**table, "direction": "upstream", "depth": 10}
    )
    _show(found)
    jobs = {event["job"]["name"] for event in found["events"]}
    expected = {"enrich-orders", "lb-uc-75083e95-datagen-orders"}
    check(expected <= jobs, "from Unity Catalog back through Tableflow and Flink", jobs)


def import_an_event(stage: BridgeStage) -> None:
    answer = stage.call("POST", "/lineage/events", json=[crawler_event()])
    check(answer["events_stored"] == 1, "the event of a Glue crawler is taken in")
    start = {"namespace": "postgres://db.example.com:5432", "name": "orders.public.orders"}
    found = stage.call(
        "GET", _DATASET_LINEAGE, params={**start, "direction": "downstream", "depth": 10}
    )
    _show(found)
    jobs = {event["job"]["name"] for event in found["events"]}
    check("crawl-sales" in jobs, "from PostgreSQL through ksqlDB and Delta to Glue", jobs)


def export(stage: BridgeStage) -> None:
    events = stage.call("GET", "/lineage/events")
    file = stage.folder / "confluent-lineage.json"
    file.write_text(json.dumps(events, indent=2))
    check(len(events) > 0, f"{len(events)} events are exported, {file.stat().st_size:,} bytes")
    view = stage.call("GET", "/graphs/confluent/view")
    check(len(view["events"]) > 0, f"the view of Confluent has {len(view['events'])} events")


def _show(lineage: Json) -> None:
    for event in lineage["events"]:
        inputs = ", ".join(each["name"] for each in event["inputs"])
        outputs = ", ".join(each["name"] for each in event["outputs"])
        print(f"     {inputs or '-'} -> [{event['job']['name']}] -> {outputs or '-'}", flush=True)


STEPS: tuple[tuple[str, Callable[[BridgeStage], None]], ...] = (
    ("Extract the account", extract),
    ("Its graph", look_at_the_graph),
    ("Lineage of datasets", ask_for_lineage),
    ("An event of another system", import_an_event),
    ("Export", export),
)
