"""The keys of an ingestion, with OpenMetadata's names; those that Headwater adds are marked."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from headwater.errors import HeadwaterError

Seconds = Annotated[float, Meta(ge=0, le=86_400)]
Text = Annotated[str, Meta(min_length=1, max_length=2_000)]
Interval = Annotated[str, Meta(min_length=1, max_length=200)]


class UnusableConfig(HeadwaterError):
    """A configuration that cannot be used: which key, and why."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key}: {reason}")
        self.key = key
        self.reason = reason


class UnusedKey(Struct, frozen=True):
    """A key of OpenMetadata's that has no meaning here, and the reason."""

    key: str
    reason: str


class BrokerSsl(Struct, frozen=True, forbid_unknown_fields=True):
    """Certificates for TLS: paths of PEM files, or references to them."""

    caCertificate: Text | None = None
    sslCertificate: Text | None = None
    sslKey: Text | None = None


class BrokerSasl(Struct, frozen=True, forbid_unknown_fields=True):
    saslMechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] = "PLAIN"
    saslUsername: Text | None = None
    saslPassword: Text | None = None


class KafkaBroker(Struct, frozen=True, forbid_unknown_fields=True):
    """`poolTimeout` is how often to look for new events; `sessionTimeout` ends a run that has
    seen none for so long."""

    brokersUrl: Text
    topicName: Text
    consumerGroupName: Text | None = None
    consumerOffsets: Literal["earliest", "latest"] = "earliest"
    poolTimeout: Seconds = 1.0
    sessionTimeout: Seconds | None = None
    securityProtocol: Literal["PLAINTEXT", "SASL_PLAINTEXT", "SSL", "SASL_SSL"] = "PLAINTEXT"
    sslConfig: BrokerSsl | None = None
    saslConfig: BrokerSasl | None = None


class BrokerAws(Struct, frozen=True, forbid_unknown_fields=True):
    awsRegion: Text
    awsAccessKeyId: Text | None = None
    awsSecretAccessKey: Text | None = None
    awsSessionToken: Text | None = None
    endPointURL: Text | None = None
    profileName: Text | None = None
    assumeRoleArn: Text | None = None
    assumeRoleSessionName: Text | None = None
    assumeRoleSourceIdentity: Text | None = None


class KinesisBroker(Struct, frozen=True, forbid_unknown_fields=True):
    streamName: Text
    awsConfig: BrokerAws
    consumerOffsets: Literal["TRIM_HORIZON", "LATEST"] = "TRIM_HORIZON"
    poolTimeout: Seconds = 1.0
    sessionTimeout: Seconds | None = None


class FilesBroker(Struct, frozen=True, forbid_unknown_fields=True):
    """Headwater's own: files in a folder, instead of a broker."""

    place: Text
    poolTimeout: Seconds = 5.0
    sessionTimeout: Seconds | None = None


Broker = KafkaBroker | KinesisBroker | FilesBroker


class FilterPattern(Struct, frozen=True, forbid_unknown_fields=True):
    """Regular expressions: a list, or a text with commas between them."""

    includes: list[str] | str | None = None
    excludes: list[str] | str | None = None


class SourceOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """What is taken in, and what is marked as deleted; the last two keys are Headwater's own."""

    pipelineFilterPattern: FilterPattern | None = None
    includeLineage: bool = True
    includeOwners: bool = True
    includeTags: bool = True
    markDeletedPipelines: bool = False
    enableDebugLog: bool = False
    markDeletedAfter: str = "30d"
    markDeletedExclude: list[str] | str | None = None


class ConnectionOptions(Struct, frozen=True, forbid_unknown_fields=True):
    brokerConfig: dict[str, Any]
    pipelineFilterPattern: FilterPattern | None = None


class ScheduleOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`interval` is hourly, daily, weekly, manual, continuous, or a cron expression in UTC."""

    interval: Interval = "manual"
    startDate: str | None = None
    endDate: str | None = None
