"""UNION, INTERSECT and EXCEPT: the rows of two queries as those of one."""

from sqlglot import exp

from headwater.model.values.derivation import combine
from headwater.sql.rows import Derived, QueryRows, RowColumn


def combined(node: exp.Expr, left: QueryRows, right: QueryRows) -> QueryRows:
    """Two queries by position, or by name; INTERSECT and EXCEPT filter by the second."""
    deciding = left.deciding | right.deciding
    open_tables = tuple(dict.fromkeys((*left.open_tables, *right.open_tables)))
    if not isinstance(node, exp.Union):
        every = [*left.columns, *right.columns]
        decided = frozenset().union(*(each.value.deciding("FILTER") for each in every))
        return QueryRows(left.columns, deciding | decided, left.open_tables)
    columns = _by_name(left, right) if node.args.get("by_name") else _by_position(left, right)
    rows = QueryRows(columns, deciding, open_tables)
    if node.args.get("distinct"):
        grouped = frozenset().union(*(each.value.deciding("GROUP_BY") for each in columns))
        return rows.decided_by(grouped)
    return rows


def is_plain_union(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Union)
        and not node.args.get("distinct")
        and not node.args.get("by_name")
    )


def united(parts: list[QueryRows]) -> QueryRows:
    """UNION ALL of many, by position: each column is combined once."""
    if len(parts) == 1:
        return parts[0]
    columns = [
        RowColumn(
            each.name,
            combine([rows.columns[place].value for rows in parts if place < len(rows.columns)]),
            each.type,
        )
        for place, each in enumerate(parts[0].columns)
    ]
    deciding = frozenset().union(*(rows.deciding for rows in parts))
    tables = dict.fromkeys(table for rows in parts for table in rows.open_tables)
    return QueryRows(columns, deciding, tuple(tables))


def _by_position(left: QueryRows, right: QueryRows) -> list[RowColumn]:
    columns = []
    for place, each in enumerate(left.columns):
        other = right.columns[place].value if place < len(right.columns) else Derived()
        columns.append(RowColumn(each.name, combine([each.value, other]), each.type))
    return columns


def _by_name(left: QueryRows, right: QueryRows) -> list[RowColumn]:
    names = list(dict.fromkeys(each.name for each in (*left.columns, *right.columns)))
    columns = []
    for name in names:
        found = [each for rows in (left, right) if (each := rows.find(name)) is not None]
        columns.append(RowColumn(name, combine([each.value for each in found]), found[0].type))
    return columns
