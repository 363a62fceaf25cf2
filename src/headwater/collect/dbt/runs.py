"""The runs of an invocation: the project's, and one of each node that was executed."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from headwater.collect.dbt.artifacts import ArtifactMetadata, NodeResult, RunResults
from headwater.collect.dbt.facets import PRODUCER
from headwater.collect.dbt.jobs import NodeJob
from headwater.collect.dbt.settings import DbtSettings
from headwater.emit.gaps import GapEntry, gaps_facets
from headwater.model.project.dbt_runs import dbt_run_id
from headwater.model.values.instant import parse_instant

Json = dict[str, Any]

_DONE = ("success",)
_FAILED = ("error", "fail", "partial success", "runtime error")
# Of these nothing was run.
NOT_RUN = ("skipped", "no-op", "reused")
_MESSAGE = 10_000


class Invocation(NamedTuple):
    """One call of dbt, which all of its runs belong to."""

    id: str
    command: str
    project: str
    dbt_version: str
    namespace: str
    started_at: int
    ended_at: int
    job_name: str = ""

    @property
    def job(self) -> Json:
        """The job of all that dbt is called for."""
        return {"namespace": self.namespace, "name": self.job_name or f"dbt-run-{self.project}"}

    def run_id(self, job: str) -> str:
        """The run of a job: the same whoever reads the files, however often, and beside dbt-ol."""
        return dbt_run_id(uuid.UUID(self.id), self.namespace, job)

    def run(self, job: str, **facets: Json) -> Json:
        """The run of the job of a node, below that of the project."""
        parent = PRODUCER.parent(self.job, self.run_id(self.job["name"]))
        return {"runId": self.run_id(job), "facets": {**self.facets(), "parent": parent, **facets}}

    def facets(self) -> Json:
        engine = PRODUCER.facet("ProcessingEngineRunFacet", name="dbt", version=self.dbt_version)
        about = {"invocation_id": self.id, "project_name": self.project, "command": self.command}
        return {"processing_engine": engine, "dbt_run": PRODUCER.custom_facet(**about)}


def find_invocation(
    metadata: ArtifactMetadata,
    results: RunResults | None,
    project: str,
    settings: DbtSettings,
) -> Invocation:
    """The call that files are of; one without an id has one by its time."""
    ended = read_time(metadata.generated_at, 0)
    times = [
        at
        for each in (results.results if results else ())
        for timing in each.timing
        if (at := read_time(timing.started_at, 0))
    ]
    started = min(
        [read_time(metadata.invocation_started_at, ended), *times, ended] if ended else [*times, 0]
    )
    return Invocation(
        _uuid(metadata.invocation_id, f"{project} {metadata.generated_at}"),
        results.command if results else "",
        project,
        metadata.dbt_version,
        settings.job_namespace,
        started,
        ended,
        settings.project_job,
    )


def project_events(
    invocation: Invocation, facets: Json, results: Sequence[NodeResult], gaps: Iterable[GapEntry]
) -> Iterator[Json]:
    """The run of the whole project: it failed if a node did."""
    counts = Counter(each.status for each in results)
    failed = [each for each in results if is_failed(each)]
    summary = PRODUCER.custom_facet(results=dict(sorted(counts.items())))
    run: Json = {
        "runId": invocation.run_id(invocation.job["name"]),
        "facets": {
            **invocation.facets(),
            "dbt_results": summary,
            **gaps_facets(PRODUCER, gaps),
        },
    }
    job = {**invocation.job, "facets": facets}
    yield PRODUCER.run_event("START", job, run, at=invocation.started_at)
    kind = "FAIL" if failed else "COMPLETE"
    if failed:
        text = f"{len(failed)} of {len(results)} failed: {failed[0].unique_id}"
        more = f"{text}: {failed[0].message}" if failed[0].message else text
        run["facets"]["errorMessage"] = PRODUCER.error(more[:_MESSAGE], "SQL")
    yield PRODUCER.run_event(kind, job, run, at=max(invocation.ended_at, invocation.started_at))


def node_events(
    invocation: Invocation, result: NodeResult, node: NodeJob, gaps: Sequence[GapEntry]
) -> Iterator[Json]:
    """START and the end of one node; of one that was not run, nothing."""
    if result.status in NOT_RUN:
        return
    started, ended = find_times(invocation, result)
    facets = gaps_facets(PRODUCER, gaps) | _query(result, node)
    run = invocation.run(node.job["name"], **facets)
    # What is known of its datasets stands in the end's event: once is enough.
    begun = [_named(each) for each in node.inputs], [_named(each) for each in node.outputs]
    yield PRODUCER.run_event("START", node.job, run, *begun, at=started)
    if is_failed(result):
        message = (result.message or "it failed, and dbt has no message of it")[:_MESSAGE]
        error = PRODUCER.error(message, "SQL")
        run = invocation.run(node.job["name"], **facets, errorMessage=error)
        # What a model that failed left behind is not known: its table is as it was before.
        yield PRODUCER.run_event("FAIL", node.job, run, node.inputs, node.outputs, at=ended)
        return
    outputs = [{**each, **_written(result)} for each in node.outputs]
    yield PRODUCER.run_event("COMPLETE", node.job, run, node.inputs, outputs, at=ended)


def is_failed(result: NodeResult) -> bool:
    return result.status in _FAILED


def is_known_status(result: NodeResult) -> bool:
    return result.status in (*_DONE, *_FAILED, *NOT_RUN, "pass", "warn")


def find_times(invocation: Invocation, result: NodeResult) -> tuple[int, int]:
    """When a node was executed; one that failed before that has the time of its compilation."""
    chosen = {each.name: each for each in result.timing}
    timing = chosen.get("execute") or chosen.get("compile")
    if timing is None:
        return invocation.ended_at, invocation.ended_at
    started = read_time(timing.started_at, invocation.ended_at)
    return started, max(started, read_time(timing.completed_at, started))


def read_time(text: str | None, otherwise: int) -> int:
    try:
        return parse_instant(text) if text else otherwise
    except ValueError:
        return otherwise


def _named(dataset: Json) -> Json:
    return {"namespace": dataset["namespace"], "name": dataset["name"]}


def _written(result: NodeResult) -> Json:
    rows = (result.adapter_response or {}).get("rows_affected")
    is_count = isinstance(rows, int) and not isinstance(rows, bool) and rows >= 0
    return PRODUCER.output_statistics(rowCount=rows if is_count else None)


def _query(result: NodeResult, node: NodeJob) -> Json:
    """The warehouse's own id of the query, where the adapter tells it."""
    answer = result.adapter_response or {}
    query = answer.get("query_id") or answer.get("job_id")
    if not isinstance(query, str) or query.lower() in ("", "n/a"):
        return {}
    source = node.outputs[0]["namespace"]
    return {
        "externalQuery": PRODUCER.facet(
            "ExternalQueryRunFacet", externalQueryId=query, source=source
        )
    }


def _uuid(text: str | None, otherwise: str) -> str:
    try:
        return str(uuid.UUID(text or ""))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, text or otherwise))
