"""What users say of a Flink cluster to collect from."""

from urllib.parse import urlsplit

from pydantic import Field, field_validator

from headwater.collect.rest import RestSettings
from headwater.durations import parse_duration


class FlinkSettings(RestSettings):
    url: str = Field(description="URL of the JobManager's REST API, such as http://HOST:8081.")
    sql: tuple[str, ...] = Field(
        default=(),
        description="File with the SQL of jobs, or a folder of such (*.sql), which names their "
        "datasets and columns. May be given several times.",
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

    @property
    def cluster_namespace(self) -> str:
        """The namespace of jobs of which nobody says otherwise."""
        return f"flink://{urlsplit(self.url).netloc}"
