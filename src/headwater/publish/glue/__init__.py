"""`publish glue`: where tables come from, into the AWS Glue Data Catalog."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import Field

from headwater.answers.inventory import Inventory
from headwater.clouds.aws import open_client
from headwater.config import Section
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep
from headwater.publish.catalog import CatalogItem, ItemSkipped, ItemState, Json, Skipped
from headwater.publish.catalog.aws import AwsCatalogSettings, meaning
from headwater.publish.catalog.publisher import CatalogPublisher
from headwater.publish.catalog.summary import MARK
from headwater.publish.glue.items import KINDS, glue_items
from headwater.store.published import ItemKey


class GlueSettings(AwsCatalogSettings):
    account: str = Field(
        default="",
        pattern=r"^(\d{12})?$",
        description="ID of the catalog, an account; by default that of the credentials.",
        json_schema_extra={"metavar": "ID"},
    )
    archive: bool = Field(
        default=False, description="Let Glue keep a table version of each change."
    )
    parameters: bool = Field(default=True, description="Set parameters of tables.")
    description: bool = Field(
        default=True,
        description="Describe tables that no person has described.",
    )
    parameter_prefix: str = Field(
        default="headwater",
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,50}$",
        description="What the keys of table parameters begin with.",
        json_schema_extra={"metavar": "PREFIX"},
    )


class GlueCatalog:
    """The Glue catalog of an account in one region, open for a pass."""

    kinds = KINDS
    lasts_seconds = None

    def __init__(self, settings: GlueSettings) -> None:
        self._settings = settings
        self._address = settings.address_of("glue")
        self._client = open_client(settings, "glue")
        self._catalog = {"CatalogId": settings.account} if settings.account else {}
        shape = self._client.meta.service_model.shape_for("TableInput")
        self._input_fields = frozenset(shape.members)

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        settings = self._settings
        return iter(
            glue_items(inventory, settings.region, settings.account, settings.parameter_prefix)
        )

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        table = self._read(item.key)
        self._update(item.key, table, item.body["parameters"], item.body["description"])
        return item.key

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        """Take our parameters and our description off a table; it stays."""
        try:
            table = self._read(key.key)
        except ItemSkipped:
            return
        self._update(key.key, table, {}, "")

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        try:
            table = self._read(item.key)
        except ItemSkipped:
            return ItemState.MISSING
        changed = self._changed(table, item.body["parameters"], item.body["description"])
        return ItemState.DIFFERENT if changed else ItemState.SAME

    def check(self) -> list[CheckStep]:
        try:
            with meaning(self._address):
                self._client.get_databases(MaxResults=1, **self._catalog)
        except HeadwaterError as error:
            advice = "check --region, and the credentials as `aws glue get-databases` does"
            return [CheckStep("databases", False, error.message, advice)]
        return [CheckStep("databases", True, "can be read")]

    def close(self) -> None:
        self._client.close()

    def _read(self, key: str) -> dict[str, Any]:
        database, _, table = key.partition("/")
        with meaning(self._address):
            found = self._client.get_table(DatabaseName=database, Name=table, **self._catalog)
        return dict(found["Table"])

    def _changed(
        self, table: dict[str, Any], parameters: dict[str, str], description: str
    ) -> dict[str, Any]:
        """The fields of a table that are to be other than they are."""
        prefix = f"{self._settings.parameter_prefix}."
        given: dict[str, str] = table.get("Parameters") or {}
        others = {key: value for key, value in given.items() if not key.startswith(prefix)}
        found: dict[str, Any] = {}
        if self._settings.parameters and given != others | parameters:
            found["Parameters"] = others | parameters
        stated = table.get("Description") or ""
        is_ours = not stated or stated.startswith(MARK)
        if self._settings.description and is_ours and stated != description:
            found["Description"] = description
        return found

    def _update(
        self, key: str, table: dict[str, Any], parameters: dict[str, str], description: str
    ) -> None:
        changed = self._changed(table, parameters, description)
        if not changed:
            # As it should be already: a write would be one more version of the table.
            return
        kept = {name: value for name, value in table.items() if name in self._input_fields}
        # Refused where another has changed the table since it was read.
        version = {"VersionId": table["VersionId"]} if "VersionId" in table else {}
        with meaning(self._address):
            self._client.update_table(
                DatabaseName=key.partition("/")[0],
                TableInput=kept | changed,
                SkipArchive=not self._settings.archive,
                **version,
                **self._catalog,
            )


class GluePublisher(CatalogPublisher):
    """Tables of Glue that are made of anything get parameters (topics, connectors and jobs that
    they come from, the way there, columns) and, unless a person has written one, a description.
    Credentials are those of the AWS command line.

    A table is written only if that changes it.
    """

    settings_class: ClassVar[type[Section]] = GlueSettings
    publisher: ClassVar[str] = "glue"
    _settings: GlueSettings

    def address(self) -> str:
        account = f"/{self._settings.account}" if self._settings.account else ""
        return f"{self._settings.address_of('glue')}{account}"

    def open(self) -> GlueCatalog:
        return GlueCatalog(self._settings)
