"""`/drift`: where what is declared of jobs and what their runs observe differ."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from msgspec import Struct

from headwater.answers.drift.jobs import find_drift
from headwater.answers.drift.shapes import drift_shape
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers

router = APIRouter(tags=["lineage"])

MOST_JOBS = 1_000


class DriftColumn(Struct):
    namespace: str
    name: str
    field: str


class DriftEdge(Struct):
    """A dataset that only the declaration names (`notObserved`), or only the newest execution.

    `since` is when it was first declared, or first observed; `lastObservedAt` is null if no run
    ever used it.
    """

    kind: Literal["notObserved", "notDeclared"]
    direction: Literal["input", "output"]
    namespace: str
    name: str
    since: str
    lastObservedAt: str | None


class DriftPair(Struct):
    """A column that another one is made of, by one side alone; filters and joins are left out."""

    kind: Literal["notObserved", "notDeclared"]
    output: DriftColumn
    input: DriftColumn


class DriftingJob(Struct):
    """A job whose newest execution differs from what is declared; `run` is its newest run."""

    id: str
    namespace: str
    name: str
    run: str | None
    edges: list[DriftEdge]
    columns: list[DriftPair]


class Drift(Struct):
    """The jobs that differ, of `declaredCount`; of `notRunCount` no run has observed anything."""

    jobs: list[DriftingJob]
    totalCount: int
    declaredCount: int
    notRunCount: int
    isCut: bool


_EXAMPLE = Drift(
    [
        DriftingJob(
            "job:jobs:order-enrichment",
            "jobs",
            "order-enrichment",
            "01890000-0000-7000-8000-000000000001",
            [
                DriftEdge(
                    "notDeclared",
                    "input",
                    "kafka://broker:9092",
                    "returns",
                    "2026-01-31T12:00:00.000000Z",
                    "2026-01-31T13:00:00.000000Z",
                )
            ],
            [],
        )
    ],
    1,
    12,
    2,
    False,
)


@router.get("/drift", responses=answers(Drift, _EXAMPLE, 400, 404))
def get_drift(
    connection: ReadConnection,
    namespace: Annotated[str, Query(description="Only jobs of this namespace.")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_JOBS, description="Maximum number of jobs.")] = 100,
) -> Response:
    """List the jobs whose runs differ from what is declared of them."""
    return json_response(drift_shape(connection, find_drift(connection, namespace), limit))
