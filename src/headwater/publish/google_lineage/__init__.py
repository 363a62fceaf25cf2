"""`publish google-lineage`: the lineage of jobs, to Google's Data Lineage API (Dataplex)."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field, field_validator

from headwater.answers.inventory import Inventory
from headwater.clouds.google import GoogleProject
from headwater.config import Section
from headwater.emit.spec import PUBLISHED_BY
from headwater.errors import HeadwaterError
from headwater.model.values.instant import now
from headwater.plugins import CheckStep
from headwater.publish.catalog import (
    CatalogItem,
    CatalogSettings,
    ItemRefused,
    ItemSkipped,
    ItemState,
    Json,
    Skipped,
)
from headwater.publish.catalog.compare import encode_body
from headwater.publish.catalog.events import (
    KINDS,
    EventLimits,
    as_run_event,
    job_events,
    stable_id,
)
from headwater.publish.catalog.http import CatalogHttp
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.publish.google_lineage.names import google_name
from headwater.publish.openlineage.send import check_url
from headwater.store.published import ItemKey

# 100 links and 5 MB an event, and some room: Google counts its own names for things.
LIMITS = EventLimits(links=100, bytes=4_900_000)
_KEPT_SECONDS = 30 * 86_400.0


class GoogleSettings(GoogleProject, CatalogSettings):
    url: str = Field(
        default="https://datalineage.googleapis.com",
        description="Another address of the API, such as of a private endpoint.",
        json_schema_extra={"metavar": "URL"},
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @property
    def own_job_namespaces(self) -> tuple[str, ...]:
        return (self.job_namespace,)


class GoogleCatalog:
    """The lineage of one project and location, open for a pass."""

    kinds = KINDS
    # Google keeps lineage for 30 days.
    lasts_seconds = _KEPT_SECONDS

    def __init__(self, settings: GoogleSettings) -> None:
        self._parent = settings.parent
        self._http = CatalogHttp(f"{settings.url}/v1/", settings.read_token)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        for job in inventory.jobs():
            # It keeps no schemas: a change of one is no reason for an event.
            yield from job_events(job._replace(columns={}), google_name, LIMITS)

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        """Send an event of the item's run, then take away what was stated by the one before."""
        event = as_run_event(item, now())
        # The same for each try: what was done before an answer was lost is not done twice.
        request = stable_id(item.key, encode_body(item).decode(), reference)
        path = f"{self._parent}:processOpenLineageRunEvent"
        answer = self._http.call("POST", path, event, {"requestId": request})
        if "process" not in answer:
            raise ItemRefused("answered without a process; is the address right?")
        if is_new:
            self._mark(str(answer["process"]))
        found = [str(name) for name in answer.get("lineageEvents", [])]
        self._remove(name for name in reference.split() if name not in found)
        return "\n".join(found)

    def _mark(self, process: str) -> None:
        """Let it be known as ours there, for what reads lineage back."""
        known = self._http.call("GET", process).get("attributes") or {}
        if not PUBLISHED_BY.items() <= known.items():
            body = {"attributes": known | PUBLISHED_BY}
            self._http.call("PATCH", process, body, {"updateMask": "attributes"})

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        self._remove(iter(reference.split()))

    def _remove(self, names: Iterator[str]) -> None:
        for name in names:
            try:
                self._http.call("DELETE", name, params={"allowMissing": "true"})
            except ItemSkipped:
                continue

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        """What is there is as it was sent: nobody else can change an event."""
        names = reference.split()
        try:
            for name in names:
                self._http.call("GET", name)
        except ItemSkipped:
            return ItemState.MISSING
        return ItemState.SAME if names else ItemState.MISSING

    def check(self) -> list[CheckStep]:
        try:
            self._http.call("GET", f"{self._parent}/processes", params={"pageSize": "1"})
        except HeadwaterError as error:
            advice = "check --project, --location, the token, and that the API is enabled"
            return [CheckStep("processes", False, error.message, advice)]
        return [CheckStep("processes", True, f"{self._parent} can be read")]

    def close(self) -> None:
        self._http.close()


class GooglePublisher(CatalogPublisher):
    """Each job becomes a process with a run for each output: what it is made of, with columns, one
    request each. Events of what no longer holds are deleted, and all are sent again after 15 days,
    as Google keeps them for 30.
    """

    settings_class: ClassVar[type[Section]] = GoogleSettings
    publisher: ClassVar[str] = "google-lineage"
    _settings: GoogleSettings

    def address(self) -> str:
        return f"{self._settings.url}/v1/{self._settings.parent}"

    def open(self) -> GoogleCatalog:
        return GoogleCatalog(self._settings)
