"""`/jobs/{id}/activity` and `/throughput`: what streams do over time, and now."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from headwater.answers.nodes import view_at
from headwater.answers.results import CountedVolume, NodeName
from headwater.answers.streams.activity import job_activity
from headwater.answers.streams.results import (
    ActivityAt,
    ActivityMark,
    FlowRate,
    HeartbeatGap,
    JobActivity,
    NodeThroughput,
    Throughput,
)
from headwater.answers.streams.throughput import node_throughput
from headwater.answers.volumes import interval_of
from headwater.server.http.parameters import ReadConnection, instant_parameter, json_response
from headwater.server.insight.naming import JobNode, find_job_node
from headwater.server.openapi.document import answers

MOST_NODES = 200

_AT = "2026-01-31T12:00:00.000000Z"
_LATER = "2026-01-31T12:01:00.000000Z"
_JOB = "job:flink://shop:8081:enrich"
_RUN = "01890000-0000-7000-8000-000000000001"

_ACTIVITY = answers(
    JobActivity,
    JobActivity(
        job=NodeName(_JOB, "flink://shop:8081", "enrich"),
        by="minute",
        from_=_AT,
        to=_LATER,
        steps=[
            ActivityAt(
                _AT,
                6,
                CountedVolume(1_200, 96_000, None, None, 1),
                CountedVolume(1_300, 120_000, None, 40, 1),
            )
        ],
        marks=[ActivityMark(_AT, "restarted", _RUN)],
        gaps=[HeartbeatGap("2026-01-31T11:45:00.000000Z", _AT, 900, False)],
        silentAfterSeconds=600,
        isCut=False,
    ),
    404,
)
_THROUGHPUT = answers(
    Throughput,
    Throughput(
        10,
        _LATER,
        [NodeThroughput(_JOB, FlowRate(20.0, 1_600.0, None), FlowRate(21.7, 2_000.0, 40))],
    ),
)


def create_streams_router(silent_after: int) -> APIRouter:
    """The routes; how long a job may be silent the settings say."""
    router = APIRouter(tags=["insight"])

    @router.get("/jobs/{id:name}/activity", responses=_ACTIVITY)
    def get_activity(
        id: JobNode,
        connection: ReadConnection,
        from_: Annotated[int | None, Depends(instant_parameter("from"))],
        to: Annotated[int | None, Depends(instant_parameter("to"))],
        by: Annotated[
            Literal["minute", "hour", "day"], Query(description="Length of each interval.")
        ] = "minute",
    ) -> Response:
        """Get what a job read and wrote by minute, hour or day, with its lag, starts and ends.

        Gaps are the times in which it sent no events though it had not ended.
        """
        interval = interval_of(by, from_, to)
        node = find_job_node(connection, view_at(connection, None), id)
        return json_response(job_activity(connection, node, by, interval, silent_after))

    @router.get("/throughput", responses=_THROUGHPUT)
    def get_throughput(
        connection: ReadConnection,
        node_id: Annotated[
            list[str],
            Query(
                alias="nodeId",
                max_length=MOST_NODES,
                description="dataset:NAMESPACE:NAME or job:NAMESPACE:NAME; may be repeated.",
                examples=[[_JOB]],
            ),
        ],
        minutes: Annotated[
            int, Query(ge=1, le=180, description="How many of the last minutes count.")
        ] = 10,
    ) -> Response:
        """Get rows and bytes per second, and the lag, of datasets and jobs in the last minutes."""
        view = view_at(connection, None)
        return json_response(node_throughput(connection, view, node_id, minutes))

    return router
