"""`publish datahub`: lineage of jobs and datasets, by column, to DataHub by its own API."""

from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import Field, field_validator

from headwater.answers.inventory import Inventory
from headwater.config import Section, check_secret_reference, resolve_secret
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep
from headwater.publish.catalog import (
    CatalogItem,
    CatalogSettings,
    ItemSkipped,
    ItemState,
    Json,
    Skipped,
)
from headwater.publish.catalog.http import CatalogHttp
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.publish.datahub.items import FLOW, JOB, KINDS, LINEAGE, DataHubItems
from headwater.publish.datahub.lineage import has_ours, is_same, merge_lineage
from headwater.publish.datahub.names import Urns, read_mapping
from headwater.publish.openlineage.send import check_url
from headwater.store.published import ItemKey

_ENTITIES = {FLOW: "dataFlow", JOB: "dataJob", LINEAGE: "dataset"}
_ASPECT = "upstreamLineage"
_NOT_THERE = {"status": {"removed": True}}


class DataHubSettings(CatalogSettings):
    url: str = Field(
        description="URL of DataHub's metadata service, such as http://datahub-gms:8080.",
        json_schema_extra={"metavar": "URL"},
    )
    token: str = Field(
        default="",
        description="An access token, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    env: str = Field(
        default="PROD",
        pattern=r"^[A-Z_]{2,20}$",
        description="Environment in the urns of datasets and flows, such as PROD or DEV.",
        json_schema_extra={"metavar": "ENV"},
    )
    platform: tuple[str, ...] = Field(
        default=(),
        description="What a namespace is there, as NAMESPACE=PLATFORM or "
        "NAMESPACE=PLATFORM,INSTANCE,ENV; by default its system. Can be repeated.",
        json_schema_extra={"metavar": "NAMESPACE=PLATFORM"},
    )
    lower: bool = Field(
        default=False,
        description="Names of datasets in lower case, where DataHub's own ingestion writes them "
        "so.",
    )
    jobs: bool = Field(
        default=True, description="Connectors and jobs become data jobs, with what they use."
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @field_validator("token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("platform")
    @classmethod
    def _are_mappings(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            read_mapping(value)
        return values

    @property
    def urns(self) -> Urns:
        return Urns(self.env, tuple(map(read_mapping, self.platform)), self.lower)

    def read_token(self, is_again: bool) -> str:
        return resolve_secret(self.token).get_secret_value().strip() if self.token else ""


class DataHubCatalog:
    """One DataHub, open for a pass."""

    lasts_seconds = None

    def __init__(self, settings: DataHubSettings) -> None:
        self._settings = settings
        self.kinds = KINDS if settings.jobs else (LINEAGE,)
        self._http = CatalogHttp(f"{settings.url}/openapi/v3/entity/", settings.read_token)
        # Now, and not at the first of many items.
        settings.read_token(False)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        given = self._settings
        return iter(DataHubItems(inventory, given.urns, given.jobs, given.has_in_scope))

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        if item.kind == LINEAGE:
            merged = merge_lineage(self._read_lineage(item.key), item.body)
            self._post(item.id, {_ASPECT: merged})
        else:
            self._post(item.id, item.body)
        return ""

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        """Jobs and flows are marked as removed: what people wrote about them there stays."""
        if key.kind == FLOW:
            self._post(key, _NOT_THERE)
            return
        if key.kind == JOB:
            nothing: Json = {"inputDatasets": [], "outputDatasets": []}
            self._post(key, {**_NOT_THERE, "dataJobInputOutput": nothing})
            return
        there = self._read_lineage(key.key)
        if has_ours(there):
            self._post(key, {_ASPECT: merge_lineage(there, {})})

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        if item.kind == LINEAGE:
            there = self._read_lineage(item.key)
            if is_same(there, merge_lineage(there, item.body)):
                return ItemState.SAME
            return ItemState.DIFFERENT if has_ours(there) else ItemState.MISSING
        try:
            there = self._http.call("GET", _path(item.id), params={"aspects": ",".join(item.body)})
        except ItemSkipped:
            return ItemState.MISSING
        expected = {name: {"value": value} for name, value in item.body.items()}
        return ItemState.SAME if _holds(there, expected) else ItemState.DIFFERENT

    def _read_lineage(self, urn: str) -> Json:
        try:
            found = self._http.call("GET", f"{_path(ItemKey(LINEAGE, urn))}/{_ASPECT}")
        except ItemSkipped:
            return {}
        value = found.get("value")
        return value if isinstance(value, dict) else {}

    def _post(self, key: ItemKey, aspects: Json) -> None:
        entity = {"urn": key.key, **{name: {"value": value} for name, value in aspects.items()}}
        self._http.call("POST", _ENTITIES[key.kind], [entity], {"async": "false"})

    def check(self) -> list[CheckStep]:
        try:
            self._http.call("GET", "dataset", params={"count": "1"})
        except HeadwaterError as error:
            advice = "check --url (that of the metadata service), --token and its policies"
            return [CheckStep("datasets", False, error.message, advice)]
        return [CheckStep("datasets", True, "datasets can be read")]

    def close(self) -> None:
        self._http.close()


class DataHubPublisher(CatalogPublisher):
    """What each dataset is made of, by column, and connectors and jobs as data jobs in a flow for
    each of their namespaces. Links between datasets that others state are left as they are.
    """

    settings_class: ClassVar[type[Section]] = DataHubSettings
    publisher: ClassVar[str] = "datahub"
    _settings: DataHubSettings

    def address(self) -> str:
        return self._settings.url

    def open(self) -> DataHubCatalog:
        return DataHubCatalog(self._settings)


def _path(key: ItemKey) -> str:
    return f"{_ENTITIES[key.kind]}/{quote(key.key, safe='')}"


def _holds(there: Any, expected: Any) -> bool:
    """Whether all that is expected is there; DataHub adds fields of its own."""
    if isinstance(expected, dict):
        return isinstance(there, dict) and all(
            _holds(there.get(key), value) or value in ([], {}) and key not in there
            for key, value in expected.items()
        )
    if isinstance(expected, list):
        is_list = isinstance(there, list) and len(there) == len(expected)
        return is_list and all(map(_holds, there, expected))
    return bool(there == expected)
