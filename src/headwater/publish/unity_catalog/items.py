"""What Unity Catalog is to hold: objects for what lies outside of it, and how they are linked."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import ColumnLink, DatasetRef, InventoryDataset, Upstream
from headwater.emit.spec import PUBLISHED_BY
from headwater.model.systems import system_of_dataset
from headwater.publish.catalog import CatalogItem, Json, Skipped, subject_of
from headwater.publish.catalog.summary import summarise
from headwater.publish.catalog.topology import JobNode, read_topology
from headwater.publish.unity_catalog import names

OBJECT = "external metadata"
LINEAGE = "external lineage"
TABLE = "table"
# By which an object is known to be ours.
MADE_BY = PUBLISHED_BY
# Not published by Databricks; longer values are cut, and more columns are left out and counted.
LONGEST_TEXT = 1_000
MOST_COLUMNS = 1_000


class UnityOptions(NamedTuple):
    """What is published; `namespaces` are those of the tables of this Unity Catalog."""

    namespaces: Sequence[str]
    has_jobs: bool = True
    has_all: bool = False
    has_lineage: bool = True
    has_properties: bool = False
    has_comments: bool = False
    property_prefix: str = "headwater"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of items that are published; others are left as they are."""
        has_tables = self.has_properties or self.has_comments
        return (OBJECT, LINEAGE) * self.has_lineage + (TABLE,) * has_tables


class UnityItems:
    """All items, in the order of their kinds."""

    def __init__(self, inventory: Inventory, options: UnityOptions) -> None:
        self._inventory = inventory
        self._options = options
        self._topology = read_topology(inventory)
        self._tables = {
            dataset: name for dataset in self._topology.datasets() if (name := self._table(dataset))
        }
        self._datasets, self._jobs = self._choose()

    def _choose(self) -> tuple[set[DatasetRef], set[JobNode]]:
        """What is linked to a table of this catalog: the rest says nothing there."""
        if self._options.has_all:
            return set(self._topology.datasets()), set(self._topology.jobs.values())
        datasets, jobs = self._topology.connected(self._tables)
        return datasets, {self._topology.jobs[name] for name in jobs}

    def __iter__(self) -> Iterator[CatalogItem | Skipped]:
        if self._options.has_lineage:
            yield from self._outside()
        if TABLE in self._options.kinds:
            yield from self._table_items()

    def _outside(self) -> Iterator[CatalogItem | Skipped]:
        """Objects, then what links them."""
        for entry in self._inventory.datasets(with_upstreams=False):
            if entry.dataset in self._datasets and entry.dataset not in self._tables:
                yield _dataset_object(entry)
        if self._options.has_jobs:
            for job in sorted(self._jobs):
                yield _job_object(job)
            for job in sorted(self._jobs):
                yield from self._job_lineage(job)
        for entry in self._inventory.datasets():
            if entry.dataset in self._datasets:
                yield from self._dataset_lineage(entry)

    def _table(self, dataset: DatasetRef) -> str | None:
        return names.table_name(dataset, self._options.namespaces)

    def _end(self, dataset: DatasetRef) -> Json:
        table = self._tables.get(dataset)
        if table is not None:
            return {"table": {"name": table}}
        system = system_of_dataset(dataset.name.namespace)
        name = names.dataset_object_name(system, dataset.name)
        return {"external_metadata": {"name": name}}

    def _job_lineage(self, job: JobNode) -> Iterator[CatalogItem]:
        end = {"external_metadata": {"name": names.job_object_name(job.system, job.name)}}
        subject = subject_of(job.name)
        for dataset in job.inputs:
            yield lineage_item(self._end(dataset), end, subject)
        for dataset in job.outputs:
            yield lineage_item(end, self._end(dataset), subject)

    def _dataset_lineage(self, entry: InventoryDataset) -> Iterator[CatalogItem | Skipped]:
        """Links from dataset to dataset: those with columns, where jobs stand between them."""
        target, subject = self._end(entry.dataset), subject_of(entry.dataset.name)
        for upstream in entry.upstreams:
            if self._options.has_jobs and not _pairs(upstream.columns):
                continue
            source = self._end(upstream.dataset)
            what = f"{LINEAGE} {lineage_key(source, target)}"
            if source == target:
                yield Skipped(what, subject, "Unity Catalog takes no link of an object to itself")
            elif "table" in source and "table" in target:
                reason = "Unity Catalog takes no columns between two of its tables from outside"
                yield Skipped(what, subject, reason)
            else:
                yield lineage_item(source, target, subject, upstream)

    def _table_items(self) -> Iterator[CatalogItem]:
        for dataset, table in sorted(self._tables.items(), key=lambda pair: pair[1]):
            summary = summarise(self._topology, dataset)
            if summary.hops:
                prefix, has_comments = self._options.property_prefix, self._options.has_comments
                properties = summary.properties(prefix, LONGEST_TEXT)
                body = {
                    "properties": properties if self._options.has_properties else {},
                    "comment": summary.sentence(LONGEST_TEXT) if has_comments else "",
                }
                yield CatalogItem(TABLE, table, subject_of(dataset.name), body)


def lineage_key(source: Json, target: Json) -> str:
    return f"{_end_name(source)} -> {_end_name(target)}"


def _end_name(end: Json) -> str:
    ((_, where),) = end.items()
    return str(where["name"])


def lineage_item(
    source: Json, target: Json, subject: str, upstream: Upstream | None = None
) -> CatalogItem:
    body: Json = {"source": source, "target": target, "columns": [], "properties": dict(MADE_BY)}
    if upstream is not None:
        pairs = _pairs(upstream.columns)
        body["columns"] = [{"source": one, "target": other} for one, other in pairs[:MOST_COLUMNS]]
        body["properties"] |= _properties(upstream)
        if len(pairs) > MOST_COLUMNS:
            body["properties"]["columns_left_out"] = str(len(pairs) - MOST_COLUMNS)
    return CatalogItem(LINEAGE, lineage_key(source, target), subject, body)


def _pairs(columns: Iterable[ColumnLink]) -> list[tuple[str, str]]:
    """Columns that go into columns; what only decides over rows has no place of its own there."""
    named = (link for link in columns if link.source and link.target and not link.is_indirect)
    return sorted({(link.source, link.target) for link in named})


def _properties(upstream: Upstream) -> dict[str, str]:
    jobs = ", ".join(map(subject_of, upstream.jobs))
    deciding = ", ".join(sorted({link.source for link in upstream.columns if link.is_indirect}))
    found = {"jobs": jobs, "columns_that_decide": deciding}
    return {key: value[:LONGEST_TEXT] for key, value in found.items() if value}


def _dataset_object(entry: InventoryDataset) -> CatalogItem:
    name = entry.dataset.name
    columns = [column.name for column in entry.columns if column.name]
    properties = MADE_BY | {"namespace": name.namespace, "name": name.name}
    properties |= {"tags": ", ".join(entry.tags), "owners": ", ".join(entry.owners)}
    properties |= {"incomplete": entry.gaps}
    body = {
        "system_type": names.system_type(entry.system),
        "entity_type": names.dataset_entity_type(entry.system),
        "description": (entry.description or subject_of(name))[:LONGEST_TEXT],
        "columns": list(dict.fromkeys(columns))[:MOST_COLUMNS],
        "properties": {key: value[:LONGEST_TEXT] for key, value in properties.items() if value},
    }
    return CatalogItem(
        OBJECT, names.dataset_object_name(entry.system, name), subject_of(name), body
    )


def _job_object(job: JobNode) -> CatalogItem:
    properties = MADE_BY | {"namespace": job.name.namespace, "name": job.name.name}
    properties |= {"integration": job.integration, "processing": job.processing}
    # Lineage that looks complete and is not would be the worst kind.
    properties |= {"incomplete": job.gaps}
    body = {
        "system_type": names.job_system_type(job.system),
        "entity_type": names.job_entity_type(job.integration, job.kind),
        "description": (job.description or subject_of(job.name))[:LONGEST_TEXT],
        "columns": [],
        "properties": {key: value[:LONGEST_TEXT] for key, value in properties.items() if value},
    }
    return CatalogItem(
        OBJECT, names.job_object_name(job.system, job.name), subject_of(job.name), body
    )
