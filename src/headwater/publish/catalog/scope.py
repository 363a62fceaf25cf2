"""The inventory without what `--exclude` leaves out: nothing else that is published names it."""

from collections.abc import Iterator

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import (
    DatasetRef,
    InventoryDataset,
    InventoryJob,
    JobFlow,
    Upstream,
)
from headwater.model.uses import Name
from headwater.publish.catalog import CatalogSettings, subject_of
from headwater.store.engine import Engine
from headwater.store.stats.touched import Touched


class ScopedInventory(Inventory):
    """Datasets and jobs that are not excluded, and what they are made of among these."""

    def __init__(
        self, engine: Engine, settings: CatalogSettings, touched: Touched | None = None
    ) -> None:
        super().__init__(engine, touched)
        self._settings = settings

    def datasets(self, with_upstreams: bool = True) -> Iterator[InventoryDataset]:
        for entry in super().datasets(with_upstreams):
            if self._has(entry.dataset):
                yield entry._replace(upstreams=tuple(self._upstreams(entry)))

    def jobs(self, with_columns: bool = True) -> Iterator[InventoryJob]:
        for job in super().jobs(with_columns):
            if self._has_job(job.name):
                yield job._replace(flows=tuple(map(self._flow, job.flows)))

    def _has(self, dataset: DatasetRef) -> bool:
        # A catalog may call it by any of its names.
        return not any(self._settings.excludes(subject_of(name)) for name in dataset.names)

    def _has_job(self, job: Name) -> bool:
        # What the catalog knows of itself was collected there, and is no news to it.
        is_its_own = job.namespace in self._settings.own_job_namespaces
        return not is_its_own and not self._settings.excludes(subject_of(job))

    def _upstreams(self, entry: InventoryDataset) -> Iterator[Upstream]:
        for upstream in entry.upstreams:
            jobs = tuple(filter(self._has_job, upstream.jobs))
            if self._has(upstream.dataset) and (jobs or not upstream.jobs):
                yield upstream._replace(jobs=jobs)

    def _flow(self, flow: JobFlow) -> JobFlow:
        inputs = tuple(filter(self._has, flow.inputs))
        if flow.output is None or not self._has(flow.output):
            # What is left is that the job reads these.
            return JobFlow(None, inputs)
        return JobFlow(flow.output, inputs, tuple(p for p in flow.columns if self._has(p[0])))
