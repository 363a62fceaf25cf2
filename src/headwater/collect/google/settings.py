"""What users say of a project of Google Cloud to collect from."""

from pydantic import Field, field_validator

from headwater.clouds.google import GoogleProject
from headwater.collect.catalog.settings import TableChoice
from headwater.collect.catalog.token import bearer_credentials
from headwater.collect.rest import ConnectionSettings, RequestCredentials, check_url
from headwater.model.naming import DatasetName


class GoogleReadSettings(TableChoice, GoogleProject, ConnectionSettings):
    url: str = Field(
        default="https://datalineage.googleapis.com",
        description="Another address of the Data Lineage API, such as of a private endpoint.",
        json_schema_extra={"metavar": "URL"},
    )
    bigquery_url: str = Field(
        default="https://bigquery.googleapis.com",
        description="Another address of BigQuery.",
        json_schema_extra={"metavar": "URL"},
    )

    @field_validator("bigquery_url")
    @classmethod
    def _is_bigquery_url(cls, value: str) -> str:
        return check_url(value)

    @property
    def place(self) -> str:
        return f"{self.url}/v1/{self.parent}"

    def table_of(self, name: DatasetName) -> str | None:
        """By OpenLineage's name of it, or LineageBridge's."""
        bridge = f"google://{self.project}/"
        if name.namespace.startswith(bridge):
            return f"{self.project}.{name.namespace.removeprefix(bridge)}.{name.name}"
        return name.name if name.namespace == "bigquery" and name.name.count(".") == 2 else None

    def credentials(self) -> RequestCredentials:
        return bearer_credentials(self.read_token, "--token or --token-command")
