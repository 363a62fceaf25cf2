"""What is usual: the interval between repeated events, derived from their past.

Times and spans are in microseconds. `now` is always given, so that a rule says the same twice.
"""

from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from headwater.model.values.instant import MINUTE, SECOND

HOUR = 60 * MINUTE
# The newest, and those before it that say what is usual.
COMPARED = 20
RUNS_NEEDED = COMPARED + 1
# With fewer before it, nothing is usual yet.
ENOUGH = 4
_GRACE = MINUTE
# Schedulers keep none that is shorter than a minute: what comes quicker is a loop, or a person.
_SHORTEST = 50 * SECOND


def find_pace(times: Iterable[int]) -> int | None:
    """The usual gap between times; none where there are too few, or no pace is kept.

    A pace is kept if two gaps of three are within half and twice the median. Otherwise what was
    started by hand a few times, or by two schedules, would be late ever after.
    """
    gaps = [later - earlier for earlier, later in pairwise(sorted(times))]
    if len(gaps) + 1 < ENOUGH:
        return None
    usual = int(median(gaps))
    near = sum(usual <= 2 * gap and gap <= 2 * usual for gap in gaps)
    return usual if usual >= _SHORTEST and 3 * near >= 2 * len(gaps) else None


def is_overdue(last: int, every: int, now: int) -> bool:
    return now >= overdue_at(last, every)


def overdue_at(last: int, every: int) -> int:
    """The first moment at which what keeps a pace is overdue."""
    return last + 2 * every + _GRACE + 1


def describe_span(span: int) -> str:
    """A duration as text, in the largest unit of which it has at least two."""
    seconds = max(0, span) // SECOND
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{round(seconds / size)} {unit}"
    return "1 second" if seconds == 1 else f"{seconds} seconds"
