"""How jobs fare against their own past; pure rules over the runs that were heard of late."""

from collections.abc import Sequence
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from headwater.graph.pace import (
    COMPARED,
    ENOUGH,
    RUNS_NEEDED,
    find_pace,
    is_overdue,
    tell_span,
)
from headwater.model.instant import MINUTE

_SHORTEST_LATE_RUN = 5 * MINUTE

FAILED = "FAILED"
# Somebody ended it on purpose, as a stream is ended.
STOPPED = "ABORTED"
RUNNING = "RUNNING"
_LONG_LIVED = ("STREAM", "SERVICE")


class JobState(StrEnum):
    """Worst first."""

    FAILED = "failed"
    SILENT = "silent"
    LATE = "late"
    STOPPED = "stopped"
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
    return verdict or _judge_stop(runs[0], now) or JobVerdict(JobState.OK, _tell(runs[0], now))


def _judge_end(newest: JobRun, now: int) -> JobVerdict | None:
    if newest.state != FAILED:
        return None
    return JobVerdict(JobState.FAILED, _tell(newest, now), newest.ended_at)


def _judge_stop(newest: JobRun, now: int) -> JobVerdict | None:
    """Neither wrong nor well: what reads its output may wait in vain."""
    if newest.state != STOPPED:
        return None
    return JobVerdict(JobState.STOPPED, _tell(newest, now), newest.ended_at)


def _judge_heartbeat(kind: str, newest: JobRun, now: int, silent_after: int) -> JobVerdict | None:
    is_heard_from = kind in _LONG_LIVED or newest.is_beating
    quiet = now - newest.heard_at
    if not is_heard_from or newest.state != RUNNING or quiet <= silent_after:
        return None
    reason = f"No events for {tell_span(quiet)}, though it should be running"
    return JobVerdict(JobState.SILENT, reason, newest.heard_at)


def _judge_start(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the next run should have started, by the pace of those before."""
    starts = [run.started_at for run in runs[:COMPARED]]
    every, last = find_pace(starts), max(starts)
    if every is None or runs[0].state == RUNNING or not is_overdue(last, every, now):
        return None
    expected = last + every
    overdue = f"It should have started {tell_span(now - expected)} ago"
    reason = f"{overdue}: it usually starts every {tell_span(every)}"
    return JobVerdict(JobState.LATE, reason, expected, expected, every)


def _judge_duration(runs: Sequence[JobRun], now: int) -> JobVerdict | None:
    """Late if the newest run goes on for much longer than those before."""
    newest, before = runs[0], runs[1:RUNS_NEEDED]
    spans = [max(0, run.ended_at - run.attempted_at) for run in before if run.ended_at is not None]
    if newest.state != RUNNING or len(spans) < ENOUGH:
        return None
    usual, so_far = int(median(spans)), now - newest.attempted_at
    if so_far <= 3 * usual or so_far < _SHORTEST_LATE_RUN:
        return None
    spent = f"{tell_span(so_far)} so far, usually {tell_span(usual)}"
    reason = f"It takes longer than usual: {spent}"
    expected = newest.attempted_at + usual
    return JobVerdict(JobState.LATE, reason, expected, expected, usual_duration=usual)


def _tell(run: JobRun, now: int) -> str:
    if run.state == RUNNING:
        return f"It has been running for {tell_span(now - run.attempted_at)}"
    if run.ended_at is None:
        return "Its newest run was announced and has not started"
    what = {"FAILED": "failed", "ABORTED": "was stopped"}.get(run.state, "completed")
    return f"Its newest run {what} {tell_span(now - run.ended_at)} ago"
