"""When an ingestion runs: at times of a cron expression in UTC, continuously, or on request."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cronsim import CronSim, CronSimError

from headwater.model.values.instant import (
    DAY,
    EPOCH,
    MICROSECOND,
    parse_instant,
    parse_instant_or_date,
)
from headwater.pipeline.ingestions.shapes import ScheduleOptions, UnusableConfig

CONTINUOUS = "continuous"
MANUAL = "manual"
_NAMED = {
    "hourly": "0 * * * *",
    "daily": "0 0 * * *",
    "weekly": "0 0 * * 0",
}


class Schedule(NamedTuple):
    """`cron` is None where it runs continuously or on request; times are in microseconds."""

    interval: str
    cron: str | None
    start: int | None = None
    end: int | None = None

    @property
    def is_continuous(self) -> bool:
        return self.interval == CONTINUOUS

    def is_open(self, at: int) -> bool:
        """Whether a time is between its start and its end."""
        return (self.start or 0) <= at and (self.end is None or at < self.end)

    def next_after(self, at: int) -> int | None:
        """The first time after this one at which it runs by itself; None where it never does."""
        if self.is_continuous:
            found: int | None = max(at, self.start or at)
        elif self.cron is not None:
            found = self._next_of_cron(max(at, (self.start or 0) - 1))
        else:
            found = None
        return found if found is not None and (self.end is None or found < self.end) else None

    def _next_of_cron(self, at: int) -> int | None:
        assert self.cron is not None
        try:
            moment: datetime = next(CronSim(self.cron, EPOCH + timedelta(microseconds=at)))
        except (StopIteration, CronSimError, OverflowError):
            return None
        return (moment.astimezone(UTC) - EPOCH) // MICROSECOND


def read_schedule(options: ScheduleOptions, key: str = "schedule") -> Schedule:
    """The schedule that options describe; raises UnusableConfig with the key."""
    interval = options.interval.strip()
    named = interval.lower().removeprefix("@")
    start = _time(options.startDate, f"{key}.startDate")
    end = _time(options.endDate, f"{key}.endDate", is_end=True)
    if start is not None and end is not None and end <= start:
        raise UnusableConfig(f"{key}.endDate", "before startDate")
    if named in (CONTINUOUS, MANUAL):
        return Schedule(named, None, start, end)
    cron = _NAMED.get(named, interval)
    try:
        next(CronSim(cron, datetime.now(UTC)))
    except (CronSimError, StopIteration):
        raise UnusableConfig(
            f"{key}.interval",
            f"'{interval[:64]}' is neither hourly, daily, weekly, manual, continuous nor a cron"
            " expression such as '30 2 * * *' that ever comes",
        ) from None
    return Schedule(named if named in _NAMED else interval, cron, start, end)


def _time(text: str | None, key: str, *, is_end: bool = False) -> int | None:
    """A date-time, or a date: from its beginning, or to its end."""
    if not text:
        return None
    try:
        at = parse_instant_or_date(text)
    except ValueError:
        reason = f"'{text[:64]}' is not a date such as 2026-01-31, or a time in ISO 8601"
        raise UnusableConfig(key, reason) from None
    try:
        parse_instant(text)
    except ValueError:
        return at + DAY if is_end else at
    return at
