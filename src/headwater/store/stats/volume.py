"""Reading how much came into a dataset, and was read of it, by minute, hour or day.

A sample has what a run had counted by then. What came since its sample before is the difference;
of a count that fell, such as that of a run started anew, all of it is new.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    LargeBinary,
    and_,
    bindparam,
    func,
    literal_column,
    select,
)

from headwater.model.values.instant import MINUTE
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.stats.runs_in_range import FoundRuns, TimeRange, find_runs

# Minutes in each step of volumes.
STEPS = {"minute": 1, "hour": 60, "day": 1_440}
# Whole days, so that times before 1970 are divided as those after it.
BEFORE_ALL_TIMES = 1_000_000 * STEPS["day"]

_DATASET = bindparam("dataset", type_=LargeBinary)
_SINCE = bindparam("since", type_=BigInteger)
_UNTIL = bindparam("until", type_=BigInteger)

Counted = tuple[int | None, int | None, int | None]


class VolumeBucket(NamedTuple):
    """What some runs counted in an interval; None if none reported a count."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    # Of all that were reported, the highest: a lag is as it is, and does not add up.
    lag: int | None = None
    runs: int = 0


class Volumes(NamedTuple):
    """By direction and the number of the step since 1970."""

    steps: dict[tuple[int, int], VolumeBucket]
    complete_since: int
    is_cut: bool


def _steps(size: int, is_among: IsAmong) -> Any:
    """Counters only grow within a run, so the highest of a step are those at its end."""
    sample = tables.sample
    minute = sample.c.minute + literal_column(str(BEFORE_ALL_TIMES), BigInteger)
    step = (minute // literal_column(str(size), BigInteger)).label("step")
    highest = (func.max(sample.c[name]) for name in ("rows", "bytes", "files", "lag"))
    return (
        select(sample.c.run, sample.c.direction, step, *highest)
        .where(is_among(sample.c.run), sample.c.dataset == _DATASET)
        .where(sample.c.minute >= _SINCE, sample.c.minute < _UNTIL)
        .group_by(sample.c.run, sample.c.direction, step)
    )


def _before(is_among: IsAmong) -> Any:
    """What runs had counted before a minute."""
    use, sample = tables.run_dataset, tables.sample
    same = and_(*(sample.c[name] == use.c[name] for name in ("run", "dataset", "direction")))
    counters = (
        select(sample.c[name])
        .where(same, sample.c.minute < _SINCE, sample.c[name].is_not(None))
        .order_by(sample.c.minute.desc())
        .limit(1)
        .correlate(use)
        .scalar_subquery()
        for name in ("rows", "bytes", "files")
    )
    return select(use.c.run, use.c.direction, *counters).where(
        is_among(use.c.run), use.c.dataset == _DATASET
    )


_STEPS = {size: Prepared(partial(_steps, size)) for size in STEPS.values()}
_BEFORE = Prepared(_before)


def read_volumes(
    connection: Connection, datasets: Iterable[bytes], size: int, interval: TimeRange
) -> Volumes:
    """Read the volumes of a dataset, under all its names, in steps of so many minutes."""
    names = list(datasets)
    found = find_runs(connection, names, interval)
    steps: defaultdict[tuple[int, int], list[VolumeBucket]] = defaultdict(list)
    for (_, direction), counted in _read(connection, names, found, size, interval).items():
        for step, volume in counted.items():
            steps[direction, step].append(volume)
    return Volumes(
        {key: add_volumes(volumes) for key, volumes in steps.items()},
        found.complete_since,
        found.is_cut,
    )


def _read(
    connection: Connection, names: list[bytes], found: FoundRuns, size: int, interval: TimeRange
) -> dict[tuple[bytes, int], dict[int, VolumeBucket]]:
    """The increase of each run's counts, by interval."""
    since, until = interval.since // MINUTE, -(-interval.until // MINUTE)
    seen: defaultdict[tuple[bytes, int], dict[int, tuple[int | None, ...]]] = defaultdict(dict)
    before: dict[tuple[bytes, int], Counted] = {}
    for name in names:
        rows = _STEPS[size].rows(connection, found.jobs, dataset=name, since=since, until=until)
        for run, direction, step, *counters in rows:
            # A run that names a dataset twice, under two names, counts it once.
            seen[run, direction].setdefault(step - BEFORE_ALL_TIMES // size, tuple(counters))
        for run, direction, *counted in _BEFORE.rows(
            connection, found.earlier, dataset=name, since=since
        ):
            before.setdefault((run, direction), tuple(counted))
    return {key: find_increases(steps, before.get(key, (None,) * 3)) for key, steps in seen.items()}


def find_increases(
    seen: Mapping[int, tuple[int | None, ...]], before: Counted
) -> dict[int, VolumeBucket]:
    """What came in each step, of the highest counts in it and those before them all."""
    last = list(before)
    volumes: dict[int, VolumeBucket] = {}
    for step in sorted(seen):
        *counters, lag = seen[step]
        rows, size, files = map(_difference, last, counters)
        volumes[step] = VolumeBucket(rows, size, files, lag, runs=1)
        last = [old if new is None else new for old, new in zip(last, counters, strict=True)]
    return volumes


def _difference(before: int | None, counter: int | None) -> int | None:
    if counter is None or before is None or counter < before:
        return counter
    return counter - before


def add_volumes(volumes: list[VolumeBucket]) -> VolumeBucket:
    rows, counted, files = (
        _sum(volume[place] for volume in volumes) for place in range(len(VolumeBucket._fields) - 2)
    )
    lags = [volume.lag for volume in volumes if volume.lag is not None]
    runs = sum(volume.runs for volume in volumes)
    return VolumeBucket(rows, counted, files, max(lags, default=None), runs)


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
