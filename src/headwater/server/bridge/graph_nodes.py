"""Nodes and edges of a graph, one by one, and walks over them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from msgspec import structs

from headwater.answers.bridge.nodes import LineageEdge, LineageNode, NodeGraph
from headwater.answers.bridge.walks import Way, walk_nodes
from headwater.errors import InvalidRequest, NotFound
from headwater.server.bridge.graph_store import resolve_node
from headwater.server.bridge.graphs import CONNECTOR, EDGE, NODE, Graphs, check_node
from headwater.server.bridge.shapes import (
    EdgeCreated,
    EdgeList,
    NodeCreated,
    NodeLineage,
    NodeList,
)
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers

router = APIRouter(tags=["bridge"])

MOST_HOPS = 50
_LONGEST = 2_000
_LINEAGE = NodeLineage(NODE.node_id, "upstream", 3, [CONNECTOR], [EDGE], 1, 1)

Hops = Annotated[
    int, Query(ge=1, le=MOST_HOPS, description="How many edges to follow from the node.")
]
Only = Annotated[str | None, Query(max_length=_LONGEST, description="Only nodes with this value.")]


@router.get(
    "/graphs/{graph_id:name}/nodes", responses=answers(NodeList, NodeList([NODE], 1), 404, 422)
)
def get_graph_nodes(
    graph_id: str,
    connection: ReadConnection,
    graphs: Graphs,
    type: Only = None,
    system: Only = None,
    env_id: Only = None,
    search: Annotated[
        str | None, Query(max_length=_LONGEST, description="Part of a name, in any case.")
    ] = None,
) -> Response:
    """List nodes of a graph, all or those of a type, a system, an environment or a name."""
    every = graphs.read(connection, graph_id).graph.nodes.values()
    part = (search or "").lower()
    found = [
        node
        for node in every
        if type in (None, node.node_type)
        and system in (None, node.system)
        and env_id in (None, node.environment_id)
        and (part in node.display_name.lower() or part in node.qualified_name.lower())
    ]
    return json_response(NodeList(found, len(found)))


@router.post(
    "/graphs/{graph_id:name}/nodes",
    status_code=201,
    responses=answers(
        NodeCreated, NodeCreated("created", NODE.node_id), 400, 404, 415, 422, status=201
    ),
    openapi_extra=takes(LineageNode, NODE),
)
def post_graph_node(
    graph_id: str,
    node: Annotated[LineageNode, Depends(json_body(LineageNode))],
    graphs: Graphs,
) -> Response:
    """Add a node to a graph, or what is new of it; it becomes part of the lineage as an event."""
    check_node(node, "$.node_id")

    def change(graph: NodeGraph) -> list[str]:
        return [graph.add_node(node).node_id]

    graphs.change(graph_id, change)
    return _created(NodeCreated("created", node.node_id))


@router.get(
    "/graphs/{graph_id:name}/nodes/{node_id:rest}", responses=answers(LineageNode, NODE, 400, 404)
)
def get_graph_node(
    graph_id: str, node_id: str, connection: ReadConnection, graphs: Graphs
) -> Response:
    """Get a node by its id, or by a short form that means no other."""
    graph = graphs.read(connection, graph_id).graph
    return json_response(graph.nodes[resolve_node(graph, node_id)])


@router.get("/graphs/{graph_id:name}/edges", responses=answers(EdgeList, EdgeList([EDGE], 1), 404))
def get_graph_edges(graph_id: str, connection: ReadConnection, graphs: Graphs) -> Response:
    """List the edges of a graph."""
    edges = [*graphs.read(connection, graph_id).graph.edges.values()]
    return json_response(EdgeList(edges, len(edges)))


@router.post(
    "/graphs/{graph_id:name}/edges",
    status_code=201,
    responses=answers(
        EdgeCreated,
        EdgeCreated("created", f"{EDGE.src_id} -> {EDGE.dst_id}"),
        *(400, 404, 415, 422),
        status=201,
    ),
    openapi_extra=takes(LineageEdge, EDGE),
)
def post_graph_edge(
    graph_id: str,
    edge: Annotated[LineageEdge, Depends(json_body(LineageEdge))],
    graphs: Graphs,
) -> Response:
    """Add an edge between two nodes of a graph; it becomes part of the lineage as an event."""

    def change(graph: NodeGraph) -> list[str]:
        ends = [_resolve_end(graph, end) for end in (edge.src_id, edge.dst_id)]
        graph.add_edge(structs.replace(edge, src_id=ends[0], dst_id=ends[1]))
        return ends

    graphs.change(graph_id, change)
    return _created(EdgeCreated("created", f"{edge.src_id} -> {edge.dst_id}"))


@router.get(
    "/graphs/{graph_id:name}/query/upstream/{node_id:rest}",
    responses=answers(NodeLineage, _LINEAGE, 400, 404, 422),
)
def get_upstream_nodes(
    graph_id: str, node_id: str, connection: ReadConnection, graphs: Graphs, hops: Hops = 3
) -> Response:
    """Get the nodes that a node comes from, with the edges on the way."""
    return _walk(graphs.read(connection, graph_id).graph, node_id, "upstream", hops)


@router.get(
    "/graphs/{graph_id:name}/query/downstream/{node_id:rest}",
    responses=answers(NodeLineage, _LINEAGE, 400, 404, 422),
)
def get_downstream_nodes(
    graph_id: str, node_id: str, connection: ReadConnection, graphs: Graphs, hops: Hops = 3
) -> Response:
    """Get the nodes that a node goes to, with the edges on the way."""
    return _walk(graphs.read(connection, graph_id).graph, node_id, "downstream", hops)


def _resolve_end(graph: NodeGraph, node_id: str) -> str:
    try:
        return resolve_node(graph, node_id)
    except NotFound:
        reason = f"'{node_id}' is no node of the graph; add the node first"
        raise InvalidRequest("edge", reason) from None


def _walk(graph: NodeGraph, node_id: str, way: Way, hops: int) -> Response:
    origin = resolve_node(graph, node_id)
    found = walk_nodes(graph, origin, way, hops)
    counts = (len(found.nodes), len(found.edges))
    return json_response(NodeLineage(origin, way, hops, found.nodes, found.edges, *counts))


def _created(shape: NodeCreated | EdgeCreated) -> Response:
    answer = json_response(shape)
    answer.status_code = 201
    return answer
