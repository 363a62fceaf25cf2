"""Where the value of an expression comes from."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from headwater.model.values.derivation import AGGREGATED, CHANGED, Direct, Way
from headwater.spark.columns import nested
from headwater.spark.columns.nested import NESTED, decided_by, made_of_all, type_of
from headwater.spark.columns.payload_types import PARSERS, WRITERS
from headwater.spark.columns.sources import (
    NOTHING,
    ColumnSource,
    Deciding,
    PlanValue,
    SqlText,
    combine,
    parts_of_type,
    path_text,
    payload,
)
from headwater.spark.columns.text import UNKNOWN, call, describe
from headwater.spark.plan import PlanNode, expression_id, read_tree

Columns = Mapping[tuple[int, str], PlanValue]


class PlanNotes(NamedTuple):
    """What reading a plan's expressions asks of, and reports to, the reader of the plan."""

    subquery: Callable[[PlanNode, Columns], tuple[list[PlanValue], frozenset[Deciding]]]
    """Gives what the rows of a plan inside an expression are made of: values, and what decides."""
    parsed: Callable[[ColumnSource, Any], None]
    """A column is parsed with this schema."""
    cast: Callable[[ColumnSource, Any], None]
    """A column is cast to this type."""
    not_understood: Callable[[str], None]
    """An expression whose value may come from something that is not known."""
    has_literals: bool = False


# Another name for the same value.
_SAME = frozenset(
    (
        "Alias",
        "AssertNotNull",
        "Collate",
        "KnownFloatingPointNormalized",
        "KnownNotNull",
        "KnownNullable",
        "NormalizeNaNAndZero",
        "PromotePrecision",
        "SortOrder",
        "TempResolvedColumn",
    )
)
_CASTS = frozenset(("AnsiCast", "Cast", "CheckOverflow", "TryCast", "UpCast"))
# Each of these is one of its arguments.
_CHOICES = frozenset(("Greatest", "Least"))
# The first of its arguments that there is: each of them, if those before it are absent.
_FIRST_PRESENT = frozenset(("Coalesce", "IfNull", "NaNvl", "Nvl"))
# One after another; what the parsed text is made of is the first argument.
_PARSERS = frozenset(("CsvToStructs", "JsonToStructs", "XmlToStructs", *PARSERS))
# Part of a text, or the same in another coding: still what a parser is given.
_TEXTS = frozenset(
    ("Decode", "Encode", "ParseJson", "StringDecode", "StringTrim", "Substring", "TryParseJson")
)
# A value at a path, `$.a.b`, in a text.
_BY_PATH = frozenset(("GetJsonObject", "VariantGet"))
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
# What Spark puts around a text column of limited length, which does not change it.
_LENGTH_CHECKS = ("charTypeWriteSideCheck", "readSidePadding", "varcharTypeWriteSideCheck")
# Whose text is that of the value they give.
_KEEPS_TEXT = frozenset((*_SAME, "CommonExpressionDef", "GetStructField", "With")) - {"SortOrder"}
# Without arguments, and depending on nothing that is read.
_CONSTANT = frozenset(
    (
        "CurrentBatchTimestamp",
        "CurrentCatalog",
        "CurrentDatabase",
        "CurrentDate",
        "CurrentTime",
        "CurrentTimeZone",
        "CurrentTimestamp",
        "CurrentUser",
        "CumeDist",
        "CurrentRow",
        "DenseRank",
        "DropField",
        "EulerNumber",
        "GroupingID",
        "InputFileBlockLength",
        "InputFileBlockStart",
        "InputFileName",
        "LocalTimestamp",
        "MonotonicallyIncreasingID",
        "Now",
        "PercentRank",
        "Pi",
        "Rank",
        "ResolvedCollation",
        "RowNumber",
        "SessionUser",
        "SparkPartitionID",
        "SparkVersion",
        "SpecifiedWindowFrame",
        "UnboundedFollowing",
        "UnboundedPreceding",
        "UnspecifiedFrame",
        "Uuid",
        "WindowSpecDefinition",
    )
)
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\['([^']+)'\]|\[(?:\d+|\*)\]")


class ExpressionReader:
    """Reads expressions over the columns of some rows."""

    def __init__(self, columns: Columns, notes: PlanNotes) -> None:
        self._columns = columns
        self._notes = notes
        # With the node itself, whose place in memory is its own for as long as it is held.
        self._done: dict[int, tuple[PlanNode, PlanValue]] = {}
        self._variables: dict[tuple[int, str], PlanValue] = {}
        self._common: dict[int, list[PlanNode]] = {}

    def read(self, node: PlanNode) -> PlanValue:
        """Where a value comes from; its parts come first, as deep as they may be."""
        if (done := self._done.get(id(node))) is not None:
            return done[1]
        if not node.children:
            return self._read_described(node)
        pending: list[tuple[PlanNode, PlanNode | None, bool]] = [(node, None, False)]
        while pending:
            each, parent, is_ready = pending.pop()
            if is_ready:
                self._done[id(each)] = (each, self._read_described(each))
            elif id(each) not in self._done:
                if each.kind == "LambdaFunction" and parent is not None:
                    self._bind(parent, each)
                pending.append((each, parent, True))
                pending.extend((child, each, False) for child in reversed(self._in_order(each)))
        return self._done[id(node)][1]

    def generate(self, generator: PlanNode, count: int) -> list[PlanValue]:
        """The columns that a generator gives, of which Spark has so many."""
        if generator.kind == "JsonTuple":
            return self._tuple(generator)
        found = nested.generate(self, generator, count)
        texts = [self.read(child).text or UNKNOWN for child in generator.children]
        text = describe(generator, texts, self._notes.has_literals)
        return [each.described(each.text or text) for each in found]

    def deciding_rows(self, generator: PlanNode) -> frozenset[Deciding]:
        """What decides how many rows a generator gives: of `explode`, what decided about an array;
        of a function of which no more is known, all that it is given."""
        if generator.kind == "GeneratorOuter":
            return self.deciding_rows(generator.children[0])
        if generator.kind == "JsonTuple":
            return frozenset()
        values = [self.read(child) for child in generator.children]
        if generator.kind not in nested.GENERATORS:
            return decided_by(values, "FILTER")
        return frozenset((source, "FILTER") for each in values for source, _ in each.indirect)

    def _bind(self, function: PlanNode, given: PlanNode) -> None:
        """Give the variables of a lambda what the function around it calls it with."""
        place = next(n for n, child in enumerate(function.children) if child is given)
        values = nested.lambda_arguments(self, function, place)
        for variable, value in zip(given.children[1:], values, strict=False):
            text = SqlText(str(variable.fields.get("name")), UNKNOWN.strength)
            self._variables[expression_id(variable)] = value.described(text)

    def _read_described(self, node: PlanNode) -> PlanValue:
        value = self._read(node)
        if value.text is not None and (not node.children or node.kind in _KEEPS_TEXT):
            return value
        if node.kind in ("AttributeReference", "NamedLambdaVariable"):
            return value.described(SqlText(node.fields["name"], UNKNOWN.strength))
        if node.kind == "PreciseTimestampConversion":
            return value
        texts = [self.read(child).text or UNKNOWN for child in node.children]
        return value.described(describe(node, texts, self._notes.has_literals))

    def _read(self, node: PlanNode) -> PlanValue:
        """What is not known by name is made of all its arguments."""
        kind = node.kind
        if kind == "AttributeReference":
            return self._column(node)
        if kind == "Literal":
            return _literal(node)
        if kind in _SAME:
            return self.read(node.children[0])
        reading = READERS.get(kind)
        if reading is not None:
            return reading(self, node)
        if isinstance(node.fields.get("plan"), list):
            return self._of_subquery(node)
        return self._made_of_all(node)

    def _column(self, node: PlanNode) -> PlanValue:
        found = self._columns.get(expression_id(node))
        if found is None:
            self._notes.not_understood(f"column {node.fields['name']}")
            return NOTHING
        return found

    def _session_variable(self, node: PlanNode) -> PlanValue:
        """`SET VAR v = (SELECT ...)`: what it was set to is not in the plan."""
        name = str(node.fields.get("originalNameParts") or "").strip("[]") or node.kind
        self._notes.not_understood(f"variable {name}")
        return PlanValue(text=SqlText(name, UNKNOWN.strength))

    def _variable(self, node: PlanNode) -> PlanValue:
        return self._variables.get(expression_id(node), NOTHING)

    def _in_order(self, node: PlanNode) -> tuple[PlanNode, ...]:
        """The children of a node, what others refer to first."""
        if node.kind != "With":
            return node.children
        # The JSON does not say which value is meant: one of those that are defined around it.
        inside, *defined = node.children
        for each in inside.walk():
            if each.kind == "CommonExpressionRef":
                self._common.setdefault(id(each), []).extend(defined)
        return (*defined, inside)

    def _refer(self, node: PlanNode) -> PlanValue:
        """A value that is used more than once."""
        return combine([self.read(each) for each in self._common.get(id(node), [])])

    def _first(self, node: PlanNode) -> PlanValue:
        return self.read(node.children[0])

    def _made_of_all(self, node: PlanNode) -> PlanValue:
        is_masking = node.kind in _MASKING
        if not is_masking and len(node.children) == 1 and _is_replaced(node):
            return self.read(node.children[0])
        if not node.children and node.kind not in _CONSTANT and "UDF" not in node.kind:
            self._notes.not_understood(node.kind)
        way = Way(Direct.TRANSFORMATION, is_masking)
        made = combine([self.read(child).through(way) for child in node.children])
        return PlanValue(made.direct, made.indirect)

    def _null(self, node: PlanNode) -> PlanValue:
        """No value, of the type of its child, since Spark 4.1."""
        return NOTHING

    def _rank(self, node: PlanNode) -> PlanValue:
        """A place in an order: its children are the keys of the window, which decide."""
        return NOTHING

    def _cast(self, node: PlanNode) -> PlanValue:
        """Another type is a change to who reads it; but it is the same text to a parser."""
        child = node.children[0]
        value, kind = self.read(child), node.fields.get("dataType")
        if value.origin is not None:
            self._notes.cast(value.origin, kind)
        return nested.cast(value, type_of(child), kind)

    def _text_of(self, node: PlanNode) -> PlanValue:
        """A text that is still the message that it was."""
        whole, *rest = (self.read(child) for child in node.children)
        made = made_of_all([whole, *rest])
        return PlanValue(
            made.direct,
            made.indirect,
            origin=whole.origin,
            content=whole.content if node.kind in ("Encode", "ParseJson") else None,
            kind=whole.kind,
        )

    def _choice(self, node: PlanNode) -> PlanValue:
        return combine([self.read(child) for child in node.children])

    def _first_present(self, node: PlanNode) -> PlanValue:
        value = self._choice(node)
        return value.throughout(CHANGED).beside(value.deciding("CONDITIONAL"))

    def _case(self, node: PlanNode) -> PlanValue:
        """Conditions and values in turn, then what is left."""
        parts = [self.read(child) for child in node.children]
        pairs = len(parts) // 2
        conditions, values = parts[: 2 * pairs : 2], parts[1 : 2 * pairs : 2]
        return combine([*values, *parts[2 * pairs :]]).beside(decided_by(conditions))

    def _if(self, node: PlanNode) -> PlanValue:
        condition, *values = (self.read(child) for child in node.children)
        return combine(values).beside(decided_by([condition]))

    def _parsed(self, node: PlanNode) -> PlanValue:
        """What a text or bytes hold: fields that are known by the schema they are read with."""
        text = self.read(node.children[0])
        schema = node.fields.get("schema")
        if text.content is not None:
            return _read_back(text, schema)
        if text.origin is None or not isinstance(schema, dict):
            return text.through(CHANGED)
        self._notes.parsed(text.origin, schema)
        return payload(text.origin, schema).beside(text.indirect)

    def _by_path(self, node: PlanNode) -> PlanValue:
        """A value at a constant path of a text."""
        text = self.read(node.children[0])
        path = node.children[1].fields.get("value") if len(node.children) > 1 else None
        steps = _steps(path) if isinstance(path, str) else None
        if text.origin is None or not steps:
            return self._made_of_all(node)
        return self._part(text.origin, steps).beside(text.indirect)

    def _tuple(self, node: PlanNode) -> list[PlanValue]:
        """`json_tuple`: fields of a text by their names."""
        text, *names = node.children
        origin = self.read(text).origin
        fields = [name.fields.get("value") for name in names]
        if origin is None or not all(isinstance(field, str) for field in fields):
            return [self._made_of_all(node)] * len(names)
        return [self._part(origin, (str(field),)) for field in fields]

    def _part(self, origin: ColumnSource, steps: tuple[str, ...]) -> PlanValue:
        self._notes.parsed(origin, _type_with(steps))
        source = origin._replace(payload=(*origin.payload, *steps))
        text = SqlText(path_text(source.payload), UNKNOWN.strength)
        return PlanValue({source: CHANGED}, origin=source, text=text)

    def _aggregate(self, node: PlanNode) -> PlanValue:
        """An aggregate with its mode; `filter` restricts its rows."""
        function, *conditions = node.children
        value = self.read(function).throughout(AGGREGATED)
        return value.beside(decided_by([self.read(each) for each in conditions]))

    def _over(self, node: PlanNode) -> PlanValue:
        """A function over a window: what parts and orders the window decides."""
        function, specification = node.children
        value = self.read(function).throughout(CHANGED)
        return value.beside(
            decided_by([self.read(child) for child in specification.children], "WINDOW")
        )

    def _outer(self, node: PlanNode) -> PlanValue:
        """A column of the rows around a subquery."""
        (column,) = node.expressions("e")
        return self.read(column)

    def _in_time(self, node: PlanNode) -> PlanValue:
        """Bounds of a window of time: the cases in how they are reckoned are nobody's concern."""
        value = self.read(node.children[0])
        if node.fields.get("toType") == "long":
            return PlanValue(value.through(CHANGED).direct, text=value.text)
        times = sorted({path_text(source.path) for source in value.whole})
        text = call("window", [SqlText(time, UNKNOWN.strength) for time in times])
        return PlanValue(value.through(CHANGED).direct, text=text)

    def _written_out(self, node: PlanNode) -> PlanValue:
        """A structure as text or bytes: changed as a whole, but its fields are still known."""
        value = self.read(node.children[0])
        made = value.through(CHANGED)
        content = value if value.members is not None else None
        return PlanValue(
            made.direct, made.indirect, content=content, kind=node.fields.get("written")
        )

    def _invoked(self, node: PlanNode) -> PlanValue:
        """A method of the JVM: those that check a text's length give it as it is."""
        if node.fields.get("functionName") in _LENGTH_CHECKS and node.children:
            return self.read(node.children[0])
        return self._made_of_all(node)

    def _pivoted(self, node: PlanNode) -> PlanValue:
        """The value of the rows that have one of the pivot's values."""
        pivot, value = (self.read(child) for child in node.children[:2])
        return value.through(AGGREGATED).beside(pivot.deciding("CONDITIONAL"))

    def _of_subquery(self, node: PlanNode) -> PlanValue:
        """The value of a subquery: made of all that it looks at."""
        values, deciding = self._notes.subquery(read_tree(node.fields["plan"]), self._columns)
        if node.kind == "Exists":
            # Whether it has rows: what is in them does not matter.
            return NOTHING.beside(deciding)
        if node.kind == "ScalarSubquery" and len(values) == 1:
            return values[0].throughout(CHANGED).beside(deciding)
        return made_of_all(values).beside(deciding)


def _literal(node: PlanNode) -> PlanValue:
    value = node.fields.get("value")
    if node.fields.get("dataType") == "string" and isinstance(value, str):
        return PlanValue(constants=frozenset((value,)))
    return NOTHING


def _is_replaced(node: PlanNode) -> bool:
    """Whether Spark will do it with other functions, which are its child."""
    return isinstance(node.fields.get("replacement"), int)


def _read_back(text: PlanValue, schema: Any) -> PlanValue:
    """What was written as a text, parsed again: by the names of its fields."""
    parts, content = parts_of_type(schema), text.content
    members = content.members if content is not None else None
    if parts is None or content is None or members is None:
        return text.through(CHANGED)
    by_name = {name.lower(): member for name, member in members.items()}
    return PlanValue(
        members={name: by_name.get(name.lower(), NOTHING) for name in parts[1]},
        form=parts[0],
        indirect=content.indirect,
    )


def _steps(path: str) -> tuple[str, ...] | None:
    """The names in `$.a.b[0]`; none if there is more to it."""
    if not path.startswith("$"):
        return None
    place, steps = 1, []
    while place < len(path):
        found = _STEP.match(path, place)
        if found is None:
            return None
        steps.append(found[1] or found[2] or "[]")
        place = found.end()
    return tuple(steps)


def _type_with(steps: tuple[str, ...]) -> Any:
    """The type of a text that has a value at a path."""
    kind: Any = "string"
    for step in reversed(steps):
        if step == "[]":
            kind = {"type": "array", "elementType": kind}
        else:
            kind = {"type": "struct", "fields": [{"name": step, "type": kind}]}
    return kind


READERS: dict[str, Callable[[ExpressionReader, PlanNode], PlanValue]] = {
    **NESTED,
    **dict.fromkeys(_BY_PATH, ExpressionReader._by_path),
    **dict.fromkeys(_CASTS, ExpressionReader._cast),
    **dict.fromkeys(_CHOICES, ExpressionReader._choice),
    **dict.fromkeys(_FIRST_PRESENT, ExpressionReader._first_present),
    **dict.fromkeys(_PARSERS, ExpressionReader._parsed),
    **dict.fromkeys(_TEXTS, ExpressionReader._text_of),
    **dict.fromkeys(WRITERS, ExpressionReader._written_out),
    **dict.fromkeys(("DenseRank", "PercentRank", "Rank"), ExpressionReader._rank),
    "AggregateExpression": ExpressionReader._aggregate,
    "CommonExpressionDef": ExpressionReader._first,
    "CommonExpressionRef": ExpressionReader._refer,
    "CaseWhen": ExpressionReader._case,
    "Exists": ExpressionReader._of_subquery,
    "If": ExpressionReader._if,
    "ListQuery": ExpressionReader._of_subquery,
    "NamedLambdaVariable": ExpressionReader._variable,
    "OuterReference": ExpressionReader._outer,
    "PivotFirst": ExpressionReader._pivoted,
    "PreciseTimestampConversion": ExpressionReader._in_time,
    "ScalarSubquery": ExpressionReader._of_subquery,
    "StaticInvoke": ExpressionReader._invoked,
    "TypedNullLiteral": ExpressionReader._null,
    "VariableReference": ExpressionReader._session_variable,
    "WindowExpression": ExpressionReader._over,
    "With": ExpressionReader._first,
}
