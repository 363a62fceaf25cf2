"""What stands in FROM: tables, subqueries, joins, lateral views, table functions, pivots."""

from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import CHANGED, combine
from headwater.sql.dialects import nodes
from headwater.sql.pivots import matched, pairs_of_object, pivoted
from headwater.sql.rows import Deciding, NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.semantic_views import semantic_view
from headwater.sql.table_functions import (
    aliased,
    function_rows,
    rows_of_tables,
    unnested,
)

if TYPE_CHECKING:
    from headwater.sql.queries import QueryReader

# Spark reads files as `parquet.`/path``.
_FILE_FORMATS = frozenset(("avro", "binaryfile", "csv", "delta", "json", "orc", "parquet", "text"))
_AS_OF = ("version", "when", "system_time")
_SEMI = ("SEMI", "ANTI")


def add_source(reader: "QueryReader", scope: Scope, node: exp.Expr) -> None:
    """Add what one item of FROM gives, with its own joins, to a scope."""
    for relation in _relations(reader, scope, node):
        scope.relations.append(relation)
        scope.deciding |= relation.rows.deciding
    for name in _AS_OF:
        # Which version of the rows is joined depends on the other side's time.
        if isinstance(time := node.args.get(name), exp.Expr) and len(scope.relations) > 1:
            columns = time.find_all(exp.Column)
            scope.deciding |= reader.expressions(scope).deciding(columns, "JOIN")
    for each in node.args.get("laterals") or ():
        add_source(reader, scope, each)
    for each in node.args.get("joins") or ():
        add_join(reader, scope, each)


def add_join(reader: "QueryReader", scope: Scope, join: exp.Expr) -> None:
    """Add the right side of a join, and what joins it."""
    before = len(scope.relations)
    # ClickHouse's ARRAY JOIN may have several arrays.
    for each in (join.this, *join.expressions):
        add_source(reader, scope, each)
    conditions = [each for name in ("on", "match_condition") if (each := join.args.get(name))]
    decided = reader.expressions(scope).deciding(conditions, "JOIN")
    using = [each.name for each in join.args.get("using") or ()]
    if str(join.args.get("method") or "").upper() == "NATURAL":
        using = _common(scope.relations[:before], scope.relations[before:])
    for name in using:
        decided |= _merge(scope, before, name, str(join.args.get("side") or "").upper())
    scope.deciding |= decided
    if str(join.args.get("kind") or "").upper() in _SEMI:
        del scope.relations[before:]


def _common(left: list[NamedRows], right: list[NamedRows]) -> list[str]:
    names = {column.name.lower() for each in right for column in each.rows.columns}
    return [c.name for each in left for c in each.rows.columns if c.name.lower() in names]


def _merge(scope: Scope, before: int, name: str, side: str) -> frozenset[Deciding]:
    """Make one column of those that USING names on both sides."""
    left = Scope(scope.report, None, scope.relations[:before], merged=scope.merged)
    right = Scope(scope.report, None, scope.relations[before:])
    marker = exp.Identifier(this=name)
    one, other = left.column([name], marker), right.column([name], marker)
    kept = {"RIGHT": [other], "FULL": [one, other]}.get(side, [one])
    value = combine([each.value for each in kept])
    if side == "FULL":
        # COALESCE of both.
        value = value.through(CHANGED).beside(value.deciding("CONDITIONAL"))
    scope.merged[name.lower()] = RowColumn(one.name, value, kept[0].type)
    return one.value.deciding("JOIN") | other.value.deciding("JOIN")


def _relations(reader: "QueryReader", scope: Scope, node: exp.Expr) -> list[NamedRows]:
    """The relations that one node gives, without its joins."""
    reader.session.check_time()
    if isinstance(node, (exp.Final, *nodes.STREAM)) and isinstance(node.this, exp.Expr):
        # ClickHouse's FINAL and Databricks' STREAM read the same table.
        inner = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        alias = node.args.get("alias") or node.this.args.get("alias")
        if alias is not None and not inner.alias:
            inner.set("alias", alias)
        return _relations(reader, scope, inner)
    if isinstance(node, exp.Table):
        relations = [_table(reader, scope, node)]
    elif isinstance(node, exp.Subquery):
        relations = _subquery(reader, scope, node)
    elif isinstance(node, exp.Lateral):
        relations = [_lateral(reader, scope, node)]
    elif isinstance(node, exp.Unnest):
        relations = [unnested(reader, scope, node)]
    elif isinstance(node, exp.Query):
        relations = [NamedRows(node.alias, reader.read(node, scope.parent))]
    elif isinstance(node, exp.Values):
        relations = [aliased(reader.values(node, scope), node)]
    elif isinstance(node, nodes.TableFunction):
        relations = [rows_of_tables(reader, scope, node, node, node.inputs)]
    elif isinstance(node, nodes.PatternMatch):
        inner = Scope(scope.report, scope.parent)
        add_source(reader, inner, node.this)
        scope.deciding |= inner.deciding
        return [matched(reader, inner.relations, node)]
    elif isinstance(node, exp.Pivot) and node.args.get("unpivot"):
        return [pairs_of_object(reader, scope, node)]
    elif isinstance(node, exp.TableFromRows):
        relations = [function_rows(reader, scope, node, node.this)]
    else:
        relations = [function_rows(reader, scope, node, node)]
    for pivot in node.args.get("pivots") or ():
        relations = [pivoted(reader, scope, relations, pivot)]
    match = node.args.get("match")
    return [matched(reader, relations, match)] if match and relations else relations


def table_parts(node: exp.Expr) -> tuple[str, ...]:
    """The parts of a table's name; `a.b` in one pair of quotes is two of them in BigQuery."""
    this = node.this
    if isinstance(this, exp.DynamicIdentifier) and isinstance(this.this, exp.Literal):
        # Snowflake's IDENTIFIER('a.b').
        return tuple(this.this.name.split("."))
    if isinstance(this, exp.Parameter) and isinstance(this.this, (exp.Var, exp.Identifier)):
        # A table variable of T-SQL.
        return (f"@{this.this.name}",)
    if not isinstance(this, (exp.Identifier, exp.Dot, exp.Literal, exp.Var)):
        return ()
    parts = tuple(_part(part) for part in _name_parts(node) if part.name)
    if len(parts) == 2 and parts[0].lower() in _FILE_FORMATS and "/" in parts[1]:
        return parts[1:]
    return parts


def _part(node: exp.Expr) -> str:
    """A part of a name; `#t` and `##t` of T-SQL are other tables than `t`."""
    mark = "#" if node.args.get("temporary") else "##" if node.args.get("global_") else ""
    return f"{mark}{node.name}"


def _name_parts(node: exp.Expr) -> list[exp.Expr]:
    return list(node.parts) if isinstance(node, (exp.Table, exp.Column, exp.Dot)) else []


def _table(reader: "QueryReader", scope: Scope, node: exp.Expr) -> NamedRows:
    if functions := node.args.get("rows_from"):
        several = [_table(reader, scope, each) for each in functions]
        return aliased(QueryRows([c for each in several for c in each.rows.columns]), node)
    parts = table_parts(node)
    if not parts:
        if isinstance(node.this, exp.Unnest):
            return aliased(unnested(reader, scope, node.this).rows, node)
        if isinstance(node.this, exp.SemanticView):
            return semantic_view(reader, node, table_parts(node.this.this))
        if isinstance(node.this, exp.Func):
            return function_rows(reader, scope, node, node.this)
        reader.session.report("table", "A table here has no name that is known.", node)
        return NamedRows(node.alias, QueryRows())
    if len(parts) == 1 and (rows := reader.common_table(parts[0])) is not None:
        return aliased(rows, node, parts)
    if len(parts) > 1 and (found := _array_of(scope, parts, node)) is not None:
        return found
    return aliased(reader.session.read_table(parts), node, parts)


def _array_of(scope: Scope, parts: tuple[str, ...], node: exp.Expr) -> NamedRows | None:
    """`FROM t, t.items AS item`: the elements of a column of a table before it."""
    if not any(each.name.lower() == parts[0].lower() for each in scope.relations):
        return None
    value = scope.column(parts, node).value.through(CHANGED)
    name = node.alias or parts[-1]
    return NamedRows(name, QueryRows([RowColumn(name, value)]))


def _subquery(reader: "QueryReader", scope: Scope, node: exp.Expr) -> list[NamedRows]:
    """A query in parentheses; or tables and joins in parentheses, which keep their names."""
    inner = node.this
    if isinstance(inner, (exp.Table, exp.Lateral, exp.Unnest)) or (
        isinstance(inner, exp.Subquery) and not node.alias and _is_joined(inner)
    ):
        part = Scope(scope.report, scope.parent)
        add_source(reader, part, inner)
        scope.deciding |= part.deciding
        scope.merged.update(part.merged)
        if node.alias:
            return [
                aliased(QueryRows(part.star().columns, frozenset(), part.star().open_tables), node)
            ]
        return part.relations
    return [aliased(reader.inside_parentheses(node, scope.parent), node)]


def _is_joined(node: exp.Expr) -> bool:
    """Whether parentheses hold tables and joins, and not a query."""
    while isinstance(node, exp.Subquery) and not node.alias:
        if node.args.get("joins"):
            return True
        node = node.this
    return isinstance(node, exp.Table)


def _lateral(reader: "QueryReader", scope: Scope, node: exp.Expr) -> NamedRows:
    """A query or function that sees what stands before it."""
    inner = node.this
    if isinstance(inner, (exp.Subquery, exp.Query)):
        rows = reader.read(inner, scope)
        return aliased(rows, node)
    return function_rows(reader, scope, node, inner)
