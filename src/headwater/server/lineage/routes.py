"""`/lineage/diff`, `/lineage/path`, `/lineage/export` and `/nodes`: what Marquez has not."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from headwater.errors import InvalidRequest, NotFound
from headwater.graph.answer import Towards
from headwater.graph.diff import compare
from headwater.graph.everything import find_everything
from headwater.graph.export import FORMATS
from headwater.graph.fold import fold_children
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.model.instant import format_instant, now
from headwater.server.http.parameters import ReadConnection, instant_parameter, json_response
from headwater.server.lineage import schemas
from headwater.server.lineage.changes import changes_shape
from headwater.server.lineage.columns import walk_asked_columns
from headwater.server.lineage.drawings import draw_columns, draw_graph
from headwater.server.lineage.naming import find_named
from headwater.server.lineage.parameters import (
    Asked,
    AsOf,
    Depth,
    Limit,
    NodeIdParameter,
    find_node,
    view_at,
)
from headwater.server.lineage.paths import Ends, paths_shape
from headwater.store.read.nodes import list_ids

router = APIRouter(tags=["lineage"])

Direction = Annotated[Towards, Query(description="Direction to follow from the node.")]


@router.get("/lineage/diff", responses=schemas.DIFF)
def get_diff(
    connection: ReadConnection,
    from_: Annotated[int | None, Depends(instant_parameter("from"))],
    to: Annotated[int | None, Depends(instant_parameter("to"))],
    nodeId: Annotated[
        str | None, Query(description="Only around this node; by default everything.")
    ] = None,
    depth: Depth = 20,
    direction: Direction = Towards.CONNECTED,
    limit: Annotated[
        int, Query(ge=1, le=100_000, description="Maximum number of changes.")
    ] = 1_000,
    nodes: Limit = 5_000,
) -> Response:
    """Get what was added, removed and changed between two times, each with its cause."""
    if from_ is None:
        raise InvalidRequest("from", "missing; give a time such as 2026-01-31T12:00:00Z")
    until = now() if to is None else to
    if from_ > until:
        raise InvalidRequest("from", f"is after `to` ({format_instant(until)})")
    old = view_at(connection, from_)
    new = View(old.reader, until, old.classes)
    if nodeId:
        try:
            node = find_node(connection, new, nodeId)
        except NotFound:
            node = find_node(connection, old, nodeId)
        asked = Asked(node, direction, Limits(depth, nodes))
        graphs = [asked.walk(view) for view in (old, new)]
    else:
        jobs, datasets = list_ids(connection, until, nodes)
        graphs = [find_everything(view, jobs, datasets, nodes) for view in (old, new)]
    changes = compare(old, new, *graphs)
    shape = {
        "from": format_instant(from_),
        "to": format_instant(until),
        "node": nodeId,
        **changes_shape(connection, new, changes, limit),
        "isCut": any(graph.is_cut for graph in graphs),
    }
    return json_response(shape)


@router.get("/lineage/path", responses=schemas.PATHS)
def get_paths(
    connection: ReadConnection,
    from_: Annotated[
        str, Query(alias="from", description="Node id of one end.", examples=[schemas.TOPIC])
    ],
    to: Annotated[str, Query(description="Node id of the other end.", examples=[schemas.ORDERS])],
    as_of: AsOf,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number of paths.")] = 10,
    depth: Depth = 100,
) -> Response:
    """Get all simple paths between two nodes, shortest first, in either direction."""
    view = view_at(connection, as_of)
    ends = find_node(connection, view, from_, "from"), find_node(connection, view, to, "to")
    return json_response(paths_shape(connection, view, Ends(*ends), limit, depth))


@router.get("/lineage/export", responses=schemas.EXPORT)
def get_export(
    connection: ReadConnection,
    nodeId: NodeIdParameter,
    as_of: AsOf,
    format: Annotated[
        Literal["dot", "mermaid", "csv", "graphml", "json"], Query(description="Output format.")
    ] = "json",
    depth: Depth = 20,
    direction: Direction = Towards.BOTH,
    columns: Annotated[bool, Query(description="Columns instead of datasets and jobs.")] = False,
    indirect: Annotated[
        bool, Query(description="Include indirect column edges: filters, joins, groupings.")
    ] = True,
    fold: Annotated[
        bool, Query(description="Show top-level parent jobs in place of their child jobs.")
    ] = False,
    limit: Limit = 5_000,
) -> Response:
    """Export a graph in a format of other tools."""
    view = view_at(connection, as_of)
    asked = Asked(find_node(connection, view, nodeId), direction, Limits(depth, limit))
    if columns or asked.node.field:
        drawn = draw_columns(view, walk_asked_columns(connection, view, asked, indirect))
    else:
        graph = asked.walk(view)
        drawn = draw_graph(connection, view, fold_children(view.reader, graph) if fold else graph)
    written = FORMATS[format]
    return Response(written.write(drawn), media_type=written.media_type)


@router.get("/nodes", responses=schemas.NODES)
def get_nodes(
    connection: ReadConnection,
    name: Annotated[
        str,
        Query(
            min_length=1,
            max_length=4_000,
            description="A name or part of one; NAMESPACE|NAME, or DATASET.COLUMN, or a node id.",
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=1_000, description="Maximum number to return.")] = 20,
) -> Response:
    """Find datasets, jobs and columns by name, best matches first."""
    return json_response({"nodes": find_named(connection, name, limit)})
