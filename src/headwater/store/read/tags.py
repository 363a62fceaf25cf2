"""Reading tags: those from edits, and those in facets."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from headwater.model.aspects import DOCUMENTATION, TAG
from headwater.model.relations import NamedKind
from headwater.model.values.ids import digest, tag_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.edited_values import read_words
from headwater.store.read.named_entities import list_named, text_of, word_fields

# What an edit keeps of a tag that is given, and the aspects that come after all tags.
_GIVEN = digest(b"true")
_AFTER_TAGS = TAG[:-1] + chr(ord(TAG[-1]) + 1)


class Tag(NamedTuple):
    name: str
    description: str | None


def list_tags(connection: Connection, page: Page) -> tuple[list[Tag], int]:
    """List the tags by name."""
    named = list_named(connection, NamedKind.TAG)
    names = sorted({*named, *_given(connection), *_stated(connection)})
    shown = names[page.offset : page.offset + page.limit]
    words = read_words(connection, map(tag_id, shown))
    described = {name: word_fields(words.get(tag_id(name)), DOCUMENTATION) for name in shown}
    return [Tag(name, text_of(described[name], "description")) for name in shown], len(names)


def _given(connection: Connection) -> list[str]:
    """The tags from edits."""
    table = tables.edit_value
    query = (
        select(table.c.aspect)
        .where(table.c.aspect >= TAG, table.c.aspect < _AFTER_TAGS, table.c.digest == _GIVEN)
        .distinct()
    )
    return [aspect.removeprefix(TAG) for aspect in connection.execute(query).scalars()]


def _stated(connection: Connection) -> Iterator[str]:
    """The tags in facets of datasets and jobs; an index has their descriptions."""
    facet = tables.facet
    query = select(facet.c.digest).where(tables.IS_WORDED, facet.c.name == "tags").distinct()
    facets = FIELDS.read(connection, connection.execute(query).scalars())
    for fields in facets.values():
        tags = fields.get("tags")
        for tag in tags if isinstance(tags, list) else ():
            name = tag.get("key") if isinstance(tag, dict) else None
            if isinstance(name, str) and name:
                yield name
