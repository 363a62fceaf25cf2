"""`publish datazone`: the lineage of jobs, to Amazon DataZone."""

from collections.abc import Iterator
from typing import ClassVar

import msgspec
from pydantic import Field

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import DatasetRef
from headwater.clouds.aws import open_client
from headwater.config import Section
from headwater.errors import HeadwaterError
from headwater.model.uses import Name
from headwater.model.values.instant import now
from headwater.plugins import CheckStep
from headwater.publish.catalog import CatalogItem, ItemSkipped, ItemState, Json, Skipped
from headwater.publish.catalog.aws import AwsCatalogSettings, meaning
from headwater.publish.catalog.compare import encode_body
from headwater.publish.catalog.events import (
    KINDS,
    EventLimits,
    as_run_event,
    job_events,
    stable_id,
)
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.store.published import ItemKey

# DataZone takes 300,000 bytes; its time and run are added to an event when it is sent.
LIMITS = EventLimits(links=10_000, bytes=290_000, joins_outputs=True)


class DataZoneSettings(AwsCatalogSettings):
    domain: str = Field(
        pattern=r"^dzd[-_][a-zA-Z0-9_-]{1,36}$",
        description="ID of the domain, such as dzd_4abc.",
        json_schema_extra={"metavar": "ID"},
    )


class DataZoneCatalog:
    """The lineage of one domain, open for a pass."""

    kinds = KINDS
    lasts_seconds = None

    def __init__(self, settings: DataZoneSettings) -> None:
        self._domain = settings.domain
        self._address = settings.address_of("datazone")
        self._client = open_client(settings, "datazone")

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        for job in inventory.jobs():
            yield from job_events(job, _own_name, LIMITS)

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        # The same for each try: what was done before an answer was lost is not done twice.
        token = stable_id(item.key, encode_body(item).decode(), reference)
        with meaning(self._address):
            found = self._client.post_lineage_event(
                domainIdentifier=self._domain,
                event=msgspec.json.encode(as_run_event(item, now())),
                clientToken=token,
            )
        return str(found.get("id", ""))

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        try:
            with meaning(self._address):
                self._client.delete_lineage_event(
                    domainIdentifier=self._domain, identifier=reference
                )
        except ItemSkipped:
            return

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        try:
            with meaning(self._address):
                self._client.get_lineage_event(domainIdentifier=self._domain, identifier=reference)
        except ItemSkipped:
            return ItemState.MISSING
        return ItemState.SAME

    def check(self) -> list[CheckStep]:
        try:
            with meaning(self._address):
                self._client.list_lineage_events(domainIdentifier=self._domain, maxResults=1)
        except HeadwaterError as error:
            advice = "check --region and --domain, and that the credentials may post lineage events"
            return [CheckStep("events", False, error.message, advice)]
        return [CheckStep("events", True, f"domain {self._domain} can be read")]

    def close(self) -> None:
        self._client.close()


class DataZonePublisher(CatalogPublisher):
    """Each job becomes an event with all its inputs and outputs and their columns; a job that is
    larger than DataZone's 300,000 bytes, several. Credentials are those of the AWS command line.
    """

    settings_class: ClassVar[type[Section]] = DataZoneSettings
    publisher: ClassVar[str] = "datazone"
    _settings: DataZoneSettings

    def address(self) -> str:
        return f"{self._settings.address_of('datazone')}/v2/domains/{self._settings.domain}"

    def open(self) -> DataZoneCatalog:
        return DataZoneCatalog(self._settings)


def _own_name(dataset: DatasetRef) -> Name:
    return dataset.name
