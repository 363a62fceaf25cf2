"""`/graphs`: lists of nodes and edges, by the events of an extraction, an import or a call."""

from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Request, Response

from headwater.answers.bridge.nodes import LineageEdge, LineageNode, NodeGraph, SystemType
from headwater.answers.bridge.walks import count_pipelines, find_dangling, find_warnings
from headwater.errors import InvalidRequest, NotFound, WrongShape
from headwater.model.values.instant import format_instant
from headwater.server.bridge.graph_store import GraphStore, StoredGraph
from headwater.server.bridge.shapes import (
    GraphAnswer,
    GraphContent,
    GraphCreated,
    GraphDeleted,
    GraphImported,
    GraphStats,
    GraphSummary,
)
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.event_lists.sets import EventSet

router = APIRouter(tags=["bridge"])

_ID = "9a52160e-cac8-43eb-aad8-155bda535639"
_AT = "2026-01-31T12:00:00.000000Z"
_ENVIRONMENT = "env-26wn6m"
NODE = LineageNode(
    node_id=f"confluent:kafka_topic:{_ENVIRONMENT}:lkc-mjnq51/orders",
    system="confluent",
    node_type="kafka_topic",
    qualified_name="lkc-mjnq51/orders",
    display_name="orders",
    environment_id=_ENVIRONMENT,
    cluster_id="lkc-mjnq51",
    attributes={"partitions": 6, "replication_factor": 3},
)
CONNECTOR = LineageNode(
    node_id=f"confluent:connector:{_ENVIRONMENT}:lkc-mjnq51/orders-source",
    system="confluent",
    node_type="connector",
    qualified_name="lkc-mjnq51/orders-source",
    display_name="orders-source",
    environment_id=_ENVIRONMENT,
    cluster_id="lkc-mjnq51",
    attributes={"connector_class": "PostgresCdcSource", "connector_type": "source"},
)
EDGE = LineageEdge(CONNECTOR.node_id, NODE.node_id, "produces")
_CONTENT = GraphContent([CONNECTOR, NODE], [EDGE])
_GRAPH = GraphAnswer(_ID, [CONNECTOR, NODE], [EDGE], GraphStats(2, 1, 1, []), _AT, _AT)


def graph_store(request: Request) -> GraphStore:
    found: GraphStore | None = getattr(request.app.state, "graphs", None)
    if found is None:
        # A store that is read without a server.
        raise NotFound("path", request.url.path)
    return found


Graphs = Annotated[GraphStore, Depends(graph_store)]


@router.get(
    "/graphs", responses=answers(list[GraphSummary], [GraphSummary(_ID, 2, 1, 1, _AT, _AT)])
)
def get_graphs(connection: ReadConnection, graphs: Graphs) -> Response:
    """List graphs, newest first."""
    return json_response([_summary(*stored) for stored in graphs.list(connection)])


@router.post(
    "/graphs", status_code=201, responses=answers(GraphCreated, GraphCreated(_ID), status=201)
)
def post_graph(graphs: Graphs) -> Response:
    """Create a graph without anything in it."""
    answer = json_response(GraphCreated(graphs.create().id))
    answer.status_code = 201
    return answer


@router.get("/graphs/{graph_id:name}", responses=answers(GraphAnswer, _GRAPH, 404))
def get_graph(graph_id: str, connection: ReadConnection, graphs: Graphs) -> Response:
    """Get a graph: its nodes and edges, how large it is and what is wrong with it."""
    return json_response(_answer(graphs.read(connection, graph_id)))


@router.delete(
    "/graphs/{graph_id:name}", responses=answers(GraphDeleted, GraphDeleted("deleted", _ID), 404)
)
def delete_graph(graph_id: str, graphs: Graphs) -> Response:
    """Remove the name of a graph; the events it names stay, and so does the lineage."""
    graphs.remove(graph_id)
    return json_response(GraphDeleted("deleted", graph_id))


@router.get("/graphs/{graph_id:name}/export", responses=answers(GraphContent, _CONTENT, 404))
def export_graph(graph_id: str, connection: ReadConnection, graphs: Graphs) -> Response:
    """Get the nodes and edges of a graph, as an import takes them."""
    graph = graphs.read(connection, graph_id).graph
    return json_response(GraphContent([*graph.nodes.values()], [*graph.edges.values()]))


@router.post(
    "/graphs/{graph_id:name}/import",
    responses=answers(GraphImported, GraphImported(_ID, 2, 1), 400, 404, 415, 422),
    openapi_extra=takes(GraphContent, _CONTENT),
)
def import_graph(
    graph_id: str,
    content: Annotated[GraphContent, Depends(json_body(GraphContent))],
    graphs: Graphs,
) -> Response:
    """Add nodes and edges to a graph, all or none; each becomes part of the lineage as an event."""

    def change(graph: NodeGraph) -> list[str]:
        for place, node in enumerate(content.nodes):
            check_node(node, f"$.nodes[{place}].node_id")
            graph.add_node(node)
        for place, end in find_dangling(graph, content.edges):
            raise InvalidRequest(f"$.edges[{place}]", f"'{end}' is no node of the graph")
        for edge in content.edges:
            graph.add_edge(edge)
        ends = (end for edge in content.edges for end in (edge.src_id, edge.dst_id))
        return [*(node.node_id for node in content.nodes), *ends]

    graphs.change(graph_id, change)
    imported = GraphImported(graph_id, len(content.nodes), len(content.edges))
    return json_response(imported)


def check_node(node: LineageNode, where: str) -> None:
    """Refuse a node whose id is none."""
    if node.id is None or node.id.system not in get_args(SystemType):
        raise WrongShape(
            where,
            f"'{node.node_id[:200]}' is no node id; it is SYSTEM:TYPE:ENVIRONMENT:NAME, and the "
            f"system one of {', '.join(get_args(SystemType))}",
        )


def _summary(set: EventSet, graph: NodeGraph) -> GraphSummary:
    return GraphSummary(
        set.id,
        len(graph.nodes),
        len(graph.edges),
        count_pipelines(graph),
        format_instant(set.created_at),
        format_instant(set.modified_at),
    )


def _answer(stored: StoredGraph) -> GraphAnswer:
    graph = stored.graph
    summary = _summary(*stored)
    return GraphAnswer(
        summary.graph_id,
        [*graph.nodes.values()],
        [*graph.edges.values()],
        GraphStats(
            summary.node_count, summary.edge_count, summary.pipeline_count, find_warnings(graph)
        ),
        summary.created_at,
        summary.last_modified,
    )
