"""What users say of a list of pipelines to collect from."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from headwater.collect.rest import check_url
from headwater.config import Section, check_secret_reference
from headwater.durations import parse_duration
from headwater.model.naming import kafka


class PipelinesSettings(Section):
    place: str = Field(
        min_length=1,
        description="The exported list: a file, JSON or YAML, or its URL.",
        json_schema_extra={"argument": "FILE|URL"},
    )
    bootstrap: str = Field(
        min_length=1,
        description="The brokers' bootstrap.servers, which name the topics' Kafka cluster.",
    )
    namespace: str = Field(
        default="pipelines", description="Namespace of the jobs, such as streamkap://TEAM."
    )
    prefix: str = Field(
        default="", description="What topics of the cluster begin with, if the list leaves it out."
    )
    tables: Literal["last", "topic"] = Field(
        default="last",
        description="Names of a destination's tables: the last part of the topic's, or all of it.",
    )
    token: str = Field(
        default="", description="Where the URL's Bearer token is: env:VARIABLE or file:PATH."
    )
    timeout: str = Field(default="30s", description="How long an answer may take.")
    rows: Path | None = Field(
        default=None, description="File with rows for connectors of your own (connectors.json)."
    )
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    @field_validator("place")
    @classmethod
    def _is_place(cls, value: str) -> str:
        return check_url(value) if "://" in value else value

    @field_validator("bootstrap")
    @classmethod
    def _names_a_cluster(cls, value: str) -> str:
        kafka(value, "")
        return value

    @field_validator("token")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

    @field_validator("timeout")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value

    @property
    def is_url(self) -> bool:
        return "://" in self.place
