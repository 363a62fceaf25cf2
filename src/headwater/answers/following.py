"""Following the store: what is judged and counted over all jobs and datasets is kept up to date.

The health of everything, and counts over everything, cost seconds to work out in a large store.
They are worked out once, in the background, and from then on only for what was touched by what
arrived, and for what time alone may have changed. A look takes in the little that came since the
last pass: it is exact while the store is quiet; beside a load it answers as of the last pass.
"""

import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from time import thread_time
from typing import TypeVar

from headwater.answers.health import job_runs, judge_datasets, judge_jobs
from headwater.answers.overview import JobEntry, Overview
from headwater.answers.shared import SharedAnswers
from headwater.graph.health.datasets import DatasetState, next_dataset_change
from headwater.graph.health.jobs import JobState, next_job_change
from headwater.model.run_states import RUNNING
from headwater.model.values.instant import now as read_clock
from headwater.store import tables
from headwater.store.engine import Connection, Engine
from headwater.store.stats.arrivals import ArrivalPosition, read_place, read_touched
from headwater.store.stats.followed import (
    DatasetTimes,
    all_ids,
    read_job_times,
    read_uses_of_datasets,
    read_uses_of_jobs,
)
from headwater.store.stats.health import Judging
from headwater.store.stats.touched import Touched

# Events, and things that are due, which a look takes in by itself.
FEW = 50
# More than this since the last pass: as cheap to begin anew.
_MANY = 50_000
_AT_ONCE = 500
# Where nothing tells what came, a small store is better worked out at each look. Seconds of this
# thread's CPU: what else the machine does must not make a small store look large.
QUICK_SECONDS = 0.25

T = TypeVar("T")


class Following:
    """A overview, and the place in the store up to which it is so."""

    def __init__(
        self, engine: Engine, silent_after: int, clock: Callable[[], int] = read_clock
    ) -> None:
        self.silent_after = silent_after
        self.as_of = 0
        self._engine = engine
        self._clock = clock
        self._overview: Overview | None = None
        self._place: ArrivalPosition | None = None
        self._build_seconds = 0.0
        self._shared = SharedAnswers()
        self._lock = threading.Lock()

    def refresh(self, check: Callable[[], None] = lambda: None) -> None:
        """Take in all that came: a pass in the background. What `check` raises ends it."""
        try:
            with self._engine.connect() as connection:
                self._refresh(connection, check)
        except BaseException:
            self._forget()
            raise

    def _refresh(self, connection: Connection, check: Callable[[], None]) -> None:
        started, time, place = thread_time(), self._clock(), read_place(connection)
        overview, touched = self._overview, None
        if self._place and self._place.precedes(place):
            touched = read_touched(connection, self._place, _MANY)
        if overview is None or touched is None:
            overview = _build(connection, time, self.silent_after, check)
            self._build_seconds = thread_time() - started
        else:
            with self._lock:
                due = overview.take_due(time, _MANY)
            work = _Work(connection, overview, time, self.silent_after, self._lock, check)
            work.take_in(touched, due)
        with self._lock:
            # Not further than this pass has read, though a look may have been.
            self._overview, self._place, self.as_of = overview, place, time

    def look(self, connection: Connection, read: Callable[[Overview], T]) -> T | None:
        """Read off the overview, with what came since if that is little.

        None if it is not worked out yet, or cannot be followed and is worked out as quickly anew.
        """
        with self._lock:
            if self._overview is None:
                return None
            place = read_place(connection)
            if self._place is None or not self._place.is_same_store(place):
                return None
            if place.position is None:
                return None if self._build_seconds < QUICK_SECONDS else read(self._overview)
            try:
                self._take_in_few(connection, self._overview, self._place, place)
            except BaseException:
                self._overview = None
                raise
            return read(self._overview)

    def share(
        self,
        connection: Connection,
        key: Hashable,
        work_out: Callable[[], bytes],
        is_over: Callable[[], bool],
    ) -> bytes:
        """An answer that is the same for all who ask while nothing arrives."""
        place = read_place(connection)
        if place.position is None:
            return work_out()
        return self._shared.get((place, key), work_out, is_over)

    def _take_in_few(
        self,
        connection: Connection,
        overview: Overview,
        since: ArrivalPosition,
        place: ArrivalPosition,
    ) -> None:
        time, touched = self._clock(), Touched(set(), set())
        if since != place:
            found = read_touched(connection, since, FEW)
            if found is None:
                return
            touched, self._place = found, place
        due = overview.take_due(time, FEW)
        _Work(connection, overview, time, self.silent_after).take_in(touched, due)
        self.as_of = time

    def _forget(self) -> None:
        """What was interrupted may be half done: the next pass begins anew."""
        with self._lock:
            self._overview = self._place = None


def _build(
    connection: Connection, time: int, silent_after: int, check: Callable[[], None]
) -> Overview:
    overview = Overview(JobState, DatasetState)
    work = _Work(connection, overview, time, silent_after, check=check)
    for ids in all_ids(connection, tables.job):
        work.judge_jobs(ids)
    for ids in all_ids(connection, tables.dataset):
        work.judge_datasets(work.see(read_uses_of_datasets(connection, ids)))
    overview.jobs.sort()
    overview.datasets.sort()
    return overview


class _Work:
    """One pass; what it finds is put into the overview some at once."""

    def __init__(
        self,
        connection: Connection,
        overview: Overview,
        time: int,
        silent_after: int,
        lock: AbstractContextManager[object] | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._connection = connection
        self._overview = overview
        self._time = time
        self._silent_after = silent_after
        self._lock = lock or nullcontext()
        self._check = check

    def take_in(self, touched: Touched, due: set[bytes]) -> None:
        jobs = sorted(touched.jobs | due)
        written = self.see(read_uses_of_jobs(self._connection, touched.jobs))
        written |= self.see(read_uses_of_datasets(self._connection, touched.datasets))
        self.judge_jobs(jobs)
        self.judge_datasets(written | touched.datasets | due)

    def see(self, uses: Iterable[DatasetTimes]) -> set[bytes]:
        """Note when datasets were seen; gives those that are written."""
        written = set()
        with self._lock:
            for use in uses:
                self._overview.see_dataset(use.id, use.first_seen)
                self._overview.see(use.id, use.last_seen)
                self._overview.see_namespace(use.namespace, use.first_seen, use.last_seen)
                if use.is_written:
                    written.add(use.id)
        return written

    def judge_jobs(self, ids: Iterable[bytes]) -> None:
        left = iter(ids)
        while some := list(islice(left, _AT_ONCE)):
            self._check()
            of = Judging(ids=some)
            judged = judge_jobs(self._connection, of, self._time, self._silent_after)
            changes = {
                past.id: next_job_change(past.type, job_runs(past), self._time, self._silent_after)
                for past, _ in judged
            }
            times = read_job_times(self._connection, some)
            with self._lock:
                overview = self._overview
                for seen in times:
                    overview.see_namespace(seen.namespace, seen.first_seen, seen.last_seen)
                    overview.see(seen.id, seen.last_seen)
                for id in set(some).difference(changes):
                    overview.jobs.drop(id)
                    overview.drop_job(id)
                for past, verdict in judged:
                    overview.jobs.put(past.id, verdict.state, past.namespace, past.name)
                    is_running = bool(past.runs) and past.runs[0].state == RUNNING
                    job = JobEntry(past.system, is_running, past.first_seen or 0)
                    overview.put_job(past.id, job)
                    overview.judge_again(past.id, changes[past.id])

    def judge_datasets(self, ids: Iterable[bytes]) -> None:
        left = iter(sorted(ids))
        while some := list(islice(left, _AT_ONCE)):
            self._check()
            judged = judge_datasets(self._connection, Judging(ids=some), self._time)
            with self._lock:
                overview = self._overview
                for id in set(some).difference(past.id for past, _ in judged):
                    overview.datasets.drop(id)
                for past, verdict in judged:
                    overview.datasets.put(past.id, verdict.state, past.namespace, past.name)
                    is_streamed = verdict.volume.unit == "hour" or any(
                        write.state == RUNNING for write in past.writes
                    )
                    again = next_dataset_change(verdict, is_streamed, self._time)
                    overview.judge_again(past.id, again)
