"""`POST /push/PROVIDER`: publish to a catalog of the settings now, as LineageBridge does."""

from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from msgspec import Struct

from headwater.errors import (
    BadConfig,
    BadSecret,
    Busy,
    Conflict,
    HeadwaterError,
    InvalidRequest,
    NotFound,
    NotInstalled,
    StoreUnavailable,
)
from headwater.publish import Exclusive
from headwater.publish.plans import PublisherPlan, read_publisher_plans
from headwater.server.http.errors import status_of
from headwater.server.http.json_body import read_body
from headwater.server.http.parameters import json_response
from headwater.server.openapi.document import answers

# LineageBridge's names of catalogs, and the publishers for them.
PROVIDERS = {
    "databricks_uc": "unity-catalog",
    "aws_glue": "glue",
    "google": "google-lineage",
    "datazone": "datazone",
}
# LineageBridge's options of each, and the settings that they are. Those without one are not done.
OPTIONS: dict[str, dict[str, str]] = {
    "databricks_uc": {
        "set_properties": "properties",
        "set_comments": "comments",
        "use_native_lineage": "lineage",
        "create_bridge_table": "",
        "bridge_table_name": "",
    },
    "aws_glue": {"set_parameters": "parameters", "set_description": "description"},
    "google": {},
    "datazone": {},
}
_NOT_DONE = {
    "create_bridge_table": "no bridge table is made: external lineage has all that it would hold",
}


class PushResult(Struct):
    """What a push did; what was not taken is in `errors`, what has no place there in `skipped`."""

    tables_updated: int = 0
    properties_set: int = 0
    comments_set: int = 0
    bridge_rows_inserted: int = 0
    external_metadata_registered: int = 0
    lineage_relationships_created: int = 0
    errors: list[str] = []
    skipped: list[str] = []


class PushRefused(Struct):
    """Why there was no push, as Headwater's errors say it and as LineageBridge's do."""

    code: int
    message: str
    detail: str


_EXAMPLE = PushResult(external_metadata_registered=3, lineage_relationships_created=2)


def create_push_router(sections: Mapping[str, Mapping[str, Any]]) -> APIRouter:
    """Pushes go to the catalogs of the settings, whether or not these are published to by
    themselves."""
    router = APIRouter(tags=["publishers"])

    @router.post(
        "/push/{provider}",
        responses=answers(PushResult, _EXAMPLE, 400, 404, 409, 422),
        openapi_extra={
            "requestBody": {
                "content": {
                    "application/json": {
                        "schema": {"type": "object", "additionalProperties": True},
                        "example": {"set_properties": True, "set_comments": False},
                    }
                }
            }
        },
    )
    async def push(
        provider: Annotated[
            str, Path(description="The catalog.", examples=["databricks_uc"], max_length=100)
        ],
        request: Request,
        graph_id: Annotated[str, Query(description="Taken and not used: there is one graph.")] = "",
    ) -> Response:
        """Publish what differs to the catalog that a section `[publish.NAME]` is of, and wait.

        `provider` is `databricks_uc`, `aws_glue`, `google` or `datazone`; the body has options of
        LineageBridge, and may be left out.
        """
        data = await request.body()
        try:
            given = read_body(dict[str, Any], data) if data.strip() else {}
            result = await run_in_threadpool(_push, sections, provider, given, request)
        except HeadwaterError as error:
            status = status_of(error)
            body = msgspec.json.encode(PushRefused(status, error.message, error.message))
            return Response(body, status, media_type="application/json")
        return json_response(result)

    return router


def _push(
    sections: Mapping[str, Mapping[str, Any]],
    provider: str,
    given: dict[str, Any],
    request: Request,
) -> PushResult:
    if provider not in PROVIDERS:
        raise NotFound("provider", provider, list(PROVIDERS))
    changes, skipped = _read_options(provider, given)
    try:
        plan = _find_plan(sections, provider)
        publisher = plan._replace(settings=plan.settings.model_copy(update=changes)).open(
            request.app.state.writing
        )
        with publisher.alone() if isinstance(publisher, Exclusive) else nullcontext():
            return _publish(publisher, plan.settings.model_copy(update=changes), skipped)
    except (BadConfig, BadSecret, Busy, NotInstalled) as error:
        raise Conflict(error.message) from None


def _find_plan(sections: Mapping[str, Mapping[str, Any]], provider: str) -> PublisherPlan:
    kind = PROVIDERS[provider]
    chosen = {name: each for name, each in sections.items() if each.get("type", name) == kind}
    plans = read_publisher_plans(chosen)
    if not plans:
        raise Conflict(
            f"no section [publish.NAME] with type = '{kind}' is in the server's settings"
        )
    return plans[0]


def _read_options(provider: str, given: dict[str, Any]) -> tuple[dict[str, bool], list[str]]:
    """The settings that options change, and what is not done of them."""
    changes: dict[str, bool] = {}
    skipped = []
    for option, value in given.items():
        if option not in OPTIONS[provider]:
            known = ", ".join(OPTIONS[provider]) or "none"
            raise InvalidRequest(f"body.{option}", f"no such option; there are {known}")
        if option == "bridge_table_name":
            continue
        if not isinstance(value, bool):
            raise InvalidRequest(f"body.{option}", "true or false")
        if setting := OPTIONS[provider][option]:
            changes[setting] = value
        elif value:
            skipped.append(_NOT_DONE[option])
    return changes, skipped


def _publish(publisher: Any, settings: Any, skipped: list[str]) -> PushResult:
    """Publish; what the catalog does not take is in the result, as LineageBridge has it."""
    written: Counter[str] = Counter()
    errors: list[str] = []
    try:
        for step in publisher.publish():
            written.update(dict(step.written))
            errors += step.problems
            skipped += step.left_out
    except StoreUnavailable:
        raise
    except HeadwaterError as error:
        errors.append(error.message)
    tables = written["table"]
    has = {name: getattr(settings, name, False) for name in type(settings).model_fields}
    return PushResult(
        tables_updated=tables,
        properties_set=tables if has.get("properties") or has.get("parameters") else 0,
        comments_set=tables if has.get("comments") or has.get("description") else 0,
        external_metadata_registered=written["external metadata"],
        lineage_relationships_created=written["external lineage"] + written["event"],
        errors=errors,
        skipped=skipped,
    )
