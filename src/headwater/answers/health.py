"""Jobs and datasets judged against their own past: what is wrong, worst first."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from headwater.graph.health.datasets import (
    DAYS_COMPARED,
    HOURS_NEEDED,
    DatasetVerdict,
    VolumeCounts,
    Write,
    find_stream,
    is_to_compare,
    judge_dataset,
    last_ended,
    written_in_same_hours,
)
from headwater.graph.health.jobs import JobRun, JobState, JobVerdict, judge_job
from headwater.graph.health.pace import HOUR, RUNS_NEEDED
from headwater.model.relations import Slot
from headwater.model.systems import system_of_dataset
from headwater.model.values.ids import run_name
from headwater.model.values.instant import SECOND, format_instant
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.read.owners import read_owners
from headwater.store.stats import health as store
from headwater.store.stats.health import DatasetPast, JobPast, Judging, PastRun
from headwater.store.stats.same_hours import read_same_hours

Shape = dict[str, Any]


class JudgedJob(NamedTuple):
    past: JobPast
    verdict: JobVerdict


class JudgedDataset(NamedTuple):
    past: DatasetPast
    verdict: DatasetVerdict


Judged = TypeVar("Judged", JudgedJob, JudgedDataset)


def judge_jobs(
    connection: Connection, of: Judging, time: int, silent_after: int
) -> list[JudgedJob]:
    pasts = store.read_jobs(connection, of, RUNS_NEEDED)
    ended = [past.runs[0].key for past in pasts if past.runs and past.runs[0].ended_at is not None]
    deleted = store.read_deleted(connection, ended)
    judged = []
    for past in pasts:
        is_deleted = bool(past.runs) and past.runs[0].key in deleted
        verdict = judge_job(past.type, job_runs(past), time, silent_after, is_deleted)
        judged.append(JudgedJob(past, verdict))
    return judged


def job_runs(past: JobPast) -> list[JobRun]:
    return [JobRun(*run[2:]) for run in past.runs]


def judge_datasets(connection: Connection, of: Judging, time: int) -> list[JudgedDataset]:
    pasts = [
        (past, [Write(*write) for write in past.writes])
        for past in store.read_datasets(connection, of, RUNS_NEEDED)
    ]
    streams = {past.id: find_stream(writes) for past, writes in pasts}
    since = time // HOUR - HOURS_NEEDED
    hours = store.read_hours(connection, filter(None, streams.values()), since)
    judged = []
    for past, writes in pasts:
        counts = _counts(hours.get((streams[past.id] or b"", past.id), {}))
        verdict = judge_dataset(writes, past.last_seen, counts, time)
        if is_to_compare(verdict.volume):
            same = _same_hours(connection, past.id, writes, verdict.volume.unit, time)
            verdict = judge_dataset(writes, past.last_seen, counts, time, same)
        judged.append(JudgedDataset(past, verdict))
    return judged


def _same_hours(
    connection: Connection, dataset: bytes, writes: list[Write], unit: str, time: int
) -> dict[int, VolumeCounts]:
    """What was written at the same time of the days before; read of few, for it is many rows."""
    if unit == "run":
        last = last_ended(writes)
        if last is None:
            return {}
        found = read_same_hours(connection, last.run, dataset, DAYS_COMPARED)
        return {day: VolumeCounts(*counters) for day, counters in found.items()}
    stream = find_stream(writes)
    jobs = {write.job for write in writes if write.run == stream}
    runs = [write.run for write in writes if write.job in jobs]
    since = time // HOUR - 24 * DAYS_COMPARED - 2
    closings = store.read_hours(connection, runs, since)
    return written_in_same_hours(
        (_counts(closing) for (_, of), closing in closings.items() if of == dataset), time
    )


def _counts(closing: store.Hours) -> dict[int, VolumeCounts]:
    return {hour: VolumeCounts(*counters) for hour, counters in closing.items()}


def select_judged(
    judged: Sequence[Judged], states: type[StrEnum], requested: set[str], page: Page
) -> tuple[list[Judged], Shape]:
    """The page of those in a requested state, worst first, then by name; and how many there are."""
    counts: Counter[str] = Counter(one.verdict.state for one in judged)
    ranks = {state: rank for rank, state in enumerate(states)}
    chosen = [one for one in judged if one.verdict.state in requested]
    chosen.sort(key=lambda one: (ranks[one.verdict.state], one.past.namespace, one.past.name))
    shown = chosen[page.offset : page.offset + page.limit]
    totals = {"counts": {state: counts[state] for state in states}, "totalCount": len(chosen)}
    return shown, totals


def arrange_judged(
    judged: Sequence[Judged], order: Sequence[bytes], requested: set[str]
) -> list[Judged]:
    """In an order; what has changed since and no longer matches is left out."""
    found = {one.past.id: one for one in judged if one.verdict.state in requested}
    return [found[id] for id in order if id in found]


def job_shapes(connection: Connection, jobs: list[JudgedJob], time: int) -> list[Shape]:
    owners = read_owners(connection, [past.id for past, _ in jobs], Slot.JOB)
    failed = [past.runs[0].key for past, verdict in jobs if verdict.state is JobState.FAILED]
    messages = store.read_error_messages(connection, failed)
    return [
        _job_shape(past, verdict, messages.get(past.runs[0].key) if past.runs else None, time)
        | {"system": past.system, "owners": owners.get(past.id, [])}
        for past, verdict in jobs
    ]


def _job_shape(past: JobPast, verdict: JobVerdict, message: str | None, time: int) -> Shape:
    newest = past.runs[0] if past.runs else None
    is_silent = verdict.state is JobState.SILENT
    return {
        "namespace": past.namespace,
        "name": past.name,
        "id": f"job:{past.namespace}:{past.name}",
        "type": past.type,
        "state": verdict.state,
        "reason": f"{verdict.reason}: {message}" if message else verdict.reason,
        "since": _instant(verdict.since),
        "errorMessage": message,
        "lastHeardAt": _instant(newest.last_event_at) if newest else None,
        "silentForSeconds": _seconds(time - newest.last_event_at) if newest and is_silent else None,
        "expectedAt": _instant(verdict.expected_at),
        "everySeconds": _seconds(verdict.every),
        "usualSeconds": _seconds(verdict.usual_duration),
        "latestRun": _run_shape(newest) if newest else None,
    }


def _run_shape(run: PastRun) -> Shape:
    return {
        "id": run_name(run.key, run.name),
        "state": run.state,
        "startedAt": _instant(run.started_at),
        "endedAt": _instant(run.ended_at),
    }


def dataset_shapes(connection: Connection, datasets: list[JudgedDataset]) -> list[Shape]:
    owners = read_owners(connection, [past.id for past, _ in datasets], Slot.DATASET)
    return [
        _dataset_shape(each)
        | {
            "system": system_of_dataset(each.past.namespace),
            "owners": owners.get(each.past.id, []),
        }
        for each in datasets
    ]


def _dataset_shape(dataset: JudgedDataset) -> Shape:
    past, (state, reason, since, freshness, volume) = dataset
    return {
        "namespace": past.namespace,
        "name": past.name,
        "id": f"dataset:{past.namespace}:{past.name}",
        "state": state,
        "reason": reason,
        "since": _instant(since),
        "lastWrittenAt": _instant(freshness.written_at),
        "freshness": {
            "state": freshness.state,
            "everySeconds": _seconds(freshness.every),
            "expectedAt": _instant(freshness.expected_at),
        },
        "volume": {
            "state": volume.state,
            "per": volume.unit,
            "rows": volume.last.rows,
            "usualRows": volume.usual.rows,
            "bytes": volume.last.bytes,
            "usualBytes": volume.usual.bytes,
        },
    }


def _instant(time: int | None) -> str | None:
    return None if time is None else format_instant(time)


def _seconds(span: int | None) -> int | None:
    return None if span is None else span // SECOND
