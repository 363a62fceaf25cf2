"""JSON Schema; what `$ref` names is found by referencing, the library of the standard's authors."""

from typing import Any

import msgspec
import referencing
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT7

from headwater.collect.schema_registry.fetch import RegisteredSchema
from headwater.collect.schema_registry.parsing import References
from headwater.collect.schema_registry.parsing.fields import (
    ELEMENT,
    MAP_KEY,
    MAP_VALUE,
    SEPARATOR,
    FieldBuilder,
    Json,
    ParsedSchema,
    SchemaProblem,
    join,
)

_PLAIN = {"integer": "int64", "number": "float64", "object": "struct", "": "any"}
_FORMATS = {"date-time": "timestamp", "date": "date", "time": "time", "uuid": "uuid"}
# Kafka Connect's converter writes its own types beside those of JSON.
_CONNECT_NAMES = {
    "org.apache.kafka.connect.data.Timestamp": "timestamp",
    "org.apache.kafka.connect.data.Date": "date",
    "org.apache.kafka.connect.data.Time": "time",
    "org.apache.kafka.connect.data.Decimal": "decimal",
}
_TAGS = "confluent:tags"
_ROOT = "headwater:schema"

Resolver = Any


def parse(schema: RegisteredSchema, references: References, part: str) -> ParsedSchema:
    root = _decode(schema)
    resources = [(each.name, _resource(_decode(found))) for each, found in references.items()]
    registry: Any = referencing.Registry().with_resources([*resources, (_ROOT, _resource(root))])
    build = FieldBuilder()
    fields = _JsonFields(build)
    whole = fields.field(part, root, registry.resolver(_ROOT), -1, ())
    inside = whole.get("fields", [])
    build.tags = [
        (path.partition(SEPARATOR)[2], tag) for path, tag in build.tags if SEPARATOR in path
    ]
    build.defaults = {path.partition(SEPARATOR)[2]: each for path, each in build.defaults.items()}
    build.owners = {path.partition(SEPARATOR)[2]: each for path, each in build.owners.items()}
    if whole["type"] not in ("struct", "union"):
        inside = [whole]
    title = root.get("title", "") if isinstance(root, dict) else ""
    description = root.get("description") if isinstance(root, dict) else None
    tags = root.get(_TAGS) if isinstance(root, dict) else None
    return build.result(str(title), inside, description, tags)


def _decode(schema: RegisteredSchema) -> Any:
    try:
        found = msgspec.json.decode(schema.text or "")
    except ValueError:
        raise SchemaProblem(f"{schema.subject} is not JSON") from None
    if not isinstance(found, (dict, bool)):
        raise SchemaProblem(f"{schema.subject} is no JSON Schema")
    return found


def _resource(contents: Any) -> Any:
    try:
        return referencing.Resource.from_contents(contents, default_specification=DRAFT7)
    except Exception:
        # Of a version of the standard that the library does not know.
        return DRAFT7.create_resource(contents)


class _JsonFields:
    def __init__(self, build: FieldBuilder) -> None:
        self._build = build

    def field(
        self,
        path: str,
        schema: Any,
        resolver: Resolver,
        depth: int,
        above: tuple[int, ...],
        owner: str = "",
    ) -> Json:
        found, resolver, above = self._resolve(schema, resolver, above)
        outer = schema if isinstance(schema, dict) else {}
        if "default" in (merged := {**found, **outer}):
            self._build.set_default(path, merged["default"])
        inside = self._inside(found, path, resolver, depth + 1, above)
        is_union = bool(_branches(found))
        kind = "union" if is_union else _type(found)
        return self._build.field(
            path, kind, merged.get("description"), inside, merged.get(_TAGS), owner
        )

    def _resolve(
        self, schema: Any, resolver: Resolver, above: tuple[int, ...]
    ) -> tuple[Json, Resolver, tuple[int, ...]]:
        """What a schema is once references are followed and parts merged."""
        for _ in range(50):
            if not isinstance(schema, dict):
                return {}, resolver, above
            if id(schema) in above:
                # It contains itself: shown once.
                return {"type": _type(schema)}, resolver, above
            if isinstance(schema.get("$ref"), str):
                above = (*above, id(schema))
                try:
                    found = resolver.lookup(schema["$ref"])
                except (Unresolvable, ValueError, LookupError, AttributeError):
                    self._build.problems[f"'{schema['$ref'][:200]}' is not found"] = None
                    return {}, resolver, above
                schema, resolver = found.contents, found.resolver
                continue
            branches = [each for each in _all_branches(schema) if not _is_null(each)]
            if len(branches) == 1 and not schema.get("properties"):
                above, schema = (*above, id(schema)), branches[0]
                continue
            return self._merged(schema, resolver, above), resolver, (*above, id(schema))
        self._build.problems["references are a circle"] = None
        return {}, resolver, above

    def _merged(self, schema: Json, resolver: Resolver, above: tuple[int, ...]) -> Json:
        """A schema with the properties of all that it must match as well."""
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema
        properties: Json = {}
        merged: Json = {}
        for part in parts:
            found, inner, _ = self._resolve(part, resolver, (*above, id(schema)))
            merged = {**merged, **found}
            for name, each in _object(found, "properties").items():
                properties[name] = _Elsewhere(each, inner)
        own = {key: each for key, each in schema.items() if key != "allOf"}
        return {**merged, **own, "properties": {**properties, **_object(schema, "properties")}}

    def _inside(
        self, found: Json, path: str, resolver: Resolver, depth: int, above: tuple[int, ...]
    ) -> list[Json]:
        children = list(_children(found))
        if not children or not self._build.may_enter(depth):
            return []
        fields = []
        for name, each in children:
            if not self._build.may_add():
                break
            at = join(path, name)
            inner = resolver
            if isinstance(each, _Elsewhere):
                each, inner = each.schema, each.resolver
            # Confluent names a field of JSON by its path from the whole object.
            fields.append(self.field(at, each, inner, depth, above, _owner(at)))
        return fields


class _Elsewhere:
    """A schema whose references are those of another document."""

    def __init__(self, schema: Any, resolver: Resolver) -> None:
        inner = schema if isinstance(schema, _Elsewhere) else None
        self.schema: Any = inner.schema if inner else schema
        self.resolver: Resolver = inner.resolver if inner else resolver


def _children(found: Json) -> list[tuple[str, Any]]:
    properties = _object(found, "properties")
    if properties:
        return list(properties.items())
    if branches := _branches(found):
        names = [_branch_name(each, number) for number, each in enumerate(branches, 1)]
        return list(zip(names, branches, strict=True))
    items = found.get("items")
    if isinstance(items, dict):
        return [(ELEMENT, items)]
    values = found.get("additionalProperties")
    return [(MAP_KEY, {"type": "string"}), (MAP_VALUE, values)] if isinstance(values, dict) else []


def _branches(found: Json) -> list[Any]:
    branches = [each for each in _all_branches(found) if not _is_null(each)]
    return branches if len(branches) > 1 and not found.get("properties") else []


def _all_branches(schema: Json) -> list[Any]:
    branches = schema.get("oneOf") or schema.get("anyOf")
    return branches if isinstance(branches, list) else []


def _branch_name(branch: Any, number: int) -> str:
    found = branch if isinstance(branch, dict) else {}
    name = found.get("title") or str(found.get("$ref", "")).rpartition("/")[2]
    return str(name or _type(found) or number).removesuffix(".json") or str(number)


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _owner(path: str) -> str:
    return "object." + ".".join(path.split(SEPARATOR)[1:])


def _object(found: Json, key: str) -> Json:
    value = found.get(key)
    return value if isinstance(value, dict) else {}


def _type(found: Json) -> str:
    if isinstance(title := found.get("title"), str) and title in _CONNECT_NAMES:
        return _CONNECT_NAMES[title]
    if isinstance(own := found.get("connect.type"), str) and own not in ("struct", "map"):
        return own
    kinds = found.get("type", "")
    named = [each for each in (kinds if isinstance(kinds, list) else [kinds]) if each != "null"]
    kind = str(named[0]) if len(named) == 1 else "union" if named else ""
    if not kind:
        kind = (
            "object"
            if found.get("properties") or found.get("allOf")
            else "string"
            if found.get("enum")
            else ""
        )
    if kind == "object" and not found.get("properties"):
        return "map" if isinstance(found.get("additionalProperties"), dict) else "struct"
    if kind == "string":
        return _FORMATS.get(str(found.get("format")), "string")
    return _PLAIN.get(kind, kind)
