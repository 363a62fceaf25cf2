"""Expressions as people read them: SQL without ids, with `?` for what may be personal data."""

import re
from collections.abc import Callable, Sequence

from headwater.spark.columns.nested import type_of
from headwater.spark.columns.sources import SqlText
from headwater.spark.plan import PlanNode

# Longer than this it is not read, and an event has it once a column.
MAX_LENGTH = 200
_ATOM = 9
UNKNOWN = SqlText("…", _ATOM)
_HIDDEN = SqlText("?", _ATOM)
# Whose values say nothing about anybody.
_PLAIN_TYPES = frozenset(("boolean", "void"))
_NUMBERS = frozenset(("byte", "decimal", "double", "float", "integer", "long", "short"))
# Functions that users define, of rows, of groups and of tables.
_OF_USERS = re.compile("UD[AT]?F")
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

Texts = Sequence[SqlText]


def describe(node: PlanNode, parts: Texts, has_literals: bool = False) -> SqlText:
    """The text of an expression, made of those of its children."""
    if node.kind == "Literal":
        return _literal(node, has_literals)
    if (operator := _OPERATORS.get(node.kind)) is not None and len(parts) == 2:
        return _infix(*operator, *parts)
    writing = _WRITERS.get(node.kind)
    if writing is not None and parts:
        return _bounded(writing(node, parts))
    if len(parts) == 1 and isinstance(node.fields.get("replacement"), int):
        # Spark's own way of saying the same with other functions.
        return parts[0]
    return _bounded(call(function_name(node), parts))


def call(name: str, parts: Texts) -> SqlText:
    return SqlText(f"{name}({', '.join(part.sql for part in parts)})", _ATOM)


def function_name(node: PlanNode) -> str:
    """What a function is called in SQL."""
    if (known := _NAMES.get(node.kind)) is not None:
        return known
    for field in ("udfName", "name"):
        if isinstance(given := node.fields.get(field), str) and _OF_USERS.search(node.kind):
            return given
    return _CAPITALS.sub("_", node.kind).lower()


def _bounded(text: SqlText) -> SqlText:
    if len(text.sql) <= MAX_LENGTH:
        return text
    return SqlText(f"{text.sql[: MAX_LENGTH - 1]}…", text.strength)


def _literal(node: PlanNode, has_literals: bool) -> SqlText:
    value, kind = node.fields.get("value"), node.fields.get("dataType")
    if value is None:
        return SqlText("NULL", _ATOM)
    if isinstance(kind, str) and kind in _PLAIN_TYPES:
        return SqlText(str(value), _ATOM)
    if not has_literals:
        return _HIDDEN
    return _bounded(SqlText(f"'{value}'" if kind == "string" else str(value), _ATOM))


def _infix(sign: str, strength: int, left: SqlText, right: SqlText) -> SqlText:
    before = left.sql if left.strength >= strength else f"({left.sql})"
    after = right.sql if right.strength > strength else f"({right.sql})"
    return _bounded(SqlText(f"{before} {sign} {after}", strength))


def _within(text: SqlText, strength: int) -> str:
    return text.sql if text.strength >= strength else f"({text.sql})"


def _cast(node: PlanNode, parts: Texts) -> SqlText:
    kind = node.fields.get("dataType")
    if _is_by_the_way(type_of(node.children[0]), kind) or parts[0] == _HIDDEN:
        return parts[0]
    name = kind if isinstance(kind, str) else (kind or {}).get("type", "?")
    return SqlText(f"CAST({parts[0].sql} AS {name})", _ATOM)


def _is_by_the_way(before: object, after: object) -> bool:
    """Whether Spark casts so by itself, for numbers to be of one type and texts to be hashed."""
    if before == "string":
        return after == "binary"
    return _is_number(before) and _is_number(after)


def _is_number(kind: object) -> bool:
    return isinstance(kind, str) and kind.partition("(")[0] in _NUMBERS


def _count(node: PlanNode, parts: Texts) -> SqlText:
    is_of_rows = len(parts) == 1 and node.children[0].kind == "Literal"
    return SqlText("count(*)", _ATOM) if is_of_rows else call("count", parts)


def _case(node: PlanNode, parts: Texts) -> SqlText:
    pairs = len(parts) // 2
    clauses = [
        f"WHEN {parts[2 * place].sql} THEN {parts[2 * place + 1].sql}" for place in range(pairs)
    ]
    if len(parts) % 2:
        clauses.append(f"ELSE {parts[-1].sql}")
    return SqlText(f"CASE {' '.join(clauses)} END", _ATOM)


def _in(node: PlanNode, parts: Texts) -> SqlText:
    among = ", ".join(part.sql for part in parts[1:])
    return SqlText(f"{_within(parts[0], 5)} IN ({among})", 4)


def _struct(node: PlanNode, parts: Texts) -> SqlText:
    names = [str(child.fields.get("value")) for child in node.children[::2]]
    fields = [
        part.sql if part.sql == name else f"{part.sql} AS {name}"
        for name, part in zip(names, parts[1::2], strict=False)
    ]
    return SqlText(f"struct({', '.join(fields)})", _ATOM)


def _aggregate(node: PlanNode, parts: Texts) -> SqlText:
    sql = parts[0].sql
    if node.fields.get("isDistinct"):
        sql = sql.replace("(", "(DISTINCT ", 1)
    if len(parts) > 1:
        sql = f"{sql} FILTER (WHERE {parts[1].sql})"
    return SqlText(sql, _ATOM)


def _over(node: PlanNode, parts: Texts) -> SqlText:
    return SqlText(f"{parts[0].sql} OVER ({parts[1].sql})", _ATOM)


def _window(node: PlanNode, parts: Texts) -> SqlText:
    clauses = []
    for name, field in (("PARTITION BY", "partitionSpec"), ("ORDER BY", "orderSpec")):
        if isinstance(places := node.fields.get(field), list) and places:
            clauses.append(f"{name} {', '.join(parts[place].sql for place in places)}")
    return SqlText(" ".join(clauses), _ATOM)


def _sorted(node: PlanNode, parts: Texts) -> SqlText:
    is_down = "Descending" in str(node.fields.get("direction"))
    return SqlText(f"{parts[0].sql}{' DESC' if is_down else ''}", _ATOM)


def _lambda(node: PlanNode, parts: Texts) -> SqlText:
    arguments = [child.fields.get("name", "") for child in node.children[1:]]
    head = arguments[0] if len(arguments) == 1 else f"({', '.join(arguments)})"
    return SqlText(f"{head} -> {parts[0].sql}", _ATOM)


def _after(text: str, strength: int = 4) -> Callable[[PlanNode, Texts], SqlText]:
    return lambda node, parts: SqlText(f"{_within(parts[0], 5)} {text}", strength)


def _before(text: str, strength: int) -> Callable[[PlanNode, Texts], SqlText]:
    return lambda node, parts: SqlText(f"{text}{_within(parts[0], strength)}", strength)


def _field(node: PlanNode, parts: Texts) -> SqlText:
    field = node.fields.get("field")
    name = node.fields.get("name") or (field.get("name") if isinstance(field, dict) else None)
    return SqlText(f"{_within(parts[0], _ATOM)}.{name or node.fields.get('ordinal')}", _ATOM)


def _null(node: PlanNode, parts: Texts) -> SqlText:
    return SqlText("NULL", _ATOM)


def _first(node: PlanNode, parts: Texts) -> SqlText:
    return parts[0]


def _item(node: PlanNode, parts: Texts) -> SqlText:
    return SqlText(f"{_within(parts[0], _ATOM)}[{parts[1].sql}]", _ATOM)


def _of_first(node: PlanNode, parts: Texts) -> SqlText:
    """Functions whose other arguments are settings."""
    return call(function_name(node), parts[:1])


_OPERATORS = {
    "Or": ("OR", 1),
    "And": ("AND", 2),
    "EqualNullSafe": ("<=>", 4),
    "EqualTo": ("=", 4),
    "GreaterThan": (">", 4),
    "GreaterThanOrEqual": (">=", 4),
    "LessThan": ("<", 4),
    "LessThanOrEqual": ("<=", 4),
    "Like": ("LIKE", 4),
    "RLike": ("RLIKE", 4),
    "BitwiseAnd": ("&", 5),
    "BitwiseOr": ("|", 5),
    "BitwiseXor": ("^", 5),
    "Add": ("+", 6),
    "Subtract": ("-", 6),
    "Divide": ("/", 7),
    "IntegralDivide": ("div", 7),
    "Multiply": ("*", 7),
    "Remainder": ("%", 7),
}
_WRITERS: dict[str, Callable[[PlanNode, Texts], SqlText]] = {
    **dict.fromkeys(("Cast", "AnsiCast", "TryCast", "UpCast"), _cast),
    **dict.fromkeys(
        ("Alias", "AssertNotNull", "CheckOverflow", "KnownNotNull", "KnownNullable"), _first
    ),
    **dict.fromkeys(("CsvToStructs", "JsonToStructs", "XmlToStructs"), _of_first),
    **dict.fromkeys(("First", "Last", "Lag", "Lead", "TimeWindow"), _of_first),
    **dict.fromkeys(("ElementAt", "GetArrayItem", "GetMapValue"), _item),
    **dict.fromkeys(("GetArrayStructFields", "GetStructField"), _field),
    "AggregateExpression": _aggregate,
    "CaseWhen": _case,
    "Count": _count,
    "CreateNamedStruct": _struct,
    "In": _in,
    "IsNotNull": _after("IS NOT NULL"),
    "IsNull": _after("IS NULL"),
    "LambdaFunction": _lambda,
    "Not": _before("NOT ", 3),
    "SortOrder": _sorted,
    "TypedNullLiteral": _null,
    "UnaryMinus": _before("-", 8),
    "WindowExpression": _over,
    "WindowSpecDefinition": _window,
}
# Names in SQL that do not follow from those of Spark's classes.
_NAMES = {
    "ApproximatePercentile": "approx_percentile",
    "ArrayAggregate": "aggregate",
    "ArrayExists": "exists",
    "ArrayFilter": "filter",
    "ArrayForAll": "forall",
    "ArrayTransform": "transform",
    "Average": "avg",
    "AvroDataToCatalyst": "from_avro",
    "CatalystDataToAvro": "to_avro",
    "CatalystDataToProtobuf": "to_protobuf",
    "BitwiseCount": "bit_count",
    "CovPopulation": "covar_pop",
    "CovSample": "covar_samp",
    "CreateArray": "array",
    "CreateMap": "map",
    "CsvToStructs": "from_csv",
    "DateFormatClass": "date_format",
    "DayOfMonth": "day",
    "DayOfWeek": "dayofweek",
    "DayOfYear": "dayofyear",
    "Exists": "EXISTS",
    "FromUnixTime": "from_unixtime",
    "HyperLogLogPlusPlus": "approx_count_distinct",
    "InitCap": "initcap",
    "JsonToStructs": "from_json",
    "ListAgg": "listagg",
    "ListQuery": "subquery",
    "MapZipWith": "map_zip_with",
    "MicrosToTimestamp": "timestamp_micros",
    "MillisToTimestamp": "timestamp_millis",
    "Murmur3Hash": "hash",
    "NTile": "ntile",
    "NaNvl": "nanvl",
    "ParseToDate": "to_date",
    "ParseToTimestamp": "to_timestamp",
    "PosExplode": "posexplode",
    "ProtobufDataToCatalyst": "from_protobuf",
    "RegExpExtract": "regexp_extract",
    "RegExpExtractAll": "regexp_extract_all",
    "RegExpReplace": "regexp_replace",
    "ScalarSubquery": "subquery",
    "SecondsToTimestamp": "timestamp_seconds",
    "SoundEx": "soundex",
    "StringDecode": "decode",
    "StringInstr": "instr",
    "StringLocate": "locate",
    "StringRepeat": "repeat",
    "StringReplace": "replace",
    "StringSplit": "split",
    "StringToMap": "str_to_map",
    "StringTranslate": "translate",
    "StringTrim": "trim",
    "StringTrimBoth": "btrim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "StructsToCsv": "to_csv",
    "StructsToJson": "to_json",
    "StructsToXml": "to_xml",
    "TruncDate": "trunc",
    "TruncTimestamp": "date_trunc",
    "UnBase64": "unbase64",
    "VariancePop": "var_pop",
    "VarianceSamp": "var_samp",
    "WeekDay": "weekday",
    "WeekOfYear": "weekofyear",
    "XmlToStructs": "from_xml",
    "XxHash64": "xxhash64",
}
