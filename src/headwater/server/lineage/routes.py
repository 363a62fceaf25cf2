"""`/lineage/diff`, `/lineage/path`, `/lineage/export` and `/nodes`: what Marquez has not."""

from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response

from headwater.answers.change_pages import ChangesRequest, page_shape, read_cursor
from headwater.answers.changes import compared_shape, find_graphs
from headwater.answers.columns import walk_requested_columns
from headwater.answers.drawings import draw_columns, draw_graph
from headwater.answers.names import find_named
from headwater.answers.nodes import WalkRequest, find_node, list_near, view_at
from headwater.answers.paths import Ends, paths_shape
from headwater.errors import InvalidRequest
from headwater.graph.answer import Towards
from headwater.graph.drawings.export import FORMATS
from headwater.graph.fold import fold_children
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.model.values.instant import format_instant, now
from headwater.server.followed import Followed
from headwater.server.http.parameters import ReadConnection, instant_parameter, json_response
from headwater.server.lineage import schemas
from headwater.server.lineage.parameters import AsOf, Depth, Limit, NodeIdParameter
from headwater.store.query.time_limit import TimeLimit
from headwater.store.stats.touched import has_all_events

router = APIRouter(tags=["lineage"])

# Of the changes of the whole graph.
_LONGEST_PAGE = 1_000

Direction = Annotated[Towards, Query(description="Direction to follow from the node.")]


@router.get("/lineage/diff", responses=schemas.DIFF)
def get_diff(
    http_request: Request,
    connection: ReadConnection,
    following: Followed,
    from_: Annotated[int | None, Depends(instant_parameter("from"))],
    to: Annotated[int | None, Depends(instant_parameter("to"))],
    nodeId: Annotated[
        str | None, Query(description="Only around this node; by default everything.")
    ] = None,
    depth: Depth = 20,
    direction: Direction = Towards.CONNECTED,
    limit: Annotated[int, Query(ge=1, le=100_000, description="Maximum number of changes.")] = 100,
    nodes: Limit = 200,
    after: Annotated[
        str, Query(description="`next` of the answer before; without a node only.")
    ] = "",
    order: Annotated[
        Literal["oldest", "newest"], Query(description="Which come first; without a node only.")
    ] = "oldest",
    without: Annotated[
        str, Query(description="Types of changes to leave out, separated by commas.")
    ] = "",
) -> Response:
    """Get what was added, removed and changed between two times, each with its cause.

    Of the whole graph the answer is a page: `next` gets the next one, and where there is one,
    `totalCount` and `counts` cover only what was compared for this page.
    """
    if from_ is None:
        raise InvalidRequest("from", "missing; give a time such as 2026-01-31T12:00:00Z")
    until = now() if to is None else to
    if from_ > until:
        raise InvalidRequest("from", f"is after `to` ({format_instant(until)})")
    request = ChangesRequest(
        min(limit, _LONGEST_PAGE),
        read_cursor(after),
        order == "newest",
        frozenset(word.strip().lower() for word in without.split(",")),
        nodes,
    )

    def work_out() -> bytes:
        old = view_at(connection, from_)
        views = old, View(old.reader, until, old.classes)
        answer = {"from": format_instant(from_), "to": format_instant(until), "node": nodeId}
        if not nodeId and has_all_events(connection, from_):
            changes = page_shape(connection, *views, request)
        else:
            graphs = find_graphs(connection, views, nodeId, direction, Limits(depth, nodes))
            changes = compared_shape(connection, views, graphs, request.without, limit)
        return msgspec.json.encode(answer | changes)

    # Who opens the first page of the web UI asks the same as others do in that minute.
    key = (from_, until, nodeId, depth, direction, limit, request)
    limit_of_time: TimeLimit = http_request.state.time_limit
    if following is None:
        body = work_out()
    else:
        body = following.share(connection, key, work_out, lambda: limit_of_time.is_over)
    return Response(body, media_type="application/json")


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
    request = WalkRequest(find_node(connection, view, nodeId), direction, Limits(depth, limit))
    if columns or request.node.field:
        drawn = draw_columns(view, walk_requested_columns(connection, view, request, indirect))
    else:
        graph = request.walk(view)
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
    """Find datasets, jobs and columns by name, best matches first.

    If nothing has the name, `near` lists the ids of nodes with similar names.
    """
    found = find_named(connection, name, limit)
    near = [] if found else list_near(connection, name.rpartition("|")[2])
    return json_response({"nodes": found, "near": near})
