"""`publish openmetadata`: lineage by column between what OpenMetadata has, by its own API."""

from collections.abc import Iterator
from typing import ClassVar

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
from headwater.publish.openlineage.send import check_url
from headwater.publish.openmetadata.client import (
    FoundEntity,
    OpenMetadataClient,
    is_ours,
    link_reference,
)
from headwater.publish.openmetadata.items import LINEAGE, PIPELINE, list_items
from headwater.publish.openmetadata.names import EntityName, EntityNames, read_service
from headwater.store.published import ItemKey

_COMPARED = ("columnsLineage", "description")


class OpenMetadataSettings(CatalogSettings):
    url: str = Field(
        description="URL of the server, such as http://openmetadata:8585.",
        json_schema_extra={"metavar": "URL"},
    )
    token: str = Field(
        description="The JWT of a bot, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    service: tuple[str, ...] = Field(
        default=(),
        description="What the namespaces that begin so are there, as NAMESPACE=SERVICE, or with "
        "more of the fully qualified name: mysql://shop:3306=mysql_prod.default. Can be repeated.",
        json_schema_extra={"metavar": "NAMESPACE=SERVICE"},
    )
    pipeline_service: str = Field(
        default="",
        description="A pipeline service: connectors and jobs become pipelines of it, which links "
        "name.",
        json_schema_extra={"metavar": "SERVICE"},
    )
    lower: bool = Field(
        default=False, description="Names of datasets in lower case, where they are so there."
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @field_validator("token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value)

    @field_validator("service")
    @classmethod
    def _are_services(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        for value in values:
            read_service(value)
        return values

    @property
    def names(self) -> EntityNames:
        return EntityNames(tuple(map(read_service, self.service)), self.lower)

    def read_token(self, is_again: bool) -> str:
        return resolve_secret(self.token).get_secret_value().strip()


class OpenMetadataCatalog:
    """One OpenMetadata, open for a pass."""

    lasts_seconds = None

    def __init__(self, settings: OpenMetadataSettings) -> None:
        self._settings = settings
        self.kinds = (PIPELINE, LINEAGE) if settings.pipeline_service else (LINEAGE,)
        # Now, and not at the first of many items.
        settings.read_token(False)
        self._http = CatalogHttp(f"{settings.url}/api/v1/", settings.read_token)
        self._client = OpenMetadataClient(self._http, settings.pipeline_service)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        return list_items(inventory, self._settings.names, PIPELINE in self.kinds)

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        if item.kind == PIPELINE:
            self._client.write_pipeline(item.body)
            return ""
        source, target = self._ends(item.body)
        if is_new:
            there = self._client.read_link(source, target)
            if there is not None and not is_ours(there):
                raise ItemSkipped("somebody else states this link there: it is left as it is")
        details = self._client.link_details(source, target, item.body)
        self._client.write_link(source, target, details)
        return link_reference(source, target)

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        if key.kind == PIPELINE:
            self._client.remove_pipeline(key.key)
        else:
            self._client.remove_link(reference)

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        if item.kind == PIPELINE:
            found = self._client.read_pipeline(item.key)
            if found is None:
                return ItemState.MISSING
            is_same = all(found.get(name) == value for name, value in item.body.items())
            return ItemState.SAME if is_same else ItemState.DIFFERENT
        try:
            source, target = self._ends(item.body)
            details = self._client.link_details(source, target, item.body)
        except ItemSkipped:
            return ItemState.MISSING
        there = self._client.read_link(source, target)
        if there is None:
            return ItemState.MISSING
        is_same = all((there.get(name) or []) == (details[name] or []) for name in _COMPARED)
        return ItemState.SAME if is_same else ItemState.DIFFERENT

    def _ends(self, body: Json) -> tuple[FoundEntity, FoundEntity]:
        source, target = (EntityName(**body[end]) for end in ("from", "to"))
        return self._client.find(source), self._client.find(target)

    def check(self) -> list[CheckStep]:
        try:
            self._client.check_services()
        except HeadwaterError as error:
            advice = "check --url, the token and its role, and --pipeline-service"
            return [CheckStep("tables", False, error.message, advice)]
        return [CheckStep("tables", True, "tables can be read")]

    def close(self) -> None:
        self._http.close()


class OpenMetadataPublisher(CatalogPublisher):
    """Links between tables, topics and containers that OpenMetadata has, by column; they are found
    by their names (--service), and none is made. With --pipeline-service jobs become pipelines.
    Links that somebody else states are left as they are.
    """

    settings_class: ClassVar[type[Section]] = OpenMetadataSettings
    publisher: ClassVar[str] = "openmetadata"
    _settings: OpenMetadataSettings

    def address(self) -> str:
        return self._settings.url

    def open(self) -> OpenMetadataCatalog:
        return OpenMetadataCatalog(self._settings)
