"""The rows of queries: SELECT, set operations, common table expressions."""

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp

from headwater.model.values.derivation import CHANGED, combine
from headwater.sql.expressions import SqlExpressionReader, part_name
from headwater.sql.pivot_statements import pivot_rows
from headwater.sql.pivots import matched, pivoted
from headwater.sql.relations import add_join, add_source
from headwater.sql.results import SourceColumn
from headwater.sql.rows import Derived, NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.session import Session
from headwater.sql.set_operations import combined, is_plain_union, united
from headwater.sql.stars import is_star, star_rows
from headwater.sql.table_functions import alias_columns, stacked
from headwater.sql.types import type_of

MAX_DEPTH = 450
"""How deep queries may be inside each other."""

# Dialects in which a select list may refer to its own aliases.
LATERAL_ALIASES = frozenset(
    ("clickhouse", "databricks", "duckdb", "redshift", "snowflake", "spark", "teradata")
)
# Dialects in which WHERE may refer to them, too.
ALIASES_IN_WHERE = frozenset(("clickhouse", "duckdb", "snowflake", "sqlite", "teradata"))
_SPARK_WINDOWS = frozenset(("window", "session_window"))
QUERIES = (exp.Query, exp.Values, exp.Table, exp.Pivot)
"""What gives rows where a query stands."""
_DML = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


class QueryReader:
    """Reads queries with the tables of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._common: list[dict[str, QueryRows]] = []
        self._scalars: list[dict[str, RowColumn | exp.Expr]] = []
        """Values that WITH gives a name, as ClickHouse can; as many levels as `_common`.

        An expression is of the columns of the query that uses it.
        """
        self._depth = 0
        self.write: Callable[[exp.Expr], QueryRows] | None = None
        """Reads a statement that changes data inside a query, if there is one who can."""

    def expressions(self, scope: Scope) -> SqlExpressionReader:
        has_places = type(self.session.dialect).__name__ == "Snowflake"
        variables = frozenset(self.session.variables)
        return SqlExpressionReader(scope, self._inside_expression, has_places, variables)

    def _inside_expression(self, node: exp.Expr, scope: Scope) -> QueryRows:
        return self.read(node, scope)

    def scope(self, parent: Scope | None = None) -> Scope:
        return Scope(self.session.report, parent)

    def add_source(self, scope: Scope, node: exp.Expr) -> None:
        """Add what stands in FROM to a scope."""
        add_source(self, scope, node)

    def common_table(self, name: str) -> QueryRows | None:
        """The rows of a common table expression."""
        key = name.lower()
        return next((some[key] for some in reversed(self._common) if key in some), None)

    def read(self, node: exp.Expr, outer: Scope | None = None) -> QueryRows:
        """The rows of a query; `outer` is what it may refer to around it."""
        self.session.check_time()
        self._depth += 1
        levels = len(self._common)
        try:
            if self._depth > MAX_DEPTH:
                self.session.report("too deep", "Queries are nested too deep.", node)
                return QueryRows()
            self.define_common(node, outer)
            return self._read(node, outer)
        finally:
            self._depth -= 1
            self.release(levels)

    def _read(self, node: exp.Expr, outer: Scope | None) -> QueryRows:
        if isinstance(node, exp.Select):
            return self._select(node, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer)
        if isinstance(node, exp.Subquery):
            return self._in_parentheses(node, outer)
        if isinstance(node, exp.Pivot):
            return pivot_rows(self, node, outer)
        if isinstance(node, exp.Values):
            return self.values(node, self.scope(outer)).named(alias_columns(node))
        if isinstance(node, (exp.Table, exp.Lateral, exp.Unnest)):
            scope = self.scope(outer)
            add_source(self, scope, node)
            return self._whole(scope)
        if isinstance(node, exp.Paren):
            return self.read(node.this, outer)
        if isinstance(node, exp.Tuple):
            values = [self.expressions(self.scope(outer)).read(each) for each in node.expressions]
            return QueryRows([RowColumn(f"col{place}", v) for place, v in enumerate(values, 1)])
        self.session.report("query", f"A query of this kind is not known: {node.key}.", node)
        return QueryRows()

    def _whole(self, scope: Scope) -> QueryRows:
        rows = scope.star()
        return QueryRows(rows.columns, scope.deciding, rows.open_tables)

    def inside_parentheses(self, node: exp.Expr, outer: Scope | None) -> QueryRows:
        """A query in parentheses, without what may stand behind it."""
        levels = self.mark()
        self.define_common(node, outer)
        rows = self.read(node.this, outer)
        self.release(levels)
        return rows

    def _in_parentheses(self, node: exp.Expr, outer: Scope | None) -> QueryRows:
        """A query in parentheses, with what may stand behind it."""
        rows = self.read(node.this, outer)
        has_more = any(node.args.get(name) for name in ("joins", "pivots", "laterals"))
        if not has_more and not node.args.get("order"):
            return rows
        scope = self.scope(outer)
        relation = NamedRows(node.alias, rows)
        for pivot in node.args.get("pivots") or ():
            relation = pivoted(self, scope, [relation], pivot)
        scope.relations.append(relation)
        for join in node.args.get("joins") or ():
            add_join(self, scope, join)
        order = node.args.get("order")
        sorted_by = self.expressions(scope).deciding(order.expressions if order else (), "SORT")
        whole = self._whole(scope)
        return whole.decided_by(rows.deciding | sorted_by)

    # Common table expressions.

    def mark(self) -> int:
        """How many WITH are open: what `release` goes back to."""
        return len(self._common)

    def release(self, levels: int) -> None:
        del self._common[levels:], self._scalars[levels:]

    def define_common(self, node: exp.Expr, outer: Scope | None = None) -> None:
        """Read what WITH defines; each sees those before it, also one of its own name."""
        with_ = node.args.get("with_")
        if with_ is None:
            return
        level: dict[str, QueryRows] = {}
        scalars: dict[str, RowColumn | exp.Expr] = {}
        self._common.append(level)
        self._scalars.append(scalars)
        for each in with_.expressions:
            if not isinstance(each, exp.CTE):
                continue
            name = each.alias
            if not isinstance(each.this, (*QUERIES, *_DML)):
                scalars[name.lower()] = each
                continue
            is_declared = bool(with_.args.get("recursive"))
            rows = self._common_rows(each, name.lower(), level, outer, is_declared)
            level[name.lower()] = rows.named(alias_columns(each))
            if each.args.get("scalar") and len(rows.columns) == 1:
                value = rows.columns[0].value.through(CHANGED).beside(rows.deciding)
                scalars[name.lower()] = RowColumn(name, value)

    def _common_rows(
        self,
        each: exp.Expr,
        key: str,
        level: dict[str, QueryRows],
        outer: Scope | None,
        is_declared: bool,
    ) -> QueryRows:
        """The rows of one; a recursive one is its first part, then all of it over that."""
        query = each.this
        if isinstance(query, _DML) and self.write is not None:
            return self.write(query)
        is_recursive = key not in level and _refers_to(query, key)
        if is_recursive and is_declared and not isinstance(query, exp.SetOperation):
            self.session.report("recursive", f"{each.alias} is made of itself alone.", each)
            level[key] = QueryRows()
        if not is_recursive or not isinstance(query, exp.SetOperation):
            return self.read(query, outer)
        # Recursive: the first part, then all of it over what is known so far.
        first: exp.Expr = query
        while isinstance(first, exp.SetOperation):
            first = first.this
        rows = self.read(first, outer).named(alias_columns(each))
        for _ in range(2):
            level[key] = rows
            rows = self.read(query, outer).named(alias_columns(each))
        return rows

    # SELECT.

    def _select(self, node: exp.Expr, outer: Scope | None) -> QueryRows:
        scope = self.scope(outer)
        scope.windows = {each.name.lower(): each for each in node.args.get("windows") or ()}
        self._add_from(node, scope)
        self._add_scalars(node, scope)
        expressions = self.expressions(scope)
        sees_aliases = type(self.session.dialect).__name__.lower() in ALIASES_IN_WHERE
        if not sees_aliases:
            self._filter(node, scope)
        if connect := node.args.get("connect"):
            conditions = [connect.args[n] for n in ("start", "connect") if connect.args.get(n)]
            scope.deciding |= expressions.deciding(conditions, "FILTER")
        self._name_windows(node, scope)
        rows = self._projected(node, scope)
        if sees_aliases:
            self._filter(node, scope)
        self._group(node, scope, rows)
        scope.prefers_aliases = True
        for name in ("having", "qualify"):
            if condition := node.args.get(name):
                scope.deciding |= expressions.deciding([condition.this], "FILTER")
        for name in ("order", "sort", "cluster", "distribute"):
            if order := node.args.get(name):
                subtype = "SORT" if name in ("order", "sort", "cluster") else ""
                if subtype:
                    scope.deciding |= self._by_place(order.expressions, scope, rows, subtype)
        if distinct := node.args.get("distinct"):
            scope.deciding |= self._distinct(distinct, scope, rows)
        return rows.decided_by(scope.deciding)

    def _add_scalars(self, node: exp.Expr, scope: Scope) -> None:
        """What WITH gives a name, of what the query uses."""
        if not any(self._scalars):
            return
        used = {each.name.lower() for each in node.find_all(exp.Column)}
        for key, value in [pair for some in self._scalars for pair in some.items()]:
            if isinstance(value, exp.Expr):
                if key not in used:
                    continue
                value = RowColumn(value.alias, self.expressions(scope).read(value.this))
            scope.aliases[key] = value

    def _filter(self, node: exp.Expr, scope: Scope) -> None:
        for name in ("prewhere", "where"):
            if condition := node.args.get(name):
                scope.deciding |= self.expressions(scope).deciding([condition.this], "FILTER")

    def selected(self, expressions: Sequence[exp.Expr], scope: Scope) -> QueryRows:
        """The rows that a list of expressions gives in a scope, as RETURNING does."""
        return self._projected(exp.Select(expressions=[e.copy() for e in expressions]), scope)

    def _name_windows(self, node: exp.Expr, scope: Scope) -> None:
        """`GROUP BY window(ts, '1 hour')` of Spark gives rows a column `window`."""
        group = node.args.get("group")
        for each in group.expressions if group is not None else ():
            name = str(each.this).lower() if isinstance(each, exp.Anonymous) else ""
            if name in _SPARK_WINDOWS and not scope.certainly_has(name):
                value = self.expressions(scope).read(each)
                # A row without a time is in no window.
                scope.deciding |= value.deciding("FILTER")
                scope.aliases[name] = RowColumn(name, Derived(value.whole, value.indirect))

    def _add_from(self, node: exp.Expr, scope: Scope) -> None:
        if from_ := node.args.get("from_"):
            add_source(self, scope, from_.this)
        if match := node.args.get("match"):
            scope.relations = [matched(self, scope.relations, match)]
            scope.deciding |= scope.relations[0].rows.deciding
        for join in node.args.get("joins") or ():
            add_join(self, scope, join)
        for lateral in node.args.get("laterals") or ():
            add_source(self, scope, lateral)
        for pivot in node.args.get("pivots") or ():
            scope.relations = [pivoted(self, scope, scope.relations, pivot)]

    def _projected(self, node: exp.Expr, scope: Scope) -> QueryRows:
        columns: list[RowColumn] = []
        open_tables: dict[str, None] = {}
        has_lateral_aliases = self._has_lateral_aliases(scope)
        for place, each in enumerate(node.expressions):
            if isinstance(each, exp.Expr):
                self._project(each, place, scope, columns, open_tables)
            if has_lateral_aliases and columns and isinstance(each, exp.Alias):
                scope.aliases[columns[-1].name.lower()] = columns[-1]
        for column in columns:
            scope.aliases.setdefault(column.name.lower(), column)
        return QueryRows(columns, frozenset(), tuple(open_tables))

    def _has_lateral_aliases(self, scope: Scope) -> bool:
        """Where they exist, an alias is meant rather than a column that nobody has listed."""
        dialect = type(self.session.dialect).__name__.lower()
        scope.prefers_aliases = False
        return dialect in LATERAL_ALIASES

    def _project(
        self,
        node: exp.Expr,
        place: int,
        scope: Scope,
        columns: list[RowColumn],
        open_tables: dict[str, None],
    ) -> None:
        """Add the columns that one item of a select list gives."""
        if is_star(node):
            rows = star_rows(node, scope, self.expressions(scope))
            columns += rows.columns
            open_tables.update(dict.fromkeys(rows.open_tables))
            return
        if isinstance(node, exp.QueryTransform) and isinstance(node.args.get("schema"), exp.Schema):
            value = self.expressions(scope).read(exp.Tuple(expressions=node.expressions))
            names = [each.name for each in node.args["schema"].expressions]
            columns += [RowColumn(name, value.through(CHANGED)) for name in names]
            return
        if isinstance(node, exp.Aliases):
            names = [each.name for each in node.expressions]
            values = stacked(self, scope, node.this, len(names)) or [
                self.expressions(scope).read(node.this).through(CHANGED)
            ] * len(names)
            columns += [RowColumn(*each) for each in zip(names, values, strict=True)]
            return
        columns.append(self._named(node, place, scope))

    def _named(self, node: exp.Expr, place: int, scope: Scope) -> RowColumn:
        is_assigned = isinstance(node, exp.EQ) and node.this.is_string
        if is_assigned and type(self.session.dialect).__name__ in ("TSQL", "Fabric"):
            # `SELECT 'a' = x`, where a comparison is no value.
            node = exp.alias_(node.expression, node.this.name, quoted=True)
        inner = node.unalias()
        expressions = self.expressions(scope)
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            found = expressions.column(inner)
            return RowColumn(node.alias or part_name(inner.this), found.value, found.type)
        name = node.alias or node.output_name or _text(inner, self.session, place)
        return RowColumn(name, expressions.read(inner), type_of(inner, scope, self.session.dialect))

    # What stands behind the select list.

    def _group(self, node: exp.Expr, scope: Scope, rows: QueryRows) -> None:
        group = node.args.get("group")
        if group is None:
            return
        keys = [*group.expressions]
        for name in ("grouping_sets", "cube", "rollup"):
            found = group.args.get(name)
            keys += [each for each in found or () if isinstance(each, exp.Expr)]
        flat: list[exp.Expr] = []
        for each in keys:
            if isinstance(each, (exp.GroupingSets, exp.Rollup, exp.Cube, exp.Tuple)):
                flat += list(each.find_all(exp.Column, exp.Literal))
            else:
                flat.append(each)
        scope.deciding |= self._by_place(flat, scope, rows, "GROUP_BY")
        if group.args.get("all"):
            plain = [
                rows.columns[place]
                for place, each in enumerate(node.expressions)
                if place < len(rows.columns) and not _has_aggregate(each)
            ]
            for column in plain:
                scope.deciding |= column.value.deciding("GROUP_BY")

    def _by_place(
        self, keys: Iterable[exp.Expr], scope: Scope, rows: QueryRows, subtype: str
    ) -> frozenset[tuple[SourceColumn, str]]:
        """What keys decide; a number is the column at that place of the select list."""
        decided: frozenset[tuple[SourceColumn, str]] = frozenset()
        expressions = self.expressions(scope)
        for each in keys:
            inner = each.this if isinstance(each, exp.Ordered) else each
            if isinstance(inner, exp.Var) and inner.name.upper() == "ALL":
                decided = decided.union(*(c.value.deciding(subtype) for c in rows.columns))
                continue
            if isinstance(inner, exp.Literal) and not inner.is_string:
                place = int(inner.name) - 1 if inner.name.isdigit() else -1
                if 0 <= place < len(rows.columns):
                    decided |= rows.columns[place].value.deciding(subtype)
                continue
            is_sorted = subtype == "SORT"
            decided |= self._alias_first(inner, scope, expressions, is_sorted).deciding(subtype)
        return decided

    def _alias_first(
        self, node: exp.Expr, scope: Scope, expressions: SqlExpressionReader, is_sorted: bool
    ) -> Derived:
        """A bare name is an alias of the select list; in GROUP BY, unless a table has it."""
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            found = scope.aliases.get(node.name.lower())
            if found is not None and (is_sorted or not scope.certainly_has(node.name)):
                return found.value
        return expressions.read(node)

    def _distinct(
        self, distinct: exp.Expr, scope: Scope, rows: QueryRows
    ) -> frozenset[tuple[SourceColumn, str]]:
        """One row of each group of the same values, or of the same keys with ON."""
        on = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
        if on is not None:
            keys = on.expressions if isinstance(on, exp.Tuple) else [on]
            return self._by_place(keys, scope, rows, "GROUP_BY")
        return frozenset().union(*(each.value.deciding("GROUP_BY") for each in rows.columns))

    # Set operations and VALUES.

    def _set_operation(self, node: exp.Expr, outer: Scope | None) -> QueryRows:
        """Of many parts in a row, which nest to the left, each once and without Python's stack."""
        parts: list[tuple[exp.Expr, exp.Expr]] = []
        first: exp.Expr = node
        while isinstance(first, exp.SetOperation):
            parts.append((first, first.expression))
            first = first.this
            if first.args.get("with_") or first.args.get("order"):
                break
        rows = self.read(first, outer)
        side_by_side = [rows]
        for operation, right in reversed(parts):
            other = self.read(right, outer)
            if is_plain_union(operation):
                side_by_side.append(other)
                continue
            rows = combined(operation, united(side_by_side), other)
            side_by_side = [rows]
        rows = united(side_by_side)
        order = node.args.get("order")
        if order is not None:
            scope = self.scope(outer)
            scope.relations = [
                NamedRows("", QueryRows(rows.columns, frozenset(), rows.open_tables))
            ]
            rows = rows.decided_by(self._by_place(order.expressions, scope, rows, "SORT"))
        return rows

    def values(self, node: exp.Expr, scope: Scope) -> QueryRows:
        """Rows that are written out."""
        expressions = self.expressions(scope)
        columns: list[list[Derived]] = []
        for row in node.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            for place, cell in enumerate(cells):
                if place == len(columns):
                    columns.append([])
                if not isinstance(cell, exp.Literal):
                    columns[place].append(expressions.read(cell))
        only = node.expressions[0] if len(node.expressions) == 1 else None
        cells = only.expressions if isinstance(only, exp.Tuple) else []
        return QueryRows(
            [
                RowColumn(_cell_name(cells, place), combine(values))
                for place, values in enumerate(columns)
            ]
        )


def _cell_name(cells: list[exp.Expr], place: int) -> str:
    """The name of a value in a row that is written out: a column's, else its place."""
    cell = cells[place] if place < len(cells) else None
    return cell.name if isinstance(cell, exp.Column) else f"col{place + 1}"


def _refers_to(query: exp.Expr, key: str) -> bool:
    return any(each.name.lower() == key and not each.db for each in query.find_all(exp.Table))


def _has_aggregate(node: exp.Expr) -> bool:
    return node.find(exp.AggFunc) is not None


def _text(node: exp.Expr, session: Session, place: int) -> str:
    """The name of an expression that has none: its text, if it is short."""
    try:
        text = node.sql(dialect=session.dialect, comments=False)
    except (ValueError, RecursionError, AttributeError):
        return f"_col{place}"
    return text if len(text) <= 200 else f"_col{place}"
