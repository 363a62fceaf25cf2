"""PIVOT, UNPIVOT and MATCH_RECOGNIZE: rows that become columns, columns that become rows."""

from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import AGGREGATED, CHANGED, combine
from headwater.sql.rows import NOTHING, Derived, NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope

if TYPE_CHECKING:
    from headwater.sql.queries import QueryReader


def pivoted(
    reader: "QueryReader", scope: Scope, relations: list[NamedRows], pivot: exp.Expr
) -> NamedRows:
    """The relation that PIVOT or UNPIVOT makes of those before it."""
    inner = Scope(scope.report, scope.parent, relations)
    rows = _unpivot(reader, inner, pivot) if pivot.args.get("unpivot") else None
    rows = rows or _pivot(reader, inner, pivot)
    alias = pivot.args.get("alias")
    name = pivot.alias or (relations[0].name if relations else "")
    names = [each.name for each in alias.args.get("columns") or ()] if alias else []
    return NamedRows(name, rows.named(names), () if pivot.alias else relations[0].parts)


def _names(node: exp.Expr) -> set[str]:
    return {each.name.lower() for each in node.find_all(exp.Column, exp.Identifier)}


def _pivot(reader: "QueryReader", scope: Scope, pivot: exp.Expr) -> QueryRows:
    """A column for each value of the pivot; what is neither is what rows are grouped by."""
    expressions = reader.expressions(scope)
    before = scope.star()
    used = {each.name.lower() for e in pivot.expressions for each in e.find_all(exp.Column)}
    keys = [each.this for each in pivot.args.get("fields") or () if isinstance(each, exp.In)]
    for key in keys:
        used |= {each.name.lower() for each in key.find_all(exp.Column)}
    decided = expressions.deciding(keys, "CONDITIONAL")
    values = [expressions.read(_value(each)).beside(decided) for each in pivot.expressions]
    made = [each.name for each in pivot.args.get("columns") or ()]
    if not made:
        reader.session.report("pivot", "The columns that PIVOT makes are not listed.", pivot)
    columns = [
        RowColumn(name, values[place % len(values)] if values else NOTHING)
        for place, name in enumerate(made)
    ]
    kept = [each for each in before.columns if each.name.lower() not in used and each.name != "*"]
    grouped = frozenset().union(*(each.value.deciding("GROUP_BY") for each in kept))
    open_tables = before.open_tables
    return QueryRows([*kept, *columns], grouped, open_tables)


def _value(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node


def _unpivot(reader: "QueryReader", scope: Scope, pivot: exp.Expr) -> QueryRows:
    """A row for each of some columns: its value, and its name, which is made of nothing."""
    expressions = reader.expressions(scope)
    used: set[str] = set()
    made: list[RowColumn] = []
    values = [name.name for e in pivot.expressions for name in _listed(e)]
    for field in pivot.args.get("fields") or ():
        if not isinstance(field, exp.In):
            continue
        sources = [_value_of_alias(each) for each in field.expressions]
        for each in sources:
            used |= {column.name.lower() for column in each.find_all(exp.Column)}
        names = [RowColumn(each.name, NOTHING) for each in _listed(field.this)]
        read = []
        for place, name in enumerate(values):
            parts = [expressions.read(_at(each, place, len(values))) for each in sources]
            read.append(RowColumn(name, combine(parts)))
        made += [*read, *names] if pivot.args.get("value_columns_first") else [*names, *read]
    before = scope.star()
    kept = [each for each in before.columns if each.name.lower() not in used and each.name != "*"]
    return QueryRows([*kept, *made], frozenset(), before.open_tables)


def pairs_of_object(reader: "QueryReader", scope: Scope, node: exp.Expr) -> NamedRows:
    """Redshift: `FROM t, UNPIVOT t.object AS value AT name`: its fields as rows."""
    names = []
    inner = node.this
    if isinstance(inner, exp.AtIndex):
        names.append(inner.expression.name)
        inner = inner.this
    value = reader.expressions(scope).read(inner.unalias()).through(CHANGED)
    columns = [RowColumn(name, value) for name in (inner.alias or "value", *names)]
    return NamedRows(inner.alias, QueryRows(columns))


def _listed(node: exp.Expr) -> list[exp.Expr]:
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _value_of_alias(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, (exp.PivotAlias, exp.Alias)) else node


def _at(node: exp.Expr, place: int, count: int) -> exp.Expr:
    """The column for one of several values: `(a, b)` has one for each."""
    inner = _listed(node)
    return inner[place] if count > 1 and place < len(inner) else node


def matched(reader: "QueryReader", relations: list[NamedRows], match: exp.Expr) -> NamedRows:
    """What MATCH_RECOGNIZE returns: its partition, then its measures.

    The variables of the pattern are names for rows of the same input.
    """
    variables = {part.strip("(){}*+?|,$^-") for part in match.text("pattern").split()}
    variables |= {each.alias for each in match.args.get("define") or ()}
    rows = Scope(reader.session.report, None, relations).star()
    scope = Scope(reader.session.report, None, [*relations])
    scope.relations += [NamedRows(name, rows) for name in sorted(filter(None, variables))]
    # Without a variable a column is of the input, and not of one of them.
    plain = reader.expressions(Scope(reader.session.report, scope, [*relations]))
    partition = match.args.get("partition_by") or []
    order = match.args.get("order")
    columns: list[RowColumn] = [RowColumn(each.name, plain.read(each)) for each in partition]
    decided = plain.deciding(partition, "WINDOW")
    decided |= plain.deciding(order.expressions if order else (), "WINDOW")
    defined = [each.this for each in match.args.get("define") or ()]
    conditions = plain.deciding(defined, "FILTER")
    for measure in match.args.get("measures") or ():
        alias = measure.this if isinstance(measure.this, exp.Alias) else measure
        value: Derived = plain.read(alias.this).through(AGGREGATED)
        columns.append(RowColumn(alias.alias or alias.name, value.beside(decided)))
    if "ALL ROWS" in match.text("rows").upper():
        names = {each.name.lower() for each in columns}
        columns += [each for each in rows.columns if each.name.lower() not in names]
    alias = match.args.get("alias")
    name = alias.name if alias else ""
    return NamedRows(name, QueryRows(columns, conditions))
