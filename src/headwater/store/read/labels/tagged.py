"""Which datasets, columns and jobs have a tag: from facets, with people's edits over them."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from headwater.model.aspects import TAG
from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.read.facets import read_facet_fields
from headwater.store.read.labels.stating import find_stating

_TAGS = "tags"
_AFTER_TAGS = TAG[:-1] + chr(ord(TAG[-1]) + 1)

# The fields of entities that have a tag; "" stands for the entity itself.
TaggedFields = dict[bytes, set[str]]


def read_tagged(connection: Connection, tag: str) -> dict[Slot, TaggedFields]:
    """Read what has a tag, named without regard to case."""
    name = tag.lower()
    stating = find_stating(connection, _TAGS, lambda facet: bool(list(_tagged(facet, name))))
    candidates = stating | _edited(connection, name)
    return {
        slot: _fields_with(connection, candidates, slot, name) for slot in (Slot.DATASET, Slot.JOB)
    }


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
