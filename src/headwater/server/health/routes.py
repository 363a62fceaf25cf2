"""`/health/jobs` and `/health/datasets`: what is wrong against its own past, worst first."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Response

from headwater.answers.health import (
    dataset_shape,
    job_shapes,
    judge_datasets,
    judge_jobs,
    select_judged,
)
from headwater.config import HealthSettings
from headwater.durations import parse_duration
from headwater.errors import InvalidRequest
from headwater.graph.dataset_health import DatasetState
from headwater.graph.job_health import JobState
from headwater.model.instant import MICROSECOND, now
from headwater.model.uses import Name
from headwater.server.health import schemas
from headwater.server.http.parameters import Paging, ReadConnection, json_response

_FINE = frozenset((JobState.OK, JobState.STOPPED, DatasetState.FRESH, DatasetState.UNKNOWN))

Namespace = Annotated[str, Query(description="Only this namespace.")]
OneName = Annotated[str, Query(description="Only this name; needs a namespace.")]
States = Annotated[str, Query(description="Only these states, separated by commas.")]
IsAll = Annotated[bool, Query(alias="all", description="Include those without problems.")]
SilentAfter = Annotated[
    str,
    Query(alias="silentAfter", description="How long a stream may send no events, such as 10m."),
]


def create_health_router(settings: HealthSettings) -> APIRouter:
    """The routes; what a call leaves open the settings say."""
    router = APIRouter(prefix="/health", tags=["health"])

    @router.get("/jobs", responses=schemas.JOBS)
    def get_jobs(
        connection: ReadConnection,
        page: Paging,
        namespace: Namespace = "",
        name: OneName = "",
        state: States = "",
        is_all: IsAll = False,
        silent_after: SilentAfter = "",
    ) -> Response:
        """List the jobs that failed, are silent or late, worst first; `counts` covers all jobs."""
        wanted = _wanted(state, JobState, is_all)
        quiet = _read_span("silentAfter", silent_after or settings.silent_after)
        time = now()
        judged = judge_jobs(connection, _named(namespace, name), time, quiet)
        shown, totals = select_judged(judged, JobState, wanted, page)
        return json_response({"jobs": job_shapes(connection, shown, time)} | totals)

    @router.get("/datasets", responses=schemas.DATASETS)
    def get_datasets(
        connection: ReadConnection,
        page: Paging,
        namespace: Namespace = "",
        name: OneName = "",
        state: States = "",
        is_all: IsAll = False,
    ) -> Response:
        """List the datasets that are stale or have an unusual volume, worst first."""
        wanted = _wanted(state, DatasetState, is_all)
        judged = judge_datasets(connection, _named(namespace, name), now())
        shown, totals = select_judged(judged, DatasetState, wanted, page)
        return json_response({"datasets": [dataset_shape(one) for one in shown]} | totals)

    return router


def _named(namespace: str, name: str) -> Name:
    if name and not namespace:
        raise InvalidRequest("name", "a name needs a namespace; give it as well")
    return Name(namespace, name)


def _wanted(text: str, states: type[StrEnum], is_all: bool) -> set[str]:
    """The states that are named; without any those that are problems, or all."""
    named = {word.strip().lower() for word in text.split(",")} - {""}
    if unknown := sorted(named.difference(states)):
        raise InvalidRequest("state", f"'{unknown[0][:64]}' is not one of {', '.join(states)}")
    return named or {state for state in states if is_all or state not in _FINE}


def _read_span(name: str, text: str) -> int:
    try:
        return parse_duration(text) // MICROSECOND
    except ValueError as error:
        raise InvalidRequest(name, str(error)) from None
