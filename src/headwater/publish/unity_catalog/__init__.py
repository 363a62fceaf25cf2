"""`publish unity-catalog`: lineage from outside into Databricks' Unity Catalog."""

from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.answers.inventory import Inventory
from headwater.config import Section, check_secret_reference, resolve_secret
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep
from headwater.publish.catalog import CatalogItem, CatalogSettings, ItemState, Json, Skipped
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.publish.openlineage.send import check_url
from headwater.publish.unity_catalog.client import UnityClient
from headwater.publish.unity_catalog.items import (
    LINEAGE,
    OBJECT,
    UnityItems,
    UnityOptions,
)
from headwater.store.published import ItemKey


class UnityCatalogSettings(CatalogSettings):
    url: str = Field(
        description="URL of the workspace, such as https://dbc-1.cloud.databricks.com.",
        json_schema_extra={"metavar": "URL"},
    )
    token: str = Field(
        description="A token of the workspace, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    namespace: tuple[str, ...] = Field(
        default=(),
        description="Namespace of datasets that are tables of this Unity Catalog; by default "
        "unitycatalog://HOST and databricks://HOST of the URL. Can be repeated.",
        json_schema_extra={"metavar": "NAMESPACE"},
    )
    jobs: bool = Field(
        default=True, description="Connectors and jobs become objects between datasets."
    )
    all: bool = Field(
        default=False,
        description="Also what is not linked to a table of this Unity Catalog.",
    )
    warehouse: str = Field(
        default="",
        description="ID of a SQL warehouse: tables get properties and a comment, too.",
        json_schema_extra={"metavar": "ID"},
    )
    lineage: bool = Field(
        default=True, description="Publish external metadata and external lineage."
    )
    properties: bool = Field(
        default=True, description="With a warehouse: set properties of tables."
    )
    comments: bool = Field(
        default=True, description="With a warehouse: comment on tables that no person has."
    )
    property_prefix: str = Field(
        default="headwater",
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,50}$",
        description="What the keys of table properties begin with.",
        json_schema_extra={"metavar": "PREFIX"},
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @field_validator("token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value)

    @property
    def namespaces(self) -> tuple[str, ...]:
        host = urlsplit(self.url).netloc
        return self.namespace or (f"unitycatalog://{host}", f"databricks://{host}")

    @property
    def own_job_namespaces(self) -> tuple[str, ...]:
        return (*self.namespaces, f"databricks://{urlsplit(self.url).netloc}")

    @property
    def options(self) -> UnityOptions:
        return UnityOptions(
            self.namespaces,
            self.jobs,
            self.all,
            self.lineage,
            self.properties and bool(self.warehouse),
            self.comments and bool(self.warehouse),
            self.property_prefix,
        )


class UnityCatalog:
    """The catalog of one workspace, open for a pass."""

    lasts_seconds = None

    def __init__(self, settings: UnityCatalogSettings) -> None:
        self._settings = settings
        self.kinds = settings.options.kinds
        token = resolve_secret(settings.token)
        self._client = UnityClient(settings.url, token, settings.warehouse)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        return iter(UnityItems(inventory, self._settings.options))

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        client = self._client
        if item.kind == OBJECT:
            write = client.write_object if is_new else client.update_object
            return write(item.key, item.body)
        if item.kind == LINEAGE:
            return (client.write_lineage if is_new else client.update_lineage)(item.body)
        return client.write_table(item.key, item.body["properties"], item.body["comment"])

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        if key.kind == OBJECT:
            self._client.remove_object(key.key)
        elif key.kind == LINEAGE:
            self._client.remove_lineage({end: body[end] for end in ("source", "target")})
        else:
            self._client.remove_table(key.key, self._settings.property_prefix)

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        if item.kind == OBJECT:
            return self._client.compare_object(item.key, item.body)
        if item.kind == LINEAGE:
            return self._client.compare_lineage(item.body)
        return self._client.compare_table(item.key, item.body["properties"])

    def check(self) -> list[CheckStep]:
        try:
            self._client.list_one_object()
        except HeadwaterError as error:
            return [
                CheckStep("objects", False, error.message, "check --url, --token and its grants")
            ]
        return [CheckStep("objects", True, "external metadata can be read")]

    def close(self) -> None:
        """The SDK keeps nothing open that is to be closed."""


class UnityCatalogPublisher(CatalogPublisher):
    """Topics, files and tables outside of Unity Catalog, connectors and jobs become external
    metadata, linked to its tables, by column where columns are known; only what is linked to a
    table of it, or everything with --all. With --warehouse tables get properties and comments.

    Only what differs from what was published before is sent.
    """

    settings_class: ClassVar[type[Section]] = UnityCatalogSettings
    publisher: ClassVar[str] = "unity-catalog"
    _settings: UnityCatalogSettings

    def address(self) -> str:
        return self._settings.url

    def open(self) -> UnityCatalog:
        return UnityCatalog(self._settings)
