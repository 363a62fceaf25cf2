"""What DataHub is to hold: flows, jobs with what they use, and what each dataset is made of."""

from collections.abc import Callable, Iterable, Iterator

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import (
    ColumnLink,
    DatasetRef,
    InventoryDataset,
    InventoryJob,
)
from headwater.publish.catalog import CatalogItem, Json, Skipped, subject_of
from headwater.publish.catalog.events import describe_job
from headwater.publish.datahub.lineage import MADE_BY
from headwater.publish.datahub.names import Urns, field_urn, orchestrator_of

FLOW = "data flow"
JOB = "data job"
LINEAGE = "upstream lineage"
KINDS = (FLOW, JOB, LINEAGE)
_TOO_LONG = "its urn would be longer than the 512 bytes that DataHub takes"

# A column of a dataset that goes into a column, by the urn of its field.
Sources = dict[str, dict[str, set[str]]]


class DataHubItems:
    """All items: each flow before its jobs."""

    def __init__(
        self, inventory: Inventory, urns: Urns, has_jobs: bool, chooses: Callable[[str], bool]
    ) -> None:
        self._inventory = inventory
        self._urns = urns
        self._has_jobs = has_jobs
        self._chooses = chooses

    def __iter__(self) -> Iterator[CatalogItem | Skipped]:
        if self._has_jobs:
            flows: set[str] = set()
            for job in self._inventory.jobs():
                yield from self._flow(job, flows)
                yield from self._job(job)
        for entry in self._inventory.datasets():
            if entry.upstreams:
                yield from self._lineage(entry)

    def _flow(self, job: InventoryJob, seen: set[str]) -> Iterator[CatalogItem]:
        """The flow of a job, before the first that is in it: of a namespace and what runs it."""
        urn, subject = self._flow_urn(job), subject_of(job.name)
        if urn is not None and urn not in seen and self._chooses(subject):
            seen.add(urn)
            info = {"name": job.name.namespace, "customProperties": dict(MADE_BY)}
            body = {"dataFlowInfo": info, "status": {"removed": False}}
            yield CatalogItem(FLOW, urn, subject, body)

    def _flow_urn(self, job: InventoryJob) -> str | None:
        return self._urns.flow(orchestrator_of(job.integration, job.system), job.name.namespace)

    def _job(self, job: InventoryJob) -> Iterator[CatalogItem | Skipped]:
        subject, flow = subject_of(job.name), self._flow_urn(job)
        urn = self._urns.job(flow, job.name.name) if flow else None
        if flow is None or urn is None:
            yield Skipped(f"{JOB} {subject[:200]}", subject, _TOO_LONG)
            return
        inputs, left_out = self._name_all(job.inputs)
        outputs, more = self._name_all(job.outputs)
        for dataset in {*left_out, *more}:
            yield self._too_long(dataset, subject)
        info: Json = {
            "name": job.name.name,
            "type": {"string": job.kind or "JOB"},
            "flowUrn": flow,
            "customProperties": _properties(job),
        }
        if text := describe_job(job):
            info["description"] = text
        uses = {
            "inputDatasets": [],
            "outputDatasets": [],
            "inputDatasetEdges": [{"destinationUrn": each} for each in inputs],
            "outputDatasetEdges": [{"destinationUrn": each} for each in outputs],
            "fineGrainedLineages": self._job_columns(job),
        }
        body = {"dataJobInfo": info, "dataJobInputOutput": uses, "status": {"removed": False}}
        yield CatalogItem(JOB, urn, subject, body)

    def _job_columns(self, job: InventoryJob) -> list[Json]:
        sources: Sources = {}
        for flow in job.flows:
            target = self._urns.dataset(flow.output) if flow.output else None
            if target is not None:
                _add(sources, target, ((self._urns.dataset(d), link) for d, link in flow.columns))
        return _fine_grained(sources)

    def _lineage(self, entry: InventoryDataset) -> Iterator[CatalogItem | Skipped]:
        subject, target = subject_of(entry.dataset.name), self._urns.dataset(entry.dataset)
        if target is None:
            yield self._too_long(entry.dataset, subject)
            return
        upstreams: set[str] = set()
        sources: Sources = {}
        for each in entry.upstreams:
            source = self._urns.dataset(each.dataset)
            if source is None:
                yield self._too_long(each.dataset, subject)
            elif source != target:
                upstreams.add(source)
                _add(sources, target, ((source, link) for link in each.columns))
        if upstreams:
            body = {
                "upstreams": [
                    {"dataset": each, "type": "TRANSFORMED", "properties": dict(MADE_BY)}
                    for each in sorted(upstreams)
                ],
                "fineGrainedLineages": _fine_grained(sources),
            }
            yield CatalogItem(LINEAGE, target, subject, body)

    def _name_all(self, datasets: Iterable[DatasetRef]) -> tuple[list[str], list[DatasetRef]]:
        named = {dataset: self._urns.dataset(dataset) for dataset in datasets}
        urns = {urn for urn in named.values() if urn is not None}
        return sorted(urns), [dataset for dataset, urn in named.items() if urn is None]

    def _too_long(self, dataset: DatasetRef, subject: str) -> Skipped:
        return Skipped(f"dataset {subject_of(dataset.name)[:200]}", subject, _TOO_LONG)


def _properties(job: InventoryJob) -> dict[str, str]:
    found = {"namespace": job.name.namespace, "processing": job.processing, "incomplete": job.gaps}
    return MADE_BY | {key: value for key, value in found.items() if value}


def _add(sources: Sources, target: str, columns: Iterable[tuple[str | None, ColumnLink]]) -> None:
    """Add columns that go into columns; what only decides over rows has no place of its own."""
    for source, link in columns:
        if source is not None and link.source and link.target:
            field = field_urn(target, link.target)
            ways = {way.words for way in link.transformations if way.words}
            known = sources.setdefault(field, {"from": set(), "by": set()})
            known["from"].add(field_urn(source, link.source))
            known["by"] |= ways


def _fine_grained(sources: Sources) -> list[Json]:
    """One entry for each column, in an order that is the same each time."""
    found = []
    for field, known in sorted(sources.items()):
        entry: Json = {
            "upstreamType": "FIELD_SET",
            "upstreams": sorted(known["from"]),
            "downstreamType": "FIELD",
            "downstreams": [field],
        }
        if known["by"]:
            entry["transformOperation"] = ", ".join(sorted(known["by"]))
        found.append(entry)
    return found
