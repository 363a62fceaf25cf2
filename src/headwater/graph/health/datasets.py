"""Health of datasets compared with their past; pure rules over their newest writes."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from headwater.graph.health.pace import (
    COMPARED,
    ENOUGH,
    HOUR,
    describe_span,
    find_pace,
    is_overdue,
    overdue_at,
)
from headwater.model.run_states import ABORTED, COMPLETED, FAILED, RUNNING

# The hours that are compared, the one that goes on, and one more for the start of the first.
HOURS_NEEDED = COMPARED + 2
# Days before, whose same hours tell whether what is unusual is so every day, or every week.
DAYS_COMPARED = 7
_UNFINISHED = (FAILED, ABORTED)


class DatasetState(StrEnum):
    """Worst first; the first four are problems."""

    EMPTY = "empty"
    STALE = "stale"
    LOW = "low"
    HIGH = "high"
    FRESH = "fresh"
    UNKNOWN = "unknown"


class VolumeState(StrEnum):
    EMPTY = "empty"
    LOW = "low"
    HIGH = "high"
    NORMAL = "normal"
    UNKNOWN = "unknown"


class Write(NamedTuple):
    """A run that names a dataset as its output: when it last did, and what it had written."""

    job: bytes
    run: bytes
    state: str
    last_event_at: int
    is_beating: bool
    at: int
    rows: int | None
    bytes: int | None


class VolumeCounts(NamedTuple):
    """A run's counters at the end of an hour, or what was written in one."""

    rows: int | None
    bytes: int | None


class Freshness(NamedTuple):
    state: DatasetState
    reason: str
    written_at: int | None
    every: int | None = None
    expected_at: int | None = None


class VolumeJudgement(NamedTuple):
    """What was written last, in one run or one hour, and what is usual."""

    state: VolumeState
    reason: str = ""
    unit: str = "run"
    last: VolumeCounts = VolumeCounts(None, None)
    usual: VolumeCounts = VolumeCounts(None, None)


class DatasetVerdict(NamedTuple):
    state: DatasetState
    reason: str
    since: int | None
    freshness: Freshness
    volume: VolumeJudgement


def find_stream(writes: Iterable[Write]) -> bytes | None:
    """The run to judge by the hour: the one that wrote last, if it goes on and counts."""
    newest = max(map(_going_on, writes), key=_ORDER, default=None)
    if newest is None or newest.state != RUNNING:
        return None
    return newest.run if (newest.rows, newest.bytes) != (None, None) else None


def judge_dataset(
    writes: Sequence[Write],
    last_seen: int,
    hours: Mapping[int, VolumeCounts],
    now: int,
    same_hours: Mapping[int, VolumeCounts] | None = None,
) -> DatasetVerdict:
    """Judge a dataset by the runs that wrote it, or the hours of a run that goes on.

    `last_seen` is when any run at all last named it as output; `hours` has the counters of the run
    that `find_stream` found, as of the end of each hour since 1970. `same_hours` is what was
    written at the same time so many days before, where a volume `is_to_compare`.
    """
    done = sorted(map(_going_on, filter(_has_written, writes)), key=_ORDER, reverse=True)
    freshness = _judge_freshness(done, writes, last_seen, now)
    volume = _judge_hours(hours, now) or _judge_ended(done)
    if is_to_compare(volume) and _is_so_at_that_time(volume.last, same_hours or {}):
        volume = volume._replace(state=VolumeState.NORMAL, reason="")
    is_normal = volume.state is VolumeState.NORMAL
    of_volume = DatasetState.FRESH if is_normal else DatasetState(volume.state)
    state = min(freshness.state, of_volume, key=list(DatasetState).index)
    is_stale = freshness.state is DatasetState.STALE
    reasons = [volume.reason] if volume.reason else []
    if is_stale or not reasons:
        reasons.append(freshness.reason)
    since = freshness.expected_at if is_stale else freshness.written_at if volume.reason else None
    return DatasetVerdict(state, ". ".join(reasons), since, freshness, volume)


def is_to_compare(volume: VolumeJudgement) -> bool:
    """Whether a volume is unusual, and may be usual at that time of the day."""
    return volume.state in (VolumeState.EMPTY, VolumeState.LOW, VolumeState.HIGH)


def last_ended(writes: Iterable[Write]) -> Write | None:
    """The run that a volume by runs is of."""
    return max(filter(_is_ended, filter(_has_written, writes)), key=_ORDER, default=None)


def written_in_same_hours(
    closings: Iterable[Mapping[int, VolumeCounts]], now: int
) -> dict[int, VolumeCounts]:
    """What runs together wrote so many days before the last full hour, from their counters as of
    the end of each hour."""
    last = now // HOUR - 1
    written: dict[int, VolumeCounts] = {}
    for closing in closings:
        by_hour = _written(closing)
        for day in range(1, DAYS_COMPARED + 1):
            if (more := by_hour.get(last - 24 * day)) is not None:
                written[day] = _sum(written.get(day), more)
    return written


def next_dataset_change(verdict: DatasetVerdict, is_streamed: bool, now: int) -> int | None:
    """When a dataset may be judged otherwise though it gets no more events; None if never."""
    freshness = verdict.freshness
    times = [(now // HOUR + 1) * HOUR] if is_streamed else []
    if freshness.every is not None and freshness.written_at is not None:
        times.append(overdue_at(freshness.written_at, freshness.every))
    return min((time for time in times if time > now), default=None)


_ORDER = attrgetter("at", "run")


def _going_on(write: Write) -> Write:
    """A running run writes the outputs named at its start, until its last event."""
    is_going_on = write.state == RUNNING and write.is_beating
    return write._replace(at=max(write.at, write.last_event_at)) if is_going_on else write


def _newest_times(writes: Iterable[Write]) -> list[int]:
    return sorted((write.at for write in writes), reverse=True)[:COMPARED]


def _has_written(write: Write) -> bool:
    """A run that failed has written only what it counted: many name their outputs at the start."""
    return write.state not in _UNFINISHED or bool(write.rows or write.bytes)


def _is_ended(write: Write) -> bool:
    return write.state in (COMPLETED, *_UNFINISHED)


def _judge_freshness(
    done: Sequence[Write], tried: Sequence[Write], last_seen: int, now: int
) -> Freshness:
    if tried and not done:
        is_enough = len(tried) >= ENOUGH
        reason = f"All of the newest {len(tried)} runs that should write it failed"
        return Freshness(DatasetState.STALE if is_enough else DatasetState.UNKNOWN, reason, None)
    written_at = done[0].at if done else last_seen
    # If most have failed lately, those still show how often it should be written.
    every = find_pace(_newest_times(done)) or find_pace(_newest_times(tried))
    reason = f"Last written {describe_span(now - written_at)} ago"
    if every is None:
        reason += "; too few or irregular writes to know when it is due"
        return Freshness(DatasetState.UNKNOWN, reason, written_at)
    is_stale = is_overdue(written_at, every, now)
    return Freshness(
        DatasetState.STALE if is_stale else DatasetState.FRESH,
        f"{reason}, usually every {describe_span(every)}",
        written_at,
        every,
        written_at + every,
    )


def _judge_ended(done: Sequence[Write]) -> VolumeJudgement:
    """The last run that ended against those of the same job before it: jobs differ in size."""
    ended = list(filter(_is_ended, done))
    if not ended:
        return VolumeJudgement(VolumeState.UNKNOWN)
    last, *before = [write for write in ended if write.job == ended[0].job]
    past = [VolumeCounts(write.rows, write.bytes) for write in before[:COMPARED]]
    return _compare("run", VolumeCounts(last.rows, last.bytes), past)


def _judge_hours(closing: Mapping[int, VolumeCounts], now: int) -> VolumeJudgement | None:
    """The last full hour of a run that goes on against the hours before it."""
    written = _written(closing)
    if not written:
        return None
    last = now // HOUR - 1
    before = [written[hour] for hour in range(last - COMPARED, last) if hour in written]
    return _compare("hour", written.get(last, VolumeCounts(None, None)), before)


def _written(closing: Mapping[int, VolumeCounts]) -> dict[int, VolumeCounts]:
    """What was written in each hour, from counters as of its end and of the end of that before."""
    return {
        hour: VolumeCounts(*map(_increase, closing[hour - 1], closing[hour]))
        for hour in closing
        if hour - 1 in closing
    }


def _is_so_at_that_time(last: VolumeCounts, same_hours: Mapping[int, VolumeCounts]) -> bool:
    """Nights are quiet, and Sundays: whether it is as usual at that hour, or as a week ago.

    With few days known the newest decides.
    """
    days = [same_hours[day] for day in sorted(same_hours)]
    if not days:
        return False
    medians = [_median(counts.rows for counts in days), _median(counts.bytes for counts in days)]
    is_known = any(number is not None for number in medians)
    usual = VolumeCounts(*(None if number is None else round(number) for number in medians))
    week_ago = same_hours.get(DAYS_COMPARED, VolumeCounts(None, None))
    return _are_alike(last, usual if is_known else days[0]) or _are_alike(last, week_ago)


def _are_alike(one: VolumeCounts, other: VolumeCounts) -> bool:
    """Neither is more than twice the other, by rows or else by bytes."""
    for number, its in zip(one, other, strict=True):
        if number is not None and its is not None:
            return 2 * min(number, its) >= max(number, its)
    return False


def _sum(one: VolumeCounts | None, other: VolumeCounts) -> VolumeCounts:
    if one is None:
        return other
    pairs = zip(one, other, strict=True)
    return VolumeCounts(*(a if b is None else b if a is None else a + b for a, b in pairs))


def _increase(before: int | None, after: int | None) -> int | None:
    """What a counter grew by; less than before means that it was reset."""
    if before is None or after is None:
        return None
    return after - before if after >= before else after


def _compare(unit: str, last: VolumeCounts, past: Sequence[VolumeCounts]) -> VolumeJudgement:
    """By rows if they are known, otherwise by bytes."""
    medians = [_median(counts.rows for counts in past), _median(counts.bytes for counts in past)]
    usual = VolumeCounts(*(None if number is None else round(number) for number in medians))
    for noun, number, middle in zip(("rows", "bytes"), last, medians, strict=True):
        if number is not None and middle is not None:
            state = _state_of(number, middle)
            what = "The last run wrote" if unit == "run" else "The last full hour brought"
            reason = f"{what} {number:,} {noun}, usually {round(middle):,}"
            is_normal = state is VolumeState.NORMAL
            return VolumeJudgement(state, "" if is_normal else reason, unit, last, usual)
    return VolumeJudgement(VolumeState.UNKNOWN, "", unit, last, usual)


def _median(numbers: Iterable[int | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return median(known) if len(known) >= ENOUGH else None


def _state_of(number: int, usual: float) -> VolumeState:
    # Where nothing is usual, something now and then is nothing to wake anybody for.
    if usual == 0:
        return VolumeState.NORMAL
    if number == 0:
        return VolumeState.EMPTY
    if 2 * number < usual:
        return VolumeState.LOW
    return VolumeState.HIGH if number > 2 * usual else VolumeState.NORMAL
