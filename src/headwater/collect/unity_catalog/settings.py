"""What users say of a Unity Catalog to collect from."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.collect.catalog.settings import TableChoice
from headwater.collect.catalog.token import bearer_credentials
from headwater.collect.rest import ConnectionSettings, Credentials
from headwater.config import check_secret_reference, resolve_secret


class UnityReadSettings(TableChoice, ConnectionSettings):
    url: str = Field(
        description="URL of the workspace, such as https://dbc-1.cloud.databricks.com.",
        json_schema_extra={"metavar": "URL"},
    )
    token: str = Field(
        description="A token of the workspace, as env:VARIABLE or file:PATH.",
        json_schema_extra={"metavar": "REFERENCE"},
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

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces under which tables of this Unity Catalog are known."""
        return (
            f"databricks://{self.host}",
            f"unitycatalog://{self.host}",
            f"databricks://{self.url}",
        )

    def credentials(self) -> Credentials:
        return bearer_credentials(
            lambda is_again: resolve_secret(self.token).get_secret_value().strip(), "--token"
        )
