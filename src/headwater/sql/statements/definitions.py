"""CREATE: tables, views and what they are made of."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from headwater.model.naming import DatasetName
from headwater.sql.catalog import CatalogColumn
from headwater.sql.connectors import describe_options
from headwater.sql.dialects import create_options, external_engine, nodes
from headwater.sql.relations import table_parts
from headwater.sql.rows import NOTHING, Derived, NamedRows, QueryRows, RowColumn
from headwater.sql.session import Definition, Session, table_rows
from headwater.sql.statements.dictionaries import create_dictionary
from headwater.sql.types import type_of

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader

# Kinds that hold rows; what else is created has no lineage.
_WITH_ROWS = frozenset(("TABLE", "VIEW", "STREAM", "MATERIALIZED TABLE", "DYNAMIC TABLE", "STAGE"))
_Columns = tuple[CatalogColumn, ...] | None
_TEMPORARY = (exp.TemporaryProperty, exp.VolatileProperty)
_WITH_BODY = frozenset(("PROCEDURE", "PROC"))


def create(reader: "StatementReader", node: exp.Expr) -> None:
    """Read CREATE."""
    kind = str(node.args.get("kind") or "").upper()
    if kind in _WITH_BODY:
        _procedure(reader, node)
    elif kind in _WITH_ROWS:
        _with_rows(reader, node, kind)
    elif kind == "DICTIONARY":
        create_dictionary(reader, node)
    elif kind == "MODEL":
        outputs = [p for p in node.find_all(nodes.ModelColumns) if p.this == "OUTPUT"]
        columns = [
            _catalog_column(c, reader.session.dialect) for p in outputs for c in p.expressions
        ]
        reader.session.models[node.this.name.lower()] = tuple(columns)
    elif kind == "CATALOG" and isinstance(node, exp.Create):
        reader.session.catalogs[node.this.name.lower()] = create_options(node)


def declare(reader: "StatementReader", node: exp.Expr) -> None:
    """DECLARE: a table variable of T-SQL is a temporary table; other variables have no lineage."""
    for item in node.expressions:
        kind = item.args.get("kind")
        names = item.this if isinstance(item.this, list) else [item.this]
        if isinstance(kind, exp.Schema):
            for each in names:
                columns = _listed_columns(kind, reader.session.dialect)
                reader.session.define(Definition(f"@{each.name}", columns, is_temporary=True))
        else:
            found = (each.name.lower() for each in names if isinstance(each, exp.Expr))
            reader.session.variables.update(found)


def _procedure(reader: "StatementReader", node: exp.Expr) -> None:
    """The statements of a procedure's body, as if they ran."""
    body = node.args.get("expression")
    if isinstance(body, exp.Expr) and not isinstance(body, (exp.Literal, exp.Heredoc)):
        reader.read(body)
    else:
        reader.session.report("not understood", "The procedure's body is not understood.", node)


def _with_rows(reader: "StatementReader", node: exp.Expr, kind: str) -> None:
    target = node.this
    table = target.this if isinstance(target, exp.Schema) else target
    if not isinstance(table, exp.Table):
        reader.session.report("table", "What is created has no name that is known.", node)
        return
    parts = table_parts(table)
    session = reader.session
    is_temporary = _has_property(node, *_TEMPORARY) or parts[-1].startswith("#")
    if kind == "TABLE" and type(session.dialect).__name__ == "Flink":
        # Only what is known of it is temporary: the topic or table that it stands for is not.
        is_temporary = False
    listed = _with_partitions(node, _listed_columns(target, session.dialect), session.dialect)
    options = _options(node, session)
    dataset = _dataset(reader, node, parts, options)
    rows = _source_rows(reader, node, parts)
    if rows is None or _like(node) is not None:
        _declare(reader, target, parts, (listed, dataset, options, is_temporary), _like(node))
        return
    names = [each.name for each in listed] if listed and len(listed) >= len(rows.columns) else []
    if _adds_columns(target, rows):
        names = []
    name = session.table_name(parts)
    columns = _columns(rows, names, listed)
    if kind == "VIEW" and name.lower() in session.inputs:
        session.report("recursive", f"The view {name} reads itself.", node)
    if is_temporary and kind == "VIEW":
        reads = tuple(session.inputs.values())
        session.define(Definition(name, None, None, rows.named(names), True, reads))
        reader.built.written(parts, rows, names, f"CREATE {kind}", True)
        return
    session.define(Definition(name, columns, dataset, None, is_temporary, options=options))
    to = _written_instead(node)
    if to:
        # ClickHouse: what a materialized view selects is in another table.
        known = [each.name for each in session.columns_of(to) or ()]
        by_name = {each.name.lower() for each in rows.columns} <= {n.lower() for n in known}
        reader.built.written(to, rows, [] if by_name else known, "INSERT")
        return
    reader.built.written(parts, rows, names, f"CREATE {kind}", is_temporary)


def _written_instead(node: exp.Expr) -> tuple[str, ...]:
    found = node.find(exp.ToTableProperty)
    return table_parts(found.this) if found is not None and found.this.name else ()


def _declare(
    reader: "StatementReader",
    target: exp.Expr,
    parts: tuple[str, ...],
    stated: "tuple[_Columns, DatasetName | None, Mapping[str, str], bool]",
    like: exp.Expr | None,
) -> None:
    """A table without a query: its columns, and those of the one that it is like."""
    session = reader.session
    listed, dataset, options, is_temporary = stated
    name = session.table_name(parts)
    own = listed or ()
    base = session.definition(table_parts(like)) if like is not None else None
    inherited = session.columns_of(table_parts(like)) or () if like is not None else ()
    columns = (*(each for each in inherited if each.name not in {c.name for c in own}), *own)
    is_open = like is not None and not inherited
    rows, unwritten = _computed(reader, target, name, columns, base)
    session.define(
        Definition(
            name,
            columns if columns and not is_open else None,
            dataset,
            None,
            is_temporary,
            options=options,
            rows=rows if not is_open else None,
            unwritten=unwritten,
        )
    )
    shown = [RowColumn(each.name, NOTHING, each.type) for each in inherited]
    operation = "CREATE TABLE" if like is not None else "CREATE"
    reader.built.written(parts, QueryRows(shown), (), operation, is_temporary, is_declaration=True)


def _computed(
    reader: "StatementReader",
    target: exp.Expr,
    name: str,
    columns: Sequence[CatalogColumn],
    base: Definition | None,
) -> tuple[QueryRows | None, frozenset[str]]:
    """The rows of a table with computed columns, and which columns INSERT leaves out.

    In Flink a computed column is in no record: it is made of others whenever the table is read.
    """
    computed: dict[str, exp.Expr] = {}
    unwritten = set(base.unwritten) if base is not None else set()
    for each in target.expressions if isinstance(target, exp.Schema) else ():
        for constraint in each.args.get("constraints") or ():
            kind = constraint.args.get("kind")
            if isinstance(kind, exp.ComputedColumnConstraint):
                computed[each.name.lower()] = kind.this
                unwritten.add(each.name.lower())
            elif isinstance(kind, nodes.MetadataColumnConstraint) and kind.args.get("virtual"):
                unwritten.add(each.name.lower())
    is_flink = type(reader.session.dialect).__name__ == "Flink"
    if not is_flink or not (computed or (base is not None and base.rows is not None)):
        return None, frozenset(unwritten)
    rows = table_rows(name, columns)
    scope = reader.queries.scope()
    scope.relations.append(NamedRows(name, rows, (name,)))
    found = []
    for column in rows.columns:
        expression = computed.get(column.name.lower())
        before = base.rows.find(column.name) if base is not None and base.rows else None
        if expression is not None:
            value = reader.queries.expressions(scope).read(expression)
            kind = column.type or type_of(expression, scope, reader.session.dialect)
            column = RowColumn(column.name, value, kind)
        elif before is not None and column.name.lower() in unwritten:
            column = RowColumn(column.name, _renamed(before.value, name), before.type)
        found.append(column)
    return QueryRows(found, listed_table=name), frozenset(unwritten)


def _renamed(value: Derived, table: str) -> Derived:
    """A value of another table's columns as one of the same columns of this table."""
    direct = {source._replace(table=table): way for source, way in value.whole.items()}
    return Derived(direct, frozenset((s._replace(table=table), by) for s, by in value.indirect))


def _adds_columns(target: exp.Expr, rows: QueryRows) -> bool:
    """Whether the listed columns are declared by name, apart from those of the query."""
    if not isinstance(target, exp.Schema):
        return False
    return len(target.expressions) < len(rows.columns)


def _columns(
    rows: QueryRows, names: list[str], listed: tuple[CatalogColumn, ...] | None
) -> tuple[CatalogColumn, ...] | None:
    """The columns of what was created, unless a `*` in it is not expanded."""
    if rows.open_tables and not names:
        return None
    types = [each.type for each in listed] if listed and names else []
    return tuple(
        CatalogColumn(
            names[place] if place < len(names) else each.name,
            (types[place] if place < len(types) else None) or each.type,
        )
        for place, each in enumerate(rows.columns)
    )


def _catalog_column(node: exp.Expr, dialect: Dialect) -> CatalogColumn:
    kind = node.args.get("kind")
    return CatalogColumn(node.name, kind.sql(dialect=dialect) if kind else None)


def _listed_columns(target: exp.Expr, dialect: Dialect) -> tuple[CatalogColumn, ...] | None:
    if not isinstance(target, exp.Schema):
        return None
    found = []
    for each in target.expressions:
        if isinstance(each, exp.ColumnDef):
            found.append(_catalog_column(each, dialect))
        elif isinstance(each, (exp.Identifier, exp.Column)):
            found.append(CatalogColumn(each.name))
    return tuple(found) or None


def _with_partitions(node: exp.Expr, listed: _Columns, dialect: Dialect) -> _Columns:
    """With the columns that `PARTITIONED BY (day DATE)` adds: they come last."""
    found = node.find(exp.PartitionedByProperty) if listed else None
    schema = found.this if found is not None else None
    known = {each.name.lower() for each in listed or ()}
    added = [
        _catalog_column(each, dialect)
        for each in (schema.expressions if isinstance(schema, exp.Schema) else ())
        if isinstance(each, exp.ColumnDef) and each.name.lower() not in known
    ]
    return (*(listed or ()), *added) or None


def _has_property(node: exp.Expr, *kinds: type[exp.Expr]) -> bool:
    properties = node.args.get("properties")
    return properties is not None and any(isinstance(p, kinds) for p in properties.expressions)


def _source_rows(
    reader: "StatementReader", node: exp.Expr, parts: tuple[str, ...]
) -> QueryRows | None:
    """What a table or view is made of: a query, or another table that it copies."""
    query = node.args.get("expression")
    if isinstance(query, (exp.Query, exp.Values, exp.Pivot, exp.Paren)):
        levels = reader.queries.mark()
        reader.queries.define_common(node)
        rows = reader.queries.read(query)
        reader.queries.release(levels)
        return rows
    clone = node.args.get("clone")
    copied = clone.this if clone is not None else query
    # Teradata: CREATE TABLE a AS b WITH DATA. ClickHouse's AS takes the columns alone.
    has_rows = clone is not None or type(reader.session.dialect).__name__ != "ClickHouse"
    if isinstance(copied, exp.Table) and has_rows:
        return reader.session.read_table(table_parts(copied)).listed()
    if path := _file_of_view(node):
        return reader.session.read_table((path,)).listed()
    like = _like(node)
    if like is None:
        return None
    # Its columns alone: no rows come from there.
    rows = reader.session.read_table(table_parts(like))
    return QueryRows([RowColumn(each.name, NOTHING, each.type) for each in rows.columns])


def _file_of_view(node: exp.Expr) -> str:
    """Spark: the files of `CREATE TEMPORARY VIEW v USING csv OPTIONS (path '...')`."""
    options = node.find(exp.OptionsProperty)
    if str(node.args.get("kind")).upper() != "VIEW" or options is None:
        return ""
    found: dict[str, str] = {each.name.lower(): each.text("value") for each in options.expressions}
    return found.get("path", "")


def _like(node: exp.Expr) -> exp.Expr | None:
    found = node.find(exp.LikeProperty)
    if found is not None and isinstance(found.this, exp.Table):
        return found.this
    return None


def _options(node: exp.Expr, session: Session) -> dict[str, str]:
    """The options of a table: its own, over those of the one that it is like."""
    own = create_options(node) if isinstance(node, exp.Create) else {}
    like = _like(node)
    base = session.definition(table_parts(like)) if like is not None else None
    found = node.find(exp.LikeProperty)
    excluded = {
        str(each.args["value"]).upper()
        for each in (found.expressions if found is not None else ())
        if str(each.this).upper() == "EXCLUDING" and each.args.get("value")
    }
    if base is None or excluded & {"ALL", "OPTIONS"}:
        return own
    return {**base.options, **own}


def _dataset(
    reader: "StatementReader",
    node: exp.Expr,
    parts: tuple[str, ...],
    options: Mapping[str, str],
) -> DatasetName | None:
    """The physical dataset that options name: a topic, a file, a table elsewhere."""
    if not isinstance(node, exp.Create):
        return None
    session = reader.session
    dialect = type(session.dialect).__name__
    name = parts[-1]
    written = node.find(exp.Table)
    if dialect == "KsqlDB" and written is not None and not written.this.args.get("quoted"):
        # The topic of a stream that names none: names without quotes are in capitals there.
        name = name.upper()
    described = describe_options(options, dialect.lower(), name, session.kafka)
    if len(described.names) == 1:
        return described.names[0]
    engine = external_engine(node) if dialect == "ClickHouse" else ""
    if described.names:
        names = ", ".join(f"{each.namespace} {each.name}" for each in described.names)
        session.report("table", f"The table stands for several datasets: {names}.", node)
    elif engine:
        session.report("table", f"What the engine {engine} stands for is not known.", node)
    elif not options.get("connector"):
        return session.dataset_in_catalog(parts)
    elif described.is_dataset:
        session.report("table", described.reason, node)
    return None
