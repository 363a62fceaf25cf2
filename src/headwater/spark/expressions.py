"""Where the value of an expression comes from."""

from collections.abc import Callable, Mapping
from typing import Any

from headwater.spark.column_sources import (
    NOTHING,
    ColumnSource,
    Derived,
    Direct,
    Way,
    combine,
    payload,
)
from headwater.spark.payload_types import PARSERS, WRITERS
from headwater.spark.plan import PlanNode, expression_id, read_tree

Columns = Mapping[tuple[int, str], Derived]
# Gives what the rows of a plan inside an expression are made of: values, and what decides.
Subquery = Callable[[PlanNode, Columns], tuple[list[Derived], frozenset[Any]]]

_CHANGED = Way(Direct.TRANSFORMATION)
_AGGREGATED = Way(Direct.AGGREGATION)

# Another type or name for the same value.
_SAME = frozenset(
    (
        "Alias",
        "AssertNotNull",
        "KnownNotNull",
        "KnownNullable",
        "KnownFloatingPointNormalized",
        "NormalizeNaNAndZero",
        "PromotePrecision",
        "SortOrder",
        "TempResolvedColumn",
    )
)
_CASTS = frozenset(("AnsiCast", "Cast", "CheckOverflow", "TryCast", "UpCast"))
# Each of these is one of its arguments.
_CHOICES = frozenset(("Coalesce", "Greatest", "IfNull", "Least", "NaNvl", "Nvl"))
# One after another; what the parsed text is made of is the first argument.
_PARSERS = frozenset(("CsvToStructs", "JsonToStructs", *PARSERS))
_MASKING = frozenset(
    (
        "AesEncrypt",
        "Count",
        "CountMinSketchAgg",
        "Crc32",
        "HyperLogLogPlusPlus",
        "Mask",
        "Md5",
        "Murmur3Hash",
        "Sha1",
        "Sha2",
        "XxHash64",
    )
)


class ExpressionReader:
    """Reads expressions over the columns of some rows."""

    def __init__(
        self,
        columns: Columns,
        subquery: Subquery,
        parsed: Callable[[ColumnSource, Any], None],
        cast: Callable[[ColumnSource, Any], None],
    ) -> None:
        self._columns = columns
        self._subquery = subquery
        self._note_parsed = parsed
        self._note_cast = cast
        # With the node itself, whose place in memory is its own for as long as it is held.
        self._done: dict[int, tuple[PlanNode, Derived]] = {}

    def read(self, node: PlanNode) -> Derived:
        """Where a value comes from; its parts come first, as deep as they may be."""
        if (done := self._done.get(id(node))) is not None:
            return done[1]
        if not node.children:
            return self._read(node)
        for each in reversed([*node.walk()]):
            self._done[id(each)] = (each, self._read(each))
        return self._done[id(node)][1]

    def _read(self, node: PlanNode) -> Derived:
        """What is not known by name is made of all its arguments."""
        kind = node.kind
        if kind == "AttributeReference":
            return self._columns.get(expression_id(node), NOTHING)
        if kind == "Literal":
            return NOTHING
        if kind in _SAME:
            return self.read(node.children[0])
        reading = READERS.get(kind)
        if reading is not None:
            return reading(self, node)
        return self._made_of_all(node)

    def _made_of_all(self, node: PlanNode) -> Derived:
        way = Way(Direct.TRANSFORMATION, node.kind in _MASKING)
        made = combine([self.read(child).through(way) for child in node.children])
        return Derived(made.direct, made.indirect)

    def _cast(self, node: PlanNode) -> Derived:
        """Another type is a change to who reads it; but it is the same text to a parser."""
        value = self.read(node.children[0])
        if value.origin is not None:
            self._note_cast(value.origin, node.fields.get("dataType"))
        return Derived(value.through(_CHANGED).direct, value.indirect, origin=value.origin)

    def _choice(self, node: PlanNode) -> Derived:
        values = combine([self.read(child) for child in node.children])
        return Derived(values.whole, values.indirect)

    def _case(self, node: PlanNode) -> Derived:
        """Conditions and values in turn, then what is left."""
        parts = [self.read(child) for child in node.children]
        pairs = len(parts) // 2
        conditions, values = parts[: 2 * pairs : 2], parts[1 : 2 * pairs : 2]
        return _chosen(conditions, [*values, *parts[2 * pairs :]])

    def _if(self, node: PlanNode) -> Derived:
        condition, *values = (self.read(child) for child in node.children)
        return _chosen([condition], values)

    def _struct(self, node: PlanNode) -> Derived:
        """Names and values in turn."""
        names, values = node.children[::2], node.children[1::2]
        members = {
            str(name.fields.get("value")): self.read(value)
            for name, value in zip(names, values, strict=True)
        }
        return Derived(members=members)

    def _field(self, node: PlanNode) -> Derived:
        """A field of a structure: the one that was put in, or the one of that name in a column."""
        whole = self.read(node.children[0])
        members = list((whole.members or {}).values())
        place = node.fields["ordinal"]
        if place < len(members):
            return members[place].beside(whole.indirect)
        return whole.through(_CHANGED)

    def _parsed(self, node: PlanNode) -> Derived:
        """What a text or bytes hold: fields that are known by the schema they are read with."""
        text = self.read(node.children[0])
        schema = node.fields.get("schema")
        if text.origin is None or not isinstance(schema, dict):
            return text.through(_CHANGED)
        self._note_parsed(text.origin, schema)
        return payload(text.origin, schema).beside(text.indirect)

    def _aggregate(self, node: PlanNode) -> Derived:
        """An aggregate with its mode; `filter` restricts its rows."""
        function, *conditions = node.children
        value = self.read(function).through(_AGGREGATED)
        return value.beside(_deciding(map(self.read, conditions), "CONDITIONAL"))

    def _over(self, node: PlanNode) -> Derived:
        """A function over a window: what parts and orders the window decides."""
        function, specification = node.children
        value = self.read(function).through(_CHANGED)
        parts = (self.read(child) for child in specification.children)
        return value.beside(_deciding(parts, "WINDOW"))

    def _outer(self, node: PlanNode) -> Derived:
        """A column of the rows around a subquery."""
        (column,) = node.expressions("e")
        return self.read(column)

    def _in_time(self, node: PlanNode) -> Derived:
        """Bounds of a window of time: the cases in how they are reckoned are nobody's concern."""
        value = self.read(node.children[0]).through(_CHANGED)
        return Derived(value.direct)

    def _written_out(self, node: PlanNode) -> Derived:
        """A structure as text or bytes: changed as a whole, but its fields are still known."""
        value = self.read(node.children[0])
        made = value.through(_CHANGED)
        return Derived(made.direct, made.indirect, value.members, kind=node.fields.get("written"))

    def _with_fields(self, node: PlanNode) -> Derived:
        """A structure with fields added, replaced or dropped."""
        whole = self.read(node.children[0])
        if whole.members is None:
            return self._made_of_all(node)
        members = dict(whole.members)
        for change in node.children[1:]:
            if change.kind == "WithField":
                members[change.fields["name"]] = self.read(change.children[0])
            else:
                members.pop(change.fields["name"], None)
        return Derived(members=members, indirect=whole.indirect)

    def _pivoted(self, node: PlanNode) -> Derived:
        """The value of the rows that have one of the pivot's values."""
        pivot, value = (self.read(child) for child in node.children[:2])
        return value.through(_AGGREGATED).beside(pivot.deciding("CONDITIONAL"))

    def _of_subquery(self, node: PlanNode) -> Derived:
        """The value of a subquery, or whether it has rows: made of all that it looks at."""
        values, deciding = self._subquery(read_tree(node.fields["plan"]), self._columns)
        return combine([value.through(_CHANGED) for value in values]).beside(deciding)


def _chosen(conditions: list[Derived], values: list[Derived]) -> Derived:
    value = combine(values)
    return Derived(value.whole, value.indirect).beside(_deciding(conditions, "CONDITIONAL"))


def _deciding(some: Any, subtype: str) -> frozenset[Any]:
    return frozenset().union(*(value.deciding(subtype) for value in some))


READERS: dict[str, Callable[[ExpressionReader, PlanNode], Derived]] = {
    **dict.fromkeys(_CASTS, ExpressionReader._cast),
    **dict.fromkeys(_CHOICES, ExpressionReader._choice),
    **dict.fromkeys(_PARSERS, ExpressionReader._parsed),
    **dict.fromkeys(WRITERS, ExpressionReader._written_out),
    "AggregateExpression": ExpressionReader._aggregate,
    "CaseWhen": ExpressionReader._case,
    "CreateNamedStruct": ExpressionReader._struct,
    "Exists": ExpressionReader._of_subquery,
    "GetStructField": ExpressionReader._field,
    "If": ExpressionReader._if,
    "ListQuery": ExpressionReader._of_subquery,
    "OuterReference": ExpressionReader._outer,
    "PivotFirst": ExpressionReader._pivoted,
    "PreciseTimestampConversion": ExpressionReader._in_time,
    "ScalarSubquery": ExpressionReader._of_subquery,
    "UpdateFields": ExpressionReader._with_fields,
    "WindowExpression": ExpressionReader._over,
}
