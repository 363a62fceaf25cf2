"""`/lineage`, `/column-lineage` and `/runlineage/upstream`."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from headwater.answers.columns import walk_requested_columns
from headwater.answers.nodes import WalkRequest, find_node, view_at
from headwater.graph.answer import Towards
from headwater.graph.fold import fold_children
from headwater.graph.walk import Limits
from headwater.server.http.parameters import ReadConnection, found, json_response
from headwater.server.lineage.parameters import AsOf, Depth, Limit, NodeIdParameter
from headwater.server.marquez.run_lineage import run_lineage_shape
from headwater.server.marquez.shapes.columns import column_graph_shape
from headwater.server.marquez.shapes.graph import graph_shape
from headwater.server.marquez.shapes.graph_examples import COLUMN_GRAPH, GRAPH, RUN_LINEAGE
from headwater.store.read.runs import find_run

router = APIRouter(tags=["lineage"])

Direction = Annotated[
    Towards,
    Query(
        description="Direction to follow; `connected` follows both at every node, as Marquez does."
    ),
]
Fold = Annotated[
    bool, Query(description="Show top-level parent jobs in place of their child jobs.")
]


@router.get("/lineage", responses=GRAPH)
def get_lineage(
    connection: ReadConnection,
    nodeId: NodeIdParameter,
    as_of: AsOf,
    depth: Depth = 20,
    direction: Direction = Towards.CONNECTED,
    limit: Limit = 5_000,
    fold: Fold = False,
) -> Response:
    """Get the datasets and jobs around a node, now or as of a time."""
    view = view_at(connection, as_of)
    node = find_node(connection, view, nodeId)
    graph = WalkRequest(node, direction, Limits(depth, limit)).walk(view)
    if fold:
        graph = fold_children(view.reader, graph)
    return json_response(graph_shape(connection, view, graph))


@router.get("/column-lineage", responses=COLUMN_GRAPH)
def get_column_lineage(
    connection: ReadConnection,
    nodeId: NodeIdParameter,
    as_of: AsOf,
    depth: Depth = 20,
    withDownstream: Annotated[
        bool, Query(description="Include downstream columns, not only sources.")
    ] = False,
    direction: Annotated[
        Towards | None, Query(description="Direction to follow; overrides withDownstream.")
    ] = None,
    indirect: Annotated[
        bool, Query(description="Include indirect edges: filters, joins, groupings.")
    ] = True,
    also: Annotated[
        Sequence[str],
        Query(max_length=100, description="Further start nodes; repeat the parameter."),
    ] = (),
    limit: Limit = 20_000,
) -> Response:
    """Get the source columns of a column, or of all columns of a dataset or job."""
    view = view_at(connection, as_of)
    node = find_node(connection, view, nodeId)
    others = [find_node(connection, view, other, "also") for other in also]
    towards = direction or (Towards.BOTH if withDownstream else Towards.UPSTREAM)
    request = WalkRequest(node, towards, Limits(depth, limit))
    graph = walk_requested_columns(connection, view, request, indirect, others)
    return json_response(column_graph_shape(connection, view, graph))


@router.get("/runlineage/upstream", responses=RUN_LINEAGE)
def get_run_lineage(
    connection: ReadConnection,
    runId: Annotated[str, Query(min_length=1, max_length=2_000)],
    depth: Depth = 20,
    limit: Limit = 1_000,
) -> Response:
    """Get the runs that wrote what a run read, and what those read, and so on."""
    run = found(find_run(connection, runId), "run", runId)
    return json_response(run_lineage_shape(connection, run, Limits(depth, limit)))
