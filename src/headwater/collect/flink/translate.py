"""What a Flink job did since it was last reported, as events; no I/O."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from headwater.collect.flink.counters import advance
from headwater.collect.flink.definitions import DefinedTables
from headwater.collect.flink.fetch import JobReport, JobSummary
from headwater.collect.flink.job import JobsOfPass, ObservedJob, gone_event
from headwater.collect.flink.lifecycle import (
    GONE,
    NOT_RUNNING_YET,
    JobStep,
    change_of,
    end_of,
    is_over,
)
from headwater.collect.flink.state import Counter, KnownJob
from headwater.model.project.flink_runs import is_unique_job_id

Json = dict[str, Any]


class TranslatedFlinkJob(NamedTuple):
    """The events of a job, and what is known of it once they are delivered; None: nothing."""

    events: list[Json]
    known: KnownJob | None


def translate(
    jobs: JobsOfPass,
    report: JobReport,
    before: KnownJob | None,
    at: int,
    defined: DefinedTables | None = None,
) -> TranslatedFlinkJob:
    """What has changed of a job, at a time in microseconds since 1970."""
    job = ObservedJob(jobs, report, defined)
    summary = report.summary
    if before is not None and _is_another(summary, before):
        ended = translate_gone(jobs, summary.id, before, at).events
        began = translate(jobs, report, None, at + len(ended), defined)
        return TranslatedFlinkJob([*ended, *began.events], began.known)
    counters = advance(report, before.counters if before is not None else {})
    events: list[Json] = []
    time = before.reported_at if before is not None else 0
    if before is None:
        time = min(max(summary.started_at, 0) * 1_000, at)
        events.append(job.event(JobStep.STARTED, counters, time))
    step = _find_step(jobs, summary.state, job.described, before, counters, at)
    if step is not None:
        end = summary.ended_at * 1_000 if is_over(summary.state) and summary.ended_at > 0 else at
        # Each later than the one before, whatever the clocks say.
        time = max(min(end, at), time + 1)
        events.append(job.event(step, counters, time))
    if not events:
        return TranslatedFlinkJob([], before)
    known = KnownJob(
        jobs.namespace,
        summary.name,
        summary.state,
        summary.started_at,
        time,
        at,
        counters,
        job.described,
    )
    return TranslatedFlinkJob(events, known)


def translate_gone(jobs: JobsOfPass, job: str, before: KnownJob, at: int) -> TranslatedFlinkJob:
    """A job that its cluster no longer knows: that it has ended was reported, or is now."""
    if is_over(before.state):
        return TranslatedFlinkJob([], None)
    time = max(at, before.reported_at + 1)
    # It may come back: a JobManager that begins anew takes its jobs up one by one.
    known = msgspec.structs.replace(before, state=GONE, reported_at=time, sent_at=at, described="")
    return TranslatedFlinkJob([gone_event(jobs, job, before, time)], known)


def _is_another(summary: JobSummary, before: KnownJob) -> bool:
    """Whether a job has only the id of the one before, as those of an application cluster have."""
    return not is_unique_job_id(summary.id) and summary.started_at != before.started_at


def _find_step(
    jobs: JobsOfPass,
    state: str,
    described: str,
    before: KnownJob | None,
    counters: Mapping[str, Counter],
    at: int,
) -> JobStep | None:
    """What is to be reported of a job, whose START is."""
    if before is not None and before.state == state and is_over(state):
        return None
    if (end := end_of(state)) is not None:
        return end
    if before is None:
        return None if state in NOT_RUNNING_YET else JobStep.COUNTED
    if (change := change_of(before.state, state)) is not None:
        return change
    if described != before.described:
        return JobStep.DESCRIBED
    if counters != before.counters:
        return JobStep.COUNTED
    is_due = at - before.sent_at >= jobs.heartbeat_seconds * 1_000_000
    return JobStep.HEARTBEAT if is_due else None
