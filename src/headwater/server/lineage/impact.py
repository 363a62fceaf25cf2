"""`/impact`: what a change of a node or a column affects, and whose it is."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct

from headwater.answers.impact import impact_shape
from headwater.answers.nodes import WalkRequest, find_node, view_at
from headwater.graph.answer import Towards
from headwater.graph.walk import Limits
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.lineage.parameters import AsOf, Depth, NodeIdParameter
from headwater.server.openapi.document import answers

router = APIRouter(tags=["lineage"])

# A table of more is no longer read by anybody; the answer reports that it is cut.
MOST_ASSETS = 5_000


class AffectedAsset(Struct):
    """A dataset or a job downstream.

    `dependency` is of datasets: `direct`, if a value goes into one of its `columns`, `indirect`, if
    it only decides about rows, `whole`, if no columns are known.
    """

    id: str
    type: str
    namespace: str
    name: str
    columns: list[str]
    columnCount: int
    dependency: str | None
    hops: int
    system: str
    owners: list[str]
    lastUsedAt: str | None


class Impact(Struct):
    """Everything affected, nearest first. There is more if it `isCut`; there may be more if it is
    `incomplete`: a job on the way has gaps."""

    assets: list[AffectedAsset]
    totalCount: int
    owners: list[str]
    isCut: bool
    incomplete: bool


_EXAMPLE = Impact(
    [
        AffectedAsset(
            id="dataset:postgres://db:5432:shop.public.orders",
            type="DATASET",
            namespace="postgres://db:5432",
            name="shop.public.orders",
            columns=["customer_id"],
            columnCount=1,
            dependency="direct",
            hops=1,
            system="postgres",
            owners=["team:orders"],
            lastUsedAt="2026-01-31T12:00:00.000000Z",
        )
    ],
    1,
    ["team:orders"],
    False,
    False,
)


@router.get("/impact", responses=answers(Impact, _EXAMPLE, 400, 404))
def get_impact(
    connection: ReadConnection,
    nodeId: NodeIdParameter,
    as_of: AsOf,
    depth: Depth = 100,
    indirect: Annotated[
        bool, Query(description="Include columns that are only reached by filters and joins.")
    ] = True,
    limit: Annotated[
        int, Query(ge=1, le=MOST_ASSETS, description="Maximum number of nodes to follow.")
    ] = 2_000,
) -> Response:
    """List what a change of a dataset, a job or a column affects: everything downstream."""
    view = view_at(connection, as_of)
    node = find_node(connection, view, nodeId)
    request = WalkRequest(node, Towards.DOWNSTREAM, Limits(depth, limit))
    return json_response(impact_shape(connection, view, request, indirect))
