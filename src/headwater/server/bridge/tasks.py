"""`/tasks`: extractions from Confluent Cloud and enrichments by catalogs, run in the background."""

from typing import Annotated, Any, Literal
from uuid import uuid4

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response
from msgspec import Struct

from headwater.collect.confluent.request import ExtractionRequest
from headwater.errors import WrongShape
from headwater.model.values.instant import format_instant, now
from headwater.server.bridge.extraction import Json, read_request
from headwater.server.bridge.shapes import TaskInfo, TaskStarted
from headwater.server.bridge.task_runner import ENRICH, EXTRACT, TaskRunner
from headwater.server.http.body import check_content_type
from headwater.server.http.json_body import read_body
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.event_lists.sets import read_event_set
from headwater.store.failures import answering
from headwater.store.tasks import PENDING, TaskRecord, add_task, list_tasks, read_task

router = APIRouter(tags=["bridge"])

_ID = "9b1f4a52-8f2e-4d0c-9a52-0b8fd0a2f6a1"
_AT = "2026-01-31T12:00:00.000000Z"
_RESULT = {
    "graph_id": "9a52160e-cac8-43eb-aad8-155bda535639",
    "node_count": 12,
    "edge_count": 14,
}
_TASK = TaskInfo(_ID, EXTRACT, "completed", _AT, _AT, _AT, ["1 environments"], _RESULT, None, {})
_STARTED = answers(TaskStarted, TaskStarted(_ID, PENDING), 415, 422, status=202)

Status = Literal["pending", "running", "completed", "failed"]
Type = Literal["extract", "enrich"]


class EnrichmentRequest(Struct, forbid_unknown_fields=True):
    """What to read of catalogs."""

    enable_catalog: bool = True
    enable_metrics: bool = False
    metrics_lookback_hours: int = 1


@router.get("/tasks", responses=answers(list[TaskInfo], [_TASK], 422))
def get_tasks(
    connection: ReadConnection,
    task_type: Annotated[Type | None, Query(description="Only tasks of this type.")] = None,
    status: Annotated[Status | None, Query(description="Only tasks in this state.")] = None,
    limit: Annotated[int, Query(ge=0, le=1_000, description="At most so many.")] = 20,
) -> Response:
    """List tasks, newest first."""
    return json_response([_info(task) for task in list_tasks(connection, task_type, status, limit)])


@router.get("/tasks/{task_id:name}", responses=answers(TaskInfo, _TASK, 404))
def get_task(task_id: str, connection: ReadConnection) -> Response:
    """Get a task: how far it is, and what came of it."""
    return json_response(_info(read_task(connection, task_id)))


def _request_schema() -> Json:
    """The shape of a request, with what it refers to in its place."""
    schema = ExtractionRequest.model_json_schema(ref_template="{model}")
    shapes = schema.pop("$defs", {})
    for field in schema["properties"].values():
        items = field.get("additionalProperties")
        if isinstance(items, dict) and "$ref" in items:
            field["additionalProperties"] = shapes[items["$ref"]]
    return schema


Ids = Annotated[
    list[str] | None,
    Query(
        description="Repeat it, or put commas between several.",
        max_length=1_000,
        examples=[["env-26wn6m"]],
    ),
]
Switch = Annotated[bool | None, Query(description="As in the body.", examples=[True])]


def _named_in_query(
    request: Request,
    environment_ids: Ids = None,
    cluster_ids: Ids = None,
    enable_connect: Switch = None,
    enable_ksqldb: Switch = None,
    enable_flink: Switch = None,
    enable_schema_registry: Switch = None,
    enable_stream_catalog: Switch = None,
    enable_tableflow: Switch = None,
    enable_enrichment: Switch = None,
    enable_metrics: Switch = None,
    metrics_lookback_hours: Annotated[
        int | None, Query(description="As in the body.", examples=[1])
    ] = None,
) -> Json:
    given = dict(locals())
    given.pop("request")
    for name in request.query_params:
        if name not in given:
            raise WrongShape(name, f"no such parameter; there are {', '.join(given)}")
    lists = {name: given.pop(name) for name in ("environment_ids", "cluster_ids")}
    named: Json = {
        name: [id.strip() for text in texts for id in text.split(",") if id.strip()]
        for name, texts in lists.items()
        if texts is not None
    }
    return named | {name: value for name, value in given.items() if value is not None}


async def _named_in_body(request: Request) -> Json:
    data = await request.body()
    if not data.strip():
        return {}
    check_content_type(request.scope)
    return read_body(dict[str, Any], data)


@router.post(
    "/tasks/extract",
    status_code=202,
    responses=_STARTED,
    openapi_extra={
        "requestBody": {
            "required": False,
            "content": {
                "application/json": {
                    "schema": _request_schema(),
                    "example": {"environment_ids": ["env-26wn6m"]},
                }
            },
        }
    },
)
def post_extraction(
    request: Request,
    query: Annotated[Json, Depends(_named_in_query)],
    body: Annotated[Json, Depends(_named_in_body)],
) -> Response:
    """Begin to extract lineage from Confluent Cloud: all environments, or those that are named.

    Parameters come in the body or in the query, which counts where both have one. Secrets are those
    that the server's settings refer to.
    """
    return _start(request, EXTRACT, read_request(body | query))


@router.post(
    "/tasks/enrich",
    status_code=202,
    responses=answers(TaskStarted, TaskStarted(_ID, PENDING), 404, 415, 422, status=202),
)
def post_enrichment(
    request: Request,
    connection: ReadConnection,
    body: Annotated[Json, Depends(_named_in_body)],
    graph_id: Annotated[str, Query(min_length=1, max_length=200, description="The graph.")],
) -> Response:
    """Begin to add to a graph what Unity Catalog, Glue and Google know of its tables.

    That is also what uses them there. The catalogs are those of the sections [collect.NAME] of
    the server's settings.
    """
    options = read_body(EnrichmentRequest, msgspec.json.encode(body))
    read_event_set(connection, graph_id)
    connection.close()
    return _start(request, ENRICH, {"graph_id": graph_id, **msgspec.structs.asdict(options)})


def _start(request: Request, type: str, params: Json) -> Response:
    id = str(uuid4())
    with answering(), request.app.state.writing.begin() as connection:
        add_task(connection, id, type, params, now())
    runner: TaskRunner = request.app.state.tasks
    runner.wake()
    answer = json_response(TaskStarted(id, PENDING))
    answer.status_code = 202
    return answer


def _info(task: TaskRecord) -> TaskInfo:
    return TaskInfo(
        task.id,
        task.type,
        task.status,
        format_instant(task.created_at),
        _time(task.started_at),
        _time(task.ended_at),
        task.progress,
        task.result,
        task.error,
        task.params,
    )


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
