"""What users say of a Connect cluster to collect from."""

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.config import Section, check_secret_reference
from headwater.durations import parse_duration


class ConnectSettings(Section):
    url: str = Field(description="URL of a worker's REST API, such as http://connect:8083.")
    group: str = Field(
        min_length=1,
        description="The workers' group.id; it names the cluster, also to the plugin inside it.",
    )
    bootstrap: str = Field(
        min_length=1,
        description="The workers' bootstrap.servers, which name the topics' Kafka cluster.",
    )
    namespace: str = Field(
        default="", description="Namespace of the jobs; by default kafka-connect://GROUP."
    )
    user: str = Field(default="", description="User for basic authentication.")
    password: str = Field(
        default="",
        description="Where the password is: env:VARIABLE or file:PATH, never the password.",
    )
    ca: Path | None = Field(default=None, description="File with the CA of the worker (PEM).")
    certificate: Path | None = Field(
        default=None, description="File with a client certificate and its key (PEM)."
    )
    heartbeat: str = Field(
        default="5m", description="How often a connector without news is reported as alive."
    )
    timeout: str = Field(default="10s", description="How long a worker may take to answer.")
    rows: Path | None = Field(
        default=None, description="File with rows for connectors of your own (connectors.json)."
    )
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        try:
            parsed = urlsplit(value)
            is_url = parsed.scheme in ("http", "https") and bool(parsed.hostname)
        except ValueError:
            is_url = False
        if not is_url:
            raise ValueError(f"'{value}' is not a URL; use http://HOST:PORT")
        if parsed.username or parsed.password:
            raise ValueError("no user or password in the URL; use --user and --password")
        return value.rstrip("/")

    @field_validator("password")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("heartbeat", "timeout")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value

    @property
    def job_namespace(self) -> str:
        return self.namespace or f"kafka-connect://{self.group}"
