"""Where the value of an expression comes from. The rules are those of `headwater.spark`."""

from collections.abc import Callable, Iterable

from sqlglot import exp

from headwater.model.values.derivation import AGGREGATED, CHANGED, Direct, Way, combine
from headwater.sql import functions
from headwater.sql.dictionary_calls import dictionary_query, has_default
from headwater.sql.rows import NOTHING, Deciding, Derived, QueryRows, RowColumn
from headwater.sql.scope import Scope, inside
from headwater.sql.text.templates import is_template

Query = Callable[[exp.Expr, Scope], QueryRows]

_MASKED = Way(Direct.TRANSFORMATION, True)


class SqlExpressionReader:
    """Reads expressions in a scope; `query` gives the rows of a query inside one.

    `has_places` says that `$1` is a column by its place. `variables`, in lower case, are values of
    the script, where no table is known to have a column of the name.
    """

    def __init__(
        self,
        scope: Scope,
        query: Query,
        has_places: bool = False,
        variables: frozenset[str] = frozenset(),
    ) -> None:
        self._scope = scope
        self._query = query
        self._has_places = has_places
        self._variables = variables

    def read(self, node: exp.Expr) -> Derived:
        """Where a value comes from. What is not known by its class is made of all its parts."""
        while isinstance(node, functions.SAME) and not node.args.get("expressions"):
            node = node.this
            if not isinstance(node, exp.Expr):
                return NOTHING
        reading = _reading(node)
        return reading(self, node) if reading is not None else self._made_of_all(node)

    def deciding(self, nodes: Iterable[exp.Expr], subtype: str) -> frozenset[Deciding]:
        return frozenset().union(*(self.read(each).deciding(subtype) for each in nodes))

    def _made_of_all(self, node: exp.Expr) -> Derived:
        """Of all parts of parts, however deep, without Python's stack: `a AND b AND ...`."""
        parts: list[Derived] = []
        pending: list[tuple[exp.Expr, Way]] = [(node, CHANGED)]
        while pending:
            each, way = pending.pop()
            reading = None if isinstance(each, functions.SAME) else _reading(each)
            if reading is not None:
                parts.append(reading(self, each).through(way))
                continue
            inner = way.then(_MASKED) if functions.is_masking(each) else way
            pending.extend((child, inner) for child in reversed([*each.iter_expressions()]))
        made = combine(parts)
        return Derived(made.whole, made.indirect)

    def _made_of_parts(self, node: exp.Expr) -> Derived:
        return combine([self.read(each) for each in node.iter_expressions()]).through(CHANGED)

    def _nothing(self, node: exp.Expr) -> Derived:
        return NOTHING

    def _column(self, node: exp.Expr) -> Derived:
        if not isinstance(node, exp.Column) or _is_default(node):
            return NOTHING
        return self.column(node).value

    def column(self, node: exp.Column) -> RowColumn:
        """What a name means, with the name and type it has."""
        if isinstance(node.this, exp.Star):
            qualifier = [part.name for part in node.parts[:-1]]
            return RowColumn("*", self._scope.star_of(qualifier, node).everything())
        is_variable = len(node.parts) == 1 and node.name.lower() in self._variables
        if _is_sequence(node) and not self._scope.has_relation(node.parts[0].name):
            return RowColumn(node.name, NOTHING)
        if self._is_whole_row(node):
            return RowColumn(node.name, self._scope.star_of([node.name], node).everything())
        if is_template(node.name) or (is_variable and not self._scope.certainly_has(node.name)):
            return RowColumn(node.name, NOTHING)
        return self._scope.column([part_name(part) for part in node.parts], node)

    def _is_whole_row(self, node: exp.Column) -> bool:
        """`row_to_json(t)`: a table's name as the argument of a function of whole rows."""
        parent = node.parent
        return (
            isinstance(parent, exp.Func)
            and len(node.parts) == 1
            and functions.is_of_rows(parent)
            and self._scope.has_relation(node.name)
            and not self._scope.certainly_has(node.name)
        )

    def _parameter(self, node: exp.Expr) -> Derived:
        """`$1`: a column by its place, in Snowflake; elsewhere it is a value that is given."""
        relations = self._scope.relations
        tables = [table for each in relations for table in each.rows.open_tables]
        if not isinstance(node.this, exp.Literal):
            return NOTHING
        if len(tables) == 1 and tables[0].startswith("@"):
            return self._scope.column([part_name(node)], node).value
        if not self._has_places:
            return NOTHING
        found = relations[0].rows.at_place(part_name(node)) if len(relations) == 1 else None
        if found is None:
            self._scope.report("column", f"What {part_name(node)} is, is not known.", node)
        return found.value if found is not None else NOTHING

    def _dot(self, node: exp.Expr) -> Derived:
        """A field of a value, or a function by its schema's name."""
        path: list[str] = []
        while isinstance(node, exp.Dot):
            if not isinstance(node.expression, (exp.Identifier, exp.Literal)):
                return self._called(node)
            path.insert(0, node.expression.name)
            node = node.this
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            parts = [part.name for part in node.parts]
            return self._scope.column([*parts, *path], node).value
        if isinstance(node, exp.Identifier):
            return NOTHING
        return inside(RowColumn("", self.read(node)), path).value

    def _called(self, node: exp.Expr) -> Derived:
        """`schema.f(x)`, or a method of a column: `t.doc.nodes('/a')`."""
        value, owner = self.read(node.expression), node.this
        names = [each.name for each in owner.find_all(exp.Identifier)]
        is_name = isinstance(owner, (exp.Dot, exp.Column)) and len(names) > 1
        if not is_name or not self._scope.has_relation(names[0]):
            return value
        return combine([self._scope.column(names, node).value, value]).through(CHANGED)

    def _star(self, node: exp.Expr) -> Derived:
        """All columns, as an argument: `hash(*)`; `count(*)` is read elsewhere."""
        return self._scope.star().everything()

    def _same(self, node: exp.Expr) -> Derived:
        """DISTINCT of several values, and the like."""
        parts = [self.read(each) for each in node.iter_expressions()]
        return combine(parts)

    def _cast(self, node: exp.Expr) -> Derived:
        """A cast; one of `ROW(a, b)` to a type with names gives its fields these names."""
        to, row = node.args.get("to"), node.this
        fields = [each.name for each in to.expressions] if isinstance(to, exp.DataType) else []
        is_row = isinstance(row, exp.Struct) or (
            isinstance(row, exp.Anonymous) and str(row.this).upper() == "ROW"
        )
        if is_row and all(fields) and len(fields) == len(row.expressions):
            parts = [self.read(each).through(CHANGED) for each in row.expressions]
            return Derived(members=dict(zip(fields, parts, strict=True)))
        return self.read(row).through(CHANGED)

    def _case(self, node: exp.Expr) -> Derived:
        ifs = node.args.get("ifs") or []
        conditions = [self.read(each.this) for each in ifs]
        values = [self.read(each.args["true"]) for each in ifs]
        if node.args.get("this"):
            conditions.append(self.read(node.this))
        if node.args.get("default"):
            values.append(self.read(node.args["default"]))
        return _chosen(conditions, values)

    def _if(self, node: exp.Expr) -> Derived:
        values = [self.read(node.args[name]) for name in ("true", "false") if node.args.get(name)]
        return _chosen([self.read(node.this)], values)

    def _if_call(self, node: exp.Expr) -> Derived:
        """`iff(condition, value, value)` by its name alone."""
        condition, *values = [self.read(each) for each in node.expressions] or [NOTHING]
        return _chosen([condition], values)

    def _choice(self, node: exp.Expr) -> Derived:
        values = combine([self.read(each) for each in node.iter_expressions()])
        return Derived(values.whole, values.indirect)

    def _first_present(self, node: exp.Expr) -> Derived:
        """COALESCE: a value, and whether those before it are absent."""
        values = combine([self.read(each) for each in node.iter_expressions()])
        return values.through(CHANGED).beside(values.deciding("CONDITIONAL"))

    def _null_if(self, node: exp.Expr) -> Derived:
        value, other = self.read(node.this), self.read(node.expression)
        conditions = value.deciding("CONDITIONAL") | other.deciding("CONDITIONAL")
        return value.beside(conditions)

    def _nvl2(self, node: exp.Expr) -> Derived:
        return self._if(node).through(CHANGED)

    def _decode(self, node: exp.Expr) -> Derived:
        """DECODE(value, searched, result, ..., otherwise)."""
        first, *rest = [self.read(each) for each in node.expressions]
        pairs = len(rest) // 2
        searched, results = rest[: 2 * pairs : 2], rest[1 : 2 * pairs : 2]
        results += rest[2 * pairs :]
        return _chosen([first, *searched], results).through(CHANGED)

    def _aggregate(self, node: exp.Expr) -> Derived:
        way = Way(Direct.AGGREGATION, functions.is_masking(node))
        parts = []
        for each in node.iter_expressions():
            is_counted = isinstance(each, exp.Star) or (
                isinstance(each, exp.Column) and isinstance(each.this, exp.Star)
            )
            if not is_counted:
                parts.append(self.read(each))
        return combine(parts).through(way)

    def _combined(self, node: exp.Expr) -> Derived:
        """`sumIf(x, condition)` of ClickHouse, with or without parameters."""
        arguments = [*(node.args.get("params") or node.expressions)]
        has_condition = "if" in functions.combinators(node) and len(arguments) > 1
        conditions = [arguments.pop()] if has_condition else []
        way = Way(Direct.AGGREGATION, functions.is_masking(node))
        value = combine([self.read(each) for each in arguments]).through(way)
        return value.beside(self.deciding(conditions, "CONDITIONAL"))

    def _filter(self, node: exp.Expr) -> Derived:
        """An aggregate of some rows."""
        where = node.expression.this
        return self.read(node.this).beside(self.deciding([where], "CONDITIONAL"))

    def _within_group(self, node: exp.Expr) -> Derived:
        """What an ordered set is of; or the order in which values are put together."""
        order = [each.this for each in node.expression.find_all(exp.Ordered)]
        if isinstance(node.this, functions.ORDERED_SETS):
            values = combine([self.read(each) for each in order])
            return values.through(AGGREGATED)
        return self.read(node.this).beside(self.deciding(order, "SORT"))

    def _ordered(self, node: exp.Expr) -> Derived:
        """`x ORDER BY y` among the arguments of an aggregate."""
        order = [each.this for each in node.expressions if isinstance(each, exp.Ordered)]
        if not isinstance(node.this, exp.Expr):
            return combine([self.read(each) for each in order])
        return self.read(node.this).beside(self.deciding(order, "SORT"))

    def _window(self, node: exp.Expr) -> Derived:
        """A function over a window: what parts and orders the window decides."""
        value = self.read(node.this).through(CHANGED)
        parts = [*(node.args.get("partition_by") or [])]
        order = node.args.get("order")
        parts += order.expressions if order else []
        name = node.args.get("alias")
        named = self._scope.windows.get(name.name.lower()) if name else None
        if named is not None and named is not node:
            parts += named.args.get("partition_by") or []
            order = named.args.get("order")
            parts += order.expressions if order else []
        return value.beside(self.deciding(parts, "WINDOW"))

    def _array_filter(self, node: exp.Expr) -> Derived:
        """Some elements of an array: what the condition looks at decides, the elements too."""
        values = self.read(node.this)
        decided = values.deciding("CONDITIONAL") | self.deciding([node.expression], "CONDITIONAL")
        return values.through(CHANGED).beside(decided)

    def _of_dictionary(self, node: exp.Expr) -> Derived:
        """ClickHouse: `dictGet('dictionary', 'column', key)` reads a table, by a key."""
        query, keys = dictionary_query(node)
        if query is None:
            return self._made_of_parts(node)
        values = [each.value for each in self._query(query, Scope(self._scope.report)).columns]
        values += [self.read(keys.pop())] if len(keys) > 1 and has_default(node) else []
        return combine(values).beside(self.deciding(keys, "CONDITIONAL"))

    def _lambda(self, node: exp.Expr) -> Derived:
        return self.read(node.this)

    def _struct(self, node: exp.Expr) -> Derived:
        """A structure: its fields are known where each has a name."""
        members = {}
        for each in node.expressions:
            is_pair = isinstance(each, (exp.PropertyEQ, exp.Alias))
            name = each.alias if isinstance(each, exp.Alias) else each.name
            value = each.expression if isinstance(each, exp.PropertyEQ) else each
            if (not is_pair and not isinstance(each, exp.Column)) or not name or name in members:
                return combine([self.read(some) for some in node.expressions]).through(CHANGED)
            members[name] = self.read(value)
        return Derived(members=members)

    def _array(self, node: exp.Expr) -> Derived:
        """An array; of structures, each field is known, by the names that the first one gives."""
        rows = [_cells(each) for each in node.expressions]
        count = len(rows[0]) if rows else 0
        if not count or any(len(cells) != count for cells in rows):
            parts = [self.read(each) for each in node.expressions]
            return combine(parts).through(CHANGED)
        members = {}
        for place, first in enumerate(rows[0]):
            name = first.name if isinstance(first, exp.PropertyEQ) else first.alias
            cells = [cells[place] for cells in rows]
            values = [e.expression if isinstance(e, exp.PropertyEQ) else e for e in cells]
            value = combine([self.read(each) for each in values])
            members[name or f"field{place}"] = value.through(CHANGED)
        return Derived(members=members)

    def _of_query(self, node: exp.Expr) -> Derived:
        """The value of a subquery, or whether it has rows: made of all that it looks at."""
        rows = self._query(node, self._scope)
        values = [column.value.through(CHANGED) for column in rows.columns]
        if str(node.unnest().args.get("kind") or "").upper() == "STRUCT":
            names = (column.name for column in rows.columns)
            members = dict(zip(names, values, strict=True))
            return Derived(indirect=rows.deciding, members=members)
        return combine(values).beside(rows.deciding)

    def _exists(self, node: exp.Expr) -> Derived:
        return self.read(node.this)


def _cells(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a structure that is written out; of anything else there are none."""
    is_row = isinstance(node, (exp.Struct, exp.Tuple)) or (
        isinstance(node, exp.Anonymous) and str(node.this).upper() == "ROW"
    )
    return list(node.expressions) if is_row else []


def _is_default(node: exp.Column) -> bool:
    """The word DEFAULT in place of a value."""
    name = node.this
    is_word = isinstance(name, exp.Identifier) and not name.args.get("quoted")
    return is_word and len(node.parts) == 1 and name.name.upper() == "DEFAULT"


def _is_sequence(node: exp.Column) -> bool:
    """`numbers.NEXTVAL` of Oracle and Snowflake."""
    return len(node.parts) > 1 and node.name.upper() in ("CURRVAL", "NEXTVAL")


def part_name(node: exp.Expr) -> str:
    """A part of a column's name; `$1` is the first column of a staged file."""
    if isinstance(node, exp.Parameter) and isinstance(node.this, exp.Literal):
        return f"${node.this.name}"
    return node.name


def _reading(node: exp.Expr) -> "_Reading | None":
    """How a node is read: by its class, else by the kind of function it is."""
    reading = READERS.get(type(node))
    if reading is not None:
        return reading
    if not isinstance(node, exp.Func):
        return None
    if functions.is_aggregate(node):
        return SqlExpressionReader._aggregate
    if functions.is_first_present(node):
        return SqlExpressionReader._first_present
    if functions.is_choice(node):
        return SqlExpressionReader._choice
    if isinstance(node, exp.Anonymous) and str(node.this).lower() in ("iff", "if"):
        return SqlExpressionReader._if_call
    if isinstance(node, exp.Anonymous) and str(node.this).lower().startswith("dictget"):
        return SqlExpressionReader._of_dictionary
    return None


def _chosen(conditions: list[Derived], values: list[Derived]) -> Derived:
    value = combine(values)
    decided = frozenset().union(*(each.deciding("CONDITIONAL") for each in conditions))
    return Derived(value.whole, value.indirect).beside(decided)


_Reading = Callable[[SqlExpressionReader, exp.Expr], Derived]
_Reader = SqlExpressionReader
READERS: dict[type[exp.Expr], _Reading] = {
    **dict.fromkeys((exp.Literal, exp.Null, exp.Boolean, exp.DataType), _Reader._nothing),
    **dict.fromkeys((exp.Identifier, exp.Var, exp.Placeholder), _Reader._nothing),
    **dict.fromkeys((exp.Cast, exp.TryCast, exp.JSONCast), _Reader._cast),
    **dict.fromkeys((exp.Select, exp.Union, exp.Except, exp.Intersect), _Reader._of_query),
    **dict.fromkeys((exp.Subquery, exp.Table), _Reader._of_query),
    **dict.fromkeys(functions.SAME, _Reader._same),
    **dict.fromkeys(functions.COMBINED, _Reader._combined),
    exp.Array: _Reader._array,
    exp.ArrayFilter: _Reader._array_filter,
    exp.Case: _Reader._case,
    exp.Column: _Reader._column,
    exp.DecodeCase: _Reader._decode,
    exp.Dot: _Reader._dot,
    exp.Exists: _Reader._exists,
    exp.Filter: _Reader._filter,
    exp.If: _Reader._if,
    exp.Lambda: _Reader._lambda,
    exp.Nullif: _Reader._null_if,
    exp.Nvl2: _Reader._nvl2,
    exp.Order: _Reader._ordered,
    exp.Parameter: _Reader._parameter,
    exp.Star: _Reader._star,
    exp.Struct: _Reader._struct,
    exp.Window: _Reader._window,
    exp.WithinGroup: _Reader._within_group,
}
