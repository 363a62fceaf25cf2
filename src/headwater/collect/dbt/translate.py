"""The files of a project -> events: datasets and jobs as they are designed, then what was run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.collect.dbt.artifacts import NodeResult
from headwater.collect.dbt.assertions import ProjectAssertions
from headwater.collect.dbt.columns import ProjectColumns
from headwater.collect.dbt.consumers import ProjectConsumers
from headwater.collect.dbt.facets import PRODUCER, ProjectFacets
from headwater.collect.dbt.fetch import ProjectFiles
from headwater.collect.dbt.jobs import EXECUTING, ProjectJobs
from headwater.collect.dbt.runs import (
    NOT_RUN,
    Invocation,
    find_invocation,
    is_known_status,
    node_events,
    project_events,
    read_time,
)
from headwater.collect.dbt.settings import DbtSettings
from headwater.collect.dbt.tables import ProjectTable, ProjectTables
from headwater.collect.dbt.warehouses import Warehouse
from headwater.emit.gaps import GapEntry
from headwater.model.values.instant import now

Json = dict[str, Any]


class ProjectEvent(NamedTuple):
    """An event, what it is about, and the suffix of the node's job, where it has one."""

    about: str
    source: str
    event: Json
    suffix: str | None = None


class TranslatedProject:
    """All that a project's files say; `suffixes` are those of its jobs as last reported."""

    def __init__(
        self,
        files: ProjectFiles,
        warehouse: Warehouse,
        settings: DbtSettings,
        headers: Mapping[str, Sequence[str]],
        suffixes: Mapping[str, str],
        is_reported: Callable[[str], bool] = lambda about: False,
    ) -> None:
        manifest, results = files.manifest, files.results
        self._files = files
        self._settings = settings
        self._ran: Sequence[NodeResult] = ()
        if results is not None and results.command in EXECUTING and settings.runs:
            self._ran = results.results
        self.project = manifest.metadata.project_name or "project"
        self._facets = ProjectFacets(manifest, settings.personal)
        self._tables = ProjectTables(manifest, warehouse)
        self._columns = ProjectColumns(
            self._tables, files.catalog, headers, _is_catalog_fresh(files)
        )
        self._jobs = ProjectJobs(
            settings, self._tables, self._columns, self._facets, results, suffixes
        )
        self._consumers = ProjectConsumers(
            manifest, self.project, self._tables, self._columns, self._facets
        )
        self._at = _designed_at(files)
        # Not compiled this time, but before: what was reported of it then still holds.
        self._left = {
            unique_id
            for unique_id, table in self._tables.by_id.items()
            if table.node.is_uncompiled and is_reported(_about_dataset(table))
        }

    def events(self) -> Iterator[ProjectEvent]:
        yield from self._designed()
        yield from self._executed()

    def taken_back(self, reported: Iterable[str]) -> Iterator[ProjectEvent]:
        """Jobs that were reported and are no more: their nodes are gone, or have other jobs now."""
        tables = [table for table in self._tables.by_id.values() if not table.is_source]
        names = {self._jobs.of_table(table).job["name"] for table in tables}
        manifest = self._files.manifest
        names |= {*manifest.exposures, *manifest.metrics, *manifest.semantic_models}
        present = {f"job {name}" for name in names}
        for about in reported:
            if about.startswith("job ") and about not in present:
                job = self._jobs.job(about.removeprefix("job "), {})
                event = PRODUCER.job_event(job, at=self._at)
                yield ProjectEvent(about, job["name"], event)

    def _designed(self) -> Iterator[ProjectEvent]:
        for table in self._tables.by_id.values():
            unique_id = table.node.unique_id
            if unique_id in self._left:
                continue
            dataset = self._facets.described(table, self._columns.by_id[unique_id])
            event = PRODUCER.dataset_event(dataset, self._at)
            yield ProjectEvent(_about_dataset(table), unique_id, event)
            if not table.is_source:
                node = self._jobs.of_table(table)
                event = PRODUCER.job_event(node.job, node.inputs, node.outputs, self._at)
                yield ProjectEvent(f"job {node.job['name']}", unique_id, event, node.suffix)
        for job, inputs, outputs in self._consumers.jobs(self._settings.job_namespace):
            event = PRODUCER.job_event(job, inputs, outputs, self._at)
            yield ProjectEvent(f"job {job['name']}", job["name"], event)

    def _executed(self) -> Iterator[ProjectEvent]:
        manifest, results = self._files.manifest, self._files.results
        metadata = results.metadata if results and self._ran else manifest.metadata
        ran = results if self._ran else None
        invocation = find_invocation(metadata, ran, self.project, self._settings)
        for result in self._ran:
            table = self._tables.find(result.unique_id)
            if table is not None and not table.is_source:
                node = self._jobs.of_table(table)
                gaps = self._columns.by_id[result.unique_id].gaps
                found = node_events(invocation, result, node, gaps)
                yield from _runs(result.unique_id, node.job["name"], found)
        assertions = ProjectAssertions(manifest, self._tables, self._facets, self._jobs)
        for event in assertions.test_events(invocation, self._ran):
            yield _run(event["inputs"][0]["name"], event)
        yield from self._freshness(assertions)
        yield from self._project(invocation)

    def _freshness(self, assertions: ProjectAssertions) -> Iterator[ProjectEvent]:
        found = self._files.freshness
        if found is None or not self._settings.runs:
            return
        invocation = find_invocation(found.metadata, None, self.project, self._settings)
        for event in assertions.freshness_events(invocation._replace(command="freshness"), found):
            yield _run(event["inputs"][0]["name"], event)

    def _project(self, invocation: Invocation) -> Iterator[ProjectEvent]:
        """The run of the whole; where dbt-ol reports that, a job of its own has the gaps."""
        gaps = [*self._consumers.gaps, *self._gaps()]
        if not self._ran:
            own = _ReadingInvocation(*invocation)
            invocation = own
        facets = self._facets.job("JOB")
        for event in project_events(invocation, facets, self._ran, gaps):
            yield _run(self.project, event)

    def _gaps(self) -> Iterator[GapEntry]:
        """What was not understood of nodes that have no run here, and of the run's results."""
        reported = {each.unique_id for each in self._ran if each.status not in NOT_RUN}
        for unique_id, known in self._columns.by_id.items():
            if unique_id not in reported and unique_id not in self._left:
                for gap in known.gaps:
                    yield gap._replace(name=unique_id, description=f"{gap.name}: {gap.description}")
        for result in self._ran:
            kind = result.unique_id.partition(".")[0]
            if kind == "operation":
                text = "What a hook of the project changes is not read."
                yield GapEntry("operator", result.unique_id, text)
            elif not self._is_known(result.unique_id, kind):
                text = "It is in run_results.json, and not in manifest.json."
                yield GapEntry("other", result.unique_id, text)
            if not is_known_status(result):
                text = f"Its state '{result.status}' is not known."
                yield GapEntry("other", result.unique_id, text)

    def _is_known(self, unique_id: str, kind: str) -> bool:
        manifest = self._files.manifest
        if kind in ("unit_test", "saved_query", "function"):
            # They read or write no table of the warehouse.
            return True
        return unique_id in manifest.nodes or unique_id in manifest.exposures


class _ReadingInvocation(Invocation):
    """A call that ran nothing, or whose runs somebody else reports."""

    @property
    def job(self) -> Json:
        return {"namespace": self.namespace, "name": f"dbt-artifacts-{self.project}"}


def _about_dataset(table: ProjectTable) -> str:
    return f"dataset {table.dataset.namespace} {table.dataset.name}"


def _runs(source: str, name: str, events: Iterator[Json]) -> Iterator[ProjectEvent]:
    for event in events:
        yield ProjectEvent(f"run {name} {_phase(event)}", source, event)


def _run(source: str, event: Json) -> ProjectEvent:
    return ProjectEvent(f"run {event['job']['name']} {_phase(event)}", source, event)


def _phase(event: Json) -> str:
    return "start" if event["eventType"] == "START" else "end"


def _designed_at(files: ProjectFiles) -> int:
    """When the newest of the files was made that tell the design."""
    stated = [files.manifest.metadata, *([files.catalog.metadata] if files.catalog else [])]
    times = [at for each in stated if (at := read_time(each.generated_at, 0))]
    return max(times) if times else now()


def _is_catalog_fresh(files: ProjectFiles) -> bool:
    """Whether the catalog was read after tables last changed, as far as the files tell."""
    catalog, results = files.catalog, files.results
    if catalog is None or results is None or results.command not in EXECUTING:
        return True
    made = read_time(catalog.metadata.generated_at, 0)
    return made >= read_time(results.metadata.generated_at, 0)
