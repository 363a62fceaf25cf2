"""Schemas of Avro, by fastavro."""

import re
from typing import Any

import msgspec
from fastavro.schema import SchemaParseException, UnknownType
from fastavro.schema import parse_schema as parse_avro

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

_PLAIN = {
    "int": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "fixed": "bytes",
    "enum": "string",
    "record": "struct",
    "error": "struct",
}
_LOGICAL = {
    "date": "date",
    "time-millis": "time",
    "time-micros": "time",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "timestamp-nanos": "timestamp",
    "local-timestamp-millis": "timestamp",
    "local-timestamp-micros": "timestamp",
    "local-timestamp-nanos": "timestamp",
    "uuid": "uuid",
    "duration": "duration",
}
_TAGS = "confluent:tags"
_NAME = re.compile(r"[A-Za-z_][\w.]*")


def parse(schema: RegisteredSchema, references: References, part: str) -> ParsedSchema:
    named: dict[str, Any] = {}
    for each in in_order(schema, references):
        _parse(each, named)
    return _AvroFields(named).whole(_parse(schema, named), part)


def _parse(schema: RegisteredSchema, named: dict[str, Any]) -> Any:
    try:
        decoded = msgspec.json.decode(schema.text or "")
    except ValueError:
        # A name alone is a schema too, and some registries have it without quotes.
        decoded = (schema.text or "").strip()
        if not _NAME.fullmatch(decoded):
            raise SchemaProblem(f"{schema.subject} is no schema of Avro: no JSON") from None
    try:
        return parse_avro(decoded, named, _write_hint=False)
    except UnknownType as error:
        raise SchemaProblem(f"{schema.subject}: the type '{error.name}' is not known") from None
    except (SchemaParseException, KeyError, TypeError, ValueError, AttributeError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise SchemaProblem(f"{schema.subject} is no schema of Avro: {reason}") from None


class _AvroFields:
    def __init__(self, named: dict[str, Any]) -> None:
        self._named = named
        self._build = FieldBuilder()

    def whole(self, schema: Any, part: str) -> ParsedSchema:
        found = self._resolve(schema)
        if isinstance(found, dict) and found.get("fields") is not None:
            fields = self._inside(found, "", 0, ())
            name = str(found.get("name", ""))
            return self._build.result(name, fields, found.get("doc"), found.get(_TAGS))
        if isinstance(found, list):
            # One of several records, as of a topic with events of several types.
            return self._build.result("", self._inside(found, "", 0, ()), None)
        return self._build.result("", [self._field(part, found, {}, 0, ())], None)

    def _resolve(self, schema: Any) -> Any:
        """A union of one type and null is that type; a name is the type that has it."""
        while True:
            if isinstance(schema, list):
                others = [each for each in schema if each != "null"]
                if len(others) != 1:
                    return others
                schema = others[0]
            elif isinstance(schema, str) and schema in self._named:
                return self._named[schema]
            elif isinstance(schema, dict) and isinstance(schema.get("type"), (dict, list)):
                schema = schema["type"]
            else:
                return schema

    def _field(
        self,
        path: str,
        schema: Any,
        field: Json,
        depth: int,
        above: tuple[str, ...],
        owner: str = "",
    ) -> Json:
        found = self._resolve(schema)
        if field.get("logicalType") and isinstance(found, str):
            # Beside the type rather than in it, as some write it.
            found = {**field, "type": found}
        if "default" in field:
            self._build.set_default(path, field["default"])
        inside = self._inside(found, path, depth + 1, above)
        kind = _type(found)
        return self._build.field(path, kind, field.get("doc"), inside, field.get(_TAGS), owner)

    def _inside(self, found: Any, path: str, depth: int, above: tuple[str, ...]) -> list[Json]:
        if isinstance(found, str) or not self._build.may_enter(depth):
            return []
        if isinstance(found, list):
            records = [each for each in map(self._resolve, found) if _name(each)]
            return [
                self._field(join(path, _name(each).rpartition(".")[2]), each, {}, depth, above)
                for each in records
                if self._build.may_add()
            ]
        if found.get("type") == "array":
            return [self._field(join(path, ELEMENT), found["items"], {}, depth, above)]
        if found.get("type") == "map":
            key = self._build.field(join(path, MAP_KEY), "string")
            return [key, self._field(join(path, MAP_VALUE), found["values"], {}, depth, above)]
        name = str(found.get("name", ""))
        if name in above:
            # It contains itself: shown once.
            return []
        fields = []
        for each in found.get("fields") or ():
            if not self._build.may_add():
                break
            owner, inner = f"{name}.{each['name']}", (*above, name)
            at = join(path, each["name"])
            fields.append(self._field(at, each["type"], each, depth, inner, owner))
        return fields


def _name(schema: Any) -> str:
    is_record = isinstance(schema, dict) and schema.get("fields") is not None
    return str(schema.get("name", "")) if is_record else ""


def _type(found: Any) -> str:
    if isinstance(found, list):
        return "union"
    if not isinstance(found, dict):
        return _PLAIN.get(str(found), str(found))
    logical = str(found.get("logicalType"))
    if logical == "decimal":
        return f"decimal({found.get('precision')},{found.get('scale') or 0})"
    plain = str(found.get("type"))
    return _LOGICAL.get(logical, _PLAIN.get(plain, plain))
