"""The settings of librdkafka, which has names of its own, for the cluster of a source."""

from headwater.config import resolve_secret
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_security import read_certificates, read_key


def librdkafka_settings(source: KafkaSource) -> dict[str, str]:
    """How a source's cluster is reached."""
    access = source.access
    settings = {"bootstrap.servers": source.brokers}
    if access.security_protocol:
        settings["security.protocol"] = access.security_protocol
    if access.ca:
        settings["ssl.ca.pem"] = read_certificates(access.ca, "ca")
    if access.certificate:
        settings["ssl.certificate.pem"] = read_certificates(access.certificate, "certificate")
        settings["ssl.key.pem"] = read_key(access)
    if access.key_password:
        settings["ssl.key.password"] = resolve_secret(access.key_password).get_secret_value()
    if access.user:
        settings["sasl.mechanism"] = access.sasl_mechanism or "PLAIN"
        settings["sasl.username"] = access.user
        settings["sasl.password"] = resolve_secret(access.password).get_secret_value()
    return settings
