"""Reading what users name and edit besides datasets and jobs: namespaces, sources, tags."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from headwater.model.relations import NamedKind
from headwater.store import tables
from headwater.store.read.content_cache import read_fields
from headwater.store.read.edited_values import EditedValues

_AT_ONCE = 500
Times = tuple[int, int]


def is_named(connection: Connection, kind: NamedKind, name: str) -> bool:
    return bool(find_named(connection, kind, [name]))


def find_named(connection: Connection, kind: NamedKind, names: Iterable[str]) -> dict[str, Times]:
    """Of some names, those a person spoke of: when first and last."""
    table = tables.named
    found: dict[str, Times] = {}
    # NUL is in no name, and PostgreSQL does not even accept it.
    askable = [name for name in names if "\0" not in name]
    for start in range(0, len(askable), _AT_ONCE):
        part = askable[start : start + _AT_ONCE]
        query = select(table.c.name, table.c.first_said, table.c.last_said).where(
            table.c.kind == int(kind), table.c.name.in_(part)
        )
        found |= {name: (first, last) for name, first, last in connection.execute(query)}
    return found


def list_named(connection: Connection, kind: NamedKind) -> dict[str, Times]:
    """All of a kind that edits name."""
    table = tables.named
    query = select(table.c.name, table.c.first_said, table.c.last_said).where(
        table.c.kind == int(kind)
    )
    return {name: (first, last) for name, first, last in connection.execute(query)}


def word_fields(word: EditedValues | None, aspect: str) -> dict[str, Any]:
    """The edited value of one aspect; empty if it is not an object."""
    body = word.values.get(("", aspect)) if word else None
    return read_fields(body) if body is not None else {}


def text_of(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None
