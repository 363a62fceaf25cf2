"""One Flink job as its cluster describes it, and the events that report it."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from headwater.collect.flink.counters import counts_of
from headwater.collect.flink.datasets import describe_datasets, with_counts
from headwater.collect.flink.definitions import DefinedTables
from headwater.collect.flink.fetch import FlinkCluster, JobReport, JobSummary
from headwater.collect.flink.lifecycle import JobStep
from headwater.collect.flink.operators import objects
from headwater.collect.flink.scripts import JobSql
from headwater.collect.flink.state import Counter, KnownJob
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry, gaps_facets
from headwater.model.connect.connector_secrets import without_secrets
from headwater.model.project.flink_runs import flink_run_id

Json = dict[str, Any]

PRODUCER = Producer.of_part("collect/flink")
FACET = "flink_rest"
_CAUSE = re.compile(r"Caused by: (.*)")
# The folder of a checkpoint has the job's id, that of a savepoint how the id begins.
_CHECKPOINT_OF = re.compile(r"/(?P<job>[0-9a-f]{32})/chk-\d+/?$")
_SAVEPOINT_OF = re.compile(r"/savepoint-(?P<job>[0-9a-f]{6})-[0-9a-f]+/?$")
_LONGEST_TRACE = 20_000


class JobsOfPass(NamedTuple):
    """What is the same for all jobs of a pass."""

    url: str
    cluster: FlinkCluster
    namespace: str
    heartbeat_seconds: int
    sql: Mapping[str, Sequence[JobSql]]
    """The SQL that jobs of a name may have."""
    jobs: Sequence[JobSummary]
    """All that the cluster knows."""
    known: Mapping[str, KnownJob]
    """All that was reported before."""


class ObservedJob:
    """A job at one moment."""

    def __init__(
        self, jobs: JobsOfPass, report: JobReport, defined: DefinedTables | None = None
    ) -> None:
        """`defined` is the job's SQL with what the SQL gateway adds, where there is one."""
        self._jobs = jobs
        self._report = report
        summary = report.summary
        self.run = flink_run_id(summary.id, summary.started_at)
        self.name = {"namespace": jobs.namespace, "name": summary.name}
        self._datasets = describe_datasets(
            PRODUCER,
            self.name,
            report.operators,
            defined or DefinedTables(jobs.sql.get(summary.name, ())),
            has_listener=bool(jobs.cluster.listener_namespace),
        )
        self._gaps = [*self._datasets.gaps, *self._gaps_of_namesakes()]

    @property
    def described(self) -> str:
        """A digest of what is reported beside counters."""
        parts = [self._datasets.inputs, self._datasets.outputs, sorted(set(self._gaps))]
        return sha256(msgspec.json.encode(parts)).hexdigest()[:16]

    def event(self, step: JobStep, counters: Mapping[str, Counter], at: int) -> Json:
        """The event of a change; a START has no counts yet."""
        counts = {
            operator: counts_of(self._report, operator, counters)
            for operator in (() if step is JobStep.STARTED else self._report.operators)
        }
        inputs, outputs = with_counts(PRODUCER, self._datasets, counts)
        run = {"runId": self.run, "facets": self._run_facets(step)}
        job = {**self.name, "facets": self._job_facets()}
        return PRODUCER.run_event(step.event_type, job, run, inputs, outputs, at=at)

    def _job_facets(self) -> Json:
        pattern = {
            "eventTrigger": "PERIODIC",
            "eventContentMode": "COMPLETE_SNAPSHOT",
            "windowDuration": self._jobs.heartbeat_seconds,
        }
        processing = "BATCH" if self._report.detail.get("job-type") == "BATCH" else "STREAMING"
        facets = {"jobType": PRODUCER.job_type(processing, "FLINK", "JOB", pattern)}
        if self._datasets.query:
            query = without_secrets(self._datasets.query)
            facets["sql"] = PRODUCER.facet("SQLJobFacet", query=query, dialect="flink")
        return facets

    def _run_facets(self, step: JobStep) -> Json:
        summary = self._report.summary
        engine = {"version": self._jobs.cluster.version, "name": "flink"}
        facets = {
            "processing_engine": PRODUCER.facet("ProcessingEngineRunFacet", **engine),
            # As Flink's own listener has it: runs of one job id are one run.
            "flink_job": PRODUCER.run_facet(jobId=summary.id),
            FACET: PRODUCER.custom_facet(
                reason=step.reason, state=summary.state, cluster=self._jobs.url, **self._origin()
            ),
            **self._checkpoints(),
            **gaps_facets(PRODUCER, self._gaps),
        }
        if step is JobStep.FAILED:
            facets["errorMessage"] = self._error()
        return facets

    def _origin(self) -> Json:
        """The savepoint or checkpoint that the job began with, and the run that has made it."""
        restored = _object(_object(self._report.checkpoints, "latest"), "restored")
        path = restored.get("external_path")
        if not isinstance(path, str) or not path:
            return {}
        found = {"restoredFrom": path}
        before = self._find_maker(path)
        return found | ({"restartOf": before} if before and before != self.run else {})

    def _find_maker(self, path: str) -> str | None:
        """The run of the only job that may have made a savepoint or checkpoint."""
        made = _CHECKPOINT_OF.search(path) or _SAVEPOINT_OF.search(path)
        start = made["job"] if made is not None else None
        if start is None:
            return None
        starts = {key: each.started_at for key, each in self._jobs.known.items()}
        starts |= {each.id: each.started_at for each in self._jobs.jobs}
        found = [key for key in starts if key.startswith(start)]
        return flink_run_id(found[0], starts[found[0]]) if len(found) == 1 else None

    def _checkpoints(self) -> Json:
        counts = _object(self._report.checkpoints, "counts")
        if not counts.get("total"):
            return {}
        named = {key.replace("_", "-"): value for key, value in counts.items()}
        return {"checkpoints": PRODUCER.run_facet(**named)}

    def _error(self) -> Json:
        """The failure that ended the job, by its innermost cause."""
        entries = objects(_object(self._report.exceptions, "exceptionHistory").get("entries"))
        trace = str(entries[0].get("stacktrace") or "") if entries else ""
        trace = trace or str(self._report.exceptions.get("root-exception") or "")
        trace = without_secrets(trace[:_LONGEST_TRACE]).strip()
        if not trace:
            return PRODUCER.error("it failed, and the cluster has no trace of it", "JAVA")
        causes = _CAUSE.findall(trace)
        message = causes[-1] if causes else trace.partition("\n")[0]
        return PRODUCER.error(message.strip(), "JAVA", trace)

    def _gaps_of_namesakes(self) -> list[GapEntry]:
        summary = self._report.summary
        others = [
            each.id
            for each in self._jobs.jobs
            if each.name == summary.name and each.id != summary.id and each.ended_at <= 0
        ]
        if not others or summary.ended_at > 0:
            return []
        sentence = (
            f"{len(others) + 1} jobs of this name run at once: the graph shows what the newest "
            "uses. Set 'pipeline.name' to tell them apart."
        )
        return [GapEntry("other", summary.name, sentence)]


def _object(value: Json, key: str) -> Json:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def gone_event(jobs: JobsOfPass, job: str, before: KnownJob, at: int) -> Json:
    """The end of a job of which no more is known than that it was reported."""
    step = JobStep.GONE
    facets = {
        "flink_job": PRODUCER.run_facet(jobId=job),
        FACET: PRODUCER.custom_facet(reason=step.reason, state="", cluster=jobs.url),
    }
    run = {"runId": flink_run_id(job, before.started_at), "facets": facets}
    named = {"namespace": before.namespace, "name": before.name, "facets": {}}
    return PRODUCER.run_event(step.event_type, named, run, at=at)
