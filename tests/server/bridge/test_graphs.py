"""Graphs: made, imported, changed, walked and removed; the lineage of the store is the same."""

from typing import Any

import pytest

from testing.api import Api, escape
from testing.events.confluent import CLUSTER, CONFLUENT, ENVIRONMENT, UC_TABLE, WORKSPACE
from tests.server.bridge.conftest import extracted

Json = dict[str, Any]
OTHER_CLUSTER = "lkc-2"
_JOBS = "/lineage/jobs"


def node(name: str, node_type: str = "kafka_topic", cluster: str = CLUSTER, **rest: Any) -> Json:
    return {
        "node_id": f"confluent:{node_type}:{ENVIRONMENT}:{cluster}/{name}",
        "system": "confluent",
        "node_type": node_type,
        "qualified_name": f"{cluster}/{name}",
        "display_name": name,
        "environment_id": ENVIRONMENT,
        "environment_name": "production",
        "cluster_id": cluster,
        "cluster_name": "main",
        "catalog_type": None,
        "attributes": {},
        "tags": [],
        "url": None,
        "first_seen": "2026-04-01T00:00:00Z",
        "last_seen": "2026-04-30T00:00:00Z",
        **rest,
    }


def edge(source: Json, target: Json, edge_type: str, **rest: Any) -> Json:
    return {
        "src_id": source["node_id"],
        "dst_id": target["node_id"],
        "edge_type": edge_type,
        "confidence": 1.0,
        "attributes": {},
        "first_seen": None,
        "last_seen": None,
        **rest,
    }


TABLE = {
    **node("orders", "external_dataset"),
    "node_id": "external:external_dataset:postgres://db:5432:shop.public.orders",
    "system": "external",
    "qualified_name": "shop.public.orders",
    "cluster_id": None,
    "environment_id": None,
}
SOURCE = node(
    "pg-source",
    "connector",
    attributes={"connector_class": "PostgresCdcSource", "connector_type": "source"},
)
ORDERS = node("orders", attributes={"partitions": 6, "replication_factor": 3}, tags=["pii"])
SCHEMA = {
    **node("orders-value", "schema"),
    "node_id": f"confluent:schema:{ENVIRONMENT}:orders-value",
    "qualified_name": "orders-value",
    "attributes": {"version": 3, "fields": [{"name": "id", "type": "string", "doc": "Its id."}]},
}
QUERY = node("CSAS_1", "ksqldb_query", attributes={"sql": "CREATE STREAM big AS SELECT 1;"})
BIG = node("big")
TABLEFLOW = {
    **node("big", "tableflow_table"),
    "node_id": f"confluent:tableflow_table:{ENVIRONMENT}:{CLUSTER}.big",
    "qualified_name": f"{CLUSTER}.big",
}
UC = {
    **node(UC_TABLE, "catalog_table"),
    "node_id": f"databricks:uc_table:{ENVIRONMENT}:{UC_TABLE}",
    "system": "databricks",
    "catalog_type": "UNITY_CATALOG",
    "qualified_name": UC_TABLE,
    "attributes": {"workspace_url": WORKSPACE.removeprefix("databricks://")},
}
GROUP = node("app", "consumer_group")
MEMBER = node("app/c-1", "consumer_group")
NODES = [TABLE, SOURCE, ORDERS, SCHEMA, QUERY, BIG, TABLEFLOW, UC, GROUP, MEMBER]
EDGES = [
    edge(TABLE, SOURCE, "consumes"),
    edge(SOURCE, ORDERS, "produces"),
    edge(ORDERS, SCHEMA, "has_schema"),
    edge(ORDERS, QUERY, "transforms", confidence=0.9, attributes={"via": "regex"}),
    edge(QUERY, BIG, "transforms"),
    edge(BIG, TABLEFLOW, "materializes"),
    edge(TABLEFLOW, UC, "materializes"),
    edge(BIG, GROUP, "consumes"),
    edge(MEMBER, GROUP, "member_of"),
]
CONTENT = {"nodes": NODES, "edges": EDGES}


def by_id(nodes: list[Json]) -> dict[str, Json]:
    return {each["node_id"]: each for each in nodes}


def by_ends(edges: list[Json]) -> dict[tuple[str, ...], Json]:
    return {(each["src_id"], each["dst_id"], each["edge_type"]): each for each in edges}


def create(api: Api) -> str:
    answer = api.client.post("/api/v1/graphs")
    assert answer.status_code == 201
    return str(answer.json()["graph_id"])


def send(api: Api, path: str, body: Any, status: int) -> Json:
    answer = api.post(body, f"/api/v1{path}")
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


def imported(api: Api, content: Json = CONTENT) -> str:
    graph = create(api)
    counts = send(api, f"/graphs/{graph}/import", content, 200)
    assert counts == {
        "graph_id": graph,
        "nodes_imported": len(content["nodes"]),
        "edges_imported": len(content["edges"]),
    }
    return graph


def test_a_graph_comes_back_as_it_was_imported(bridge: Api) -> None:
    exported = bridge.read(f"/graphs/{imported(bridge)}/export")
    assert by_id(exported["nodes"]) == by_id(NODES)
    assert by_ends(exported["edges"]) == by_ends(EDGES)
    again = bridge.read(f"/graphs/{imported(bridge, exported)}/export")
    assert by_id(again["nodes"]) == by_id(NODES)
    assert by_ends(again["edges"]) == by_ends(EDGES)


def test_an_import_is_lineage(bridge: Api) -> None:
    imported(bridge)
    where = {"namespace": WORKSPACE, "name": UC_TABLE, "depth": 10}
    found = bridge.read("/lineage/datasets/lineage", **where)
    assert found["datasets_visited"] == 5
    assert found["jobs_visited"] == 4
    topic = bridge.read("/lineage/datasets/detail", namespace=CONFLUENT, name="orders")
    assert topic["facets"]["confluent_kafka"]["partitions"] == 6
    assert topic["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "string", "description": "Its id."}
    ]
    assert topic["facets"]["tags"]["tags"][0]["key"] == "pii"
    query = bridge.read("/lineage/jobs/detail", namespace=CONFLUENT, name="CSAS_1")
    assert query["job"]["facets"]["sql"]["query"] == "CREATE STREAM big AS SELECT 1;"
    assert all("edit" not in event for event in bridge.read("/lineage/events"))


def test_a_graph_tells_its_size_and_what_is_wrong(bridge: Api) -> None:
    graph = imported(bridge)
    send(bridge, f"/graphs/{graph}/nodes", node("alone"), 201)
    found = bridge.read(f"/graphs/{graph}")
    assert found["stats"] == {
        "node_count": 11,
        "edge_count": 9,
        "pipeline_count": 2,
        "validation_warnings": [f"Orphan node: {node('alone')['node_id']}"],
    }
    (summary,) = bridge.read("/graphs")
    assert summary["node_count"] == 11
    assert summary["last_modified"] == found["last_modified"] > found["created_at"]


def test_removing_a_graph_keeps_its_events(bridge: Api) -> None:
    graph = imported(bridge)
    count = bridge.event_count()
    answer = bridge.client.delete(f"/api/v1/graphs/{graph}")
    assert answer.json() == {"status": "deleted", "graph_id": graph}
    assert bridge.client.delete(f"/api/v1/graphs/{graph}").status_code == 404
    assert bridge.get(f"/graphs/{graph}").status_code == 404
    assert bridge.event_count() == count
    assert bridge.read("/lineage/datasets/lineage", namespace=CONFLUENT, name="big")["events"]


def test_nodes_are_filtered(bridge: Api) -> None:
    graph = imported(bridge)

    def count(**parameters: str) -> int:
        found = bridge.read(f"/graphs/{graph}/nodes", **parameters)
        assert found["total"] == len(found["nodes"])
        return int(found["total"])

    assert count() == 10
    assert count(type="kafka_topic") == 2
    assert count(system="databricks") == 1
    assert count(env_id=ENVIRONMENT) == 9
    assert count(search="ORDERS") == 4
    assert count(type="connector", search="pg") == 1
    assert count(type="nothing") == 0


def test_a_node_is_found_by_its_id_encoded_or_not_and_by_its_short_form(bridge: Api) -> None:
    graph = imported(bridge)
    for id in (ORDERS["node_id"], escape(ORDERS["node_id"])):
        assert bridge.read(f"/graphs/{graph}/nodes/{id}") == ORDERS
    short = f"confluent:kafka_topic:{ENVIRONMENT}:orders"
    assert bridge.read(f"/graphs/{graph}/nodes/{short}") == ORDERS
    send(bridge, f"/graphs/{graph}/nodes", node("orders", cluster=OTHER_CLUSTER), 201)
    answer = bridge.get(f"/graphs/{graph}/nodes/{short}")
    assert answer.status_code == 400
    assert OTHER_CLUSTER in answer.json()["detail"]
    for wrong in ("nothing", "a:b:c:d", escape("confluent:kafka_topic:env:a/b"), "%00", "%ff"):
        assert bridge.get(f"/graphs/{graph}/nodes/{wrong}").status_code == 404


def test_a_node_is_merged_with_what_is_there(bridge: Api) -> None:
    graph = imported(bridge)
    newer = node("orders", attributes={"partitions": 12}, tags=["gold"], first_seen=None, url="u")
    newer |= {"cluster_name": None, "first_seen": "2026-05-05T00:00:00Z"}
    answer = send(bridge, f"/graphs/{graph}/nodes", newer, 201)
    assert answer == {"status": "created", "node_id": ORDERS["node_id"]}
    found = bridge.read(f"/graphs/{graph}/nodes/{ORDERS['node_id']}")
    assert found["attributes"] == {"partitions": 12, "replication_factor": 3}
    assert found["tags"] == ["pii", "gold"]
    assert (found["url"], found["cluster_name"]) == ("u", "main")
    assert found["first_seen"] == ORDERS["first_seen"]
    # Its edges, and its schema, are still there.
    assert bridge.read(f"/graphs/{graph}/edges")["total"] == len(EDGES)
    topic = bridge.read("/lineage/datasets/detail", namespace=CONFLUENT, name="orders")
    assert topic["facets"]["schema"]["fields"][0]["name"] == "id"


def test_edges_one_by_one(bridge: Api) -> None:
    graph = create(bridge)
    for each in NODES:
        send(bridge, f"/graphs/{graph}/nodes", each, 201)
    for each in EDGES:
        answer = send(bridge, f"/graphs/{graph}/edges", each, 201)
        assert answer == {"status": "created", "edge": f"{each['src_id']} -> {each['dst_id']}"}
    found = bridge.read(f"/graphs/{graph}/edges")
    assert found["total"] == len(EDGES)
    assert by_ends(found["edges"]) == by_ends(EDGES)
    lineage = bridge.read("/lineage/datasets/lineage", namespace=CONFLUENT, name="big")
    assert lineage["jobs_visited"] == 2


def test_walks(bridge: Api) -> None:
    graph = imported(bridge)

    def walk(way: str, id: str, **parameters: int) -> tuple[list[str], int]:
        path = f"/graphs/{graph}/query/{way}/{escape(id)}"
        found = bridge.read(path, **parameters)
        assert found["origin"] == id and found["direction"] == way
        assert found["node_count"] == len(found["nodes"])
        assert found["edge_count"] == len(found["edges"])
        return [each["display_name"] for each in found["nodes"]], found["edge_count"]

    assert walk("upstream", BIG["node_id"]) == (["CSAS_1", "orders", "pg-source"], 3)
    assert walk("upstream", BIG["node_id"], hops=50)[0][-1] == "orders"
    assert walk("upstream", BIG["node_id"], hops=1) == (["CSAS_1"], 1)
    assert walk("downstream", BIG["node_id"]) == (["app", "big", UC_TABLE], 3)
    for wrong in (0, 51, "far"):
        answer = bridge.get(f"/graphs/{graph}/query/upstream/{BIG['node_id']}", hops=wrong)
        assert answer.status_code == 422
    assert bridge.get(f"/graphs/{graph}/query/upstream/nothing").status_code == 404
    assert bridge.get(f"/graphs/none/query/upstream/{BIG['node_id']}").status_code == 404


def test_an_extraction_has_nodes_of_every_kind(estate: Api) -> None:
    (graph,) = estate.read("/graphs")
    found = estate.read(f"/graphs/{graph['graph_id']}")
    edges = {(each["src_id"], each["dst_id"]): each["edge_type"] for each in found["edges"]}

    def id_of(type: str, name: str) -> str:
        return f"confluent:{type}:{ENVIRONMENT}:{CLUSTER}/{name}"

    topic = id_of("kafka_topic", "lineage_bridge.orders_v2")
    uc = f"databricks:uc_table:{WORKSPACE.removeprefix('databricks://')}:{UC_TABLE}"
    table = "external:external_dataset:postgres://db.example.com:5432:shop.public.orders"
    schema = f"confluent:schema:{ENVIRONMENT}:lineage_bridge.orders_v2-value"
    generator = id_of("connector", "lb-uc-75083e95-datagen-orders")
    assert edges[generator, topic] == "produces"
    assert edges[topic, uc] == "materializes"
    assert edges[table, id_of("connector", "postgres-orders")] == "consumes"
    assert edges[topic, id_of("flink_job", "enrich-orders")] == "transforms"
    assert edges[topic, schema] == "has_schema"
    group, member = id_of("consumer_group", "app"), id_of("consumer_group", "app/c-1")
    assert edges[id_of("kafka_topic", "enriched"), group] == "consumes"
    assert edges[member, group] == "member_of"
    nodes = by_id(found["nodes"])
    assert nodes[topic]["attributes"]["partitions"] == 6
    assert nodes[topic]["tags"] == ["pii"]
    assert nodes[generator]["attributes"]["connector_class"] == "PostgresCdcSource"
    assert nodes[uc]["catalog_type"] == "UNITY_CATALOG"
    assert found["stats"]["validation_warnings"] == []


def test_an_import_of_an_export_doubles_no_job(cloud_bridge: Api) -> None:
    """Also those that are edges in a graph, such as Tableflow's, and members of groups."""
    assert extracted(cloud_bridge)["status"] == "completed"
    (first,) = cloud_bridge.read("/graphs")

    def names() -> list[tuple[str, str]]:
        return sorted((each["namespace"], each["name"]) for each in cloud_bridge.read(_JOBS))

    before = names()
    assert any("tableflow/" in name for _, name in before)
    content = cloud_bridge.read(f"/graphs/{first['graph_id']}/export")
    assert any(each["edge_type"] == "member_of" for each in content["edges"])
    graph = imported(cloud_bridge, content)
    assert names() == before
    again = cloud_bridge.read(f"/graphs/{graph}/export")
    assert by_id(again["nodes"]) == by_id(content["nodes"])
    assert by_ends(again["edges"]) == by_ends(content["edges"])


@pytest.mark.parametrize("job", [None, 7, {}, {"namespace": "a"}, {"namespace": "", "name": "\0"}])
def test_an_edge_that_names_no_job_is_one_by_itself(bridge: Api, job: Any) -> None:
    flow = edge(BIG, TABLEFLOW, "materializes", attributes={"job": job})
    graph = imported(bridge, {"nodes": [BIG, TABLEFLOW], "edges": [flow]})
    assert bridge.read(f"/graphs/{graph}/export")["edges"] == [flow]
    (found,) = bridge.read(_JOBS)
    assert found["name"].startswith("materializes:big->")


def test_views_are_no_graphs(bridge: Api) -> None:
    assert bridge.read("/graphs/confluent/view")["events"] == []
    assert bridge.get("/graphs/confluent").status_code == 404


def test_events_that_are_sent_join_the_newest_graph(estate: Api) -> None:
    graph = estate.read("/graphs")[0]["graph_id"]
    event = {
        "eventTime": "2026-06-01T00:00:00Z",
        "eventType": "COMPLETE",
        "run": {"runId": "external-run-1"},
        "job": {"namespace": "databricks://workspace-1", "name": "etl-pipeline"},
        "inputs": [{"namespace": CONFLUENT, "name": "orders"}],
        "outputs": [{"namespace": "databricks://workspace-1", "name": "main.sales.orders"}],
    }
    answer = estate.post([event], "/api/v1/lineage/events")
    assert answer.json()["graph_id"] == graph
    path = f"/graphs/{graph}/query/upstream/databricks:uc_table:workspace-1:main.sales.orders"
    names = [each["display_name"] for each in estate.read(path)["nodes"]]
    assert names == ["etl-pipeline", "orders", "postgres-orders"]
    assert extracted(estate)["status"] == "completed"
    assert len(estate.read("/graphs")) == 2


@pytest.mark.parametrize(
    ("content", "status", "where"),
    [
        ({"nodes": [ORDERS], "edges": [edge(ORDERS, BIG, "produces")]}, 400, "$.edges[0]"),
        ({"nodes": [{**ORDERS, "node_id": "orders"}], "edges": []}, 422, "$.nodes[0].node_id"),
        ({"nodes": [{**ORDERS, "node_type": "table"}], "edges": []}, 422, "$.nodes[0].node_type"),
        ({"nodes": [{**ORDERS, "color": "red"}], "edges": []}, 422, "$.nodes[0]"),
        ({"nodes": [ORDERS, ORDERS], "edges": [{**EDGES[0], "confidence": 2}]}, 422, "confidence"),
        ({"nodes": []}, 422, "$.edges"),
        ({"nodes": [{**ORDERS, "node_id": f"a:b:c:{'x' * 3_000}"}], "edges": []}, 422, "node_id"),
        ({"nodes": [{**ORDERS, "node_id": "a:b:c:d"}], "edges": []}, 422, "no node id"),
        ({"nodes": [node("or\0ders")], "edges": []}, 400, "NUL"),
        ([], 422, "$"),
    ],
)
def test_a_wrong_import_changes_nothing(bridge: Api, content: Any, status: int, where: str) -> None:
    graph = create(bridge)
    error = send(bridge, f"/graphs/{graph}/import", content, status)
    assert where in error["detail"]
    assert bridge.read(f"/graphs/{graph}/nodes")["total"] == 0
    assert bridge.read("/lineage/events") == []
    assert bridge.rejected() == []


def test_a_wrong_node_or_edge_changes_nothing(bridge: Api) -> None:
    graph = imported(bridge)
    send(bridge, f"/graphs/{graph}/nodes", {**ORDERS, "node_id": "x"}, 422)
    send(bridge, f"/graphs/{graph}/edges", edge(ORDERS, node("none"), "produces"), 400)
    send(bridge, "/graphs/none/nodes", ORDERS, 404)
    send(bridge, "/graphs/none/edges", EDGES[0], 404)
    send(bridge, "/graphs/none/import", CONTENT, 404)
    assert bridge.read(f"/graphs/{graph}/edges")["total"] == len(EDGES)


def test_nodes_from_elsewhere_are_kept_as_they_are(bridge: Api) -> None:
    """Ids of older exports leave out the cluster, or put more in."""
    short = {**node("orders"), "node_id": f"confluent:kafka_topic:{ENVIRONMENT}:orders"}
    glue = {
        **node("orders", "catalog_table"),
        "node_id": f"aws:glue_table:{ENVIRONMENT}:glue://shop/orders",
        "system": "aws",
        "catalog_type": "AWS_GLUE",
        "qualified_name": "glue://shop/orders",
        "attributes": {"region": "eu-west-1", "database": "shop"},
    }
    content = {"nodes": [short, glue], "edges": [edge(short, glue, "materializes")]}
    exported = bridge.read(f"/graphs/{imported(bridge, content)}/export")
    assert by_id(exported["nodes"]) == by_id(content["nodes"])
    assert by_ends(exported["edges"]) == by_ends(content["edges"])
    found = bridge.read(
        "/lineage/datasets/lineage", namespace="aws://eu-west-1/shop", name="orders"
    )
    assert found["events"][0]["inputs"] == [{"namespace": CONFLUENT, "name": "orders"}]


def test_a_group_reads_the_topics_it_is_a_member_of(bridge: Api) -> None:
    """LineageBridge draws what a consumer group reads from the group to the topic."""
    drawn = edge(GROUP, ORDERS, "member_of")
    graph = imported(bridge, {"nodes": [ORDERS, GROUP], "edges": [drawn]})
    found = bridge.read(
        "/lineage/datasets/lineage", namespace=CONFLUENT, name="orders", direction="downstream"
    )
    (event,) = found["events"]
    assert event["job"]["name"] == "app"
    assert event["inputs"] == [{"namespace": CONFLUENT, "name": "orders"}]
    path = f"/graphs/{graph}/query"
    assert bridge.read(f"{path}/upstream/{ORDERS['node_id']}")["nodes"] == []
    assert bridge.read(f"{path}/downstream/{ORDERS['node_id']}")["nodes"] == [GROUP]
    assert bridge.read(f"{path}/upstream/{GROUP['node_id']}")["edges"] == [drawn]


def test_two_ids_of_one_topic_are_one_node(bridge: Api) -> None:
    short = {**ORDERS, "node_id": f"confluent:kafka_topic:{ENVIRONMENT}:orders", "tags": ["new"]}
    content = {
        "nodes": [ORDERS, SOURCE, SCHEMA, short, QUERY],
        "edges": [
            edge(SOURCE, ORDERS, "produces"),
            edge(ORDERS, SCHEMA, "has_schema"),
            edge(short, QUERY, "transforms"),
        ],
    }
    graph = imported(bridge, content)
    nodes = by_id(bridge.read(f"/graphs/{graph}/nodes")["nodes"])
    assert set(nodes) == set(by_id([ORDERS, SOURCE, SCHEMA, QUERY]))
    assert set(nodes[ORDERS["node_id"]]["tags"]) == {"pii", "new"}
    found = by_ends(bridge.read(f"/graphs/{graph}/edges")["edges"])
    assert set(found) == set(by_ends([*content["edges"][:2], edge(ORDERS, QUERY, "transforms")]))


def test_an_edge_may_name_its_ends_by_short_ids(bridge: Api) -> None:
    graph = imported(bridge, {"nodes": [ORDERS, QUERY], "edges": []})
    short = {"node_id": f"confluent:kafka_topic:{ENVIRONMENT}:orders"}
    send(bridge, f"/graphs/{graph}/edges", edge(short, QUERY, "transforms"), 201)
    found = bridge.read(f"/graphs/{graph}/edges")["edges"]
    assert found == [edge(ORDERS, QUERY, "transforms")]


def test_tables_of_an_import_are_those_that_others_name(bridge: Api) -> None:
    big_query = {
        **node("orders", "catalog_table"),
        "node_id": f"google:google_table:{ENVIRONMENT}:acme.shop.orders",
        "system": "google",
        "catalog_type": "GOOGLE_DATA_LINEAGE",
        "qualified_name": "acme.shop.orders",
    }
    imported(bridge, {"nodes": [big_query, UC], "edges": []})
    host = WORKSPACE.removeprefix("databricks://https://")
    for named in (
        {"namespace": "google://acme/shop", "name": "orders"},
        {"namespace": "bigquery", "name": "acme.shop.orders"},
        {"namespace": f"databricks://{host}", "name": UC_TABLE},
        {"namespace": f"unitycatalog://{host}", "name": UC_TABLE},
    ):
        assert bridge.get("/lineage/datasets/detail", **named).status_code == 200, named


@pytest.mark.long
def test_a_hundred_thousand_nodes(bridge: Api) -> None:
    topics = [node(f"topic-{number}") for number in range(100_000)]
    graph = create(bridge)
    content = {"nodes": topics, "edges": []}
    path = f"/api/v1/graphs/{graph}/import"
    answer = bridge.client.post(path, json=content, timeout=600)
    assert answer.json()["nodes_imported"] == 100_000, answer.text
    assert bridge.read(f"/graphs/{graph}/nodes", search="topic-99999")["total"] == 1
    stats = bridge.read(f"/graphs/{graph}")["stats"]
    assert stats["node_count"] == stats["pipeline_count"] == 100_000
    assert len(stats["validation_warnings"]) == 1_001
