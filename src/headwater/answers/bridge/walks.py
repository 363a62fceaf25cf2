"""Walks over a graph of nodes: upstream, downstream, its pipelines, and what is wrong with it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from headwater.answers.bridge.nodes import SCHEMA_TYPE, LineageEdge, LineageNode, NodeGraph

Way = Literal["upstream", "downstream"]
# Of what is wrong with a graph, in one answer.
MOST_WARNINGS = 1_000


class Neighbourhood(NamedTuple):
    """The nodes within some hops of another, nearest first, and the edges that lead there."""

    nodes: list[LineageNode]
    edges: list[LineageEdge]


def walk_nodes(graph: NodeGraph, origin: str, way: Way, hops: int) -> Neighbourhood:
    """Walk as data flows, or against it, for so many edges; the origin is not among the nodes."""
    beside = _edges_by_node(graph, way)
    frontier, seen = [origin], {origin}
    nodes: list[LineageNode] = []
    edges: list[LineageEdge] = []
    for _ in range(hops):
        reached: list[str] = []
        for edge in (edge for node in frontier for edge in beside[node]):
            edges.append(edge)
            source, target = graph.flow(edge)
            other = source if way == "upstream" else target
            if other not in seen:
                seen.add(other)
                reached.append(other)
        nodes += [graph.nodes[node] for node in reached]
        frontier = reached
        if not reached:
            break
    return Neighbourhood(nodes, edges)


def _edges_by_node(graph: NodeGraph, way: Way) -> defaultdict[str, list[LineageEdge]]:
    beside: defaultdict[str, list[LineageEdge]] = defaultdict(list)
    for edge in graph.edges.values():
        source, target = graph.flow(edge)
        beside[target if way == "upstream" else source].append(edge)
    return beside


def count_pipelines(graph: NodeGraph) -> int:
    """How many parts are not connected with each other; a schema belongs to what has it."""
    parent = {id: id for id, node in graph.nodes.items() if node.node_type != SCHEMA_TYPE}
    for edge in graph.edges.values():
        if edge.src_id in parent and edge.dst_id in parent:
            parent[_root(parent, edge.src_id)] = _root(parent, edge.dst_id)
    return sum(id == above for id, above in parent.items())


def _root(parent: dict[str, str], node: str) -> str:
    while parent[node] != node:
        # Half of the way is left out for those who come after.
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


def find_warnings(graph: NodeGraph) -> list[str]:
    """What is wrong with a graph: nodes without an edge."""
    connected = {id for edge in graph.edges.values() for id in (edge.src_id, edge.dst_id)}
    orphans = [id for id in graph.nodes if id not in connected]
    shown = [f"Orphan node: {id}" for id in orphans[:MOST_WARNINGS]]
    left = len(orphans) - len(shown)
    return [*shown, f"{left:,} more orphan nodes"] if left else shown


def find_dangling(graph: NodeGraph, edges: Iterable[LineageEdge]) -> Iterator[tuple[int, str]]:
    """The edges, by their place, with an end that is no node of a graph."""
    for place, edge in enumerate(edges):
        for end in (edge.src_id, edge.dst_id):
            if end not in graph.nodes:
                yield place, end
