"""How jobs and datasets fare against their own past; pure rules over what was heard of late.

Times and spans are in microseconds. `now` is always given, so that a rule says the same twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from headwater.model.instant import MINUTE, SECOND

HOUR = 60 * MINUTE
# The newest, and those before it that say what is usual.
COMPARED = 20
RUNS_NEEDED = COMPARED + 1
# Up to the last full one of the day before, and one more to tell where that began.
HOURS_NEEDED = 26
# With fewer before it, nothing is usual yet.
ENOUGH = 4
_GRACE = MINUTE
_SHORTEST_LATE_RUN = 5 * MINUTE

_FAILED = ("FAILED", "ABORTED")
_RUNNING = "RUNNING"
_LONG_LIVED = ("STREAM", "SERVICE")


class JobState(StrEnum):
    """Worst first."""

    FAILED = "failed"
    SILENT = "silent"
    LATE = "late"
    OK = "ok"


class JobRun(NamedTuple):
    """A run as it stands; `attempted_at` is its last START, `is_beating` if it sent heartbeats."""

    state: str
    started_at: int
    attempted_at: int
    ended_at: int | None
    heard_at: int
    is_beating: bool


class JobVerdict(NamedTuple):
    """A job's state, why in a sentence, and since when; with what is usual where that is known."""

    state: JobState
    reason: str
    since: int | None = None
    expected_at: int | None = None
    every: int | None = None
    usual_duration: int | None = None


def judge_job(kind: str, runs: Sequence[JobRun], now: int, silent_after: int) -> JobVerdict:
    """Judge a job by its newest runs, newest first: by the first rule that has something to say."""
    if not runs:
        return JobVerdict(JobState.OK, "It has not run yet")
    verdict = _judge_end(runs[0], now) or _judge_heartbeat(kind, runs[0], now, silent_after)
    if verdict is None and kind not in _LONG_LIVED:
        verdict = _judge_start(runs, now) or _judge_duration(runs, now)
    return verdict or JobVerdict(JobState.OK, _tell(runs[0], now))


def _judge_end(newest: JobRun, now: int) -> JobVerdict | None:
    if newest.state not in _FAILED:
        return None
    return JobVerdict(JobState.FAILED, _tell(newest, now), newest.ended_at)


def _judge_heartbeat(kind: str, newest: JobRun, now: int, silent_after: int) -> JobVerdict | None:
    is_heard_from = kind in _LONG_LIVED or newest.is_beating
    quiet = now - newest.heard_at
    if not is_heard_from or newest.state != _RUNNING or quiet <= silent_after:
        return None
    reason = f"It should be running, but nothing was heard of it for {tell_span(quiet)}"
    return JobVerdict(JobState.SILENT, reason, newest.heard_at)


def _judge_start(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the next run should have started, by the pace of those before."""
    starts = [run.started_at for run in runs[:COMPARED]]
    every, last = find_pace(starts), max(starts)
    if every is None or runs[0].state == _RUNNING or not _is_overdue(last, every, now):
        return None
    expected = last + every
    overdue = f"It should have started {tell_span(now - expected)} ago"
    reason = f"{overdue}: it usually starts every {tell_span(every)}"
    return JobVerdict(JobState.LATE, reason, expected, expected, every)


def _judge_duration(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the newest run goes on for much longer than those before."""
    newest, before = runs[0], runs[1:RUNS_NEEDED]
    spans = [max(0, run.ended_at - run.attempted_at) for run in before if run.ended_at is not None]
    if newest.state != _RUNNING or len(spans) < ENOUGH:
        return None
    usual, so_far = int(median(spans)), now - newest.attempted_at
    if so_far <= 3 * usual or so_far < _SHORTEST_LATE_RUN:
        return None
    spent = f"{tell_span(so_far)} so far, usually {tell_span(usual)}"
    reason = f"It takes longer than usual: {spent}"
    expected = newest.attempted_at + usual
    return JobVerdict(JobState.LATE, reason, expected, expected, usual_duration=usual)


def _tell(run: JobRun, now: int) -> str:
    if run.state == _RUNNING:
        return f"It has been running for {tell_span(now - run.attempted_at)}"
    if run.ended_at is None:
        return "Its newest run was announced and has not started"
    what = {"FAILED": "failed", "ABORTED": "was aborted"}.get(run.state, "completed")
    return f"Its newest run {what} {tell_span(now - run.ended_at)} ago"


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
    return usual if usual >= SECOND and 3 * near >= 2 * len(gaps) else None


def _is_overdue(last: int, every: int, now: int) -> bool:
    return now - last > 2 * every + _GRACE


def tell_span(span: int) -> str:
    """A span of time in words, in the largest unit of which it has two."""
    seconds = max(0, span) // SECOND
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{round(seconds / size)} {unit}"
    return "1 second" if seconds == 1 else f"{seconds} seconds"


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
    heard_at: int
    is_beating: bool
    at: int
    rows: int | None
    bytes: int | None


class Counts(NamedTuple):
    """A run's counters at the end of an hour, or what was written in one."""

    rows: int | None
    bytes: int | None


class Freshness(NamedTuple):
    state: DatasetState
    reason: str
    written_at: int | None
    every: int | None = None
    expected_at: int | None = None


class Volume(NamedTuple):
    """What was written last, in one run or one hour, and what is usual."""

    state: VolumeState
    reason: str = ""
    unit: str = "run"
    last: Counts = Counts(None, None)
    usual: Counts = Counts(None, None)


class DatasetVerdict(NamedTuple):
    state: DatasetState
    reason: str
    since: int | None
    freshness: Freshness
    volume: Volume


def find_stream(writes: Iterable[Write]) -> bytes | None:
    """The run to judge by the hour: the one that wrote last, if it goes on and counts."""
    newest = max(map(_going_on, writes), key=_ORDER, default=None)
    if newest is None or newest.state != _RUNNING:
        return None
    return newest.run if (newest.rows, newest.bytes) != (None, None) else None


def judge_dataset(
    writes: Sequence[Write], last_seen: int, hours: Mapping[int, Counts], now: int
) -> DatasetVerdict:
    """Judge a dataset by the runs that wrote it, or the hours of a run that goes on.

    `last_seen` is when any run at all last named it as output; `hours` has the counters of the run
    that `find_stream` found, as of the end of each hour since 1970.
    """
    done = sorted(map(_going_on, filter(_has_written, writes)), key=_ORDER, reverse=True)
    freshness = _judge_freshness(done, writes, last_seen, now)
    volume = _judge_hours(hours, now) or _judge_ended(done)
    is_normal = volume.state is VolumeState.NORMAL
    of_volume = DatasetState.FRESH if is_normal else DatasetState(volume.state)
    state = min(freshness.state, of_volume, key=list(DatasetState).index)
    is_stale = freshness.state is DatasetState.STALE
    reasons = [volume.reason] if volume.reason else []
    if is_stale or not reasons:
        reasons.append(freshness.reason)
    since = freshness.expected_at if is_stale else freshness.written_at if volume.reason else None
    return DatasetVerdict(state, ". ".join(reasons), since, freshness, volume)


_ORDER = attrgetter("at", "run")


def _going_on(write: Write) -> Write:
    """A run that goes on writes what it named at its start, for as long as it is heard of."""
    is_going_on = write.state == _RUNNING and write.is_beating
    return write._replace(at=max(write.at, write.heard_at)) if is_going_on else write


def _newest_times(writes: Iterable[Write]) -> list[int]:
    return sorted((write.at for write in writes), reverse=True)[:COMPARED]


def _has_written(write: Write) -> bool:
    """A run that failed has written only what it counted: many name their outputs at the start."""
    return write.state not in _FAILED or bool(write.rows or write.bytes)


def _judge_freshness(
    done: Sequence[Write], tried: Sequence[Write], last_seen: int, now: int
) -> Freshness:
    if tried and not done:
        is_enough = len(tried) >= ENOUGH
        reason = f"All of the newest {len(tried)} runs that should write it failed"
        return Freshness(DatasetState.STALE if is_enough else DatasetState.UNKNOWN, reason, None)
    written_at = done[0].at if done else last_seen
    # Where most have failed of late, those still tell how often it should be.
    every = find_pace(_newest_times(done)) or find_pace(_newest_times(tried))
    reason = f"Last written {tell_span(now - written_at)} ago"
    if every is None:
        reason += "; too few or irregular writes to know when it is due"
        return Freshness(DatasetState.UNKNOWN, reason, written_at)
    is_stale = _is_overdue(written_at, every, now)
    return Freshness(
        DatasetState.STALE if is_stale else DatasetState.FRESH,
        f"{reason}, usually every {tell_span(every)}",
        written_at,
        every,
        written_at + every,
    )


def _judge_ended(done: Sequence[Write]) -> Volume:
    """The last run that ended against those of the same job before it: jobs differ in size."""
    ended = [write for write in done if write.state in ("COMPLETED", *_FAILED)]
    if not ended:
        return Volume(VolumeState.UNKNOWN)
    last, *before = [write for write in ended if write.job == ended[0].job]
    past = [Counts(write.rows, write.bytes) for write in before[:COMPARED]]
    return _compare("run", Counts(last.rows, last.bytes), past)


def _judge_hours(closing: Mapping[int, Counts], now: int) -> Volume | None:
    """The last full hour of a run that goes on against the hours before it.

    Nights are quiet: what was so at the same hour of the day before is nothing new.
    """
    written = {
        hour: Counts(*map(_increase, closing[hour - 1], closing[hour]))
        for hour in closing
        if hour - 1 in closing
    }
    if not written:
        return None
    last = now // HOUR - 1
    before = [written[hour] for hour in range(last - COMPARED, last) if hour in written]
    volume = _compare("hour", written.get(last, Counts(None, None)), before)
    is_daily = _are_alike(volume.last, written.get(last - 24, Counts(None, None)))
    return volume._replace(state=VolumeState.NORMAL, reason="") if is_daily else volume


def _are_alike(one: Counts, other: Counts) -> bool:
    """Neither is more than twice the other, by rows or else by bytes."""
    for number, its in zip(one, other, strict=True):
        if number is not None and its is not None:
            return 2 * min(number, its) >= max(number, its)
    return False


def _increase(before: int | None, after: int | None) -> int | None:
    """What a counter grew by; less than before means that it began anew."""
    if before is None or after is None:
        return None
    return after - before if after >= before else after


def _compare(unit: str, last: Counts, past: Sequence[Counts]) -> Volume:
    """By rows if they are known, otherwise by bytes."""
    medians = [_median(counts.rows for counts in past), _median(counts.bytes for counts in past)]
    usual = Counts(*(None if number is None else round(number) for number in medians))
    for noun, number, middle in zip(("rows", "bytes"), last, medians, strict=True):
        if number is not None and middle is not None:
            state = _state_of(number, middle)
            what = "The last run wrote" if unit == "run" else "The last full hour brought"
            reason = f"{what} {number:,} {noun}, usually {round(middle):,}"
            is_normal = state is VolumeState.NORMAL
            return Volume(state, "" if is_normal else reason, unit, last, usual)
    return Volume(VolumeState.UNKNOWN, "", unit, last, usual)


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
