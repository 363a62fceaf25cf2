"""Changes in place: UPDATE, DELETE and MERGE, clause by clause."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import combine
from headwater.sql.relations import add_join, add_source, table_parts
from headwater.sql.rows import NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.statements.outputs import rows_of_target, write_output

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader


def _change(
    reader: "StatementReader", parts: tuple[str, ...], rows: QueryRows, operation: str
) -> None:
    name = reader.session.table_name(parts)
    used = {source.table for each in rows.columns for source in each.value.whole}
    if name in used:
        reader.session.inputs.setdefault(name.lower(), reader.session.table(parts))
    reader.built.written(parts, rows, (), operation)
    reader.changed = rows


def update(reader: "StatementReader", node: exp.Expr) -> None:
    levels = reader.queries.mark()
    reader.queries.define_common(node)
    scope, parts = _target_scope(reader, node)
    if parts:
        expressions = reader.queries.expressions(scope)
        columns = [column for each in node.expressions for column in _assigned(reader, each, scope)]
        where = node.args.get("where")
        decided = expressions.deciding([where.this] if where else (), "FILTER")
        rows = QueryRows(columns, scope.deciding | decided)
        _change(reader, parts, rows, "UPDATE")
        write_output(reader, node, parts, rows, scope)
    reader.queries.release(levels)


def _assigned(reader: "StatementReader", node: exp.Expr, scope: Scope) -> list[RowColumn]:
    """`a = x`, or `(a, b) = (SELECT ...)`."""
    if not isinstance(node, (exp.EQ, exp.PropertyEQ)) or isinstance(node.this, exp.Parameter):
        # T-SQL: `@v = x` assigns a variable.
        return []
    expressions = reader.queries.expressions(scope)
    if isinstance(node.this, (exp.Tuple, exp.Paren)):
        names = [each.name for each in node.this.find_all(exp.Column)]
        if isinstance(node.expression, (exp.Query, exp.Tuple)):
            rows = reader.queries.read(node.expression, scope)
            values = [each.value.beside(rows.deciding) for each in rows.columns]
        else:
            values = [expressions.read(node.expression)]
        return [RowColumn(n, v) for n, v in zip(names, values, strict=False)]
    return [RowColumn(_own_name(node.this, scope), expressions.read(node.expression))]


def _own_name(node: exp.Expr, scope: Scope) -> str:
    """The table's name for a column that is assigned through a query with another one."""
    is_listed = any(each.rows.find(node.name) for each in scope.relations[:1] if not each.parts)
    found = scope.relations[0].rows.find(node.name) if is_listed else None
    if found is not None and found.value.origin:
        return found.value.origin.column
    parts = [each.name for each in node.parts] if isinstance(node, (exp.Column, exp.Dot)) else []
    for place in range(1, len(parts)):
        if scope.has_relation(parts[place - 1]):
            return parts[place]
    # `b.c = x` where no table is called b: a field of the column b.
    return parts[0] if parts else node.name


def _target_scope(reader: "StatementReader", node: exp.Expr) -> tuple[Scope, tuple[str, ...]]:
    """The table that UPDATE or DELETE changes, beside what FROM or USING adds.

    `UPDATE t ... FROM tab1 t` and `DELETE t FROM tab1 t` name it by its alias.
    """
    scope = reader.queries.scope()
    target = node.args.get("this")
    others: list[exp.Expr] = []
    if from_ := node.args.get("from_"):
        others.append(from_.this)
    others += node.args.get("using") or []
    named = node.args.get("tables") or []
    if named and isinstance(target, exp.Table):
        # MySQL: the tables are joined in FROM, and one of them is changed.
        others.insert(0, target)
        target = named[0]
    if not isinstance(target, exp.Table):
        reader.session.report("table", "The table that is changed has no name.", node)
        return scope, ()
    assigned = {each.this.name.lower() for each in node.expressions if each.this is not None}
    common = _common_target(reader, target, others, assigned)
    if common is not None:
        rows, parts = common
        scope.relations.append(NamedRows(target.alias or target.name, rows, ()))
        scope.deciding |= rows.deciding
        for each in others:
            add_source(reader.queries, scope, each)
        reader.session.inputs.pop(reader.session.table_name(parts).lower(), None)
        return scope, parts
    aliased = _by_alias(others, target)
    parts = table_parts(aliased if aliased is not None else target)
    inputs = dict(reader.session.inputs)
    if aliased is None:
        name = target.alias or parts[-1]
        scope.relations.append(NamedRows(name, rows_of_target(reader, parts), parts))
        for join in target.args.get("joins") or ():
            add_join(reader.queries, scope, join)
    for each in others:
        add_source(reader.queries, scope, each)
    key = reader.session.table_name(parts).lower()
    if aliased is not None and key not in inputs:
        reader.session.inputs.pop(key, None)
    return scope, parts


def _common_target(
    reader: "StatementReader", target: exp.Expr, others: Sequence[exp.Expr], assigned: set[str]
) -> tuple[QueryRows, tuple[str, ...]] | None:
    """`WITH d AS (SELECT ... FROM t) DELETE FROM d`: the rows of the query, and the table.

    Of several tables the one is changed that the assigned columns are of.
    """
    parts = table_parts(target)
    rows = reader.queries.common_table(parts[0]) if len(parts) == 1 and not others else None
    if rows is None:
        return None
    columns = [each for each in rows.columns if each.name.lower() in assigned] or rows.columns
    tables = {column.value.origin.table for column in columns if column.value.origin}
    tables |= set(rows.open_tables)
    return (rows, tuple(tables.pop().split("."))) if len(tables) == 1 else None


def delete(reader: "StatementReader", node: exp.Expr) -> None:
    tables = node.args.get("tables") or []
    for each in tables[1:]:
        # MySQL: `DELETE a, b FROM a JOIN b` deletes from both.
        other = node.copy()
        other.set("tables", [each.copy()])
        delete(reader, other)
    levels = reader.queries.mark()
    reader.queries.define_common(node)
    scope, parts = _target_scope(reader, node)
    if parts:
        where = node.args.get("where")
        conditions = [where.this] if where else []
        decided = reader.queries.expressions(scope).deciding(conditions, "FILTER")
        rows = QueryRows((), scope.deciding | decided)
        _change(reader, parts, rows, "DELETE")
        write_output(reader, node, parts, rows, scope)
    reader.queries.release(levels)


def merge(reader: "StatementReader", node: exp.Expr) -> None:
    levels = reader.queries.mark()
    reader.queries.define_common(node)
    target = node.this
    if not isinstance(target, exp.Table):
        reader.session.report("table", "The table that is changed has no name.", node)
        return
    parts = table_parts(target)
    scope = reader.queries.scope()
    add_source(reader.queries, scope, node.args["using"])
    source = scope.star()
    own = NamedRows(target.alias or parts[-1], rows_of_target(reader, parts), parts)
    inner = Scope(reader.session.report, None, [own, *scope.relations])
    expressions = reader.queries.expressions(inner)
    on = [node.args["on"]] if node.args.get("on") else []
    decided = scope.deciding | expressions.deciding(on, "JOIN")
    values: dict[str, list[RowColumn]] = {}
    for when in node.args["whens"].expressions if node.args.get("whens") else ():
        if condition := when.args.get("condition"):
            decided |= expressions.deciding([condition], "FILTER")
        then = when.args.get("then")
        if isinstance(then, exp.Expr) and (where := then.args.get("where")):
            decided |= expressions.deciding([where.this], "FILTER")
        for column in _clause(reader, when, inner, scope, source, parts):
            values.setdefault(column.name.lower(), []).append(column)
    columns = [
        RowColumn(some[0].name, combine([each.value for each in some]), some[0].type)
        for some in values.values()
    ]
    rows = QueryRows(columns, decided)
    _change(reader, parts, rows, "MERGE")
    write_output(reader, node, parts, rows, scope)
    reader.queries.release(levels)


def _clause(
    reader: "StatementReader",
    when: exp.Expr,
    inner: Scope,
    source: Scope,
    star: QueryRows,
    parts: tuple[str, ...],
) -> list[RowColumn]:
    """What one WHEN clause writes."""
    then = when.args.get("then")
    if isinstance(then, exp.Update):
        assigned = then.expressions
        if not assigned or isinstance(assigned[0], exp.Star):
            return _all_of_source(reader, star, parts, then)
        return [column for each in assigned for column in _assigned(reader, each, inner)]
    if not isinstance(then, exp.Insert):
        return []
    if isinstance(then.this, exp.Tuple) and not then.args.get("expression"):
        # Teradata's INSERT (s.a, s.b), or DEFAULT VALUES.
        return _by_place(reader, then.this.expressions, source, parts)
    if isinstance(then.this, exp.Star) or not then.args.get("expression"):
        return _all_of_source(reader, star, parts, then)
    # Only the new row is there to insert from.
    expressions = reader.queries.expressions(source)
    given = then.expression
    cells = given.expressions if isinstance(given, (exp.Tuple, exp.Values)) else [given]
    if len(cells) == 1 and isinstance(cells[0], exp.Tuple):
        cells = cells[0].expressions
    if isinstance(given, exp.Var) or (len(cells) == 1 and isinstance(cells[0], exp.Var)):
        return _all_of_source(reader, star, parts, then)
    names = [each.name for each in then.this.expressions] if then.this else []
    if not names:
        return _by_place(reader, cells, source, parts)
    return [RowColumn(n, expressions.read(c)) for n, c in zip(names, cells, strict=False)]


def _by_place(
    reader: "StatementReader", cells: Sequence[exp.Expr], source: Scope, parts: tuple[str, ...]
) -> list[RowColumn]:
    """Values for the columns of the table, in its order; by their own names if it is not known."""
    if len(cells) == 1 and cells[0].name.upper() == "DEFAULT":
        return []
    known = [each.name for each in reader.session.written_columns_of(parts) or ()]
    own = [each.name or f"col{place}" for place, each in enumerate(cells, 1)]
    expressions = reader.queries.expressions(source)
    names = known or own
    return [RowColumn(n, expressions.read(c)) for n, c in zip(names, cells, strict=False)]


def _all_of_source(
    reader: "StatementReader", star: QueryRows, parts: tuple[str, ...], node: exp.Expr
) -> list[RowColumn]:
    """`UPDATE SET *` and `INSERT *`: every column by its name."""
    if not star.open_tables:
        return list(star.columns)
    known = reader.session.columns_of(parts)
    if known is not None and len(star.open_tables) == 1:
        rows = reader.queries.scope()
        rows.relations = [NamedRows("", star)]
        return [RowColumn(c.name, rows.column([c.name], node).value) for c in known]
    return [RowColumn("*", star.everything())]


def _by_alias(others: list[exp.Expr], target: exp.Expr) -> exp.Expr | None:
    """The table that a name stands for among those of FROM."""
    if target.text("db"):
        return None
    for other in others:
        tables = [other, *(each.this for each in other.args.get("joins") or ())]
        for each in tables:
            if isinstance(each, exp.Table) and each.alias_or_name.lower() == target.name.lower():
                return each
    return None
