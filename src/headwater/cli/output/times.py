"""Times as people write and read them: a date, a time, `2d` for two days ago; and ages."""

from headwater.durations import parse_duration
from headwater.errors import InvalidRequest
from headwater.model.values.instant import (
    DAY,
    MICROSECOND,
    MINUTE,
    SECOND,
    format_instant,
    now,
    parse_instant,
    parse_instant_or_date,
)

_HOUR = 60 * MINUTE
_FORMS = "give a time such as 2026-01-31T12:00:00Z, a date, an age such as 2d or 3h, or now"


def read_time(text: str, where: str, hint: str = "") -> int:
    """Read a time; `where` names the argument, `hint` is added where it is none."""
    try:
        time = _read(text.strip().lower())
        # Whatever is requested is also written; a span may lead to before the first year.
        format_instant(time)
    except (ValueError, OverflowError):
        raise InvalidRequest(where, f"'{text[:64]}' is not a time; {_FORMS}{hint}") from None
    return time


def _read(text: str) -> int:
    if text == "now":
        return now()
    try:
        return now() - parse_duration(text) // MICROSECOND
    except ValueError:
        return parse_instant_or_date(text.upper())


def read_optional_time(text: str | None, where: str) -> int | None:
    return None if text is None else read_time(text, where)


def describe_time(text: str | None) -> str:
    """A time of an answer, to the second."""
    return "at an unknown time" if text is None else f"{text[:10]} {text[11:19]}"


def describe_age(time: str, at: int) -> str:
    """How long before a time another was; small differences of clocks are ignored."""
    age = at - parse_instant(time)
    for unit, name, least in (
        (DAY, "days", 2 * DAY),
        (_HOUR, "h", 2 * _HOUR),
        (MINUTE, "min", 2 * MINUTE),
        (SECOND, "s", 5 * SECOND),
    ):
        if age >= least:
            return f"{age // unit:,} {name} ago"
    return "just now"
