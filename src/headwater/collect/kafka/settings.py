"""What users say of a Kafka cluster to collect from."""

from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from headwater.access import KafkaAccess
from headwater.collect.pairs import read_pairs
from headwater.durations import parse_duration
from headwater.kafka_clients import librdkafka_properties
from headwater.model.naming import kafka
from headwater.model.values.clusters import BARE


class KafkaSettings(KafkaAccess):
    bootstrap: str = Field(
        min_length=1, description="Brokers, HOST:PORT, by commas; the first names the cluster."
    )
    aliases: str = Field(
        default="",
        description="Other names by which jobs know the cluster, separated by spaces: HOST:PORT, "
        "or kafka where it is the default.",
    )
    topics: str = Field(
        default="*", description="Patterns of topics, such as 'shop.*', separated by spaces."
    )
    exclude_topics: str = Field(default="", description="Patterns of topics to leave out.")
    groups: str = Field(default="*", description="Patterns of consumer groups.")
    exclude_groups: str = Field(default="", description="Patterns of groups to leave out.")
    internal: bool = Field(
        default=False, description="Also the cluster's own topics, such as __consumer_offsets."
    )
    mirrors: str = Field(
        default="",
        description="Clusters that MirrorMaker copies from, by the prefix of their topics: "
        "ALIAS=BOOTSTRAP, separated by spaces.",
    )
    heartbeat: str = Field(
        default="5m", description="How often a group without news is reported as alive."
    )
    timeout: str = Field(default="30s", description="How long an answer may take.")
    state: Path = Field(
        default=Path("headwater-data/collect"),
        description="Folder that remembers what was reported, so that only changes are sent.",
    )

    @field_validator("bootstrap")
    @classmethod
    def _are_brokers(cls, value: str) -> str:
        kafka(value, "")
        if "@" in value:
            # Not repeated: it may be a secret.
            raise ValueError("only HOST:PORT, by commas; a user goes into --user")
        return value

    @field_validator("mirrors")
    @classmethod
    def _are_pairs(cls, value: str) -> str:
        read_pairs(value)
        return value

    @field_validator("heartbeat", "timeout")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value

    @property
    def namespace(self) -> str:
        return kafka(self.bootstrap, "").namespace

    @property
    def other_namespaces(self) -> list[str]:
        """The namespaces by which others may know the cluster."""
        brokers = [each for each in self.bootstrap.split(",") if each.strip()]
        named = [*brokers, *self.aliases.split()]
        return [each if each == BARE else kafka(each, "").namespace for each in named]

    @property
    def seconds(self) -> float:
        return parse_duration(self.timeout).total_seconds()

    def client(self) -> dict[str, Any]:
        """The settings of librdkafka, with the secrets: only for the client itself."""
        return {
            **librdkafka_properties(self),
            "bootstrap.servers": self.bootstrap,
            "client.id": "headwater-collect",
            "socket.timeout.ms": int(self.seconds * 1000),
        }
