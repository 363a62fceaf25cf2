"""Reading who read and wrote a dataset, day by day."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, LargeBinary, bindparam, select

from headwater.model.relations import Direction
from headwater.model.values.instant import DAY
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.stats.runs_in_range import TimeRange, find_runs


class DayUse(NamedTuple):
    """How many runs of a job used a dataset on a day, and when it last did so by then."""

    runs: int
    last_at: int


class Usage(NamedTuple):
    """By day since 1970, direction and job."""

    days: dict[int, dict[tuple[int, bytes], DayUse]]
    complete_since: int
    is_cut: bool


def _uses(is_among: IsAmong) -> Any:
    use = tables.run_dataset
    return select(use.c.run, use.c.direction, use.c.first_seen, use.c.last_seen).where(
        is_among(use.c.run),
        use.c.dataset == bindparam("dataset", type_=LargeBinary),
        use.c.direction != int(Direction.ITSELF),
        use.c.first_seen < bindparam("until", type_=BigInteger),
        use.c.last_seen >= bindparam("since", type_=BigInteger),
    )


_USES = Prepared(_uses)


def read_usage(connection: Connection, datasets: Iterable[bytes], interval: TimeRange) -> Usage:
    """Read the uses of a dataset, under all its names; a run that goes on uses it every day."""
    names = list(datasets)
    found = find_runs(connection, names, interval)
    spans: dict[tuple[bytes, int], tuple[int, int]] = {}
    for name in names:
        rows = _USES.rows(connection, found.jobs, dataset=name, **interval._asdict())
        for run, direction, first, last in rows:
            known = spans.get((run, direction), (first, last))
            spans[run, direction] = min(first, known[0]), max(last, known[1])
    days: defaultdict[int, dict[tuple[int, bytes], DayUse]] = defaultdict(dict)
    for (run, direction), (first, last) in spans.items():
        _count(days, (direction, found.jobs[run]), first, last, interval)
    return Usage(dict(days), found.complete_since, found.is_cut)


def _count(
    days: defaultdict[int, dict[tuple[int, bytes], DayUse]],
    user: tuple[int, bytes],
    first: int,
    last: int,
    interval: TimeRange,
) -> None:
    """Add a run to the days it went on."""
    begin, end = max(first, interval.since), min(last, interval.until - 1)
    for day in range(begin // DAY, end // DAY + 1):
        known = days[day].get(user, DayUse(0, begin))
        last_at = max(known.last_at, min(end, (day + 1) * DAY - 1))
        days[day][user] = DayUse(known.runs + 1, last_at)
