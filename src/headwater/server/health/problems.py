"""`/problems`: what is wrong over everything, with owners and acknowledgements."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from msgspec import Struct, structs

from headwater.answers.health import judge_datasets, judge_jobs
from headwater.answers.nodes import find_node, view_at
from headwater.answers.problems.listing import (
    DATASET_PROBLEMS,
    JOB_PROBLEMS,
    PROBLEMS,
    JudgedStates,
    ProblemFilter,
    list_problems,
)
from headwater.answers.problems.upstream import upstream_problems
from headwater.errors import InvalidRequest
from headwater.model.values.instant import DAY, now
from headwater.server.followed import Followed, look
from headwater.server.http.parameters import Paging, ReadConnection, json_response
from headwater.server.lineage.parameters import NodeIdParameter
from headwater.server.openapi.document import answers
from headwater.store.query.paging import Page
from headwater.store.stats.failures import read_failed_runs
from headwater.store.stats.health import Judging

# Read of each of jobs and datasets to filter by what only they themselves tell.
MOST_READ = 1_000
# More than a page: what is acknowledged is left out of it.
_SPARE = 100
_MOST_FAILED = 1_000
_CHOICES = {"": False, "false": False, "true": True, "all": None}


class ProblemAcknowledged(Struct):
    """Who acknowledged it, when and why; without `until` it is this occurrence that was."""

    actor: str
    at: str
    reason: str
    until: str | None
    edit: str


class ProblemShape(Struct):
    """A problem of a job or a dataset, or of the events of a source, which have no `id`."""

    id: str | None
    type: str
    namespace: str
    name: str
    system: str
    owners: list[str]
    problem: str
    reason: str
    since: str | None
    run: str | None
    acknowledged: ProblemAcknowledged | None


class ProblemList(Struct):
    """Problems, worst first; `owners`, `systems` and `namespaces` are those to choose from."""

    problems: list[ProblemShape]
    counts: dict[str, int]
    totalCount: int
    acknowledgedCount: int
    owners: list[str]
    systems: list[str]
    namespaces: list[str]
    isCut: bool
    asOf: str


_AT = "2026-01-31T12:00:00.000000Z"
_RUN = "01890000-0000-7000-8000-000000000001"
_EXAMPLE = ProblemList(
    [
        ProblemShape(
            id="job:scheduler:load_orders",
            type="JOB",
            namespace="scheduler",
            name="load_orders",
            system="airflow",
            owners=["team:orders"],
            problem="failed",
            reason="Its newest run failed 5 minutes ago: Java heap space",
            since=_AT,
            run=_RUN,
            acknowledged=None,
        )
    ],
    {problem: int(problem == "failed") for problem in PROBLEMS},
    1,
    0,
    ["team:orders"],
    ["airflow"],
    ["scheduler"],
    False,
    _AT,
)


def create_problems_router(silent_after: int) -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/problems", responses=answers(ProblemList, _EXAMPLE, 400))
    def get_problems(
        connection: ReadConnection,
        following: Followed,
        page: Paging,
        problem: Annotated[
            str, Query(description="Only these kinds of problems, separated by commas.")
        ] = "",
        owner: Annotated[str, Query(description="Only what this owner has.")] = "",
        system: Annotated[str, Query(description="Only of this system.")] = "",
        namespace: Annotated[str, Query(description="Only in this namespace.")] = "",
        acknowledged: Annotated[
            str, Query(description="`true`: only acknowledged problems; `all`: these as well.")
        ] = "false",
    ) -> Response:
        """List what needs attention, worst first.

        Jobs that failed, are silent or late; datasets that are stale or have an unusual volume;
        rejected events; jobs that failed in the last day and have recovered.
        """
        requested = ProblemFilter(
            _problems(problem), owner, system, namespace, _acknowledged(acknowledged)
        )
        time = now()
        of = Judging(namespace)
        most = MOST_READ
        if not requested.needs_all:
            most = min(MOST_READ, page.offset + page.limit + _SPARE)
        kept = look(
            following,
            connection,
            lambda overview: (
                overview.jobs.page(set(JOB_PROBLEMS), namespace, Page(most, 0)),
                overview.datasets.page(set(DATASET_PROBLEMS), namespace, Page(most, 0)),
                overview.jobs.counts(namespace) | overview.datasets.counts(namespace),
            ),
        )
        failed = read_failed_runs(connection, time - DAY, _MOST_FAILED)
        if kept is None:
            jobs = judge_jobs(connection, of, time, silent_after)
            datasets = judge_datasets(connection, of, time)
            found = JudgedStates(jobs, datasets, {})
        else:
            ids = {*kept[0], *(each.job for each in failed)}
            jobs = judge_jobs(connection, Judging(ids=sorted(ids)), time, silent_after)
            datasets = judge_datasets(connection, Judging(ids=kept[1]), time)
            wrong = {*JOB_PROBLEMS, *DATASET_PROBLEMS}
            counts = {str(state): count for state, count in kept[2].items() if state in wrong}
            found = JudgedStates(jobs, datasets, counts)
        return json_response(list_problems(connection, found, failed, requested, page, time))

    return router


class UpstreamProblem(ProblemShape):
    """A problem, and how many jobs lie between it and the node."""

    hops: int


class UpstreamProblems(Struct):
    """Problems upstream, nearest first, of the nodes that were `checked`; more were not if it
    `isCut`."""

    node: str | None
    problems: list[UpstreamProblem]
    totalCount: int
    acknowledgedCount: int
    checked: int
    isCut: bool


_UPSTREAM = UpstreamProblems(
    "dataset:postgres://db:5432:shop.public.orders",
    [UpstreamProblem(**structs.asdict(_EXAMPLE.problems[0]), hops=1)],
    1,
    0,
    12,
    False,
)


def create_upstream_router(silent_after: int) -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/problems/upstream", responses=answers(UpstreamProblems, _UPSTREAM, 400, 404))
    def get_upstream_problems(
        connection: ReadConnection, page: Paging, nodeId: NodeIdParameter
    ) -> Response:
        """List what is wrong upstream of a dataset or a job: of the 300 nodes nearest to it.

        Acknowledged problems are only counted.
        """
        view = view_at(connection, None)
        node = find_node(connection, view, nodeId)
        return json_response(upstream_problems(connection, view, node, silent_after, page, now()))

    return router


def _problems(text: str) -> frozenset[str]:
    named = {word.strip().lower() for word in text.split(",")} - {""}
    if unknown := sorted(named.difference(PROBLEMS)):
        known = ", ".join(PROBLEMS)
        raise InvalidRequest("problem", f"'{unknown[0][:64]}' is not one of {known}")
    return frozenset(named or PROBLEMS)


def _acknowledged(text: str) -> bool | None:
    if text.lower() not in _CHOICES:
        raise InvalidRequest("acknowledged", f"'{text[:64]}' is not one of true, false, all")
    return _CHOICES[text.lower()]
