"""What users say of a Confluent Cloud account to collect from."""

from pathlib import Path
from typing import NamedTuple

from pydantic import Field, field_validator

from headwater.collect.rest import RestSettings, check_url
from headwater.config import check_secret_reference
from headwater.durations import parse_duration

CLOUD_URL = "https://api.confluent.cloud"
TELEMETRY_URL = "https://api.telemetry.confluent.cloud"


class ApiKey(NamedTuple):
    """An API key, and where its secret is: `env:VARIABLE` or `file:PATH`."""

    key: str
    secret: str


class ConfluentSettings(RestSettings):
    url: str = Field(default=CLOUD_URL, description="URL of Confluent Cloud's API.")
    user: str = Field(default="", description="Cloud API key.")
    password: str = Field(
        default="",
        description="Where its secret is: env:VARIABLE or file:PATH, never the secret.",
    )
    keys: tuple[str, ...] = Field(
        default=(),
        description="API keys of resources, RESOURCE=KEY:REFERENCE each. RESOURCE is a cluster "
        "(lkc-1), a ksqlDB cluster (lksqlc-1), tableflow, or schema-registry:ENV or flink:ENV; "
        "REFERENCE is env:VARIABLE or file:PATH.",
    )
    environment_ids: tuple[str, ...] = Field(
        default=(), description="Environments to read; all by default."
    )
    cluster_ids: tuple[str, ...] = Field(
        default=(), description="Kafka clusters to read; all by default."
    )
    enable_connect: bool = Field(default=True, description="Read connectors.")
    enable_ksqldb: bool = Field(default=True, description="Read ksqlDB's queries.")
    enable_flink: bool = Field(default=True, description="Read Flink's statements.")
    enable_groups: bool = Field(default=True, description="Read consumer groups.")
    enable_links: bool = Field(default=True, description="Read cluster links.")
    enable_schema_registry: bool = Field(default=True, description="Read schemas.")
    enable_stream_catalog: bool = Field(
        default=True, description="Read tags, owners and business metadata."
    )
    enable_tableflow: bool = Field(default=True, description="Read Tableflow's topics.")
    enable_metrics: bool = Field(default=False, description="Read the activity of topics.")
    metrics_lookback_hours: int = Field(
        default=1, ge=1, le=168, description="Over how many hours activity is counted."
    )
    telemetry_url: str = Field(default=TELEMETRY_URL, description="URL of the metrics API.")
    sr_endpoints: tuple[str, ...] = Field(
        default=(),
        description="Schema registries at addresses of their own, ENV=URL each.",
    )
    rows: Path | None = Field(
        default=None, description="File with rows for connectors of your own (connectors.json)."
    )
    phase_timeout: str = Field(
        default="2m",
        description="How long one part of a pass may take, such as a cluster's topics.",
    )
    refresh: str = Field(
        default="1h",
        description="How often lag and activity are reported again where nothing else changed.",
    )
    cooldown: str = Field(
        default="30s",
        description="With --watch: how long to wait after a change is seen, for more of them.",
    )

    audit_bootstrap: str = Field(
        default="",
        description="Brokers of the audit log's cluster, HOST:PORT: with --watch, changes are seen "
        "there. Without, the account itself is looked at.",
    )
    audit_user: str = Field(default="", description="API key of the audit log's cluster.")
    audit_password: str = Field(
        default="", description="Where its secret is: env:VARIABLE or file:PATH."
    )
    audit_topic: str = Field(
        default="confluent-audit-log-events", description="Topic of the audit log."
    )

    @field_validator("audit_password")
    @classmethod
    def _is_audit_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("keys")
    @classmethod
    def _are_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            read_key(each)
        return value

    @field_validator("sr_endpoints")
    @classmethod
    def _are_endpoints(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            name, equals, url = each.partition("=")
            if not (name and equals):
                raise ValueError(f"'{each[:64]}' is not ENV=URL")
            check_url(url)
        return value

    @field_validator("telemetry_url")
    @classmethod
    def _is_telemetry_url(cls, value: str) -> str:
        return check_url(value)

    @field_validator("phase_timeout", "refresh", "cooldown")
    @classmethod
    def _is_span(cls, value: str) -> str:
        parse_duration(value)
        return value

    @property
    def cloud_key(self) -> ApiKey | None:
        return ApiKey(self.user, self.password) if self.user and self.password else None

    @property
    def keys_by_resource(self) -> dict[str, ApiKey]:
        return dict(map(read_key, self.keys))

    @property
    def registries(self) -> dict[str, str]:
        """The registry's address of each environment that has its own."""
        pairs = (each.partition("=") for each in self.sr_endpoints)
        return {name: check_url(url) for name, _, url in pairs}


def read_key(text: str) -> tuple[str, ApiKey]:
    """What `RESOURCE=KEY:REFERENCE` says; raises ValueError where it is something else."""
    resource, equals, rest = text.partition("=")
    key, colon, reference = rest.partition(":")
    if not (resource and equals and key and colon):
        # What follows may be a secret.
        raise ValueError(f"'{resource[:64]}' is not followed by =KEY:env:VARIABLE")
    return resource, ApiKey(key, check_secret_reference(reference))
