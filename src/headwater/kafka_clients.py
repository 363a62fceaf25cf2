"""The properties of Kafka's clients for a secured cluster: of Java's, and of librdkafka's.

Certificates and keys go to Kafka as text, so that executors on other machines need no files of
them. Secrets are read when a client is made: Kafka and Spark hide these properties in their logs.
"""

from pathlib import Path

from headwater.access import KafkaAccess
from headwater.config import resolve_secret
from headwater.errors import BadConfig

_CERTIFICATE = "-----BEGIN CERTIFICATE-----"
_KEY = "-----BEGIN PRIVATE KEY-----"
_ENCRYPTED_KEY = "-----BEGIN ENCRYPTED PRIVATE KEY-----"
_SECURITY = "org.apache.kafka.common.security"
_MODULES = {
    "PLAIN": f"{_SECURITY}.plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_SECURITY}.scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_SECURITY}.scram.ScramLoginModule",
    "OAUTHBEARER": f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule",
}
_OAUTH_HANDLER = f"{_SECURITY}.oauthbearer.secured.OAuthBearerLoginCallbackHandler"


def java_properties(access: KafkaAccess) -> dict[str, str]:
    """What a client in Java needs to be let in."""
    if not access.security_protocol:
        return {}
    properties: dict[str, str] = {"security.protocol": access.security_protocol}
    if access.is_tls:
        properties |= _java_tls(access)
    if access.is_sasl:
        properties |= _java_sasl(access)
    return properties


def librdkafka_properties(access: KafkaAccess) -> dict[str, str]:
    """The same for a client on librdkafka, as those in Python are, which has names of its own."""
    if not access.security_protocol:
        return {}
    properties: dict[str, str] = {"security.protocol": access.security_protocol}
    if access.ca:
        properties["ssl.ca.pem"] = read_certificates(access.ca, "ca")
    if access.certificate:
        properties["ssl.certificate.pem"] = read_certificates(access.certificate, "certificate")
        properties["ssl.key.pem"] = read_key(access)
    if access.key_password:
        properties["ssl.key.password"] = _secret(access.key_password)
    if access.is_sasl:
        properties |= _librdkafka_sasl(access)
    return properties


def _librdkafka_sasl(access: KafkaAccess) -> dict[str, str]:
    properties: dict[str, str] = {"sasl.mechanism": access.mechanism} if access.mechanism else {}
    if not access.user:
        return properties
    if access.mechanism != "OAUTHBEARER":
        login = {"sasl.username": access.user, "sasl.password": _secret(access.password)}
        return properties | login
    options = {
        "method": "oidc",
        "client.id": access.user,
        "client.secret": _secret(access.password),
        "token.endpoint.url": access.token_url,
        "scope": access.scope,
    }
    return properties | {
        f"sasl.oauthbearer.{key}": value for key, value in options.items() if value
    }


def _java_tls(access: KafkaAccess) -> dict[str, str]:
    properties = {}
    if access.ca:
        properties["ssl.truststore.type"] = "PEM"
        properties["ssl.truststore.certificates"] = read_certificates(access.ca, "ca")
    if access.certificate:
        chain = read_certificates(access.certificate, "certificate")
        properties["ssl.keystore.type"] = "PEM"
        properties["ssl.keystore.certificate.chain"] = chain
        properties["ssl.keystore.key"] = read_key(access)
    if access.key_password:
        properties["ssl.key.password"] = _secret(access.key_password)
    return properties


def _java_sasl(access: KafkaAccess) -> dict[str, str]:
    properties: dict[str, str] = {"sasl.mechanism": access.mechanism} if access.mechanism else {}
    if access.user:
        properties["sasl.jaas.config"] = _login(access)
    if access.token_url:
        properties["sasl.oauthbearer.token.endpoint.url"] = access.token_url
        properties["sasl.login.callback.handler.class"] = _OAUTH_HANDLER
    return properties


def _login(access: KafkaAccess) -> str:
    """The entry of a login module, with which Java's clients log in."""
    password = _secret(access.password)
    if access.mechanism == "OAUTHBEARER":
        options = {"clientId": access.user, "clientSecret": password, "scope": access.scope}
    else:
        options = {"username": access.user, "password": password}
    texts = [f"{key}={_quote(value)}" for key, value in options.items() if value]
    return f"{_MODULES[access.mechanism]} required {' '.join(texts)};"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def read_certificates(given: str, setting: str) -> str:
    """The certificates that a setting holds or refers to, as PEM."""
    text = _read(given, setting)
    if _CERTIFICATE not in text:
        raise BadConfig(setting, "it has no certificate in PEM")
    return text


def read_key(access: KafkaAccess) -> str:
    """The private key, in the only form that Kafka's clients read."""
    text = _read(access.key, "key")
    if _ENCRYPTED_KEY in text and not access.key_password:
        raise BadConfig("key", "the key has a password; give --key-password")
    if _KEY not in text and _ENCRYPTED_KEY not in text:
        advice = "openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pk8"
        reason = f"it has no private key in PEM as PKCS#8; convert it: {advice}"
        raise BadConfig("key", reason)
    return text


def _secret(reference: str) -> str:
    return resolve_secret(reference).get_secret_value()


def _read(given: str, setting: str) -> str:
    if given.startswith("-----BEGIN"):
        return given
    if given.startswith(("env:", "file:")):
        return _secret(given)
    try:
        return Path(given).read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadConfig(setting, f"'{given}' cannot be read: {reason}") from None
