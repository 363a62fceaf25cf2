"""What users say of a ksqlDB cluster to collect from."""

from pydantic import Field, field_validator

from headwater.collect.connect.settings import TopicSettings
from headwater.durations import parse_duration


class KsqldbSettings(TopicSettings):
    namespace: str = Field(
        default="",
        description="Namespace of the jobs; by default ksqldb://HOST:PORT/SERVICE of the Kafka "
        "cluster and the service id.",
    )
    heartbeat: str = Field(
        default="5m", description="How often a query without news is reported as alive."
    )

    @field_validator("heartbeat")
    @classmethod
    def _is_span(cls, value: str) -> str:
        parse_duration(value)
        return value
