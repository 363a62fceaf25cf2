"""`/tags/{name}/report`: where a tag is, where its values flow without it, where masked."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct

from headwater.answers.nodes import view_at
from headwater.answers.tagged.report import tag_report
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers

router = APIRouter(tags=["tags"])

# Columns of a report that a person can still go through; the answer reports that it is cut.
MOST_COLUMNS = 20_000


class TagAsset(Struct):
    """A column, a dataset or a job. `state` is `tagged`; `untagged`, if values of a tagged column
    come to it as they are; or `masked`, if they only come to it masked.

    `source` is the tagged column nearest to it, `jobs` wrote it from the column before it.
    """

    state: str
    id: str
    type: str
    namespace: str
    name: str
    field: str | None
    system: str
    owners: list[str]
    hops: int
    source: str | None
    jobs: list[str]


class TagReport(Struct):
    """What is untagged first. There is more if it `isCut`; there may be more if it is
    `incomplete`: a job on the way has gaps."""

    tag: str
    description: str | None
    counts: dict[str, int]
    assets: list[TagAsset]
    totalCount: int
    owners: list[str]
    isCut: bool
    incomplete: bool


_DB = "postgres://db:5432"
_EXAMPLE = TagReport(
    "PII",
    "Identifies a person.",
    {"untagged": 1, "tagged": 0, "masked": 0},
    [
        TagAsset(
            state="untagged",
            id=f"datasetField:{_DB}:shop.public.orders:email",
            type="COLUMN",
            namespace=_DB,
            name="shop.public.orders",
            field="email",
            system="postgres",
            owners=["team:orders"],
            hops=1,
            source=f"datasetField:{_DB}:shop.public.customers:email",
            jobs=["job:scheduler:load_orders"],
        )
    ],
    1,
    ["team:orders"],
    False,
    False,
)


@router.get("/tags/{name:name}/report", responses=answers(TagReport, _EXAMPLE, 400))
def get_tag_report(
    name: str,
    connection: ReadConnection,
    limit: Annotated[
        int, Query(ge=1, le=MOST_COLUMNS, description="Maximum number of columns to follow.")
    ] = 5_000,
) -> Response:
    """Report what has a tag, and which columns get its values without it, or masked.

    Values are followed along direct column lineage.
    """
    return json_response(tag_report(connection, view_at(connection, None), name, limit))
