"""What users say of a schema registry to collect from."""

from pydantic import Field, field_validator

from headwater.collect.pairs import read_pairs
from headwater.collect.rest import RestSettings


class SchemaRegistrySettings(RestSettings):
    bootstrap: str = Field(
        min_length=1,
        description="The brokers' bootstrap.servers, which name the topics' Kafka cluster.",
    )
    contexts: str = Field(
        default="",
        description="Kafka clusters of other contexts: CONTEXT=BOOTSTRAP, separated by spaces.",
    )
    topics: str = Field(
        default="",
        description="Topics of subjects that do not name theirs (RecordNameStrategy): "
        "SUBJECT=TOPIC, separated by spaces.",
    )
    history: int = Field(
        default=10,
        ge=1,
        description="How many versions are reported of a subject that is seen first, where the "
        "registry knows when they were registered.",
    )

    @field_validator("contexts", "topics")
    @classmethod
    def _are_pairs(cls, value: str) -> str:
        read_pairs(value)
        return value

    @property
    def bootstraps(self) -> dict[str, str]:
        """The Kafka cluster of each context that is known; the default context is empty."""
        found = {name.strip("."): value for name, value in read_pairs(self.contexts).items()}
        return {"": self.bootstrap, **found}
