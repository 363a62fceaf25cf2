"""The cause of a change between two views: a run, a declaration or an edit."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.graph.answer import Graph
from headwater.graph.view import View
from headwater.model.relations import Direction
from headwater.model.uses import Evidence, Mark, Use


class ChangeCause(NamedTuple):
    """The run that caused a change, or no run: then a declaration or an edit."""

    job: bytes | None
    run: bytes | None
    at: int | None
    is_edit: bool = False


UNKNOWN = ChangeCause(None, None, None)
# Users of a dataset that are requested their first run since.
_JOBS_READ = 8


class Sides(NamedTuple):
    """The two views and what a walk found in each."""

    old: View
    new: View
    old_graph: Graph
    new_graph: Graph

    @property
    def jobs(self) -> list[bytes]:
        return sorted(self.old_graph.jobs.keys() | self.new_graph.jobs.keys())

    @property
    def datasets(self) -> list[bytes]:
        return sorted(self.old_graph.datasets.keys() | self.new_graph.datasets.keys())


class Causes:
    """Finds the runs behind changes."""

    def __init__(self, sides: Sides) -> None:
        self._old = sides.old
        self._new = sides.new
        self._runs: dict[tuple[bytes, int], ChangeCause] = {}

    def by(self, job: bytes, at: int) -> ChangeCause:
        """The run of a job that an event of that time is of; else the one that was the newest."""
        known = self._runs.get((job, at))
        if known is None:
            run = next((run for its, run in self._new.reader.runs_at(at) if its == job), None)
            if run is None:
                newest = self._new.reader.newest_runs([job], at).get(job)
                run = newest.run if newest else None
            known = self._runs[job, at] = ChangeCause(job, run, at)
        return known

    def of_use(self, uses: Iterable[Use]) -> ChangeCause:
        """Who first reported the current state; if that was before, who reported it again."""
        since = self._old.at
        ordered = sorted(uses, key=lambda use: (use.first_seen, use.job))
        if not ordered:
            return UNKNOWN
        first = ordered[0]
        if first.word != Evidence.OBSERVED:
            return ChangeCause(first.job if any(first.job) else None, None, first.first_seen)
        if first.first_seen > since:
            return self.by(first.job, first.first_seen)
        return self._first_run(dict.fromkeys(use.job for use in ordered if any(use.job)))

    def _first_run(self, jobs: Iterable[bytes]) -> ChangeCause:
        """The first run since of any of some jobs."""
        find = self._new.reader.first_run
        found = [
            (run.began, run.run, job)
            for job in list(jobs)[:_JOBS_READ]
            if (run := find(job, self._old.at, self._new.at)) is not None
        ]
        if not found:
            return UNKNOWN
        began, first, job = min(found)
        return ChangeCause(job, first, began)

    def of_edit(self, nodes: Iterable[bytes]) -> ChangeCause | None:
        """When a user deleted or restored any of some nodes, if that was between the times."""
        names = [name for node in nodes for name in self._new.classes.names(node)]
        deletions = self._new.reader.deletions(names, self._new.at)
        times = [at for at, _ in deletions.values() if at > self._old.at]
        return ChangeCause(None, None, max(times), is_edit=True) if times else None

    def of_job(self, job: bytes) -> ChangeCause:
        """The first run of a job since, or who first declared what it uses."""
        run = self._new.reader.first_run(job, self._old.at, self._new.at)
        return ChangeCause(job, run.run, run.began) if run else self.of_use(self._new.uses(job))

    def of_mark(self, dataset: bytes, mark: Mark) -> ChangeCause:
        """The run of a writer that marked its output."""
        jobs = {
            use.job
            for use in self._new.users(dataset)
            if use.direction == Direction.OUTPUT and use.first_seen <= mark.at <= use.reported_at
        }
        for job, run in sorted(self._new.reader.runs_at(mark.at)):
            if job in jobs:
                return ChangeCause(job, run, mark.at)
        return self.by(min(jobs), mark.at) if jobs else ChangeCause(None, None, mark.at)

    def of_succession(self, dataset: bytes) -> ChangeCause:
        """Who renamed what a dataset was before."""
        self._new.load_users([dataset], Direction)
        marks = self._new.reader.lifecycles(self._new.classes.names(dataset), self._new.at)
        found = [self.of_mark(dataset, mark) for mark in marks.values() if mark.change == "RENAME"]
        return found[0] if found else UNKNOWN

    def of_execution(self, job: bytes) -> ChangeCause:
        """The execution of a job that is the newest now."""
        execution = self._new.execution(job)
        if execution is None or execution.began <= self._old.at:
            return UNKNOWN
        return self.by(job, execution.began)
