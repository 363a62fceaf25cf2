"""Snowflake's SEMANTIC_VIEW(view METRICS ... DIMENSIONS ... FACTS ...) in FROM."""

from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import AGGREGATED
from headwater.sql.rows import NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope

if TYPE_CHECKING:
    from headwater.sql.queries import QueryReader

_ROLES = ("dimensions", "facts", "metrics")


def semantic_view(reader: "QueryReader", node: exp.Expr, parts: tuple[str, ...]) -> NamedRows:
    """The columns that are requested of the view; a metric is made of many rows."""
    call = node.this
    scope = Scope(reader.session.report)
    if not parts:
        reader.session.report("table", "A table here has no name that is known.", node)
        return NamedRows(node.alias, QueryRows())
    scope.relations.append(NamedRows(parts[-1], reader.session.read_table(parts), parts))
    expressions = reader.expressions(scope)
    columns = []
    for role in _ROLES:
        for each in call.args.get(role) or ():
            value = expressions.read(_unqualified(each.unalias()))
            value = value.through(AGGREGATED) if role == "metrics" else value
            columns.append(RowColumn(each.alias or each.name, value))
    where = call.args.get("where")
    decided = expressions.deciding([_unqualified(where)] if where else (), "FILTER")
    # A further column that the query names is kept, and reported.
    name = reader.session.table_name(parts)
    return NamedRows(node.alias, QueryRows(columns, decided, listed_table=name))


def _unqualified(node: exp.Expr) -> exp.Expr:
    """Without the names of the view's own tables, which nobody outside it knows."""
    found = node.copy()
    for each in found.find_all(exp.Column):
        each.set("table", None)
    return found
