"""What users say of a Connect cluster to collect from."""

from pathlib import Path

from pydantic import Field, field_validator

from headwater.collect.rest import RestSettings, check_url
from headwater.config import check_secret_reference
from headwater.durations import parse_duration


class TopicSettings(RestSettings):
    """Of a system whose topics have schemas in a registry."""

    bootstrap: str = Field(
        min_length=1,
        description="The bootstrap.servers of its Kafka cluster, which name the topics.",
    )
    registry: str = Field(
        default="",
        description="URL of the topics' schema registry, by whose schemas columns are followed.",
    )
    registry_user: str = Field(
        default="", description="User of the schema registry for basic authentication."
    )
    registry_password: str = Field(
        default="",
        description="Where its password is: env:VARIABLE or file:PATH, never the password.",
    )

    @field_validator("registry")
    @classmethod
    def _is_registry_url(cls, value: str) -> str:
        return check_url(value) if value else value

    @field_validator("registry_password")
    @classmethod
    def _is_registry_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value


class ConnectSettings(TopicSettings):
    group: str = Field(
        min_length=1,
        description="The workers' group.id; it names the cluster, also to the plugin inside it.",
    )
    namespace: str = Field(
        default="", description="Namespace of the jobs; by default kafka-connect://GROUP."
    )
    heartbeat: str = Field(
        default="5m", description="How often a connector without news is reported as alive."
    )
    rows: Path | None = Field(
        default=None, description="File with rows for connectors of your own (connectors.json)."
    )

    @field_validator("heartbeat")
    @classmethod
    def _is_span(cls, value: str) -> str:
        parse_duration(value)
        return value

    @property
    def job_namespace(self) -> str:
        return self.namespace or f"kafka-connect://{self.group}"
