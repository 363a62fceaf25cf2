"""`/datasets/{id}/samples` and `/usage`, `/jobs/{id}/runs/compare` and `/family`, `/systems`,
`/gaps`."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from headwater.answers.compare_runs import compare_runs, find_pair
from headwater.answers.family import family_shape
from headwater.answers.gaps import find_jobs_with_gaps
from headwater.answers.nodes import view_at
from headwater.answers.results import SystemCount, SystemCountList
from headwater.answers.usage import usage_shape
from headwater.answers.volumes import interval_of, samples_shape
from headwater.server.followed import Followed, look
from headwater.server.http.parameters import ReadConnection, instant_parameter, json_response
from headwater.server.insight import schemas
from headwater.server.insight.naming import (
    DatasetNode,
    JobNode,
    find_dataset_node,
    find_job_node,
)
from headwater.server.insight.schemas import GapCount, JobGaps, JobGapsList
from headwater.server.marquez.shapes.gaps import add_gaps
from headwater.store.stats.systems import count_by_system

router = APIRouter(tags=["insight"])

RunId = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=2_000,
        description="A run of the job; by default its newest ended run, or the one before that.",
        examples=["01890000-0000-7000-8000-000000000001"],
    ),
]


@router.get("/datasets/{id:name}/samples", responses=schemas.SAMPLES)
def get_samples(
    id: DatasetNode,
    connection: ReadConnection,
    from_: Annotated[int | None, Depends(instant_parameter("from"))],
    to: Annotated[int | None, Depends(instant_parameter("to"))],
    by: Annotated[
        Literal["minute", "hour", "day"], Query(description="Length of each interval.")
    ] = "hour",
    gaps: Annotated[bool, Query(description="Include intervals without data, as null.")] = True,
) -> Response:
    """Get how many rows and bytes were written to and read from a dataset, by minute, hour or day.

    Running runs are included; counts that a run reports only at its end belong to that time.
    """
    interval = interval_of(by, from_, to)
    view = view_at(connection, None)
    node = find_dataset_node(connection, view, id)
    return json_response(samples_shape(connection, view, node, by, interval, with_gaps=gaps))


@router.get("/datasets/{id:name}/usage", responses=schemas.USAGE)
def get_usage(
    id: DatasetNode,
    connection: ReadConnection,
    days: Annotated[int, Query(ge=1, le=366, description="Number of days, including today.")] = 30,
    limit: Annotated[
        int, Query(ge=0, le=1_000, description="Maximum number of readers and writers per day.")
    ] = 100,
) -> Response:
    """Get the jobs that read and wrote a dataset by day (UTC), with the number of runs."""
    view = view_at(connection, None)
    node = find_dataset_node(connection, view, id)
    return json_response(usage_shape(connection, view, node, days, limit))


@router.get("/jobs/{id:name}/runs/compare", responses=schemas.COMPARISON)
def get_comparison(
    id: JobNode, connection: ReadConnection, a: RunId = None, b: RunId = None
) -> Response:
    """Get the differences between two runs of a job; by default the last two that ended."""
    view = view_at(connection, None)
    node = find_job_node(connection, view, id)
    return json_response(compare_runs(connection, node, *find_pair(connection, node, a, b)))


@router.get("/jobs/{id:name}/family", responses=schemas.FAMILY)
def get_family(
    id: JobNode,
    connection: ReadConnection,
    limit: Annotated[int, Query(ge=0, le=1_000, description="Maximum number of children.")] = 100,
) -> Response:
    """Get the parent and the children of a job."""
    node = find_job_node(connection, view_at(connection, None), id)
    return json_response(family_shape(connection, node, limit))


@router.get("/systems", responses=schemas.SYSTEMS)
def get_systems(connection: ReadConnection, following: Followed) -> Response:
    """Count datasets, jobs and running jobs by the system they belong to."""
    counted = look(
        following,
        connection,
        lambda overview: (overview.systems.copy(), overview.running.copy()),
    )
    counts = count_by_system(connection, counted)
    systems = [SystemCount(name, *some) for name, some in counts.items()]
    return json_response(SystemCountList(systems, len(systems)))


@router.get("/gaps", responses=schemas.GAPS)
def get_gaps(
    connection: ReadConnection,
    limit: Annotated[int, Query(ge=1, le=10_000, description="Maximum number to return.")] = 100,
) -> Response:
    """List the jobs whose lineage is known to be incomplete, and what was not recognised most."""
    found = find_jobs_with_gaps(connection)
    most = sorted(found.counts.items(), key=lambda item: (-item[1], item[0]))
    listed = [JobGaps(*name) for name in list(found.jobs)[:limit]]
    for job, gaps in zip(listed, found.jobs.values(), strict=False):
        add_gaps(job, gaps)
    names = [GapCount(*gap, count) for gap, count in most[:limit]]
    return json_response(JobGapsList(listed, names, len(found.jobs)))
