"""`*` in a select list: with EXCEPT, REPLACE and RENAME, of a structure, by a pattern."""

import re

from sqlglot import exp

from headwater.model.values.derivation import AS_IT_IS
from headwater.sql.expressions import SqlExpressionReader
from headwater.sql.results import SourceColumn
from headwater.sql.rows import Derived, QueryRows, RowColumn, star_tables
from headwater.sql.scope import Scope


def is_star(node: exp.Expr) -> bool:
    if isinstance(node, (exp.Star, exp.Columns)):
        return True
    if isinstance(node, exp.Column):
        return isinstance(node.this, exp.Star)
    return isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star)


def star_rows(node: exp.Expr, scope: Scope, expressions: SqlExpressionReader) -> QueryRows:
    """The columns that a `*` stands for; one of a table that nobody has listed stays."""
    star = node if isinstance(node, exp.Star) else node.this
    if isinstance(node, exp.Column):
        rows = scope.star_of([part.name for part in node.parts[:-1]], node)
    elif isinstance(node, exp.Dot):
        parts = [part.name for part in node.parts[:-1]]
        star, rows = node.expression, scope.star_of(parts, node)
    else:
        rows = scope.star()
    is_of_all = rows.function == "" and not isinstance(node, (exp.Column, exp.Dot))
    functions = [each.rows.function for each in scope.relations] if is_of_all else [rows.function]
    for function in filter(None, functions):
        message = f"The columns of {function} are not known: `*` is not expanded."
        scope.report("star", message, node)
    if rows.function:
        rows = QueryRows(rows.in_order())
    if isinstance(node, exp.Columns):
        rows = _matching(rows, node.this)
    elif pattern := star.args.get("ilike"):
        like = re.escape(pattern.name).replace("%", ".*").replace("_", ".")
        rows = _by_name(rows, re.compile(like, re.I | re.S), is_whole=True)
    columns = _changed(star, rows, scope, expressions)
    listed = star_tables(columns)
    missing = [table for table in rows.open_tables if table not in listed]
    unlisted = [RowColumn("*", Derived({SourceColumn(t, "*"): AS_IT_IS})) for t in missing]
    return QueryRows([*unlisted, *columns], frozenset(), rows.open_tables)


def _matching(rows: QueryRows, chosen: exp.Expr) -> QueryRows:
    """DuckDB's `COLUMNS('pattern')`; any other choice may be of all columns."""
    if not isinstance(chosen, exp.Literal):
        return rows
    try:
        pattern = re.compile(chosen.name)
    except re.error:
        return rows
    return _by_name(rows, pattern, is_whole=False)


def _by_name(rows: QueryRows, pattern: re.Pattern[str], is_whole: bool) -> QueryRows:
    find = pattern.fullmatch if is_whole else pattern.search
    kept = [each for each in rows.columns if each.name == "*" or find(each.name)]
    return QueryRows(kept, rows.deciding, rows.open_tables)


def _changed(
    star: exp.Expr, rows: QueryRows, scope: Scope, expressions: SqlExpressionReader
) -> list[RowColumn]:
    """`*` with EXCEPT, REPLACE and RENAME."""
    left_out = {each.name.lower() for each in star.args.get("except_") or ()}
    replaced = {
        each.alias.lower(): each.this
        for each in star.args.get("replace") or ()
        if isinstance(each, exp.Alias)
    }
    renamed = {
        each.this.name.lower(): each.alias
        for each in star.args.get("rename") or ()
        if isinstance(each, exp.Alias)
    }
    columns = []
    for each in rows.columns:
        key = each.name.lower()
        if key in left_out:
            continue
        if key in replaced:
            value = expressions.read(replaced.pop(key))
            each = RowColumn(each.name, value)
        columns.append(each._replace(name=renamed.pop(key, each.name)))
    # Of a table whose columns nobody has listed.
    for name, node in replaced.items():
        columns.append(RowColumn(name, expressions.read(node)))
    for name, alias in renamed.items():
        if rows.open_tables:
            value = scope.column([name], star).value
            columns.append(RowColumn(alias, value))
    return columns
