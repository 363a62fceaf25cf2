"""Content as it is understood when read; remembered by digest, under which it never changes."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, select

from headwater.model import facets
from headwater.model.column_map import ColumnMap, read_column_map
from headwater.model.facet_readers import read_stated_inputs
from headwater.model.job_types import emits_snapshots
from headwater.model.values.field_paths import child_path
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.model.values.json_text import storable
from headwater.model.values.memo import Memo
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.write.packing import unpack

V = TypeVar("V")

_CONTENT = Prepared(
    lambda is_among: select(tables.content.c.digest, tables.content.c.body).where(
        is_among(tables.content.c.digest)
    )
)


class Readings(Generic[V]):
    """What one function makes of content; a few times the content's own size in memory."""

    def __init__(self, read: Callable[[bytes], V], max_bytes: int, growth: int = 1) -> None:
        self._read = read
        self._growth = growth
        self._memo: Memo[V] = Memo(max_bytes)

    def read(self, connection: Connection, digests: Iterable[bytes | None]) -> dict[bytes, V]:
        """Read what is behind digests; those that say "none", or nothing, are left out."""
        found: dict[bytes, V] = {}
        missing: list[bytes] = []
        for digest in set(digests):
            if digest is None or digest in (NO_CONTENT, UNREPORTED):
                continue
            known = self._memo.get(digest)
            if known is None:
                missing.append(digest)
            else:
                found[digest] = known
        if missing:
            for digest, packed in _CONTENT.rows(connection, missing):
                body = unpack(packed)
                found[digest] = value = self._read(body)
                self._memo.put(digest, value, len(body) * self._growth)
        return found


_SCHEMA = facets.decoder(facets.Schema)
_ANY = facets.decoder(dict[str, Any])


def _schema(body: bytes) -> facets.Schema:
    found: facets.Schema | None = facets.read(_SCHEMA, body)
    return found or facets.Schema()


def _column_types(body: bytes) -> dict[str, str]:
    """Every column of a schema with its type; what is inside a column under its path."""
    types: dict[str, str] = {}
    pending: list[tuple[str, str, list[facets.SchemaField]]] = [
        ("", "", _schema(body).fields or [])
    ]
    while pending:
        parent, parent_type, some = pending.pop()
        siblings = frozenset(field.name for field in some) if parent else frozenset()
        for field in some:
            name, its_type = storable(field.name), storable(field.type or "")
            path = child_path(parent, parent_type, name, siblings) if parent else name
            types[path] = its_type
            if field.fields:
                pending.append((path, its_type, field.fields))
    return types


def read_fields(body: bytes) -> dict[str, Any]:
    found = facets.read(_ANY, body)
    return found if isinstance(found, dict) else {}


# As it came: lists show the same facets over and over.
BODIES: Readings[bytes] = Readings(bytes, 16_000_000)
STATED_INPUTS: Readings[frozenset[bytes]] = Readings(read_stated_inputs, 8_000_000, growth=2)
SNAPSHOT_TYPES: Readings[bool] = Readings(emits_snapshots, 1_000_000)
COLUMN_MAPS: Readings[ColumnMap] = Readings(read_column_map, 64_000_000, growth=4)
SCHEMAS: Readings[facets.Schema] = Readings(_schema, 32_000_000, growth=4)
COLUMN_TYPES: Readings[dict[str, str]] = Readings(_column_types, 16_000_000, growth=3)
FIELDS: Readings[dict[str, Any]] = Readings(read_fields, 8_000_000, growth=4)
