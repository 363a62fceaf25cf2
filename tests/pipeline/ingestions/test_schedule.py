"""Schedules: the next time after one, between a start and an end."""

import pytest

from headwater.model.values.instant import format_instant, parse_instant
from headwater.pipeline.ingestions.schedule import read_schedule
from headwater.pipeline.ingestions.shapes import ScheduleOptions, UnusableConfig

NOON = "2026-01-30T12:10:00"


@pytest.mark.parametrize(
    ("interval", "start", "end", "expected"),
    [
        ("hourly", None, None, "2026-01-30T13:00"),
        ("@hourly", None, None, "2026-01-30T13:00"),
        ("daily", None, None, "2026-01-31T00:00"),
        ("weekly", None, None, "2026-02-01T00:00"),
        ("30 2 * * *", None, None, "2026-01-31T02:30"),
        ("*/5 * * * *", None, None, "2026-01-30T12:15"),
        ("0 0 29 2 *", None, None, "2028-02-29T00:00"),
        ("hourly", "2026-02-03", None, "2026-02-03T00:00"),
        ("hourly", "2026-01-30T12:30:00", None, "2026-01-30T13:00"),
        ("hourly", None, "2026-01-30", "2026-01-30T13:00"),
        ("daily", None, "2026-01-30", None),
        ("hourly", None, "2026-01-30T12:30:00", None),
        ("continuous", None, None, "2026-01-30T12:10"),
        ("continuous", "2026-02-03", None, "2026-02-03T00:00"),
        ("continuous", None, "2026-01-29", None),
        ("manual", None, None, None),
    ],
)
def test_the_next_time(
    interval: str, start: str | None, end: str | None, expected: str | None
) -> None:
    schedule = read_schedule(ScheduleOptions(interval, start, end))
    found = schedule.next_after(parse_instant(NOON))
    assert (None if found is None else format_instant(found)[:16]) == expected


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (ScheduleOptions("61 * * * *"), "schedule.interval"),
        (ScheduleOptions("0 0 30 2 *"), "schedule.interval"),
        (ScheduleOptions("hourly", "soon"), "schedule.startDate"),
        (ScheduleOptions("hourly", None, "2026-13-01"), "schedule.endDate"),
        (ScheduleOptions("hourly", "2026-02-01", "2026-01-01"), "schedule.endDate"),
    ],
)
def test_what_never_comes_is_refused(options: ScheduleOptions, key: str) -> None:
    with pytest.raises(UnusableConfig) as caught:
        read_schedule(options)
    assert caught.value.key == key
