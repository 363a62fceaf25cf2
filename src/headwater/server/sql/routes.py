"""`/sql/lineage`: the lineage of a SQL text, with the graph as its catalog on request."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Response

from headwater.answers.sql_lineage import SqlLineage, sql_lineage, sql_lineage_in_graph
from headwater.errors import WrongShape
from headwater.model.values.instant import parse_instant_or_date
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers

router = APIRouter(tags=["lineage"])


class SqlBody(msgspec.Struct):
    """A SQL text. Without a dialect the best fitting is chosen.

    `schemas` lists columns of tables; with `graph` the datasets of the graph are used as well, with
    the schemas they have now or had at `asOf`.
    """

    sql: str
    dialect: str | None = None
    schemas: dict[str, list[str] | dict[str, str | None]] | None = None
    graph: bool = False
    asOf: str | None = None


_BODY = {
    "sql": "INSERT INTO totals SELECT name, sum(price) AS total FROM orders GROUP BY name",
    "dialect": "spark",
    "schemas": {"orders": ["name", "price"]},
}
_EXAMPLE = SqlLineage(
    dialect="spark",
    inputs=["orders"],
    outputs=["totals"],
    columns=[{"out": ["totals", "name"], "in": [["orders", "name"]]}],
    transformations=[
        {
            "out": ["totals", "name"],
            "in": ["orders", "name"],
            "type": "DIRECT",
            "subtype": "IDENTITY",
            "masking": False,
        }
    ],
    problems=[],
    statements=[],
    tables={},
)


@router.post(
    "/sql/lineage",
    responses=answers(SqlLineage, _EXAMPLE, 422),
    openapi_extra=takes(SqlBody, _BODY),
)
def post_sql_lineage(
    body: Annotated[SqlBody, Depends(json_body(SqlBody))], connection: ReadConnection
) -> Response:
    """Get what SQL statements read and write, by column; nothing is run, and nothing is stored.

    What is not understood is among `problems`, with its line and column.
    """
    try:
        as_of = None if body.asOf is None else parse_instant_or_date(body.asOf)
    except ValueError:
        raise WrongShape("$.asOf", "not a time; use 2026-01-31T12:00:00Z") from None
    try:
        if body.graph:
            found = sql_lineage_in_graph(connection, body.sql, body.dialect, body.schemas, as_of)
        else:
            found = sql_lineage(body.sql, body.dialect, body.schemas)
    except ValueError:
        raise WrongShape("$.dialect", f"{(body.dialect or '')[:100]!r} is not known") from None
    return json_response(found)
