"""The settings of librdkafka, Kafka's client for Python, for a cluster that may be secured."""

from pathlib import Path

from headwater.access import KafkaAccess
from headwater.config import resolve_secret
from headwater.errors import BadConfig

_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
_KEY = "-----BEGIN PRIVATE KEY-----"
_ENCRYPTED_KEY = "-----BEGIN ENCRYPTED PRIVATE KEY-----"
_INGEST = "ingest.kafka"


def librdkafka_settings(
    brokers: str, access: KafkaAccess, section: str = _INGEST
) -> dict[str, str]:
    """How a cluster is reached, with the secrets; `section` is where messages say settings are."""
    settings = {"bootstrap.servers": brokers}
    if access.security_protocol:
        settings["security.protocol"] = access.security_protocol
    if access.ca:
        settings["ssl.ca.pem"] = read_certificates(access.ca, "ca", section)
    if access.certificate:
        chain = read_certificates(access.certificate, "certificate", section)
        settings["ssl.certificate.pem"] = chain
        settings["ssl.key.pem"] = read_key(access, section)
    if access.key_password:
        settings["ssl.key.password"] = resolve_secret(access.key_password).get_secret_value()
    return settings | _sasl(access)


def _sasl(access: KafkaAccess) -> dict[str, str]:
    if not access.user:
        return {}
    password = resolve_secret(access.password).get_secret_value()
    mechanism = access.sasl_mechanism or "PLAIN"
    if mechanism != "OAUTHBEARER":
        return {
            "sasl.mechanism": mechanism,
            "sasl.username": access.user,
            "sasl.password": password,
        }
    scope = {"sasl.oauthbearer.scope": access.scope} if access.scope else {}
    return {
        "sasl.mechanism": mechanism,
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": access.user,
        "sasl.oauthbearer.client.secret": password,
        "sasl.oauthbearer.token.endpoint.url": access.token_url,
        **scope,
    }


def read_certificates(given: str, setting: str, section: str = _INGEST) -> str:
    """The certificates that a setting holds or refers to, as PEM."""
    text = _read(given, setting, section)
    if _CERTIFICATE not in text:
        raise BadConfig(f"{section}.{setting}", "it has no certificate in PEM")
    return text


def read_key(access: KafkaAccess, section: str = _INGEST) -> str:
    """The private key, in the only form that Kafka's clients read."""
    text = _read(access.key, "key", section)
    if _ENCRYPTED_KEY in text and not access.key_password:
        raise BadConfig(f"{section}.key", "the key has a password; give --key-password")
    if _KEY not in text and _ENCRYPTED_KEY not in text:
        advice = "openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pk8"
        reason = f"it has no private key in PEM as PKCS#8; convert it: {advice}"
        raise BadConfig(f"{section}.key", reason)
    return text


def _read(given: str, setting: str, section: str) -> str:
    if given.startswith("-----BEGIN"):
        return given
    if given.startswith(("env:", "file:")):
        return resolve_secret(given).get_secret_value()
    try:
        return Path(given).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadConfig(f"{section}.{setting}", f"'{given}' cannot be read: {reason}") from None
