"""PIVOT and UNPIVOT as statements, as DuckDB has them: `PIVOT t ON year USING sum(x)`."""

from itertools import product
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import combine
from headwater.sql.rows import NOTHING, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.stars import is_star, star_rows

if TYPE_CHECKING:
    from headwater.sql.queries import QueryReader


def pivot_rows(reader: "QueryReader", node: exp.Expr, outer: Scope | None) -> QueryRows:
    """The rows that a PIVOT or UNPIVOT gives."""
    scope = reader.scope(outer)
    reader.add_source(scope, node.this)
    before = scope.star()
    if node.args.get("unpivot"):
        return _unpivoted(reader, node, scope, before)
    return _pivoted(reader, node, scope, before)


def _pivoted(reader: "QueryReader", node: exp.Expr, scope: Scope, before: QueryRows) -> QueryRows:
    """A column for each value and aggregate; by default rows are grouped by all the others."""
    expressions = reader.expressions(scope)
    keys = [each.this if isinstance(each, exp.In) else each for each in node.expressions]
    using = node.args.get("using") or []
    decided = expressions.deciding(keys, "CONDITIONAL")
    values = [expressions.read(each.unalias()).beside(decided) for each in using]
    group = node.args.get("group")
    if group is not None:
        kept = [_named(reader, each, scope) for each in group.expressions]
    else:
        used = {c.name.lower() for e in [*keys, *using] for c in e.find_all(exp.Column)}
        kept = [each for each in before.columns if each.name.lower() not in used | {"*"}]
    deciding = scope.deciding.union(*(each.value.deciding("GROUP_BY") for each in kept))
    open_tables = before.open_tables if group is None else ()
    if not all(isinstance(each, exp.In) for each in node.expressions):
        reader.session.report("pivot", "The columns that PIVOT makes are not listed.", node)
        whole = combine(values).beside(decided)
        return QueryRows([*kept, RowColumn("*", whole)], deciding, open_tables, added_by=whole)
    listed = product(*([_label(value) for value in each.expressions] for each in node.expressions))
    ends = [_ending(each, len(using)) for each in using] or [""]
    made = [
        RowColumn("_".join(labels) + ending, values[place] if values else NOTHING.beside(decided))
        for labels in listed
        for place, ending in enumerate(ends)
    ]
    return QueryRows([*kept, *made], deciding, open_tables)


def _label(value: exp.Expr) -> str:
    return value.alias or value.name


def _ending(aggregate: exp.Expr, count: int) -> str:
    """What an aggregate adds to the names of its columns; one without an alias adds nothing."""
    if aggregate.alias:
        return f"_{aggregate.alias}"
    return f"_{aggregate.sql('duckdb').lower()}" if count > 1 else ""


def _named(reader: "QueryReader", node: exp.Expr, scope: Scope) -> RowColumn:
    value = reader.expressions(scope).read(node.unalias())
    return RowColumn(node.alias_or_name, value)


def _unpivoted(reader: "QueryReader", node: exp.Expr, scope: Scope, before: QueryRows) -> QueryRows:
    """A row for each of some columns: its name, which is made of nothing, and its value."""
    expressions = reader.expressions(scope)
    used: set[str] = set()
    given: list[list[RowColumn]] = []
    for each in node.expressions:
        inner = each.unalias()
        if is_star(inner):
            found = [[column] for column in star_rows(inner, scope, expressions).columns]
        else:
            several = inner.expressions if isinstance(inner, exp.Tuple) else [inner]
            found = [[_named(reader, one, scope) for one in several]]
        given += found
        used |= {column.name.lower() for some in found for column in some}
    into = node.args.get("into")
    name = into.this.name if into is not None else "name"
    names = [each.name for each in into.expressions] if into is not None else ["value"]
    made = [
        RowColumn(each, combine([some[place].value for some in given if place < len(some)]))
        for place, each in enumerate(names)
    ]
    kept = [each for each in before.columns if each.name.lower() not in used | {"*"}]
    rows = [*kept, RowColumn(name, NOTHING), *made]
    return QueryRows(rows, scope.deciding, before.open_tables)
