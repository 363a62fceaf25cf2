"""`PUT /sources/{source}`."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Response
from msgspec import UNSET

from headwater.model.aspects import DATA_SOURCE
from headwater.server.edits.writes import Editing, EntityChange
from headwater.server.http.json_body import json_body, takes
from headwater.server.http.parameters import ReadConnection
from headwater.server.marquez.sources import get_source
from headwater.server.marquez.sources import router as reads
from headwater.server.marquez.writes.changes import (
    AspectChanges,
    Text,
    answer_now,
    check_body_name,
    name_entity,
    record_news,
)
from headwater.server.marquez.writes.documented import answers_like

router = APIRouter(tags=["sources"])


class SourceBody(msgspec.Struct):
    """The type, address and description of a source."""

    type: str
    connectionUrl: str
    description: Text = UNSET


_EXAMPLE = {
    "type": "POSTGRESQL",
    "connectionUrl": "jdbc:postgresql://db.example.org:5432/shop",
    "description": "The shop's own database.",
}


@router.put(
    "/sources/{source:name}",
    responses=answers_like(reads, get_source, 422),
    openapi_extra=takes(SourceBody, _EXAMPLE),
)
def put_source(
    source: str,
    body: Annotated[SourceBody, Depends(json_body(SourceBody))],
    connection: ReadConnection,
    editor: Editing,
) -> Response:
    """Set the type and address of a source; creates it if it does not exist."""
    entity = name_entity("source", source)
    edited = AspectChanges()
    kind = check_body_name(body.type, "$.type")
    url = check_body_name(body.connectionUrl, "$.connectionUrl")
    edited.put(DATA_SOURCE, {"name": source, "uri": url, "type": kind})
    edited.describe(body.description)
    record_news(connection, editor, EntityChange(entity, edited.set, edited.unset))
    return answer_now(editor, get_source, source)
