"""Writes the types of the API for the web UI, from the API document: `ui/src/api/schema.ts`.

Run as `python -m scripts.api_types`; a test holds the file equal to what this makes.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headwater.config import load_settings
from headwater.server.app import Application

TARGET = Path(__file__).parent.parent / "ui" / "src" / "api" / "schema.ts"
_HEADER = "// Made by `make ui-types` from the API document; not written by hand.\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")

Schema = Mapping[str, Any]


def write_types(document: Schema) -> str:
    """One declaration for each schema of the document, by name."""
    schemas = document["components"]["schemas"]
    return _HEADER + "".join(_declare(name, schemas[name]) for name in sorted(schemas))


def _declare(name: str, schema: Schema) -> str:
    if not schema.get("properties"):
        return f"\nexport type {name} = {_type(schema)};\n"
    fields = _fields(schema, "  ")
    return f"\nexport interface {name} {{\n{fields}}}\n"


def _fields(schema: Schema, indent: str) -> str:
    required = set(schema.get("required", ()))
    return "".join(
        f"{indent}{_key(key)}{'' if key in required else '?'}: {_type(value)};\n"
        for key, value in schema["properties"].items()
    )


def _key(key: str) -> str:
    return key if _IDENTIFIER.match(key) else json.dumps(key)


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(map(_type, schema[several])))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}) for one in kind)
    if kind == "array":
        element = _type(schema.get("items", {}))
        return f"({element})[]" if " " in element else f"{element}[]"
    if kind == "object":
        return _object(schema)
    return "null" if kind == "null" else _PLAIN.get(str(kind), "unknown")


def _object(schema: Schema) -> str:
    if schema.get("properties"):
        return "{ " + _fields(schema, "").replace("\n", " ") + "}"
    values = schema.get("additionalProperties")
    return f"Record<string, {_type(values) if isinstance(values, Mapping) else 'unknown'}>"


def main() -> None:
    TARGET.write_text(write_types(Application(load_settings()).document()))


if __name__ == "__main__":
    main()
