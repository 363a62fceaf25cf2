"""The paths between two nodes as JSON."""

from typing import Any, NamedTuple

from headwater.answers.columns import list_columns
from headwater.answers.drawings import draw_columns, draw_graph, name_columns, name_nodes
from headwater.answers.nodes import MOST_NODES, WalkRequest
from headwater.graph.answer import Graph, NodeKind, Towards
from headwater.graph.column_graph import ColumnGraph, ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.drawings.drawing import Drawing
from headwater.graph.node_id import ParsedNodeId, job_node_id
from headwater.graph.paths import Paths, find_paths
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.store.engine import Connection

Shape = dict[str, Any]


class Ends(NamedTuple):
    """The two nodes; by columns if either is one."""

    start: ParsedNodeId
    end: ParsedNodeId

    @property
    def are_columns(self) -> bool:
        is_any = bool(self.start.field or self.end.field)
        return is_any and NodeKind.JOB not in (self.start.kind, self.end.kind)


def paths_shape(connection: Connection, view: View, ends: Ends, limit: int, depth: int) -> Shape:
    """All simple paths from one end down to the other, or, if there are none, from that to it."""
    find = _column_paths if ends.are_columns else _node_paths
    limits = Limits(depth, MOST_NODES)
    found = find(connection, view, ends, limit, limits)
    is_reversed = False
    if not found.paths:
        back = find(connection, view, Ends(ends.end, ends.start), limit, limits)
        is_reversed = bool(back.paths)
        is_cut = found.is_cut or back.is_cut
        is_incomplete = found.is_incomplete or back.is_incomplete
        chosen = back if is_reversed else found
        found = chosen._replace(is_cut=is_cut, is_incomplete=is_incomplete)
    lines = {(line.origin, line.destination): line for line in found.drawing.lines}
    return {
        "paths": [
            {
                "nodes": path,
                "edges": [lines[pair].as_json() for pair in zip(path, path[1:], strict=False)],
                "length": len(path) - 1,
            }
            for path in found.paths
        ],
        "nodes": [shape._asdict() for shape in found.drawing.shapes],
        "jobs": found.jobs,
        "isReversed": is_reversed,
        "isCut": found.is_cut,
        "incomplete": found.is_incomplete,
    }


class _Found(NamedTuple):
    """Paths by node ids, what is on them, and the names of jobs between columns."""

    drawing: Drawing
    is_cut: bool
    paths: list[list[str]]
    jobs: dict[str, Shape]
    is_incomplete: bool = False


def _node_paths(
    connection: Connection, view: View, ends: Ends, limit: int, limits: Limits
) -> _Found:
    graph = WalkRequest(ends.start, Towards.DOWNSTREAM, limits).walk(view)
    end = graph.starts[0]
    if ends.start.id != ends.end.id:
        # What is too much from one end may be little from the other.
        back = WalkRequest(ends.end, Towards.UPSTREAM, limits).walk(view) if graph.is_cut else None
        if back is not None:
            graph = _joined(graph, back)
        view.classes.resolve([ends.end.id])
        end = view.classes.chosen(ends.end.id)
    if not graph.has(graph.starts[0]):
        return _Found(Drawing((), ()), False, [], {})
    longest = 2 * limits.depth + 1
    paths = find_paths(sorted(graph.edges), graph.starts[0], end, limit, longest)
    used = {node for path in paths.found for node in path}
    part = Graph(
        graph.starts,
        {node: distance for node, distance in graph.datasets.items() if node in used},
        {node: distance for node, distance in graph.jobs.items() if node in used},
        {edge: kind for edge, kind in graph.edges.items() if used.issuperset(edge)},
        gaps=graph.gaps,
    )
    drawing = draw_graph(connection, view, part)
    ids = name_nodes(view, part.datasets, part.jobs)
    found = [[ids[node] for node in path] for path in paths.found]
    is_cut = paths.is_cut or (graph.is_cut and len(found) < limit)
    return _Found(drawing, is_cut, found, {}, bool(graph.gaps))


def _joined(one: Graph, other: Graph) -> Graph:
    return Graph(
        one.starts,
        other.datasets | one.datasets,
        other.jobs | one.jobs,
        other.edges | one.edges,
        one.more,
        other.gaps | one.gaps,
    )


# Stands before the first columns and behind the last, where an end is a dataset as a whole.
_SOURCE, _SINK = ColumnKey(b"", "from"), ColumnKey(b"", "to")


def _column_paths(
    connection: Connection, view: View, ends: Ends, limit: int, limits: Limits
) -> _Found:
    if not all(view.has_dataset(view.chosen(end.id)) for end in ends):
        return _Found(Drawing((), ()), False, [], {})
    starts = _columns_of(connection, view, ends.start)
    targets = set(_columns_of(connection, view, ends.end))
    graph = walk_columns(view, starts, Towards.DOWNSTREAM, limits)
    edges = sorted(graph.edges)
    edges += [(_SOURCE, column) for column in graph.starts]
    edges += [(column, _SINK) for column in graph.columns if column in targets]
    paths: Paths[ColumnKey] = find_paths(edges, _SOURCE, _SINK, limit)
    found = [path[1:-1] for path in paths.found]
    used = {column for path in found for column in path}
    part = ColumnGraph(
        tuple(column for column in graph.starts if column in used),
        {column: distance for column, distance in graph.columns.items() if column in used},
        {ends: some for ends, some in graph.edges.items() if used.issuperset(ends)},
    )
    drawing = draw_columns(view, part)
    ids = name_columns(view, part.columns)
    named = [[ids[column] for column in path] for path in found]
    jobs = {edge.job for some in part.edges.values() for edge in some if edge.job}
    names = {job_node_id(*name): name._asdict() for name in view.reader.job_names(jobs).values()}
    is_cut = paths.is_cut or (graph.is_cut and len(named) < limit)
    return _Found(drawing, is_cut, named, names, bool(graph.gaps))


def _columns_of(connection: Connection, view: View, end: ParsedNodeId) -> list[ColumnKey]:
    dataset = view.chosen(end.id)
    if end.field:
        return [ColumnKey(dataset, end.field)]
    return [*list_columns(connection, view, [dataset]), ColumnKey(dataset, "")]
