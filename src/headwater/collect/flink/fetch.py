"""What a Flink cluster says of its jobs by the JobManager's REST API, in its own words."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2

from headwater.collect.flink.operators import Operator, find_operators, objects
from headwater.collect.flink.settings import FlinkSettings
from headwater.collect.rest import RestClient
from headwater.errors import SourceUnavailable

Json = dict[str, Any]

# Requests at once: the JobManager has other things to do.
_AT_ONCE = 8
_LISTENERS = "execution.job-status-changed-listeners"
_LISTENER_NAMESPACE = "openlineage.job.namespace"
# What OpenLineage's listener names its jobs' namespace unless it is set.
_USUAL_NAMESPACE = "default"


class FlinkCluster(NamedTuple):
    """The version of a cluster, and the namespace that its OpenLineage listener uses, if any."""

    version: str
    listener_namespace: str


class JobSummary(NamedTuple):
    """A job as the list of all jobs has it; times in milliseconds since 1970."""

    id: str
    name: str
    state: str
    started_at: int
    ended_at: int


class JobReport(NamedTuple):
    """A job as its cluster describes it at one moment; metrics by vertex and name."""

    summary: JobSummary
    detail: Json
    operators: Sequence[Operator]
    metrics: Mapping[tuple[str, str], float]
    checkpoints: Json
    exceptions: Json


class FlinkApi:
    """Requests to the JobManager, which answers for its whole cluster."""

    def __init__(
        self,
        settings: FlinkSettings,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = settings.url
        self._client = RestClient(settings, _AT_ONCE, transport, sleep)

    def close(self) -> None:
        self._client.close()

    def read_version(self) -> str:
        found = self._client.get("/config")
        if not isinstance(found, dict) or not isinstance(found.get("flink-version"), str):
            raise SourceUnavailable(self._url, "it answers, but not as a JobManager of Flink does")
        return str(found["flink-version"])

    def read_cluster(self) -> FlinkCluster:
        return FlinkCluster(self.read_version(), self._read_listener_namespace())

    def read_jobs(self) -> list[JobSummary]:
        """All jobs that the cluster still knows, in the order they were started."""
        found = self._client.get("/jobs/overview")
        jobs = found.get("jobs") if isinstance(found, dict) else None
        if not isinstance(jobs, list) or not all(map(_is_job, jobs)):
            raise SourceUnavailable(self._url, "its list of jobs is not as Flink documents it")
        summaries = [
            JobSummary(
                each["jid"],
                str(each.get("name") or each["jid"]),
                each["state"],
                _whole(each.get("start-time")),
                _whole(each.get("end-time")),
            )
            for each in jobs
        ]
        return sorted(summaries, key=lambda each: (each.started_at, each.id))

    def add_details(
        self, jobs: Sequence[JobSummary]
    ) -> Iterator[tuple[JobSummary, "JobReport | SourceUnavailable | None"]]:
        """Each with all that is known of it, several at once.

        None: it is gone meanwhile. A job that cannot be read does not keep others from it.
        """
        return zip(jobs, self._client.read_each(jobs, self._try_report), strict=True)

    def _try_report(self, job: JobSummary) -> "JobReport | SourceUnavailable | None":
        try:
            return self._report(job)
        except SourceUnavailable as error:
            return error

    def _report(self, job: JobSummary) -> JobReport | None:
        path = f"/jobs/{quote(job.id, safe='')}"
        detail = self._client.find(path, 404)
        if detail is None:
            return None
        if not isinstance(detail, dict) or not isinstance(detail.get("vertices"), list):
            raise SourceUnavailable(self._url, f"what it says of job {job.id} has no vertices")
        operators = find_operators(detail)
        is_over = detail.get("end-time", -1) not in (-1, 0)
        return JobReport(
            job._replace(state=str(detail.get("state", job.state))),
            detail,
            operators,
            {} if is_over else self._read_metrics(path, operators),
            self._find_object(f"{path}/checkpoints"),
            self._find_object(f"{path}/exceptions") if detail.get("state") == "FAILED" else {},
        )

    def _read_metrics(
        self, path: str, operators: Sequence[Operator]
    ) -> dict[tuple[str, str], float]:
        """Metrics of sources and sinks, summed over subtasks; those that are not there are not
        listed, as none is before the first request."""
        names_of: dict[str, list[str]] = {}
        for operator in operators:
            names_of.setdefault(operator.vertex, []).extend(operator.metrics)
        metrics = {}
        for vertex, names in names_of.items():
            address = f"{path}/vertices/{vertex}/subtasks/metrics"
            # Of a list with one that it does not have Flink gives none at all.
            known = {str(each.get("id")) for each in objects(self._client.find(address, 404))}
            if not (present := [name for name in dict.fromkeys(names) if name in known]):
                continue
            query = f"?get={quote(','.join(present), safe='')}&agg=sum"
            for each in objects(self._client.find(address + query, 404)):
                if isinstance(each.get("sum"), int | float):
                    metrics[vertex, str(each.get("id"))] = float(each["sum"])
        return metrics

    def _read_listener_namespace(self) -> str:
        """The namespace that the cluster's OpenLineage listener uses; empty without one."""
        # 403, 404: not everybody may see it, and Flink before 1.18 has it elsewhere.
        found = self._client.find("/jobmanager/config", 403, 404)
        entries = [each for each in found if isinstance(each, dict)] if found else []
        settings = {str(each.get("key")): str(each.get("value")) for each in entries}
        if "openlineage" not in settings.get(_LISTENERS, ""):
            return ""
        return settings.get(_LISTENER_NAMESPACE) or _USUAL_NAMESPACE

    def _find_object(self, path: str) -> Json:
        found = self._client.find(path, 404)
        return found if isinstance(found, dict) else {}


def _is_job(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("jid"), str)
        and isinstance(value.get("state"), str)
    )


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1
