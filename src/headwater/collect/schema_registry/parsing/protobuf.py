"""Schemas of Protobuf, by proto-schema-parser: it needs no compiler, and no files that a schema
imports to be read."""

import re
from collections.abc import Iterator
from typing import Any

from antlr4.error.ErrorListener import ErrorListener
from proto_schema_parser import ast
from proto_schema_parser.parser import Parser

from headwater.collect.schema_registry.fetch import RegisteredSchema
from headwater.collect.schema_registry.parsing import References, in_order
from headwater.collect.schema_registry.parsing.fields import (
    ELEMENT,
    MAP_KEY,
    MAP_VALUE,
    FieldBuilder,
    Json,
    ParsedSchema,
    SchemaProblem,
    join,
)

# It takes about a second for each 40 kB.
MOST_CHARACTERS = 200_000
_PLAIN = {
    "double": "float64",
    "float": "float32",
    "int32": "int32",
    "sint32": "int32",
    "sfixed32": "int32",
    "uint32": "int64",
    "fixed32": "int64",
    "int64": "int64",
    "sint64": "int64",
    "sfixed64": "int64",
    "uint64": "int64",
    "fixed64": "int64",
    "bool": "boolean",
    "string": "string",
    "bytes": "bytes",
}
_KNOWN = {
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Duration": "duration",
    "google.protobuf.Struct": "struct",
    "google.protobuf.Value": "any",
    "google.protobuf.ListValue": "array",
    "google.protobuf.Any": "any",
    "google.protobuf.Empty": "struct",
    "google.protobuf.DoubleValue": "float64",
    "google.protobuf.FloatValue": "float32",
    "google.protobuf.Int64Value": "int64",
    "google.protobuf.UInt64Value": "int64",
    "google.protobuf.Int32Value": "int32",
    "google.protobuf.UInt32Value": "int64",
    "google.protobuf.BoolValue": "boolean",
    "google.protobuf.StringValue": "string",
    "google.protobuf.BytesValue": "bytes",
    "google.type.Date": "date",
    "google.type.TimeOfDay": "time",
    "google.type.DateTime": "timestamp",
    "google.type.Money": "struct",
    "confluent.type.Decimal": "decimal",
}
_MARKS = re.compile(r"^\s*(?://+|/\*+)|\*/\s*$|^\s*\*+", re.MULTILINE)
_REPEATED = ast.FieldCardinality.REPEATED


def parse(schema: RegisteredSchema, references: References, part: str) -> ParsedSchema:
    types = _Types()
    for each in in_order(schema, references):
        types.add(_parse(each))
    first = types.add(_parse(schema))
    if first is None:
        raise SchemaProblem(f"{schema.subject} has no message")
    return _MessageFields(types).whole(first)


def _parse(schema: RegisteredSchema) -> ast.File:
    text = schema.text or ""
    if len(text) > MOST_CHARACTERS:
        limit = f"{MOST_CHARACTERS:,}"
        raise SchemaProblem(f"{schema.subject} has more than {limit} characters, and is not read")
    try:
        return Parser(setup_lexer=_be_strict, setup_parser=_be_strict).parse(text)
    except RecursionError:
        raise
    except Exception as error:
        # The library passes on whatever its grammar raises.
        reason = str(error).partition("\n")[0][:200] or type(error).__name__
        raise SchemaProblem(f"{schema.subject} is no schema of Protobuf: {reason}") from None


class _Strict(ErrorListener):  # type: ignore[misc]
    """By itself the library prints what it does not understand, and guesses."""

    def syntaxError(
        self, recognizer: Any, symbol: Any, line: int, column: int, message: str, error: Any
    ) -> None:
        raise ValueError(f"line {line}: {message.partition(' expecting ')[0]}")


def _be_strict(recognizer: Any) -> None:
    recognizer.removeErrorListeners()
    recognizer.addErrorListener(_Strict())


class _Message:
    def __init__(self, name: str, elements: list[Any], description: str) -> None:
        self.name = name
        self.elements = elements
        self.description = description


class _Types:
    """Messages and enums by their full names."""

    def __init__(self) -> None:
        self.messages: dict[str, _Message] = {}
        self.enums: set[str] = set()

    def add(self, file: ast.File) -> _Message | None:
        """Add what a file defines; gives its first message, which is what records are."""
        package = next((e.name for e in file.file_elements if isinstance(e, ast.Package)), "")
        names = list(self._add(file.file_elements, package))
        return self.messages[names[0]] if names else None

    def find(self, name: str, scope: str) -> str:
        """The full name of a type that is used in a scope, from the innermost outwards."""
        if name.startswith("."):
            return name[1:]
        while True:
            full = f"{scope}.{name}" if scope else name
            if full in self.messages or full in self.enums:
                return full
            if not scope:
                return name
            scope = scope.rpartition(".")[0]

    def _add(self, elements: list[Any], scope: str) -> Iterator[str]:
        for comment, each in _with_comments(elements):
            if isinstance(each, (ast.Message, ast.Group)):
                name = f"{scope}.{each.name}" if scope else each.name
                self.messages[name] = _Message(name, each.elements, comment)
                yield name
                # Those inside are known, and are no records.
                list(self._add(each.elements, name))
            elif isinstance(each, ast.Enum):
                self.enums.add(f"{scope}.{each.name}" if scope else each.name)


class _MessageFields:
    def __init__(self, types: _Types) -> None:
        self._types = types
        self._build = FieldBuilder()

    def whole(self, message: _Message) -> ParsedSchema:
        fields = self._inside(message, "", 0, ())
        options = [each for each in message.elements if isinstance(each, ast.Option)]
        tags = list(_tags(options, "message_meta"))
        return self._build.result(message.name, fields, message.description, tags)

    def _inside(
        self, message: _Message, path: str, depth: int, above: tuple[str, ...]
    ) -> list[Json]:
        if message.name in above or not self._build.may_enter(depth):
            return []
        above = (*above, message.name)
        found = []
        for comment, each in _members(message.elements):
            if not self._build.may_add():
                break
            at = join(path, each.name)
            found.append(self._field(at, each, comment, message, depth, above))
        return found

    def _field(
        self,
        path: str,
        field: Any,
        comment: str,
        message: _Message,
        depth: int,
        above: tuple[str, ...],
    ) -> Json:
        owner = f"{message.name}.{field.name}"
        options = getattr(field, "options", None) or []
        tags = list(_tags(options, "field_meta"))
        for option in options:
            if option.name == "default":
                self._build.set_default(path, option.value)
        if isinstance(field, ast.MapField):
            key = self._build.field(join(path, MAP_KEY), _PLAIN.get(field.key_type, field.key_type))
            value = self._typed(join(path, MAP_VALUE), field.value_type, message, depth + 1, above)
            return self._build.field(path, "map", comment, [key, value], tags, owner)
        name = field.name if isinstance(field, ast.Group) else field.type
        if field.cardinality is _REPEATED:
            inner = self._typed(join(path, ELEMENT), name, message, depth + 1, above)
            return self._build.field(path, "array", comment, [inner], tags, owner)
        return self._typed(path, name, message, depth, above, comment, tags, owner)

    def _typed(
        self,
        path: str,
        name: str,
        message: _Message,
        depth: int,
        above: tuple[str, ...],
        comment: str = "",
        tags: list[str] | None = None,
        owner: str = "",
    ) -> Json:
        kind, inside = _PLAIN.get(name, ""), []
        full = self._types.find(name, message.name)
        if full in self._types.messages and full not in _KNOWN:
            kind = "struct"
            inside = self._inside(self._types.messages[full], path, depth + 1, above)
        elif not kind:
            kind = "string" if full in self._types.enums else _KNOWN.get(full, "")
        if not kind:
            self._build.problems[f"the type '{name[:200]}' is not known"] = None
            kind = name
        return self._build.field(path, kind, comment, inside, tags, owner)


def _members(elements: list[Any]) -> Iterator[tuple[str, Any]]:
    for comment, each in _with_comments(elements):
        if isinstance(each, ast.OneOf):
            yield from _members(each.elements)
        elif isinstance(each, (ast.Field, ast.MapField, ast.Group)):
            yield comment, each


def _with_comments(elements: list[Any]) -> Iterator[tuple[str, Any]]:
    """Each element with the comment before it."""
    lines: list[str] = []
    for each in elements:
        if isinstance(each, ast.Comment):
            if not each.inline:
                lines.append(_MARKS.sub("", each.text).strip())
            continue
        yield "\n".join(lines), each
        lines = []


def _tags(options: list[Any], kind: str) -> Iterator[str]:
    """Confluent's tags: `(confluent.field_meta) = {tags: "PII"}`, or `.tags`."""
    for option in options:
        if f"confluent.{kind}" not in option.name:
            continue
        yield from re.findall(r'"([^"]+)"', _tag_text(option))


def _tag_text(option: Any) -> str:
    if isinstance(option.value, str):
        return f'"{option.value}"' if option.name.endswith(".tags") else option.value
    found = []
    for each in getattr(option.value, "elements", None) or []:
        if getattr(each, "name", "") == "tags":
            values = each.value if isinstance(each.value, list) else [each.value]
            found += [f'"{value}"' for value in values]
    return " ".join(found)
