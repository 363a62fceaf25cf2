"""The API document: FastAPI's, with the routes that take in events, which it does not see."""

from typing import Any

import msgspec
from fastapi import FastAPI

Document = dict[str, Any]

# The shapes of answers, by the names they have in the document.
_shapes: dict[str, Any] = {}
_MEANINGS = {
    400: "A parameter or body that cannot be used.",
    404: "Nothing of that name is known.",
    409: "Something else was done meanwhile.",
    422: "A body of the wrong shape.",
}


def answers(
    shape: Any, example: Any, *errors: int, status: int = 200, description: str = "What was found."
) -> dict[int | str, Document]:
    """What a route answers, for its `responses`: a shape, an example of it, and its errors."""
    (schema,), components = msgspec.json.schema_components((shape,), ref_template=_REFERENCE)
    _shapes.update(components)
    found = {"schema": schema, "example": msgspec.to_builtins(example)}
    return {
        status: {"description": description, "content": {"application/json": found}},
        **{code: _answer(_MEANINGS[code], "Error") for code in errors},
    }


_REFERENCE = "#/components/schemas/{name}"

_EVENT: Document = {
    "type": "object",
    "description": "An OpenLineage RunEvent, JobEvent or DatasetEvent.",
    "required": ["eventTime"],
    "properties": {
        "eventType": {"type": "string", "nullable": True},
        "eventTime": {"type": "string", "format": "date-time"},
        "run": {"type": "object"},
        "job": {"type": "object"},
        "dataset": {"type": "object"},
        "inputs": {"type": "array", "items": {"type": "object"}},
        "outputs": {"type": "array", "items": {"type": "object"}},
        "producer": {"type": "string"},
        "schemaURL": {"type": "string"},
    },
}
_EVENTS: Document = {"type": "array", "items": {"$ref": "#/components/schemas/OpenLineageEvent"}}
_BATCH_ANSWER: Document = {
    "type": "object",
    "required": ["status", "summary"],
    "properties": {
        "status": {"type": "string", "enum": ["partial_success", "failure"]},
        "summary": {
            "type": "object",
            "properties": {
                name: {"type": "integer"}
                for name in ("received", "successful", "failed", "retriable", "non_retriable")
            },
        },
        "failed_events": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "index": {"type": "integer"},
                    "reason": {"type": "string"},
                    "retriable": {"type": "boolean"},
                },
            },
        },
    },
}
_ERROR: Document = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {
        "code": {"type": "integer"},
        "message": {"type": "string"},
        "path": {"type": "string", "description": "Where: a JSON path, parameter or header."},
        "reason": {"type": "string"},
    },
}
_WAYS_IN: Document = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key of `headwater keys add`."},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def _json(schema: Document) -> Document:
    return {"application/json": {"schema": schema}}


def _answer(description: str, schema: str | None = None) -> Document:
    if schema is None:
        return {"description": description}
    return {
        "description": description,
        "content": _json({"$ref": f"#/components/schemas/{schema}"}),
    }


def _post(summary: str, body: Document, stored: str) -> Document:
    return {
        "post": {
            "tags": ["events"],
            "summary": summary,
            "requestBody": {"required": True, "content": _json(body)},
            "responses": {
                stored: _answer("All are stored, durably."),
                "200": _answer("Some of an array are stored.", "BatchAnswer"),
                "400": _answer("No JSON.", "Error"),
                "401": _answer("No key that is in force.", "Error"),
                "403": _answer("A key without the scope `write`.", "Error"),
                "413": _answer("Too large.", "Error"),
                "415": _answer("Neither JSON nor an encoding spoken here.", "Error"),
                "422": _answer("Not usable; kept as rejected.", "Error"),
                "429": _answer("More than the key's share; send again later.", "Error"),
                "503": _answer("Not stored now; send again after Retry-After.", "Error"),
            },
        }
    }


def describe_ingest(app: FastAPI) -> None:
    """Add the ingest routes to the document that the application serves."""
    describe_routes = app.openapi
    one_or_many = {"oneOf": [{"$ref": "#/components/schemas/OpenLineageEvent"}, _EVENTS]}

    def describe() -> Document:
        if app.openapi_schema is None:
            document = describe_routes()
            paths = document["paths"]
            for path, posted in (
                ("/api/v1/lineage", _post("Take in one event or an array.", one_or_many, "201")),
                ("/api/v1/lineage/batch", _post("Take in an array of events.", _EVENTS, "204")),
            ):
                paths[path] = paths.get(path, {}) | posted
            # The empty one: a server on loopback without keys asks for none.
            document["security"] = [*({name: []} for name in _WAYS_IN), {}]
            document.setdefault("components", {})["securitySchemes"] = _WAYS_IN
            schemas = document["components"].setdefault("schemas", {})
            schemas |= _shapes | {
                "OpenLineageEvent": _EVENT,
                "BatchAnswer": _BATCH_ANSWER,
                "Error": _ERROR,
            }
        return describe_routes()

    app.openapi = describe  # type: ignore[method-assign]
