"""What users say of a Flink cluster to collect from."""

from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator

from headwater.collect.rest import RestSettings, check_url
from headwater.durations import parse_duration


class FlinkSettings(RestSettings):
    url: str = Field(description="URL of the JobManager's REST API, such as http://HOST:8081.")
    sql: tuple[str, ...] = Field(
        default=(),
        description="File with the SQL of jobs, or a folder of such (*.sql), which names their "
        "datasets and columns. May be given several times.",
    )
    gateway: str = Field(
        default="",
        description="URL of the cluster's SQL gateway, such as http://HOST:8083, for definitions "
        "of tables that the SQL of jobs leaves out.",
    )
    gateway_session: tuple[str, ...] = Field(
        default=(),
        description="JOB=HANDLE: the session of the gateway that a job was submitted in, which "
        "alone has its tables of Flink's own catalog. May be given several times.",
    )
    namespace: str = Field(
        default="",
        description="Namespace of the jobs; by default that of Flink's OpenLineage listener where "
        "the cluster has one, else flink://HOST:PORT.",
    )
    heartbeat: str = Field(
        default="5m", description="How often a job without news is reported as alive."
    )

    @field_validator("heartbeat")
    @classmethod
    def _is_span(cls, value: str) -> str:
        parse_duration(value)
        return value

    @field_validator("gateway")
    @classmethod
    def _is_gateway(cls, value: str) -> str:
        return check_url(value) if value else value

    @field_validator("gateway_session")
    @classmethod
    def _are_sessions(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if value and not info.data.get("gateway"):
            raise ValueError("it is a session of a SQL gateway: name that with --gateway")
        for each in value:
            job, _, handle = each.rpartition("=")
            if not job or not handle:
                raise ValueError(f"'{each}' is not JOB=HANDLE")
        return value

    @property
    def sessions(self) -> dict[str, str]:
        """The session of the gateway that each job was submitted in."""
        parts = (each.rpartition("=") for each in self.gateway_session)
        return {job: handle for job, _, handle in parts}

    @property
    def cluster_namespace(self) -> str:
        """The namespace of jobs of which nobody says otherwise."""
        return f"flink://{urlsplit(self.url).netloc}"
