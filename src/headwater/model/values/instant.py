"""Times as whole microseconds since 1970, UTC: what stamps are made of and stores compare."""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = EPOCH.replace(tzinfo=None)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE

_FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND

# A date and a time of day. Python alone would also read week dates, bare dates and basic forms.
_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|z|[+-]\d\d(?::?\d\d)?)?"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def parse_instant(text: str) -> int:
    """Read an ISO date-time; no zone means UTC. Raises ValueError where it is none."""
    if _DATE_TIME.fullmatch(text) is None:
        raise ValueError(f"'{text[:64]}' is not an ISO 8601 date and time")
    return _micros(datetime.fromisoformat(text.replace("z", "Z")))


def parse_instant_or_date(text: str) -> int:
    """Read a date-time, or a date as its midnight: nominal times come as both."""
    if _DATE.fullmatch(text):
        return _micros(datetime.combine(date.fromisoformat(text), time()))
    return parse_instant(text)


def _micros(moment: datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    micros = (moment - EPOCH) // MICROSECOND
    # Keeps every stored time writable again: an offset can push the year below 1 or above 9999.
    if not _FIRST <= micros <= _LAST:
        raise ValueError(f"'{moment}' is outside the years 1 to 9999 in UTC")
    return micros


def format_instant(micros: int) -> str:
    """Write an instant as Marquez does: `2024-05-09T19:49:24.201361Z`."""
    minutes, rest = divmod(micros, MINUTE)
    # Six digits after two: written as one number of eight, and a point put between them.
    digits = str(rest + 100_000_000)
    return f"{_minute(minutes)}:{digits[1:3]}.{digits[3:]}Z"


@lru_cache(maxsize=4_096)
def _minute(minutes: int) -> str:
    """A list of jobs is a third times: what most of each takes is remembered."""
    return (_NAIVE_EPOCH + timedelta(minutes=minutes)).isoformat(timespec="minutes")


def now() -> int:
    return (datetime.now(UTC) - EPOCH) // MICROSECOND
