"""Reading how the counts of runs grew, of all that they read and wrote, by steps of minutes."""

from collections import defaultdict
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    and_,
    bindparam,
    func,
    literal_column,
    select,
)

from headwater.model.values.instant import MINUTE
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.stats.runs_in_range import FoundRuns, TimeRange
from headwater.store.stats.volume import (
    BEFORE_ALL_TIMES,
    STEPS,
    Counted,
    VolumeBucket,
    find_increases,
)

_SINCE = bindparam("since", type_=BigInteger)
_UNTIL = bindparam("until", type_=BigInteger)


class SampledUse(NamedTuple):
    """A dataset that a run reads or writes."""

    run: bytes
    dataset: bytes
    direction: int


def _steps(size: int, is_among: IsAmong) -> Any:
    """Counters only grow within a run, so the highest of a step are those at its end."""
    sample = tables.sample
    minute = sample.c.minute + literal_column(str(BEFORE_ALL_TIMES), BigInteger)
    step = (minute // literal_column(str(size), BigInteger)).label("step")
    highest = (func.max(sample.c[name]) for name in ("rows", "bytes", "files", "lag"))
    return (
        select(sample.c.run, sample.c.dataset, sample.c.direction, step, *highest)
        .where(is_among(sample.c.run))
        .where(sample.c.minute >= _SINCE, sample.c.minute < _UNTIL)
        .group_by(sample.c.run, sample.c.dataset, sample.c.direction, step)
    )


def _before(is_among: IsAmong) -> Any:
    """What runs had counted before a minute."""
    use, sample = tables.run_dataset, tables.sample
    same = and_(*(sample.c[name] == use.c[name] for name in SampledUse._fields))
    counters = (
        select(sample.c[name])
        .where(same, sample.c.minute < _SINCE, sample.c[name].is_not(None))
        .order_by(sample.c.minute.desc())
        .limit(1)
        .correlate(use)
        .scalar_subquery()
        for name in ("rows", "bytes", "files")
    )
    return select(use.c.run, use.c.dataset, use.c.direction, *counters).where(is_among(use.c.run))


_STEPS = {size: Prepared(partial(_steps, size)) for size in STEPS.values()}
_BEFORE = Prepared(_before)


def read_run_volumes(
    connection: Connection, found: FoundRuns, size: int, interval: TimeRange
) -> dict[SampledUse, dict[int, VolumeBucket]]:
    """Read the increase of the counts of runs, by step of so many minutes since 1970."""
    since, until = interval.since // MINUTE, -(-interval.until // MINUTE)
    seen: defaultdict[SampledUse, dict[int, tuple[int | None, ...]]] = defaultdict(dict)
    rows = _STEPS[size].rows(connection, found.jobs, since=since, until=until)
    for run, dataset, direction, step, *counters in rows:
        use = SampledUse(bytes(run), bytes(dataset), direction)
        seen[use][step - BEFORE_ALL_TIMES // size] = tuple(counters)
    before: dict[SampledUse, Counted] = {}
    for run, dataset, direction, *counted in _BEFORE.rows(connection, found.earlier, since=since):
        before[SampledUse(bytes(run), bytes(dataset), direction)] = tuple(counted)
    return {use: find_increases(steps, before.get(use, (None,) * 3)) for use, steps in seen.items()}
