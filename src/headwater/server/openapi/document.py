"""The API document: FastAPI's, completed so that every part of it is described and has an example.

Each route declares its responses with `answers`. What all routes share (errors, keys,
descriptions of parameters) is added here, as are the routes that receive events, which FastAPI
does not see.
"""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
from fastapi import FastAPI

from headwater.server.http.bridge_paths import is_bridge_path
from headwater.server.openapi.parts import (
    ERROR_EXAMPLES,
    INGEST,
    MEANINGS,
    SCHEMAS,
    SERVERS,
    TAGS,
    UNKEYED,
    WAYS_IN,
    Document,
    describe_parameter,
    schema_reference,
)

JSON = "application/json"

# The shapes of answers, by the names they have in the document.
known_shapes: dict[str, Any] = {}
# What their fields are that are written as raw JSON.
_raw_fields: dict[tuple[str, str], Document] = {}
# Every path may be refused so, before a route is called.
_SHARED_ERRORS = (400, 401, 403, 413, 414, 429, 431, 503)
_METHODS = frozenset(("get", "put", "post", "delete", "patch"))


def answers(
    shape: Any, example: Any, *errors: int, status: int = 200, description: str = "What was found."
) -> dict[int | str, Document]:
    """What a route answers, for its `responses`: a shape, an example of it, and its errors."""
    (schema,) = _include(shape)
    # As text until the document is complete: FastAPI leaves out whatever is null on its way.
    found = {"schema": schema, "example": msgspec.json.encode(example).decode()}
    return {
        status: {"description": description, "content": {JSON: found}},
        **{code: error_answer(code) for code in errors},
    }


def _include(*shapes: Any) -> list[Document]:
    """Take shapes into the document, and all they are made of; gives what refers to each."""
    schemas, components = msgspec.json.schema_components(shapes, ref_template=schema_reference)
    for name, component in components.items():
        if known_shapes.setdefault(name, component) != component:
            raise ValueError(f"two shapes are called {name} in the API document")
    return list(schemas)


def describe_field(owner: type, field: str, *shapes: Any) -> None:
    """Say which shapes a field has that its route writes as raw JSON."""
    _raw_fields[owner.__name__, field] = {"anyOf": _include(*shapes)}


def text_answers(examples: dict[str, str], *errors: int, description: str) -> dict[Any, Document]:
    """The same for a route that answers in text: an example by media type."""
    content = {
        media_type: {"schema": {"type": "string"}, "example": example}
        for media_type, example in examples.items()
    }
    return {
        200: {"description": description, "content": content},
        **{code: error_answer(code) for code in errors},
    }


def error_answer(code: int, description: str = "") -> Document:
    """An answer that is an error, in the shape that all of them have."""
    schema = {"$ref": schema_reference.format(name="Error")}
    content = {JSON: {"schema": schema, "example": ERROR_EXAMPLES[code]}}
    return {"description": description or MEANINGS[code], "content": content}


def describe_api(app: FastAPI) -> None:
    """Complete the document that the application serves."""
    describe_routes = app.openapi

    def describe() -> Document:
        if app.openapi_schema is None:
            complete(describe_routes())
        return describe_routes()

    app.openapi = describe  # type: ignore[method-assign]


def complete(document: Document) -> None:
    """Add to FastAPI's document what it leaves out, and take out what is not so."""
    paths = document["paths"]
    for _, _, operation in operations(document):
        # FastAPI's own is the name of a function.
        operation["summary"] = operation.get("description", "").partition("\n")[0]
    for path, posted in INGEST.items():
        paths[path] = paths.get(path, {}) | {"post": _with_errors(posted)}
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas |= copy.deepcopy(known_shapes) | SCHEMAS
    for (owner, field), schema in _raw_fields.items():
        schemas[owner]["properties"][field] = schema
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    document["components"]["securitySchemes"] = WAYS_IN
    # The empty one: a server on loopback without keys asks for none.
    document["security"] = [*({name: []} for name in WAYS_IN), {}]
    document["servers"] = SERVERS
    used = {tag for _, _, operation in operations(document) for tag in operation.get("tags", ())}
    document["tags"] = [tag for tag in TAGS if tag["name"] in used]
    for path, _, operation in operations(document):
        _complete_operation(path, operation)


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Every path and method of a document, with its operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in _METHODS:
                yield path, method, operation


def _complete_operation(path: str, operation: Document) -> None:
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):
        # What cannot be read is a 400 here, in the one shape of errors.
        del responses["422"]
    for part in (operation.get("requestBody", {}), *responses.values()):
        media = part.get("content", {}).get(JSON, {})
        if isinstance(media.get("example"), str):
            media["example"] = msgspec.json.decode(media["example"])
    for code in _SHARED_ERRORS:
        responses.setdefault(str(code), error_answer(code))
    if is_bridge_path(path.encode()):
        # What cannot be read is a 422 there, as in LineageBridge.
        responses.setdefault("422", error_answer(422))
    if path in UNKEYED:
        operation["security"] = []
        for of_keys in ("401", "403", "429"):
            del responses[of_keys]
    operation["responses"] = dict(sorted(responses.items()))
    for parameter in operation.get("parameters", ()):
        describe_parameter(parameter)


def _with_errors(posted: Document) -> Document:
    """An ingest route's own answers, and errors in its own words."""
    texts: dict[int, str] = posted["errors"]
    rest = {key: value for key, value in posted.items() if key != "errors"}
    errors = {str(code): error_answer(code, text) for code, text in texts.items()}
    return rest | {"responses": {**posted["responses"], **errors}}
