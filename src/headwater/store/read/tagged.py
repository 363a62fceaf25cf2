"""Which datasets, columns and jobs have a tag: from facets, with people's edits over them."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from headwater.model.aspects import TAG
from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.facets import read_facet_fields

_TAGS = "tags"
_AFTER_TAGS = TAG[:-1] + chr(ord(TAG[-1]) + 1)

_OWNERS = Prepared(
    lambda is_among: select(tables.facet.c.owner, tables.facet.c.digest).where(
        tables.IS_WORDED, tables.facet.c.name == _TAGS, is_among(tables.facet.c.digest)
    )
)

# The fields of an entity that have a tag; none stands for the entity itself, "" too.
TaggedFields = dict[bytes, set[str]]


def read_tagged(connection: Connection, tag: str) -> dict[Slot, TaggedFields]:
    """Read what has a tag, named without regard to case; "" stands for the entity itself."""
    name = tag.lower()
    candidates = _stated(connection, name) | _edited(connection, name)
    return {
        slot: _fields_with(connection, candidates, slot, name) for slot in (Slot.DATASET, Slot.JOB)
    }


def _stated(connection: Connection, name: str) -> set[bytes]:
    """What a facet gives the tag, perhaps taken away by an edit."""
    facet = tables.facet
    query = select(facet.c.digest).where(tables.IS_WORDED, facet.c.name == _TAGS).distinct()
    fields = FIELDS.read(connection, connection.execute(query).scalars())
    having = [digest for digest, found in fields.items() if any(_tagged(found, name))]
    return {bytes(owner) for owner, _ in _OWNERS.rows(connection, having)}


def _edited(connection: Connection, name: str) -> set[bytes]:
    """What an edit says something of the tag of."""
    table = tables.edit_value
    of_tags = (table.c.aspect >= TAG, table.c.aspect < _AFTER_TAGS)
    aspects = connection.execute(select(table.c.aspect).where(*of_tags).distinct()).scalars()
    named = [aspect for aspect in aspects if aspect.removeprefix(TAG).lower() == name]
    if not named:
        return set()
    query = select(table.c.entity).where(*of_tags, table.c.aspect.in_(named)).distinct()
    return set(map(bytes, connection.execute(query).scalars()))


def _fields_with(
    connection: Connection, entities: Iterable[bytes], slot: Slot, name: str
) -> TaggedFields:
    found = {}
    for id, fields in read_facet_fields(connection, entities, slot, (_TAGS,)).items():
        if tagged := set(_tagged(fields.by_facet.get(_TAGS, {}), name)):
            found[id] = tagged
    return found


def _tagged(facet: dict[str, Any], name: str) -> Iterable[str]:
    """The fields that a tags facet gives a tag; anything may be in it."""
    listed = facet.get("tags")
    for tag in listed if isinstance(listed, list) else ():
        if isinstance(tag, dict) and str(tag.get("key")).lower() == name:
            yield str(tag.get("field") or "")
