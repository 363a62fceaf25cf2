"""The source that the configuration of an ingestion describes, as feeds take it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from headwater.access import KafkaAccess, KinesisAccess
from headwater.pipeline.feeds.files import FilesPlace
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.feeds.registry import Source
from headwater.pipeline.ingestions.shapes import (
    Broker,
    BrokerAws,
    FilesBroker,
    KafkaBroker,
    KinesisBroker,
    UnusableConfig,
)
from headwater.section import Section

_PLACE = "connection.config.brokerConfig"
_Access = TypeVar("_Access", bound=Section)


def make_source(broker: Broker) -> Source:
    """What to read and how to reach it; raises UnusableConfig with the key."""
    if isinstance(broker, KafkaBroker):
        return KafkaSource(
            brokers=broker.brokersUrl,
            topics=tuple(_split_topics(broker.topicName)),
            start=broker.consumerOffsets,
            access=_kafka_access(broker),
            group=broker.consumerGroupName or "",
        )
    if isinstance(broker, KinesisBroker):
        return KinesisSource(
            stream=broker.streamName,
            aws=_aws_settings(broker.awsConfig),
            start=broker.consumerOffsets,
        )
    return _place_of(broker)


def _place_of(broker: FilesBroker) -> FilesPlace:
    return FilesPlace(broker.place)


def _split_topics(text: str) -> list[str]:
    return [topic.strip() for topic in text.split(",") if topic.strip()]


def _kafka_access(broker: KafkaBroker) -> KafkaAccess:
    given: dict[str, Any] = {"security_protocol": broker.securityProtocol}
    if (ssl := broker.sslConfig) is not None:
        given |= {"ca": ssl.caCertificate, "certificate": ssl.sslCertificate, "key": ssl.sslKey}
    if (sasl := broker.saslConfig) is not None:
        given["sasl_mechanism"] = sasl.saslMechanism
        given |= {"user": sasl.saslUsername, "password": sasl.saslPassword}
    keys = {
        "ca": "sslConfig.caCertificate",
        "certificate": "sslConfig.sslCertificate",
        "key": "sslConfig.sslKey",
        "user": "saslConfig.saslUsername",
        "password": "saslConfig.saslPassword",
    }
    return _settings(KafkaAccess, given, keys)


def _aws_settings(aws: BrokerAws) -> KinesisAccess:
    keys = {
        "region": "awsRegion",
        "access_key_id": "awsAccessKeyId",
        "secret_access_key": "awsSecretAccessKey",
        "session_token": "awsSessionToken",
        "endpoint_url": "endPointURL",
        "profile": "profileName",
        "role_arn": "assumeRoleArn",
        "role_session_name": "assumeRoleSessionName",
        "role_source_identity": "assumeRoleSourceIdentity",
    }
    given = {name: getattr(aws, key) for name, key in keys.items()}
    return _settings(KinesisAccess, given, {name: f"awsConfig.{key}" for name, key in keys.items()})


def _settings(shape: type[_Access], given: Mapping[str, Any], keys: Mapping[str, str]) -> _Access:
    """Settings of an access; what is wrong is reported by the key of the configuration."""
    try:
        return shape(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        key = keys.get(str(first["loc"][0])) if first["loc"] else None
        reason = first["msg"].removeprefix("Value error, ")
        for name, known in keys.items():
            reason = reason.replace(name, known.rpartition(".")[2])
        raise UnusableConfig(f"{_PLACE}.{key}" if key else _PLACE, reason) from None
