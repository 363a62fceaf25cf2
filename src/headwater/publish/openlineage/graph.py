"""`publish openlineage-graph`: the graph as it holds now, as OpenLineage events."""

from collections.abc import Iterator
from typing import ClassVar, Self

import msgspec
from pydantic import Field, model_validator

from headwater.answers.inventory import Inventory
from headwater.config import Section
from headwater.model.values.instant import now
from headwater.plugins import CheckStep
from headwater.publish.catalog import CatalogItem, CatalogSettings, ItemState, Json, subject_of
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.publish.openlineage import check_target
from headwater.publish.openlineage import graph_events as events
from headwater.publish.openlineage.names import rewrite_namespaces
from headwater.publish.openlineage.settings import TargetSettings
from headwater.publish.openlineage.target import open_target
from headwater.store.published import ItemKey


class OpenLineageGraphSettings(CatalogSettings, TargetSettings):
    run_events: bool = Field(
        default=False,
        description="One event of a run for each job, with the columns of its datasets, for "
        "backends that take no events of jobs and datasets, such as DataHub and OpenMetadata.",
    )

    @model_validator(mode="after")
    def _cannot_be_read(self) -> Self:
        if self.verify:
            name = self.name or "NAME"
            reason = f"`headwater publish again {name}` sends all again"
            raise ValueError(f"OpenLineage has no way to read what a backend has; {reason}")
        return self


class OpenLineageCatalog:
    """A target of events, open for a pass."""

    lasts_seconds = None

    def __init__(self, settings: OpenLineageGraphSettings) -> None:
        self._settings = settings
        self._is_of_runs = settings.run_events
        self.kinds = (events.JOB,) if settings.run_events else (events.DATASET, events.JOB)
        self._target = open_target(settings)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem]:
        if not self._is_of_runs:
            for entry in inventory.datasets(with_upstreams=False):
                subject = subject_of(entry.dataset.name)
                yield self._item(events.DATASET, subject, events.dataset_body(entry))
        for job in inventory.jobs():
            if job.flows or not self._is_of_runs:
                body = events.job_body(job, has_schemas=self._is_of_runs)
                yield self._item(events.JOB, subject_of(job.name), body)

    def _item(self, kind: str, subject: str, body: Json) -> CatalogItem:
        return CatalogItem(
            kind, subject, subject, rewrite_namespaces(body, self._settings.rewrites)
        )

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        self._send(item.id, item.body)
        return ""

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        is_dataset = key.kind == events.DATASET
        self._send(key, events.dropped_body(body) if is_dataset else events.emptied_body(body))

    def _send(self, key: ItemKey, body: Json) -> None:
        if key.kind == events.DATASET:
            event = events.dataset_event(body, now())
        elif self._is_of_runs:
            event = events.run_event(key.key, body, now())
        else:
            event = events.job_event(body, now())
        self._target.send_one(msgspec.json.encode(event))

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        """Nothing can be read back."""
        return ItemState.SAME

    def check(self) -> list[CheckStep]:
        return check_target(self._settings)

    def close(self) -> None:
        self._target.__exit__(None, None, None)


class OpenLineageGraphPublisher(CatalogPublisher):
    """What holds now, not what happened: one event for each dataset (columns, other names, tags,
    owners) and one for each job (what it reads and writes, by column). Later runs send those that
    changed. With --prune a dataset that is no longer known is sent as dropped, a job as one that
    uses nothing.
    """

    settings_class: ClassVar[type[Section]] = OpenLineageGraphSettings
    publisher: ClassVar[str] = "openlineage-graph"
    _settings: OpenLineageGraphSettings

    def address(self) -> str:
        return self._settings.address

    def open(self) -> OpenLineageCatalog:
        return OpenLineageCatalog(self._settings)
