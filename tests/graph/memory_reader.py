"""The rows of a merge, read as a walk reads a store: written for plainness, not for speed.

What `headwater.store.lineage.graph_reader.StoreReader` answers from SQL must be what this answers.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal

from headwater.emit.spec import INFERRING_AUTHOR
from headwater.model.column_map import ColumnMap, read_column_map
from headwater.model.event import EventType
from headwater.model.facet_readers import read_stated_inputs
from headwater.model.gaps import Gaps, decode_gaps
from headwater.model.merge import Merged
from headwater.model.project.projection import NOBODY
from headwater.model.relations import (
    RELATIONS,
    Alias,
    Content,
    DatasetRow,
    Declaration,
    DeclaredDataset,
    Direction,
    EventRow,
    FacetRow,
    Hidden,
    JobDataset,
    JobRow,
    Lifecycle,
    ReportedGaps,
    RunDataset,
    RunRow,
    Slot,
    StreamJob,
    StreamRole,
)
from headwater.model.uses import (
    Evidence,
    Execution,
    GapReport,
    Mark,
    Name,
    RunAt,
    StatedInputs,
    Succession,
    Use,
    Uses,
)
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.model.values.stamp import time_of
from headwater.store.lineage.uses import RUNS_READ

_ENDS = {
    EventType.COMPLETE: "COMPLETED",
    EventType.FAIL: "FAILED",
    EventType.ABORT: "ABORTED",
}


class MemoryReader:
    """A `headwater.graph.reader.Reader` of rows in memory; it leaves nothing out."""

    def __init__(self, merged: Merged) -> None:
        def rows(relation: str) -> list[Any]:
            kind: Any = RELATIONS[relation]
            return [kind._make(row) for row in merged.sorted_rows(relation)]

        self._events: list[EventRow] = rows("event")
        self._contents: list[Content] = rows("content")
        self._datasets: list[DatasetRow] = rows("dataset")
        self._jobs: list[JobRow] = rows("job")
        self._runs: list[RunRow] = rows("run")
        self._run_datasets: list[RunDataset] = rows("run_dataset")
        self._job_datasets: list[JobDataset] = rows("job_dataset")
        self._declared: list[DeclaredDataset] = rows("declared_dataset")
        self._declarations: list[Declaration] = rows("declaration")
        self._facets: list[FacetRow] = rows("facet")
        self._aliases: list[Alias] = rows("alias")
        self._lifecycle: list[Lifecycle] = rows("lifecycle")
        self._hidden: list[Hidden] = rows("hidden")
        self._stream_jobs: list[StreamJob] = rows("stream_job")
        self._reported_gaps: list[ReportedGaps] = rows("reported_gaps")

    @property
    def hides(self) -> bool:
        return bool(self._hidden or self._stream_jobs)

    @property
    def has_gaps(self) -> bool:
        return bool(self._reported_gaps)

    def gap_reports(self, jobs: Iterable[bytes], at: int) -> list[GapReport]:
        requested = set(jobs)
        return [
            GapReport(*row[:3], _time(row.first_seen), _time(row.last_seen))
            for row in self._reported_gaps
            if row.job in requested and _time(row.first_seen) <= at
        ]

    def gap_lists(self, digests: Iterable[bytes]) -> dict[bytes, Gaps]:
        requested = set(digests) - {NO_CONTENT}
        return {
            content.digest: decode_gaps(content.body)
            for content in self._contents
            if content.digest in requested
        }

    def stated_inputs(self, outputs: Iterable[bytes]) -> list[StatedInputs]:
        requested = set(outputs)
        bodies = {content.digest: content.body for content in self._contents}
        return sorted(
            StatedInputs(row.author, row.owner, read_stated_inputs(bodies[row.digest]))
            for row in self._facets
            if row.owner in requested
            and (row.slot, row.name) == (Slot.DATASET, "lineage")
            and row.author != NOBODY
            and row.digest in bodies
        )

    def uses_of_jobs(self, jobs: Iterable[bytes], at: int) -> Uses:
        wanted = set(jobs)
        used = (Direction.INPUT, Direction.OUTPUT)
        return Uses([use for use in self._uses(at, used) if use.job in wanted], {})

    def uses_of_datasets(
        self, datasets: Iterable[bytes], directions: Iterable[Direction], at: int
    ) -> Uses:
        wanted = set(datasets)
        uses = self._uses(at, tuple(directions))
        return Uses([use for use in uses if use.dataset in wanted], {})

    def _uses(self, at: int, directions: Collection[Direction]) -> list[Use]:
        found = []
        for row in self._job_datasets:
            if _time(row.first_seen) <= at and row.direction in directions:
                reported_at = self._observed_at(row, at)
                found.append(Use(*row[:5], _time(row.first_seen), reported_at, Evidence.OBSERVED))
        for said in self._declared:
            if _time(said.first_said) <= at and said.direction in directions:
                reported_at = min(_time(said.last_said), at)
                newest = self._declared_at(said.author, said.job, at)
                is_inferred = said.author == INFERRING_AUTHOR
                word = Evidence.INFERRED if is_inferred else Evidence.DECLARED
                if reported_at < newest:
                    word = Evidence.TAKEN_BACK
                found.append(Use(*said[1:6], _time(said.first_said), reported_at, word))
        return found

    def _observed_at(self, use: JobDataset, at: int) -> int:
        """When a use was said last by a time: known, or as the runs of then know."""
        if _time(use.last_seen) <= at:
            return _time(use.last_seen)
        known = {
            row[3:5]
            for row in self._job_datasets
            if row[:3] == use[:3] and _time(row.first_seen) <= at
        }
        for most in (1, RUNS_READ):
            times: list[int] = []
            for run in self._runs_of(use.job, at)[:most]:
                times += self._said_times(run, use, at, known)
            if times:
                return max(times)
        return _time(use.first_seen)

    def _said_times(
        self, run: RunRow, use: JobDataset, at: int, known: set[tuple[Any, ...]]
    ) -> Iterator[int]:
        """When a run said a use, or something that nobody had said by then in its place."""
        for said in self._run_datasets:
            if said[:3] != (run.id, use.dataset, use.direction) or _time(said.first_seen) > at:
                continue
            word = (said.schema or UNREPORTED, said.columns or UNREPORTED)
            is_same = use.schema in (UNREPORTED, word[0]) and use.columns in (UNREPORTED, word[1])
            if is_same or word not in known:
                yield min(_time(said.last_seen), at)

    def _declared_at(self, author: bytes, job: bytes, at: int) -> int:
        times = [row.said_at for row in self._declarations if row[:2] == (author, job)]
        return max((time for time in times if time <= at), default=-(2**62))

    def _runs_of(self, job: bytes, at: int) -> list[RunRow]:
        """The runs of a job that had begun by a time, the newest first."""
        begun = [
            run
            for run in self._runs
            if run.job == job and run.first_event is not None and run.first_event <= at
        ]
        return sorted(begun, key=lambda run: (run.first_event, run.id), reverse=True)

    def executions(self, jobs: Iterable[bytes], at: int) -> dict[bytes, Execution]:
        found = {}
        for job in set(jobs):
            for run in self._runs_of(job, at):
                if run.first_datasets is None or run.first_datasets > at:
                    continue
                siblings = [
                    other
                    for other in self._runs_of(job, at)
                    if other == run or (run.parent_run and other.parent_run == run.parent_run)
                ]
                began = min(_time(sibling.first_event) for sibling in siblings)
                found[job] = Execution(
                    job, began, run.id, run.parent_run, self._emits_snapshots(job)
                )
                break
        return found

    def _emits_snapshots(self, job: bytes) -> bool:
        for facet in self._facets:
            if facet[:3] == (job, Slot.JOB, "jobType") and facet.digest != NO_CONTENT:
                job_type = json.loads(self._content(facet.digest))
                pattern = job_type.get("emissionPattern") or {}
                return bool(pattern.get("eventContentMode") == "COMPLETE_SNAPSHOT")
        return False

    def _content(self, digest: bytes | None) -> bytes:
        (body,) = (content.body for content in self._contents if content.digest == digest)
        return body

    def snapshot(self, execution: Execution, at: int) -> set[tuple[bytes, int]]:
        found = set()
        for run in self._runs_of(execution.job, at):
            if _time(run.last_event) < execution.began:
                continue
            named = [
                row
                for row in self._run_datasets
                if row.run == run.id and _time(row.first_seen) <= at
            ]
            newest = max((min(_time(row.last_seen), at) for row in named), default=0)
            found |= {
                (row.dataset, row.direction)
                for row in named
                if min(_time(row.last_seen), at) == newest and newest >= execution.began
            }
        return found

    def aliases(self, datasets: Iterable[bytes]) -> list[Alias]:
        wanted = set(datasets)
        return [alias for alias in self._aliases if wanted & {alias.dataset, alias.other}]

    def first_used(self, datasets: Iterable[bytes]) -> dict[bytes, int]:
        times = {
            dataset: [
                _time(row.first_seen)
                for row in self._job_datasets
                if row.dataset == dataset and row.direction != Direction.ITSELF
            ]
            for dataset in datasets
        }
        return {dataset: min(seen) for dataset, seen in times.items() if seen}

    def successions(self, datasets: Iterable[bytes], at: int) -> list[Succession]:
        wanted = set(datasets)
        return sorted(
            {
                Succession(mark.previous, mark.dataset, mark.at)
                for mark in self._lifecycle
                if mark.change == "RENAME"
                and mark.previous != NO_CONTENT
                and mark.at <= at
                and wanted & {mark.previous, mark.dataset}
            }
        )

    def deletions(self, ids: Iterable[bytes], at: int) -> dict[bytes, tuple[int, bool]]:
        found = {}
        for id in set(ids):
            words = [(row.at, -row.is_deleted) for row in self._hidden if row.entity == id]
            newest = max((word for word in words if word[0] <= at), default=None)
            if newest is not None:
                found[id] = (newest[0], newest[1] == -1)
        return found

    def parts_of_streams(self, ids: Iterable[bytes]) -> set[bytes]:
        heard = {job.id for job in self._jobs if job.first_seen is not None}
        told = {
            row.application
            for row in self._stream_jobs
            if row.role == StreamRole.WHOLE and row.job in heard
        }
        return {
            row.job
            for row in self._stream_jobs
            if row.role == StreamRole.PART and row.application in told and row.job in heard
        } & set(ids)

    def is_seen(self, id: bytes, since: int, at: int) -> bool:
        times = [
            *(job.last_seen for job in self._jobs if job.id == id),
            *(time for row in self._job_datasets if row.dataset == id for time in row[5:7]),
            *(time for row in self._declared if row.dataset == id for time in row[6:8]),
        ]
        if any(time is not None and since < time <= at for time in times):
            return True
        jobs = {row.job for row in self._job_datasets if row.dataset == id}
        return any(
            run.job == id and _meets(run.first_event, run.last_event, since, at)
            for run in self._runs
        ) or any(
            run.job in jobs
            and said.run == run.id
            and said.dataset == id
            and _meets(said.first_seen, said.last_seen, since, at)
            for run in self._runs
            for said in self._run_datasets
        )

    def next_execution(self, execution: Execution, after: int) -> int | None:
        times = [
            _time(run.first_event)
            for run in self._runs_of(execution.job, 2**62)
            if _time(run.first_event) > after
            and run.first_datasets is not None
            and (execution.parent_run is None or run.parent_run != execution.parent_run)
        ]
        return min(times, default=None)

    def execution_maps(self, execution: Execution, dataset: bytes, at: int) -> set[bytes]:
        runs = {
            run.id
            for run in self._runs_of(execution.job, at)
            if run.parent_run == execution.parent_run
        }
        return {
            row.columns
            for row in self._run_datasets
            if row.run in runs
            and row.dataset == dataset
            and row.direction == Direction.OUTPUT
            and _time(row.first_seen) <= at
            and row.columns is not None
        }

    def dataset_names(self, datasets: Iterable[bytes]) -> dict[bytes, Name]:
        wanted = set(datasets)
        return {row.id: Name(row.namespace, row.name) for row in self._datasets if row.id in wanted}

    def job_names(self, jobs: Iterable[bytes]) -> dict[bytes, Name]:
        wanted = set(jobs)
        return {row.id: Name(row.namespace, row.name) for row in self._jobs if row.id in wanted}

    def parents(self, jobs: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = set(jobs)
        return {row.id: row.parent for row in self._jobs if row.id in wanted and row.parent}

    def unseen_jobs(self, jobs: Iterable[bytes], at: int) -> set[bytes]:
        wanted = set(jobs)
        return {
            row.id
            for row in self._jobs
            if row.id in wanted and (row.first_seen is None or row.first_seen > at)
        }

    def newest_runs(self, jobs: Iterable[bytes], at: int) -> dict[bytes, RunAt]:
        newest = {job: runs[0] for job in set(jobs) if (runs := self._runs_of(job, at))}
        return {job: _run_at(run, at) for job, run in newest.items()}

    def first_run(
        self, job: bytes, after: int, at: int, code: bytes | None = None, sql: bytes | None = None
    ) -> RunAt | None:
        found = [
            run
            for run in self._runs_of(job, at)
            if _time(run.first_event) > after
            and code in (None, run.code)
            and sql in (None, run.sql)
        ]
        if not found:
            return None
        return _run_at(found[-1], at)

    def last_stated(self, job: bytes, at: int, aspect: Literal["code", "sql"]) -> bytes | None:
        stated: list[bytes | None] = [getattr(run, aspect) for run in self._runs_of(job, at)]
        return next((digest for digest in stated if digest is not None), None)

    def runs_at(self, at: int) -> list[tuple[bytes, bytes]]:
        return [
            (event.job, event.run)
            for event in self._events
            if event.at == at and event.job is not None and event.run is not None
        ]

    def lifecycles(self, datasets: Iterable[bytes], at: int) -> dict[bytes, Mark]:
        marks = {
            dataset: [
                (mark.at, mark.change)
                for mark in self._lifecycle
                if mark.dataset == dataset and mark.at <= at
            ]
            for dataset in datasets
        }
        return {
            dataset: Mark(max(its_marks)[1], max(its_marks)[0])
            for dataset, its_marks in marks.items()
            if its_marks
        }

    def column_types(self, digests: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        return {
            digest: dict(_column_types(json.loads(body), ""))
            for digest, body in self._contents_of(digests).items()
        }

    def column_maps(self, digests: Iterable[bytes]) -> dict[bytes, ColumnMap]:
        return {
            digest: read_column_map(body) for digest, body in self._contents_of(digests).items()
        }

    def _contents_of(self, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = set(digests)
        return {row.digest: row.body for row in self._contents if row.digest in wanted}


def _column_types(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for field in schema.get("fields") or ():
        yield prefix + field["name"], field.get("type") or ""
        yield from _column_types(field, f"{prefix}{field['name']}.")


def _run_at(run: RunRow, at: int) -> RunAt:
    state, began = _state(run, at), _time(run.first_event)
    since = time_of(_time(run.terminal_at)) if state in _ENDS.values() else began
    return RunAt(run.id, began, state, since, run.code, run.sql)


def _state(run: RunRow, at: int) -> str:
    """The last end, unless a START is later; by what the row still knows of before a time."""
    ended_at = None if run.terminal_at is None else time_of(run.terminal_at)
    if ended_at is not None and ended_at <= at:
        restarted_at = run.last_start
        if restarted_at is None or restarted_at <= ended_at or restarted_at > at:
            assert run.terminal is not None
            return _ENDS[EventType(run.terminal)]
    started = [run.first_start, run.first_running]
    return "RUNNING" if any(time is not None and time <= at for time in started) else "NEW"


def _meets(first: int | None, last: int | None, since: int, at: int) -> bool:
    return first is not None and last is not None and first <= at and last > since


def _time(stated: int | None) -> int:
    """A time that every row of an event has."""
    assert stated is not None
    return stated
