"""`/stats`: how much there is and was, hour by hour of a day or day by day of a week."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Response
from msgspec import Struct

from headwater.errors import InvalidRequest
from headwater.model.values import instant
from headwater.model.values.instant import EPOCH, MICROSECOND, format_instant
from headwater.server.followed import Followed, look
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.read.sources import list_source_times
from headwater.store.stats.activity import (
    count_events,
    count_known,
    list_dataset_times,
    list_job_times,
    list_unlisted_datasets,
)

router = APIRouter(tags=["stats"], prefix="/stats")

_HOUR = 60 * instant.MINUTE
_HOURS, _DAYS = 24, 7


class EventMetric(Struct):
    """The number of run events in an interval, by type; Marquez omits RUNNING and OTHER."""

    startInterval: str
    endInterval: str
    fail: int
    start: int
    complete: int
    abort: int
    running: int
    other: int


class CountMetric(Struct):
    """The number at the end of an interval."""

    startInterval: str
    endInterval: str
    count: int


_INTERVAL = ("2026-01-31T12:00:00.000000Z", "2026-01-31T13:00:00.000000Z")
_COUNTS = answers(list[CountMetric], [CountMetric(*_INTERVAL, 7)], 400)


def bounds(
    period: Annotated[
        Literal["DAY", "WEEK"], Query(description="The last 24 hours, or the last seven days.")
    ],
    timezone: Annotated[
        str, Query(description="Time zone of the days, such as Europe/Berlin.", max_length=100)
    ] = "UTC",
) -> list[int]:
    """Where the hours or days begin, and where the last one ends."""
    zone = _zone(timezone)
    now = instant.now()
    if period == "DAY":
        last = now // _HOUR
        return [hour * _HOUR for hour in range(last - _HOURS + 1, last + 2)]
    today = (EPOCH + timedelta(microseconds=now)).astimezone(zone).date()
    days = (today + timedelta(days=offset) for offset in range(1 - _DAYS, 2))
    midnights = (datetime(day.year, day.month, day.day, tzinfo=zone) for day in days)
    return [(midnight - EPOCH) // MICROSECOND for midnight in midnights]


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    # A name may be that of a folder, or no name of a file at all.
    except (OSError, ValueError, KeyError):
        raise InvalidRequest("timezone", f"'{name}' is not a time zone") from None


Bounds = Annotated[list[int], Depends(bounds)]


@router.get(
    "/lineage-events",
    responses=answers(list[EventMetric], [EventMetric(*_INTERVAL, 0, 7, 6, 0, 40, 0)], 400),
)
def get_event_stats(connection: ReadConnection, bounds: Bounds) -> Response:
    """Count the events of runs, by type."""
    counts = count_events(connection, bounds)
    metrics = [
        EventMetric(*interval, **each._asdict())
        for interval, each in zip(_intervals(bounds), counts, strict=True)
    ]
    return json_response(metrics)


@router.get("/jobs", responses=_COUNTS)
def get_job_stats(connection: ReadConnection, following: Followed, bounds: Bounds) -> Response:
    """Count the jobs known by the end of each hour or day."""
    times = look(following, connection, lambda overview: overview.job_times())
    return _answer(bounds, list_job_times(connection) if times is None else times)


@router.get("/datasets", responses=_COUNTS)
def get_dataset_stats(connection: ReadConnection, following: Followed, bounds: Bounds) -> Response:
    """Count the datasets known by the end of each hour or day."""
    unlisted = list_unlisted_datasets(connection)
    times = look(following, connection, lambda overview: overview.dataset_times(unlisted))
    return _answer(bounds, list_dataset_times(connection) if times is None else times)


@router.get("/sources", responses=_COUNTS)
def get_source_stats(connection: ReadConnection, bounds: Bounds) -> Response:
    """Count the sources known by the end of each hour or day."""
    return _answer(bounds, sorted(list_source_times(connection)))


def _answer(bounds: Sequence[int], times: Sequence[int]) -> Response:
    counts = count_known(times, bounds)
    metrics = [
        CountMetric(*interval, each)
        for interval, each in zip(_intervals(bounds), counts, strict=True)
    ]
    return json_response(metrics)


def _intervals(bounds: Sequence[int]) -> list[tuple[str, str]]:
    return [(format_instant(since), format_instant(until)) for since, until in pairwise(bounds)]
