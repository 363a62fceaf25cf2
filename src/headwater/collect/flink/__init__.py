"""`collect flink`: the jobs of a Flink cluster, by the JobManager's REST API."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.flink.fetch import FlinkApi, JobReport, JobSummary
from headwater.collect.flink.job import JobsOfPass
from headwater.collect.flink.lifecycle import GONE, is_over
from headwater.collect.flink.lookup import DefinitionLookup
from headwater.collect.flink.scripts import SqlScripts
from headwater.collect.flink.settings import FlinkSettings
from headwater.collect.flink.state import KnownJob, ReportedJobs
from headwater.collect.flink.translate import TranslatedFlinkJob, translate, translate_gone
from headwater.collect.rest_check import check_api
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.errors import SourceUnavailable
from headwater.model.values.instant import DAY, now
from headwater.plugins import CheckStep

__all__ = ["FlinkCollector", "FlinkSettings"]

# A job that a cluster knows no longer may come back; after so long it is not waited for.
_REMEMBERED = 7 * DAY


class FlinkCollector:
    """Reports jobs with what they read and write, how much of it, and how they end.

    Datasets and columns come from the jobs' SQL (--sql). Without it they are guessed from the names
    of operators, which is reported as a gap. A job that Flink's OpenLineage listener reports as
    well is one job with one run.
    """

    settings_class: ClassVar[type[Section]] = FlinkSettings

    def __init__(self, settings: FlinkSettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedJobs(settings.state, destination, settings.url)
        self._scripts = SqlScripts(settings.sql)
        self._lookup = DefinitionLookup(settings)
        self.skipped = 0

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[FlinkApi], str]] = {
            "cluster": lambda api: f"Flink {api.read_version()} at {self._settings.url}",
            "jobs": lambda api: f"{len(api.read_jobs()):,} jobs",
            "sql": lambda api: f"SQL of {len(self._scripts.read()):,} jobs",
        }
        if self._settings.gateway:
            parts["gateway"] = lambda api: self._lookup.check()
        advice = "is --url that of a JobManager?"
        return check_api(
            self._settings, lambda: FlinkApi(self._settings), parts, self._state, advice
        )

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        api = FlinkApi(self._settings)
        try:
            yield from self._collect(api)
        finally:
            api.close()
            self._lookup.close()

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes: dict[str, KnownJob | None] = {}
        for each in delivered:
            # The last event of a job has what is known once all of them are delivered.
            if each.position is not None:
                job, known = each.position
                changes[job] = known
        if changes:
            self._state.note(changes)

    def _collect(self, api: FlinkApi) -> Iterator[Collected]:
        # Before anything is read: what happens meanwhile is newer.
        at = now()
        jobs = self._open_pass(api)
        failure: SourceUnavailable | None = None
        changed = [each for each in jobs.jobs if _may_have_changed(each, jobs.known.get(each.id))]
        self.skipped += len(jobs.jobs) - len(changed)
        for summary, report in api.add_details(changed):
            if report is None:
                continue
            found = self._translate(jobs, report, at)
            if isinstance(found, SourceUnavailable):
                failure = found
                continue
            self.skipped += not found.events
            yield from _collected(summary.id, summary.name, found)
        self._lookup.keep(each.id for each in jobs.jobs)
        yield from self._end_unknown(jobs, at)
        if failure is not None:
            raise failure

    def _translate(
        self, jobs: JobsOfPass, report: JobReport | SourceUnavailable, at: int
    ) -> TranslatedFlinkJob | SourceUnavailable:
        """The events of a job; one that cannot be read does not keep others from it."""
        if isinstance(report, SourceUnavailable):
            return report
        summary = report.summary
        try:
            defined = self._lookup.find(report, jobs.sql.get(summary.name, ()))
        except SourceUnavailable as error:
            return error
        return translate(jobs, report, jobs.known.get(summary.id), at, defined)

    def _end_unknown(self, jobs: JobsOfPass, at: int) -> Iterator[Collected]:
        """The ends of jobs that were reported, and that the cluster knows no longer."""
        forgotten: dict[str, KnownJob | None] = {}
        for job in sorted(set(jobs.known) - {each.id for each in jobs.jobs}):
            before = jobs.known[job]
            if before.state == GONE:
                found = TranslatedFlinkJob(
                    [], before if at - before.reported_at < _REMEMBERED else None
                )
            else:
                found = translate_gone(jobs, job, before, at)
            yield from _collected(job, before.name, found)
            if found.known is None:
                forgotten[job] = None
        if forgotten:
            self._state.note(forgotten)

    def _open_pass(self, api: FlinkApi) -> JobsOfPass:
        cluster = api.read_cluster()
        settings = self._settings
        return JobsOfPass(
            settings.url,
            cluster,
            settings.namespace or cluster.listener_namespace or settings.cluster_namespace,
            int(parse_duration(settings.heartbeat).total_seconds()),
            self._scripts.read(),
            api.read_jobs(),
            dict(self._state.jobs),
        )


def _may_have_changed(job: JobSummary, before: KnownJob | None) -> bool:
    """Not a job that has ended, and was reported so."""
    return before is None or not (is_over(job.state) and before.state == job.state)


def _collected(job: str, name: str, found: TranslatedFlinkJob) -> Iterator[Collected]:
    last = len(found.events) - 1
    for number, event in enumerate(found.events):
        position = (job, found.known) if number == last else None
        yield Collected(_encode(event), name, position=position)


def _encode(event: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(event)
