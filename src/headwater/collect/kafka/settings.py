"""What users say of a Kafka cluster to collect from."""

from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from headwater.collect.pairs import read_pairs
from headwater.config import Section, check_secret_reference, resolve_secret
from headwater.durations import parse_duration
from headwater.model.naming import kafka
from headwater.model.values.clusters import BARE

_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


class KafkaSettings(Section):
    bootstrap: str = Field(
        min_length=1, description="Brokers, HOST:PORT, by commas; the first names the cluster."
    )
    aliases: str = Field(
        default="",
        description="Other names by which jobs know the cluster, separated by spaces: HOST:PORT, "
        "or kafka where it is the default.",
    )
    protocol: str = Field(
        default="",
        description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL; by default SASL_SSL with --user, "
        "SSL with --ca or --certificate.",
    )
    mechanism: str = Field(
        default="PLAIN", description="How a user is known: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."
    )
    user: str = Field(default="", description="User for SASL.")
    password: str = Field(
        default="",
        description="Where the password is: env:VARIABLE or file:PATH, never the password.",
    )
    ca: Path | None = Field(default=None, description="File with the CA of the brokers (PEM).")
    certificate: Path | None = Field(
        default=None, description="File with a client certificate (PEM)."
    )
    key: Path | None = Field(default=None, description="File with the certificate's key (PEM).")
    key_password: str = Field(
        default="", description="Where the key's password is: env:VARIABLE or file:PATH."
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

    @field_validator("protocol")
    @classmethod
    def _is_protocol(cls, value: str) -> str:
        if value and value.upper() not in _PROTOCOLS:
            raise ValueError(f"not one of {', '.join(_PROTOCOLS)}")
        return value.upper()

    @field_validator("mechanism")
    @classmethod
    def _is_mechanism(cls, value: str) -> str:
        if value.upper() not in _MECHANISMS:
            raise ValueError(f"not one of {', '.join(_MECHANISMS)}")
        return value.upper()

    @field_validator("password", "key_password")
    @classmethod
    def _is_reference(cls, value: str) -> str:
        return check_secret_reference(value) if value else value

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

    @property
    def security_protocol(self) -> str:
        if self.protocol:
            return self.protocol
        if self.user:
            return "SASL_SSL"
        return "SSL" if self.ca or self.certificate else "PLAINTEXT"

    def client(self) -> dict[str, Any]:
        """The settings of librdkafka, with the secrets: only for the client itself."""
        found: dict[str, Any] = {
            "bootstrap.servers": self.bootstrap,
            "security.protocol": self.security_protocol,
            "client.id": "headwater-collect",
            "socket.timeout.ms": int(self.seconds * 1000),
        }
        files = {
            "ssl.ca.location": self.ca,
            "ssl.certificate.location": self.certificate,
            "ssl.key.location": self.key,
        }
        found |= {name: str(file) for name, file in files.items() if file is not None}
        if self.key_password:
            found["ssl.key.password"] = resolve_secret(self.key_password).get_secret_value()
        if self.user:
            found |= {"sasl.mechanism": self.mechanism, "sasl.username": self.user}
            if self.password:
                found["sasl.password"] = resolve_secret(self.password).get_secret_value()
        return found
