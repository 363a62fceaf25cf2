"""The parts of the API document that no single route owns: errors, tags, events, parameters."""

from typing import Any

import msgspec

from headwater.server.http.bridge_paths import PUBLIC_PATHS

Document = dict[str, Any]

schema_reference = "#/components/schemas/{name}"


class Error(msgspec.Struct):
    """Why a request was refused; `path` and `reason` are set if a part of it is invalid."""

    code: int
    message: str
    path: str | msgspec.UnsetType = msgspec.UNSET
    reason: str | msgspec.UnsetType = msgspec.UNSET
    near: list[str] | msgspec.UnsetType = msgspec.UNSET
    detail: str | msgspec.UnsetType = msgspec.UNSET


MEANINGS = {
    400: "Invalid parameter or body.",
    401: "No key, or an invalid one.",
    403: "The key lacks the required scope.",
    404: "Not found.",
    405: "The path does not support the method.",
    409: "Conflict with another change.",
    413: "The body is too large.",
    414: "Path and query exceed 16 KB.",
    415: "Not JSON, or an unsupported encoding.",
    422: "The body does not match the schema.",
    429: "Rate limit of the key exceeded; retry after Retry-After.",
    431: "Headers exceed 32 KB in total.",
    503: "The store does not answer; retry after Retry-After.",
}


def _error(code: int, message: str, path: str = "", **rest: Any) -> Document:
    where = {"path": path, "reason": message} if path else {}
    text = f"{path}: {message}" if path else message
    return {"code": code, "message": text, **where, **rest}


ERROR_EXAMPLES: dict[int, Document] = {
    400: _error(400, "Input should be less than or equal to 10000", "limit"),
    401: _error(401, "the key is unknown or was revoked"),
    403: _error(403, "key 'airflow' lacks the scope 'read'"),
    404: _error(404, "dataset 'postgres://db:5432/ordres' not found"),
    405: _error(405, "Method Not Allowed"),
    409: _error(409, "it was changed meanwhile; read it again"),
    413: _error(413, "larger than 20,000,000 bytes", "body"),
    414: _error(414, "longer than 16,384 bytes", "url"),
    415: _error(415, "'text/plain' is not JSON", "Content-Type"),
    422: _error(422, "not a usable time: 'yesterday'", "$.eventTime"),
    429: _error(429, "key 'airflow' sends too many requests; try again in 1 s"),
    431: _error(431, "together larger than 32,768 bytes", "headers"),
    503: _error(503, "the store did not answer; try again"),
}

TAGS: list[Document] = [
    {"name": name, "description": description}
    for name, description in (
        ("events", "Sending OpenLineage events, and reading them as received."),
        ("namespaces", "Namespaces of datasets and jobs."),
        ("sources", "Data sources of datasets."),
        ("datasets", "Tables, topics and files: their schema, versions, tags and owners."),
        ("jobs", "Processes that read and write datasets: their runs, versions and tags."),
        ("runs", "Executions of jobs: start, end, inputs and outputs."),
        ("lineage", "The lineage graph by dataset, job and column, now and as of any time."),
        ("search", "Search by name, column, description, owner and tag."),
        ("tags", "Tags of datasets, columns and jobs."),
        ("stats", "Counts by hour and day."),
        ("edits", "The log of edits: who changed what and when, and undo."),
        ("insight", "Volume and usage of datasets, comparison of runs, counts by system."),
        (
            "health",
            "Failed, silent and late jobs; stale datasets, and unusual volumes.",
        ),
        ("collectors", "What collects lineage by itself: states, results, a pass on request."),
        ("publishers", "What publishes to catalogs by itself: states, results, a push on request."),
        ("ingestions", "What is ingested by itself from brokers: configuration, state, runs."),
        ("bridge", "LineageBridge's API: events, datasets, graphs of nodes, tasks."),
        ("operations", "For operators and probes."),
    )
]
SERVERS: list[Document] = [{"url": "/", "description": "The server this document came from."}]
WAYS_IN: Document = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key created by `headwater keys add`.",
    },
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-API-Key",
        "description": "The same key in a header of its own.",
    },
}
# Answered to all, so that probes need no key.
UNKEYED = frozenset(("/healthz", "/readyz", *(path.decode() for path in PUBLIC_PATHS)))

_OBJECT: Document = {"type": "object"}
_OBJECTS: Document = {"type": "array", "items": _OBJECT}
_EVENT: Document = {
    "type": "object",
    "description": "An OpenLineage RunEvent, JobEvent or DatasetEvent.",
    "required": ["eventTime"],
    "properties": {
        "eventType": {"type": ["string", "null"]},
        "eventTime": {"type": "string", "format": "date-time"},
        "run": _OBJECT,
        "job": _OBJECT,
        "dataset": _OBJECT,
        "inputs": _OBJECTS,
        "outputs": _OBJECTS,
        "producer": {"type": "string"},
        "schemaURL": {"type": "string"},
    },
}
EVENT_EXAMPLE: Document = {
    "eventType": "COMPLETE",
    "eventTime": "2026-01-31T12:00:00Z",
    "run": {"runId": "01890000-0000-7000-8000-000000000001"},
    "job": {"namespace": "scheduler", "name": "load_orders"},
    "inputs": [{"namespace": "kafka://broker:9092", "name": "orders"}],
    "outputs": [{"namespace": "postgres://db:5432", "name": "shop.public.orders"}],
    "producer": "https://example.org/scheduler/1.0",
}


class BatchSummary(msgspec.Struct):
    """The number of events in an array, by result."""

    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(msgspec.Struct):
    """An event of an array that was not stored: its index and the reason."""

    index: int
    reason: str
    retriable: bool


class BatchAnswer(msgspec.Struct):
    """The result of an array of events, as OpenLineage defines it."""

    status: str
    summary: BatchSummary
    failed_events: list[FailedEvent]


_BATCH_EXAMPLE = BatchAnswer(
    "partial_success",
    BatchSummary(3, 2, 1, 0, 1),
    [FailedEvent(1, "$.job.name: missing", False)],
)

_, _COMPONENTS = msgspec.json.schema_components((Error, BatchAnswer), ref_template=schema_reference)
SCHEMAS: Document = {**_COMPONENTS, "OpenLineageEvent": _EVENT}


def _reference(name: str) -> Document:
    return {"$ref": schema_reference.format(name=name)}


def _post(summary: str, name: str, body: Document, example: Any, stored: str) -> Document:
    batch = {"schema": _reference("BatchAnswer"), "example": msgspec.to_builtins(_BATCH_EXAMPLE)}
    either = {"oneOf": [_reference("Error"), _reference("BatchAnswer")]}
    return {
        "tags": ["events"],
        "summary": summary,
        "description": "A response means that the events are on disk; sending again is safe.",
        "operationId": name,
        "requestBody": {
            "required": True,
            "description": "Also gzipped, with `Content-Encoding: gzip`; at most 20 MB.",
            "content": {"application/json": {"schema": body, "example": example}},
        },
        "responses": {
            stored: {"description": "All events are stored durably."},
            "200": {
                "description": "Some events of an array are stored.",
                "content": {"application/json": batch},
            },
            "422": {
                "description": "The event, or each of an array, is invalid; stored as rejected.",
                "content": {"application/json": {"schema": either, "example": ERROR_EXAMPLES[422]}},
            },
        },
        "errors": {
            400: "Not JSON.",
            403: "A key without the scope `write`.",
            413: "Larger than 20 MB, as sent or unpacked.",
            415: MEANINGS[415],
            503: "Not stored now; send again after Retry-After.",
        },
    }


_EVENTS: Document = {"type": "array", "items": _reference("OpenLineageEvent")}
INGEST: dict[str, Document] = {
    "/api/v1/lineage": _post(
        "Send one event or an array of events.",
        "post_lineage",
        {"oneOf": [_reference("OpenLineageEvent"), _EVENTS]},
        EVENT_EXAMPLE,
        "201",
    ),
    "/api/v1/lineage/batch": _post(
        "Send an array of events.", "post_lineage_batch", _EVENTS, [EVENT_EXAMPLE], "204"
    ),
}

# What a parameter of a name means wherever a route does not say so itself, and an example of it.
_PARAMETERS: dict[str, tuple[str, Any]] = {
    "namespace": ("A namespace; percent-encoded in a path.", "postgres://db:5432"),
    "dataset": ("A dataset's name; percent-encoded in a path.", "shop.public.orders"),
    "job": ("A job's name; percent-encoded in a path.", "load_orders"),
    "run_id": ("A run's id, as sent by its producer.", "01890000-0000-7000-8000-000000000001"),
    "runId": ("A run's id, as sent by its producer.", "01890000-0000-7000-8000-000000000001"),
    "id": (
        "A node id; percent-encoded in a path.",
        "dataset:postgres://db:5432:shop.public.orders",
    ),
    "nodeId": ("A node id.", "dataset:postgres://db:5432:shop.public.orders"),
    "source": ("A source's name; percent-encoded in a path.", "shop-db"),
    "tag": ("A tag's name; percent-encoded in a path.", "PII"),
    "owner": ("An owner's name.", "team:orders"),
    "field": ("A column's name; percent-encoded in a path.", "customer_id"),
    "version": ("A version's id.", "01890000-0000-7000-8000-000000000002"),
    "edit": ("An edit's id.", "1c2d3e4f5a6b7c8d1c2d3e4f5a6b7c8d"),
    "limit": ("Maximum number to return.", 10),
    "offset": ("Number to skip.", 0),
    "timeout": ("Seconds that the answer may take.", 5),
    "depth": ("Maximum distance.", 2),
    "direction": ("Direction to follow from the node.", "upstream"),
    "before": ("Only before this time.", "2026-01-31T12:00:00Z"),
    "after": ("Only from this time on.", "2026-01-31T12:00:00Z"),
    "at": ("When it happened; now by default.", "2026-01-31T12:00:00Z"),
    "as_of": ("As of this time instead of now.", "2026-01-31T12:00:00Z"),
    "sortDirection": ("By time, newest or oldest first.", "desc"),
    "name": ("A name, or a part of one.", "orders"),
    "q": ("Search text.", "orders"),
    "from": ("From this time on.", "2026-01-31T12:00:00Z"),
    "to": ("Up to this time.", "2026-01-31T13:00:00Z"),
    "state": ("Only this state.", ""),
    "silentAfter": ("How long a stream may send no events.", "10m"),
    "actor": ("Only edits by this actor.", "ada"),
    "type": ("Only entities of this type.", "dataset"),
    "sort": ("What to sort by.", "name"),
    "lastRunStates": ("Only with the newest run in one of these states.", ["COMPLETED", "FAILED"]),
    "filter": ("Only this kind.", "dataset"),
    "system": ("Only this system.", "kafka"),
    "timezone": ("Time zone of the days.", "UTC"),
    "graph_id": ("A graph's id.", "9a52160e-cac8-43eb-aad8-155bda535639"),
    "node_id": (
        "A node's id; its slashes may be percent-encoded.",
        "confluent:kafka_topic:env-26wn6m:lkc-mjnq51/orders",
    ),
    "env_id": ("Only of this environment.", "env-26wn6m"),
    "task_id": ("A task's id.", "9b1f4a52-8f2e-4d0c-9a52-0b8fd0a2f6a1"),
    "task_type": ("Only tasks of this type.", "extract"),
    "status": ("Only tasks in this state.", "completed"),
    "systems": ("Only of these systems.", "confluent,databricks"),
    "since": ("From this time on.", "2026-01-31T12:00:00Z"),
    "until": ("Up to this time.", "2026-01-31T13:00:00Z"),
    "search": ("A part of a name.", "orders"),
}


def describe_parameter(parameter: Document) -> None:
    """Give a parameter the words and the example of its name, where its route has none."""
    text, example = _PARAMETERS.get(parameter["name"], ("", None))
    schema = parameter.get("schema", {})
    if not parameter.get("description") and text:
        parameter["description"] = text
    if "example" in parameter or "examples" in parameter:
        return
    values = [*schema.get("examples", ()), example, schema.get("default"), *schema.get("enum", ())]
    for value in values:
        if _fits(value, schema):
            parameter["example"] = value
            return


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}


def _fits(value: Any, schema: Document) -> bool:
    """Whether a value is of a parameter's type, and one of those it may have."""
    if value is None:
        return False
    choices = schema.get("anyOf", [schema])
    return any(
        (isinstance(value, str) and "$ref" in choice)
        or isinstance(value, _TYPES.get(choice.get("type", ""), ()))
        and isinstance(value, bool) == (choice.get("type") == "boolean")
        and value in choice.get("enum", (value,))
        for choice in choices
    )
