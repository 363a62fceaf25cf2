"""A person's word, read in the place of what events say of the same."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from headwater.model import facets
from headwater.model.aspects import ACKNOWLEDGED, DATASETS, DELETED, DOCUMENTATION, SYMLINKS, TAG
from headwater.model.values.ids import NO_CONTENT
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import BODIES

# What is no facet, or is stated as something else as well.
_NO_FACETS = frozenset((ACKNOWLEDGED, DATASETS, DELETED, SYMLINKS))
_ANY = msgspec.json.Decoder(dict[str, Any])


class EditedValues(NamedTuple):
    """What persons say of one entity: aspects of it and of its fields, as JSON; the time of each
    is when it was stated."""

    values: Mapping[tuple[str, str], bytes]
    edited_at: int

    def over(self, stated: Mapping[str, bytes]) -> dict[str, bytes]:
        """An owner's facets, with a person's word in the place of an event's."""
        found = dict(stated)
        for (field, aspect), body in self.values.items():
            if not field and aspect not in _NO_FACETS and not aspect.startswith(TAG):
                found[aspect] = body
        if tags := self._tags():
            found["tags"] = _with_tags(found.get("tags"), tags)
        return found

    def descriptions(self) -> dict[str, str]:
        """Edited values of fields, by field."""
        found = {
            field: facets.read(_ANY, body)
            for (field, aspect), body in self.values.items()
            if field and aspect == DOCUMENTATION
        }
        return {
            field: value["description"]
            for field, value in found.items()
            if isinstance(value, dict) and isinstance(value.get("description"), str)
        }

    def _tags(self) -> dict[tuple[str, str], bool]:
        """By field and name, whether a tag is given or taken away."""
        return {
            (field, aspect.removeprefix(TAG)): body == b"true"
            for (field, aspect), body in self.values.items()
            if aspect.startswith(TAG)
        }


NOTHING_EDITED = EditedValues({}, 0)


def _with_tags(body: bytes | None, tags: Mapping[tuple[str, str], bool]) -> bytes:
    """A tags facet with some tags added and others left out."""
    stated = facets.read(_ANY, body) if body is not None else None
    listed = stated.get("tags") if isinstance(stated, dict) else None
    kept = [
        tag
        for tag in (listed if isinstance(listed, list) else ())
        if isinstance(tag, dict) and (str(tag.get("field") or ""), str(tag.get("key"))) not in tags
    ]
    given = [
        {"key": name, "source": "USER"} | ({"field": field} if field else {})
        for (field, name), is_given in sorted(tags.items())
        if is_given
    ]
    return msgspec.json.encode({"tags": [*kept, *given]})


def _values(is_among: IsAmong) -> Any:
    table = tables.edit_value
    return select(
        table.c.entity, table.c.field, table.c.aspect, table.c.digest, table.c.digest_at
    ).where(is_among(table.c.entity), table.c.digest != NO_CONTENT)


_VALUES = Prepared(_values)


def read_words(connection: Connection, entities: Iterable[bytes]) -> dict[bytes, EditedValues]:
    """Read the edited values of entities; most have none."""
    rows = _VALUES.rows(connection, entities)
    if not rows:
        return {}
    bodies = BODIES.read(connection, (digest for _, _, _, digest, _ in rows))
    values: defaultdict[bytes, dict[tuple[str, str], bytes]] = defaultdict(dict)
    edited_at: dict[bytes, int] = {}
    for entity, field, aspect, digest, stamp in rows:
        if digest in bodies:
            values[entity][field, aspect] = bodies[digest]
            edited_at[entity] = max(stamp, edited_at.get(entity, stamp))
    return {entity: EditedValues(found, edited_at[entity]) for entity, found in values.items()}


def read_description(connection: Connection, entity: bytes) -> str | None:
    """The edited description of an entity."""
    word = read_words(connection, [entity]).get(entity, NOTHING_EDITED)
    body = word.values.get(("", DOCUMENTATION))
    value = facets.read(_ANY, body) if body is not None else None
    return value.get("description") if isinstance(value, dict) else None
