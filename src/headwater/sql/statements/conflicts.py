"""INSERT of rows that are there already: ON CONFLICT DO UPDATE, ON DUPLICATE KEY UPDATE."""

from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import combine
from headwater.sql.rows import NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.statements.outputs import rows_of_target

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader


def with_conflict(
    reader: "StatementReader",
    node: exp.Expr,
    parts: tuple[str, ...],
    rows: QueryRows,
    conflict: exp.Expr,
) -> QueryRows:
    """What INSERT writes, or makes of a row that is there: the table's own values come in too.

    The new row is EXCLUDED (PostgreSQL), the alias of VALUES, or `VALUES(column)` (MySQL).
    """
    source = node.args.get("expression")
    new = source.alias if isinstance(source, exp.Values) and source.alias else "excluded"
    given = NamedRows(new, QueryRows(rows.columns, frozenset(), rows.open_tables))
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    own = NamedRows(table.alias or parts[-1], rows_of_target(reader, parts), parts)
    around = Scope(reader.session.report, None, [given])
    expressions = reader.queries.expressions(Scope(reader.session.report, around, [own]))
    columns = {each.name.lower(): each for each in rows.columns}
    for each in conflict.expressions:
        if not isinstance(each, (exp.EQ, exp.PropertyEQ)):
            continue
        value = expressions.read(each.expression.transform(_of_new_row, new))
        name = each.this.name
        before = columns.get(name.lower(), RowColumn(name, value))
        columns[name.lower()] = before._replace(value=combine([before.value, value]))
    where = conflict.args.get("where")
    decided = expressions.deciding([where.this] if where else (), "FILTER")
    name = reader.session.table_name(parts)
    if any(source.table == name for each in columns.values() for source in each.value.whole):
        reader.session.inputs.setdefault(name.lower(), reader.session.table(parts))
    return QueryRows(list(columns.values()), rows.deciding | decided, rows.open_tables)


def _of_new_row(node: exp.Expr, new: str) -> exp.Expr:
    """`VALUES(column)` of MySQL as a column of the new row."""
    is_call = isinstance(node, exp.Anonymous) and str(node.this).upper() == "VALUES"
    if is_call and len(node.expressions) == 1:
        return exp.column(node.expressions[0].name, table=new)
    return node
