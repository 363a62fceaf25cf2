"""Health of jobs compared with their past; pure rules over their newest runs."""

from collections.abc import Sequence
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from headwater.graph.health.pace import (
    COMPARED,
    ENOUGH,
    RUNS_NEEDED,
    describe_span,
    find_pace,
    is_overdue,
    overdue_at,
)
from headwater.model.run_states import ABORTED, FAILED, RUNNING
from headwater.model.values.instant import MINUTE

_SHORTEST_LATE_RUN = 5 * MINUTE

_LONG_LIVED = ("STREAM", "SERVICE")


class JobState(StrEnum):
    """Worst first."""

    FAILED = "failed"
    SILENT = "silent"
    LATE = "late"
    STOPPED = "stopped"
    DELETED = "deleted"
    OK = "ok"


class JobRun(NamedTuple):
    """A run as it stands; `attempted_at` is its last START, `is_beating` if it sent heartbeats."""

    state: str
    started_at: int
    attempted_at: int
    ended_at: int | None
    last_event_at: int
    is_beating: bool


class JobVerdict(NamedTuple):
    """A job's state, why in a sentence, and since when; with what is usual where that is known."""

    state: JobState
    reason: str
    since: int | None = None
    expected_at: int | None = None
    every: int | None = None
    usual_duration: int | None = None


def judge_job(
    kind: str, runs: Sequence[JobRun], now: int, silent_after: int, is_deleted: bool = False
) -> JobVerdict:
    """Judge a job by its newest runs, newest first: by the first rule that has something to say.

    One that is deleted was stopped for good, whatever happened before.
    """
    if not runs:
        return JobVerdict(JobState.OK, "It has not run yet")
    if is_deleted:
        at = runs[0].last_event_at
        return JobVerdict(JobState.DELETED, f"Deleted {describe_span(now - at)} ago", at)
    verdict = _judge_end(runs[0], now) or _judge_heartbeat(kind, runs[0], now, silent_after)
    if verdict is None and kind not in _LONG_LIVED:
        verdict = _judge_start(runs, now) or _judge_duration(runs, now)
    return verdict or _judge_stop(runs[0], now) or JobVerdict(JobState.OK, _describe(runs[0], now))


def next_job_change(kind: str, runs: Sequence[JobRun], now: int, silent_after: int) -> int | None:
    """When a job may be judged otherwise though it gets no more events; None if never."""
    if not runs:
        return None
    newest = runs[0]
    starts = [run.started_at for run in runs[:COMPARED]]
    every, usual = find_pace(starts), _usual_duration(runs)
    times = [newest.last_event_at + silent_after + 1]
    if every is not None:
        times.append(overdue_at(max(starts), every))
    if usual is not None:
        times.append(newest.attempted_at + max(3 * usual + 1, _SHORTEST_LATE_RUN))
    return min((time for time in times if time > now), default=None)


def _judge_end(newest: JobRun, now: int) -> JobVerdict | None:
    if newest.state != FAILED:
        return None
    return JobVerdict(JobState.FAILED, _describe(newest, now), newest.ended_at)


def _judge_stop(newest: JobRun, now: int) -> JobVerdict | None:
    """Neither wrong nor well: what reads its output may wait in vain."""
    if newest.state != ABORTED:
        return None
    return JobVerdict(JobState.STOPPED, _describe(newest, now), newest.ended_at)


def _judge_heartbeat(kind: str, newest: JobRun, now: int, silent_after: int) -> JobVerdict | None:
    sends_heartbeats = kind in _LONG_LIVED or newest.is_beating
    quiet = now - newest.last_event_at
    if not sends_heartbeats or newest.state != RUNNING or quiet <= silent_after:
        return None
    reason = f"No events for {describe_span(quiet)}, though it should be running"
    return JobVerdict(JobState.SILENT, reason, newest.last_event_at)


def _judge_start(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the next run should have started, by the pace of those before."""
    starts = [run.started_at for run in runs[:COMPARED]]
    every, last = find_pace(starts), max(starts)
    if every is None or runs[0].state == RUNNING or not is_overdue(last, every, now):
        return None
    expected = last + every
    overdue = f"It should have started {describe_span(now - expected)} ago"
    reason = f"{overdue}: it usually starts every {describe_span(every)}"
    return JobVerdict(JobState.LATE, reason, expected, expected, every)


def _judge_duration(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the newest run goes on for much longer than those before."""
    newest, usual = runs[0], _usual_duration(runs)
    if newest.state != RUNNING or usual is None:
        return None
    so_far = now - newest.attempted_at
    if so_far <= 3 * usual or so_far < _SHORTEST_LATE_RUN:
        return None
    spent = f"{describe_span(so_far)} so far, usually {describe_span(usual)}"
    reason = f"It takes longer than usual: {spent}"
    expected = newest.attempted_at + usual
    return JobVerdict(JobState.LATE, reason, expected, expected, usual_duration=usual)


def _usual_duration(runs: Sequence[JobRun]) -> int | None:
    """How long the runs before the newest took."""
    before = runs[1:RUNS_NEEDED]
    spans = [max(0, run.ended_at - run.attempted_at) for run in before if run.ended_at is not None]
    return int(median(spans)) if len(spans) >= ENOUGH else None


def _describe(run: JobRun, now: int) -> str:
    if run.state == RUNNING:
        return f"It has been running for {describe_span(now - run.attempted_at)}"
    if run.ended_at is None:
        return "Its newest run was announced and has not started"
    what = {FAILED: "failed", ABORTED: "was stopped"}.get(run.state, "completed")
    return f"Its newest run {what} {describe_span(now - run.ended_at)} ago"
