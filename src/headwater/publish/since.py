"""The time from which on news are published: a time, or how long ago."""

from headwater.durations import parse_duration
from headwater.model.values.instant import now, parse_instant_or_date


def check_since(text: str) -> str:
    """Refuse what is neither a time nor a duration; raises ValueError."""
    if text:
        read_since(text)
    return text


def read_since(text: str) -> int:
    """A time, in microseconds since 1970; of a duration, that long before now."""
    try:
        return now() - int(parse_duration(text).total_seconds() * 1_000_000)
    except ValueError:
        pass
    try:
        return parse_instant_or_date(text)
    except ValueError:
        reason = "nor a duration such as 12h"
        raise ValueError(
            f"'{text[:64]}' is no time, such as 2026-05-01T10:00:00Z, {reason}"
        ) from None
