"""`/tags`."""

from fastapi import APIRouter, Response
from msgspec import Struct

from headwater.server.http.parameters import Paging, ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.read.tags import list_tags

router = APIRouter(tags=["tags"])


class TagShape(Struct):
    """A tag and its description."""

    name: str
    description: str | None


class TagList(Struct):
    """Tags by name, and the total count."""

    tags: list[TagShape]
    totalCount: int


_EXAMPLE = TagList([TagShape("PII", "Identifies a person.")], 1)


@router.get("/tags", responses=answers(TagList, _EXAMPLE, 400))
def get_tags(connection: ReadConnection, page: Paging) -> Response:
    """List the tags from edits and events, by name."""
    tags, total = list_tags(connection, page)
    return json_response(TagList([TagShape(*tag) for tag in tags], total))
