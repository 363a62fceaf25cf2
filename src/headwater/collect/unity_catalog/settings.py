"""What users say of a Unity Catalog to collect from."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.collect.catalog.settings import TableChoice
from headwater.collect.catalog.token import bearer_credentials
from headwater.collect.rest import ConnectionSettings, RequestCredentials, check_url
from headwater.config import check_secret_reference, resolve_secret
from headwater.model.naming import DatasetName


class UnityReadSettings(TableChoice, ConnectionSettings):
    url: str = Field(
        description="URL of the workspace, such as https://dbc-1.cloud.databricks.com.",
        json_schema_extra={"metavar": "URL"},
    )
    token: str = Field(
        description="A token of the workspace, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
    )
    workspace: str = Field(
        default="",
        description="URL by which others know the workspace, where --url is another address.",
        json_schema_extra={"metavar": "URL"},
    )
    exclude: str = Field(
        default="system.* samples.* *.information_schema.*",
        description="Patterns of tables to leave out.",
    )
    columns: bool = Field(
        default=True, description="Lineage of columns: a request for each of a table's columns."
    )
    grants: bool = Field(default=True, description="Who may do what with each table.")

    @field_validator("token")
    @classmethod
    def _is_token_reference(cls, value: str) -> str:
        return check_secret_reference(value)

    @field_validator("workspace")
    @classmethod
    def _is_workspace(cls, value: str) -> str:
        return check_url(value) if value else value

    @property
    def known_url(self) -> str:
        return self.workspace or self.url

    @property
    def host(self) -> str:
        return urlsplit(self.known_url).netloc

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces under which tables of this Unity Catalog are known."""
        return (
            f"databricks://{self.host}",
            f"unitycatalog://{self.host}",
            f"databricks://{self.known_url}",
        )

    def table_of(self, name: DatasetName) -> str | None:
        is_whole = name.name.count(".") == 2 and all(name.name.split("."))
        return name.name if is_whole and name.namespace in self.namespaces else None

    def credentials(self) -> RequestCredentials:
        return bearer_credentials(
            lambda is_again: resolve_secret(self.token).get_secret_value().strip(), "--token"
        )
