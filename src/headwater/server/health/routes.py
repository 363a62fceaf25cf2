"""`/health/jobs` and `/health/datasets`: what is wrong against its own past, worst first."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from headwater.answers.health import (
    arrange_judged,
    dataset_shapes,
    job_shapes,
    judge_datasets,
    judge_jobs,
    select_judged,
)
from headwater.answers.inferred.columns_of_jobs import COLUMNS_KNOWN, columns_of_jobs
from headwater.answers.overview import HealthStates
from headwater.config import HealthSettings
from headwater.durations import parse_duration
from headwater.errors import InvalidRequest
from headwater.graph.health.datasets import DatasetState
from headwater.graph.health.jobs import JobState
from headwater.model.values.instant import MICROSECOND, format_instant, now
from headwater.server.followed import Followed, look
from headwater.server.health import schemas
from headwater.server.http.parameters import Paging, ReadConnection, json_response
from headwater.store.query.paging import Page
from headwater.store.stats.health import Judging

_FINE = frozenset(
    (JobState.OK, JobState.STOPPED, JobState.DELETED, DatasetState.FRESH, DatasetState.UNKNOWN)
)

Namespace = Annotated[str, Query(description="Only this namespace.")]
OneName = Annotated[str, Query(description="Only this name; needs a namespace.")]
States = Annotated[str, Query(description="Only these states, separated by commas.")]
IsAll = Annotated[bool, Query(alias="all", description="Include those without problems.")]
SilentAfter = Annotated[
    str,
    Query(alias="silentAfter", description="How long a stream may send no events, such as 10m."),
]

ColumnsKnown = Annotated[
    str, Query(description="List the jobs whose columns are observed, declared, inferred or none.")
]


def create_health_router(settings: HealthSettings) -> APIRouter:
    """The routes; what a call leaves open the settings say."""
    router = APIRouter(prefix="/health", tags=["health"])
    usual = read_silent_after(settings)

    @router.get("/jobs", responses=schemas.JOBS)
    def get_jobs(
        connection: ReadConnection,
        following: Followed,
        page: Paging,
        namespace: Namespace = "",
        name: OneName = "",
        state: States = "",
        is_all: IsAll = False,
        silent_after: SilentAfter = "",
    ) -> Response:
        """List the jobs that failed, are silent or late, worst first; `counts` covers all jobs."""
        requested = _requested(state, JobState, is_all)
        quiet = _read_span("silentAfter", silent_after) if silent_after else usual
        of, time = _named(namespace, name), now()
        kept = None
        if not name and quiet == usual:
            kept = look(following, connection, lambda all: _kept(all.jobs, requested, of, page))
        if kept is None:
            judged = judge_jobs(connection, of, time, quiet)
            shown, totals = select_judged(judged, JobState, requested, page)
        else:
            judged = judge_jobs(connection, Judging(ids=kept[0]), time, quiet)
            shown, totals = arrange_judged(judged, kept[0], requested), kept[1]
        as_of = {"asOf": format_instant(following.as_of if kept and following else time)}
        return json_response({"jobs": job_shapes(connection, shown, time)} | totals | as_of)

    @router.get("/datasets", responses=schemas.DATASETS)
    def get_datasets(
        connection: ReadConnection,
        following: Followed,
        page: Paging,
        namespace: Namespace = "",
        name: OneName = "",
        state: States = "",
        is_all: IsAll = False,
    ) -> Response:
        """List the datasets that are stale or have an unusual volume, worst first."""
        requested = _requested(state, DatasetState, is_all)
        of, time = _named(namespace, name), now()
        kept = None
        if not name:
            kept = look(following, connection, lambda all: _kept(all.datasets, requested, of, page))
        if kept is None:
            judged = judge_datasets(connection, of, time)
            shown, totals = select_judged(judged, DatasetState, requested, page)
        else:
            judged = judge_datasets(connection, Judging(ids=kept[0]), time)
            shown, totals = arrange_judged(judged, kept[0], requested), kept[1]
        as_of = {"asOf": format_instant(following.as_of if kept and following else time)}
        return json_response({"datasets": dataset_shapes(connection, shown)} | totals | as_of)

    @router.get("/columns", responses=schemas.COLUMNS)
    def get_columns(
        connection: ReadConnection, page: Paging, columns: ColumnsKnown = "none"
    ) -> Response:
        """Count the jobs that write anything by how their columns are known, and list some."""
        if columns not in COLUMNS_KNOWN:
            known = ", ".join(COLUMNS_KNOWN)
            raise InvalidRequest("columns", f"'{columns[:64]}' is not one of {known}")
        return json_response(columns_of_jobs(connection, columns, page))

    return router


def read_silent_after(settings: HealthSettings) -> int:
    """How long a stream may be silent, in microseconds, where a call does not say."""
    return _read_span("silentAfter", settings.silent_after)


def _kept(
    states: HealthStates, requested: set[str], of: Judging, page: Page
) -> tuple[list[bytes], dict[str, Any]]:
    """The page that is kept up to date, and how many there are."""
    counts = states.counts(of.namespace)
    total = sum(count for state, count in counts.items() if state in requested)
    return states.page(requested, of.namespace, page), {"counts": counts, "totalCount": total}


def _named(namespace: str, name: str) -> Judging:
    if name and not namespace:
        raise InvalidRequest("name", "a name needs a namespace; give it as well")
    return Judging(namespace, name)


def _requested(text: str, states: type[StrEnum], is_all: bool) -> set[str]:
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
