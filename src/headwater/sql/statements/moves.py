"""What happens to whole tables and files: COPY, LOAD, renames, swaps, DROP, USE, CACHE."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.sql.catalog import CatalogColumn
from headwater.sql.relations import table_parts
from headwater.sql.rows import QueryRows
from headwater.sql.session import Definition
from headwater.sql.statements.changes import delete

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader


# What COPY may name in place of a file.
_STREAMS = frozenset(("PROGRAM", "STDERR", "STDIN", "STDOUT"))


def copy(reader: "StatementReader", node: exp.Expr) -> None:
    """COPY of a table to or from files."""
    files = list(node.args.get("files") or ())
    places = [_place(each) for each in files]
    target = node.this
    is_query = isinstance(target, (exp.Query, exp.Subquery)) and not isinstance(target, exp.Table)
    table = target.this if isinstance(target, exp.Schema) else target
    if node.args.get("kind") and isinstance(table, exp.Table):
        rows = QueryRows()
        for each in files:
            if isinstance(each, (exp.Query, exp.Table)) and not _is_place(each):
                rows = reader.queries.read(each)
            elif (place := _place(each)) and place.upper() not in _STREAMS:
                reader.session.read_table((place,))
        names = [each.name for each in target.expressions] if table is not target else []
        reader.built.written(table_parts(table), rows, names, "COPY")
        return
    rows = reader.queries.read(target) if is_query else QueryRows()
    if isinstance(table, exp.Table):
        rows = reader.queries.read(table)
    for place in filter(None, places):
        if place.upper() in _STREAMS:
            reader.built.returned(rows)
        else:
            reader.built.written((place,), rows, (), "COPY")


def export(reader: "StatementReader", node: exp.Expr) -> None:
    """EXPORT DATA of BigQuery: a query into files."""
    rows = reader.queries.read(node.this) if isinstance(node.this, exp.Expr) else QueryRows()
    options = node.args.get("options")
    places = [
        each.text("value")
        for each in (options.expressions if options is not None else ())
        if each.name.lower() == "uri"
    ]
    for place in places:
        reader.built.written((place,), rows, (), "COPY")
    if not places:
        reader.session.report("table", "The files that are written have no name.", node)


def load(reader: "StatementReader", node: exp.Expr) -> None:
    """LOAD DATA of Hive and BigQuery."""
    if isinstance(node.this, exp.Table):
        path, files = node.args.get("inpath"), node.args.get("files")
        found = [path] if isinstance(path, exp.Expr) else []
        for each in files.expressions if isinstance(files, exp.Expr) else ():
            found += list(each.find_all(exp.Literal)) if each.name.lower() == "uris" else []
        for each in found:
            reader.session.read_table((each.name,))
        operation = "OVERWRITE" if node.args.get("overwrite") else "INSERT"
        reader.built.written(table_parts(node.this), QueryRows(), (), operation)


def alter(reader: "StatementReader", node: exp.Expr) -> None:
    """Renames, swaps and exchanges of partitions move data; the rest does not."""
    if not isinstance(node.this, exp.Table):
        return
    parts = table_parts(node.this)
    for action in node.args.get("actions") or ():
        if isinstance(action, exp.SwapTable):
            other = table_parts(action.this)
            for one, two in ((parts, other), (other, parts)):
                rows = reader.session.read_table(two).listed()
                reader.built.written(one, rows, (), "SWAP")
        elif isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
            _rename(reader, parts, table_parts(action.this))
        elif isinstance(action, exp.Delete):
            # ClickHouse: ALTER TABLE t DELETE WHERE c.
            whole = action.copy()
            whole.set("this", node.this.copy())
            delete(reader, whole)
        elif action.key in _MOVED and (found := action.find(exp.Table)):
            rows = reader.session.read_table(table_parts(found)).listed()
            reader.built.written(parts, rows, (), "EXCHANGE")
    _change_columns(reader, parts, node.args.get("actions") or ())


def _change_columns(
    reader: "StatementReader", parts: tuple[str, ...], actions: Sequence[exp.Expr]
) -> None:
    """ADD, DROP and RENAME of columns, for the statements that follow."""
    session = reader.session
    known = session.columns_of(parts)
    if known is None:
        return
    columns = list(known)
    for action in actions:
        if isinstance(action, exp.ColumnDef):
            kind = action.args.get("kind")
            text = kind.sql(dialect=session.dialect) if kind else None
            columns.append(CatalogColumn(action.name, text))
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
            gone = {each.name.lower() for each in action.args.get("tables") or ()}
            gone |= {action.this.name.lower()} if isinstance(action.this, exp.Expr) else set()
            columns = [each for each in columns if each.name.lower() not in gone]
        elif isinstance(action, exp.RenameColumn):
            old, new = action.this.name.lower(), action.args["to"].name
            columns = [e._replace(name=new) if e.name.lower() == old else e for e in columns]
    if columns == list(known):
        return
    table = session.table(parts)
    before = session.definition(parts) or Definition(table.name, dataset=table.dataset)
    session.define(replace(before, columns=tuple(columns), rows=None))


_MOVED = frozenset(("exchangepartition", "replacepartition"))


def _rename(reader: "StatementReader", parts: tuple[str, ...], new: tuple[str, ...]) -> None:
    definition = reader.session.definition(parts)
    if definition is not None:
        reader.session.drop(definition.name)
        if len(new) == 1 and len(parts) > 1:
            new = (*parts[:-1], *new)
        renamed = reader.session.full_name(new)
        reader.session.define(
            Definition(
                renamed,
                definition.columns,
                definition.dataset,
                definition.view,
                definition.is_temporary,
                definition.reads,
            )
        )


def truncate(reader: "StatementReader", node: exp.Expr) -> None:
    for each in node.expressions:
        if isinstance(each, exp.Table):
            reader.built.written(table_parts(each), QueryRows(), (), "TRUNCATE")


def drop(reader: "StatementReader", node: exp.Expr) -> None:
    tables = [node.this] if isinstance(node.this, exp.Table) else []
    tables += [each for each in node.args.get("tables") or () if isinstance(each, exp.Table)]
    for each in tables:
        if str(node.args.get("kind") or "").upper() in ("TABLE", "VIEW", "STREAM", ""):
            reader.session.drop(reader.session.table_name(table_parts(each)))


def use(reader: "StatementReader", node: exp.Expr) -> None:
    """USE db, USE CATALOG c, USE SCHEMA s, USE c.s."""
    kind = str(node.args.get("kind") or "").upper()
    if not isinstance(node.this, exp.Table) or kind in ("WAREHOUSE", "ROLE", "MODULES"):
        return
    reader.session.use(table_parts(node.this), kind)


def cache(reader: "StatementReader", node: exp.Expr) -> None:
    """CACHE TABLE t AS SELECT: a temporary view."""
    query = node.args.get("expression")
    if isinstance(query, exp.Query) and isinstance(node.this, exp.Table):
        rows = reader.queries.read(query)
        name = reader.session.table_name(table_parts(node.this))
        reads = tuple(reader.session.inputs.values())
        reader.session.define(Definition(name, None, None, rows, True, reads))


def _is_place(node: exp.Expr) -> bool:
    """Whether a table of COPY is a file, a folder or a stage, and not a table."""
    if not isinstance(node, exp.Table):
        return False
    return not isinstance(node.this, exp.Identifier) or node.name[:1] == "@" or "/" in node.name


def _place(node: exp.Expr) -> str:
    """The file or folder that COPY names."""
    if isinstance(node, exp.Table):
        return node.name or node.sql()
    return node.name if isinstance(node, (exp.Literal, exp.Var, exp.Identifier)) else ""
