"""Spans of time as people write them: `90s`, `30m`, `12h`, `30d`, `4w`."""

import re
from datetime import timedelta

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(\d{1,6})([smhdw])")


def parse_duration(text: str) -> timedelta:
    """Read a whole number and its unit. Raises ValueError where it is none, or is nothing."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None or int(found[1]) == 0:
        raise ValueError(f"'{text[:32]}' is not a duration such as 12h, 30d or 4w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
