"""What users say of a Glue Data Catalog to collect from."""

from pydantic import Field

from headwater.clouds.aws import AwsSettings
from headwater.collect.catalog.settings import TableChoice
from headwater.model.naming import DatasetName


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

    def table_of(self, name: DatasetName) -> str | None:
        """By OpenLineage's name of it, or LineageBridge's."""
        bridge = f"aws://{self.region}/"
        if name.namespace.startswith(bridge):
            return f"{name.namespace.removeprefix(bridge)}.{name.name}"
        parts = name.name.split("/")
        place = f"arn:aws:glue:{self.region}:{self.account}"
        is_here = name.namespace.startswith(place) and len(parts) == 3 and parts[0] == "table"
        return f"{parts[1]}.{parts[2]}" if is_here else None
