"""ClickHouse's dictionaries: tables in memory that are filled from another one."""

from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from headwater.sql.catalog import CatalogColumn
from headwater.sql.relations import table_parts
from headwater.sql.rows import Derived, NamedRows, QueryRows, RowColumn
from headwater.sql.session import Definition

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader


def create_dictionary(reader: "StatementReader", node: exp.Expr) -> None:
    """CREATE DICTIONARY: its columns are those of its source that have the same names."""
    schema = node.this
    table = schema.this if isinstance(schema, exp.Schema) else schema
    if not isinstance(table, exp.Table) or not table_parts(table):
        reader.session.report("table", "What is created has no name that is known.", node)
        return
    parts = table_parts(table)
    listed = schema.expressions if isinstance(schema, exp.Schema) else []
    names = [each.name for each in listed if isinstance(each, exp.ColumnDef)]
    rows = _source_rows(reader, node)
    scope = reader.queries.scope()
    scope.relations.append(NamedRows("", rows or QueryRows()))
    columns = [
        RowColumn(name, scope.column([name], node).value) if rows else RowColumn(name, Derived())
        for name in names
    ]
    known = tuple(CatalogColumn(name) for name in names)
    reader.session.define(Definition(reader.session.table_name(parts), known or None))
    reader.built.written(parts, QueryRows(columns), (), "CREATE DICTIONARY")


def _source_rows(reader: "StatementReader", node: exp.Expr) -> QueryRows | None:
    """The rows of a source in ClickHouse; of another one, which is reported, there are none."""
    found = [e for e in node.find_all(exp.DictProperty) if str(e.this).upper() == "SOURCE"]
    if not found:
        return None
    settings = {e.name.lower(): e.text("value") for e in found[0].args.get("settings") or ()}
    kind = str(found[0].args.get("kind") or "")
    if kind.upper() == "CLICKHOUSE" and settings.get("query"):
        try:
            return reader.queries.read(parse_one(settings["query"], read=reader.session.dialect))
        except SqlglotError:
            pass
    elif kind.upper() == "CLICKHOUSE" and settings.get("table") and not settings.get("host"):
        parts = [settings.get("db", ""), settings["table"]]
        return reader.session.read_table([each for each in parts if each])
    reader.session.report("table", f"What the source {kind} of the dictionary reads is not known.")
    return None
