"""The upsert of each relation for each database, compiled once from the declaration."""

from functools import cache

from headwater.model.merge import CATALOG, LatestGroup, Relation, RelationColumn
from headwater.model.relations import Rule

_POSTGRES_TYPES = {bytes: "bytea", str: "text", int: "bigint"}


def _quoted(column: RelationColumn) -> str:
    return f'"{column.name}"'


def _names(columns: tuple[RelationColumn, ...]) -> str:
    return ", ".join(_quoted(column) for column in columns)


@cache
def for_sqlite(name: str, rows: int = 1) -> str:
    """The statement that merges some rows, all their columns as parameters."""
    relation = CATALOG[name]
    row = f"({', '.join('?' * len(relation.columns))})"
    conflict = _on_conflict(relation, empty="x''")
    return f"{_insert(relation)} VALUES {', '.join([row] * rows)} {conflict}"


@cache
def for_postgres(name: str) -> str:
    """The statement that merges many rows at once, each column a parameter of many values."""
    relation = CATALOG[name]
    arrays = ", ".join(f"%b::{_POSTGRES_TYPES[column.type]}[]" for column in relation.columns)
    conflict = _on_conflict(relation, empty="''::bytea")
    return f"{_insert(relation)} SELECT * FROM unnest({arrays}) {conflict}"


def staging(name: str) -> str:
    """The statement that makes a session's own table for rows on their way; empty after each."""
    types = ", ".join(
        f"{_quoted(column)} {_staged_type(column)}" for column in CATALOG[name].columns
    )
    return f'CREATE TEMPORARY TABLE IF NOT EXISTS "staged_{name}" ({types}) ON COMMIT DELETE ROWS'


@cache
def copy_to_staging(name: str) -> str:
    columns = _names(CATALOG[name].columns)
    return f'COPY "staged_{name}" ({columns}) FROM STDIN (FORMAT BINARY)'


@cache
def from_staging(name: str) -> str:
    """The statement that merges what was staged; rows are sorted as they were streamed."""
    relation = CATALOG[name]
    columns = _names(relation.columns)
    conflict = _on_conflict(relation, empty="''::bytea")
    return f'{_insert(relation)} SELECT {columns} FROM "staged_{name}" {conflict}'


def postgres_types(name: str) -> list[str]:
    return [_staged_type(column) for column in CATALOG[name].columns]


def _staged_type(column: RelationColumn) -> str:
    return _POSTGRES_TYPES[column.type]


# No relation: it says what is still to be done, not what is known.
# A note for each registered reader; the lake is reader 0, and may have the event already.
_NOTED_FOR = {True: "id >= 0", False: "id > 0"}
OUTBOX_OF_SQLITE = {
    is_for_lake: "INSERT INTO outbox (reader, at, digest)"
    f" SELECT id, ?, ? FROM outbox_reader WHERE {readers} ON CONFLICT DO NOTHING"
    for is_for_lake, readers in _NOTED_FOR.items()
}
OUTBOX_OF_POSTGRES = {
    is_for_lake: "INSERT INTO outbox (reader, at, digest)"
    " SELECT id, event.* FROM outbox_reader, unnest(%b::bigint[], %b::bytea[]) AS event"
    f" WHERE {readers} ON CONFLICT DO NOTHING"
    for is_for_lake, readers in _NOTED_FOR.items()
}

# Nor are these: they are made from the relations, for searches.
INDEX_OF_SQLITE = (
    "INSERT INTO search_word (term, weight, kind, source) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO search_part (part, term) VALUES (?, ?) ON CONFLICT DO NOTHING",
)
INDEX_OF_POSTGRES = (
    "INSERT INTO search_word (term, weight, kind, source)"
    " SELECT * FROM unnest(%b::text[], %b::smallint[], %b::smallint[], %b::bytea[])"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO search_part (part, term) SELECT * FROM unnest(%b::text[], %b::text[])"
    " ON CONFLICT DO NOTHING",
)


def _insert(relation: Relation) -> str:
    return f'INSERT INTO "{relation.name}" ({_names(relation.columns)})'


def _on_conflict(relation: Relation, empty: str) -> str:
    """Merge as `headwater.model.merge` does; `empty` is the database's empty byte string."""
    table = f'"{relation.name}"'
    changes = []
    for rule, sign in ((Rule.MIN, "<"), (Rule.MAX, ">")):
        for column in relation.by_rule(rule):
            new, old = f"excluded.{_quoted(column)}", f"{table}.{_quoted(column)}"
            wins = f"{old} IS NULL OR {new} {sign} {old}"
            changes.append(f"{_quoted(column)} = CASE WHEN {wins} THEN {new} ELSE {old} END")
    for group in relation.groups:
        wins = _is_later(group, table, empty)
        for column in (*group.columns, group.stamp):
            new, old = f"excluded.{_quoted(column)}", f"{table}.{_quoted(column)}"
            changes.append(f"{_quoted(column)} = CASE WHEN {wins} THEN {new} ELSE {old} END")
    action = f"DO UPDATE SET {', '.join(changes)}" if changes else "DO NOTHING"
    return f"ON CONFLICT ({_names(relation.key)}) {action}"


def _is_later(group: LatestGroup, table: str, empty: str) -> str:
    stamp = _quoted(group.stamp)
    new, old = f"excluded.{stamp}", f"{table}.{stamp}"
    new_values = ", ".join(_comparable(column, "excluded", empty) for column in group.columns)
    old_values = ", ".join(_comparable(column, table, empty) for column in group.columns)
    tie = f"{new} = {old} AND ({new_values}) > ({old_values})"
    return f"{new} IS NOT NULL AND ({old} IS NULL OR {new} > {old} OR ({tie}))"


def _comparable(column: RelationColumn, table: str, empty: str) -> str:
    """An absent value sorts first."""
    lowest = empty if column.type is bytes else "-9223372036854775807"
    return f"coalesce({table}.{_quoted(column)}, {lowest})"
