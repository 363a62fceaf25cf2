"""The lineage of a SQL text, with the graph as its catalog."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from headwater.answers.descriptions import describe_datasets, read_schemas
from headwater.answers.nodes import view_at
from headwater.model.naming import DatasetName
from headwater.sql import Catalog, CatalogColumn, CatalogTable, SqlLimits, analyze, choose_dialect
from headwater.sql.render.batch import script_answer, statement_answer
from headwater.store.engine import Connection
from headwater.store.read.nodes import find_like

# A request must not hold the server's interpreter for long.
LIMITS = SqlLimits(seconds=5.0, characters=1_000_000, statement_characters=200_000)
MOST_TABLES = 200
_CANDIDATES = 20


class KnownTable(Struct):
    """A table of the text as the graph knows it."""

    namespace: str
    name: str
    columns: list[dict[str, str | None]]


class SqlLineage(Struct):
    """What a text reads and writes; `columns` are pairs of [table, column]."""

    dialect: str
    inputs: list[str]
    outputs: list[str]
    columns: list[dict[str, Any]]
    transformations: list[dict[str, Any]]
    problems: list[dict[str, Any]]
    statements: list[dict[str, Any]]
    tables: dict[str, KnownTable]


Schemas = dict[str, list[str] | dict[str, str | None]]


def sql_lineage(text: str, dialect: str | None, schemas: Schemas | None) -> SqlLineage:
    """The lineage of a text by itself; raises ValueError for a dialect that is not known."""
    return _lineage(text, dialect, Catalog.of(schemas or {}), {})


def sql_lineage_in_graph(
    connection: Connection,
    text: str,
    dialect: str | None,
    schemas: Schemas | None,
    as_of: int | None,
) -> SqlLineage:
    """The same with the columns that the graph knows, now or as of a time."""
    chosen = dialect or choose_dialect(text, LIMITS)
    first = analyze(text, chosen or "ansi", schemas, LIMITS)
    names = {table.name for each in first for table in (*each.inputs, *each.outputs)}
    catalog = Catalog.of(schemas or {})
    unlisted = [name for name in sorted(names) if catalog.find(name) is None][:MOST_TABLES]
    known = known_tables(connection, unlisted, as_of)
    for name, table in known.items():
        columns = tuple(CatalogColumn(str(c["name"]), c.get("type")) for c in table.columns)
        catalog.add(CatalogTable(name, columns, DatasetName(table.namespace, table.name)))
    return _lineage(text, chosen or "ansi", catalog, known)


def _lineage(
    text: str, dialect: str | None, catalog: Catalog, known: dict[str, KnownTable]
) -> SqlLineage:
    chosen = dialect or choose_dialect(text, LIMITS)
    statements = analyze(text, chosen or "ansi", catalog, LIMITS)
    return SqlLineage(
        dialect=chosen,
        **script_answer(statements),
        statements=[statement_answer(each) for each in statements],
        tables=known,
    )


def known_tables(
    connection: Connection, names: Iterable[str], as_of: int | None
) -> dict[str, KnownTable]:
    """The datasets that tables of a text are, each where there is only one of its name."""
    found: dict[str, bytes] = {}
    for name in names:
        matches = [
            node.id
            for node in find_like(connection, name, _CANDIDATES, only_listed=True)
            if node.kind == "dataset" and _is_called(node.name, name)
        ]
        if len(matches) == 1:
            found[name] = matches[0]
    if not found:
        return {}
    view = view_at(connection, as_of)
    described = describe_datasets(connection, view, set(found.values()))
    schemas = read_schemas(connection, described.values())
    known = {}
    for name, id in found.items():
        dataset = described.get(id)
        if dataset is None:
            continue
        schema = schemas.get(dataset.schema) if dataset.schema is not None else None
        fields = (schema.fields or []) if schema is not None else []
        columns = [{"name": field.name, "type": field.type} for field in fields]
        known[name] = KnownTable(dataset.name.namespace, dataset.name.name, columns)
    return known


def _is_called(dataset: str, table: str) -> bool:
    """Whether a dataset's name is a table's, or ends with it behind a dot or a slash."""
    own, name = dataset.lower(), table.lower()
    return own == name or own.endswith((f".{name}", f"/{name}"))
