"""What users say of a Glue Data Catalog to collect from."""

from pydantic import Field

from headwater.clouds.aws import AwsSettings
from headwater.collect.catalog.settings import TableChoice


class GlueReadSettings(TableChoice, AwsSettings):
    account: str = Field(
        default="",
        pattern=r"^(\d{12})?$",
        description="ID of the catalog, an account; by default that of the credentials.",
        json_schema_extra={"metavar": "ID"},
    )
    jobs: bool = Field(default=True, description="Crawlers and jobs, too.")

    @property
    def place(self) -> str:
        return f"{self.address_of('glue')}{f'/{self.account}' if self.account else ''}"
