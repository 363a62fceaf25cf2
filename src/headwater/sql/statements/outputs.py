"""Where a change puts the rows that it changes, beside the table: T-SQL's OUTPUT ... INTO."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from headwater.sql.relations import table_parts
from headwater.sql.rows import NamedRows, QueryRows
from headwater.sql.scope import Scope

if TYPE_CHECKING:
    from headwater.sql.statements.writes import StatementReader


def rows_of_target(reader: "StatementReader", parts: Sequence[str]) -> QueryRows:
    """The rows of a table that is changed; it is an input only if a value comes from it."""
    inputs = dict(reader.session.inputs)
    rows = reader.session.read_table(parts)
    reader.session.inputs.clear()
    reader.session.inputs.update(inputs)
    return rows


def write_output(
    reader: "StatementReader",
    node: exp.Expr,
    parts: tuple[str, ...],
    rows: QueryRows,
    scope: Scope | None = None,
) -> None:
    """What OUTPUT writes to the table behind INTO.

    `deleted` is a row as it was, `inserted` is one as `rows` make it; other tables of the statement
    are there as well.
    """
    returning = node.args.get("returning")
    into = returning.args.get("into") if returning is not None else None
    if (
        returning is None
        or not into
        or type(reader.session.dialect).__name__ not in ("TSQL", "Fabric")
    ):
        return
    target = _target(reader, into)
    if target is None:
        reader.session.report("table", "The table of OUTPUT has no name that is known.", node)
        return
    before = rows_of_target(reader, parts)
    written = {each.name.lower() for each in rows.columns}
    # What an UPDATE does not assign stays; an INSERT writes the whole row.
    is_whole = isinstance(node, exp.Insert)
    kept = () if is_whole else [e for e in before.columns if e.name.lower() not in written]
    open_tables = rows.open_tables if is_whole else before.open_tables
    after = QueryRows([*rows.columns, *kept], frozenset(), open_tables)
    relations = [NamedRows("deleted", before), NamedRows("inserted", after)]
    around = [*(scope.relations if scope is not None else ()), *relations]
    made = reader.queries.selected(
        [_value(each) for each in returning.expressions],
        Scope(reader.session.report, None, around),
    )
    name = reader.session.table_name(parts)
    if any(source.table == name for each in made.columns for source in each.value.whole):
        reader.session.inputs.setdefault(name.lower(), reader.session.table(parts))
    names = [each.name for each in target.expressions] if isinstance(target, exp.Schema) else []
    table = target.this if isinstance(target, exp.Schema) else target
    reader.built.written(table_parts(table), made.decided_by(rows.deciding), names, "INSERT")


def _value(node: exp.Expr) -> exp.Expr:
    """`$action` of MERGE is the word of the clause, and no column."""
    is_action = node.unalias().name.lower() == "$action"
    return exp.alias_(exp.Null(), node.alias_or_name, quoted=True) if is_action else node


def _target(reader: "StatementReader", into: exp.Expr) -> exp.Expr | None:
    """The table, maybe with a list of columns, that `text/rewriting.py` made one name."""
    try:
        tree = parse_one(f"INSERT INTO {into.name} SELECT 1", read=reader.session.dialect)
    except SqlglotError:
        return None
    found = tree.this
    table = found.this if isinstance(found, exp.Schema) else found
    return found if isinstance(table, exp.Table) and table_parts(table) else None
