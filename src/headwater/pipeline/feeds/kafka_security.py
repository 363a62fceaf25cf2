"""Kafka's own properties for a secured cluster, out of the settings that name them.

Certificates and keys go to Kafka as text, so that executors on other machines need no files of
them. Secrets are read when a client is made: Kafka and Spark hide these properties in their logs.
"""

from headwater.access import KafkaAccess
from headwater.config import resolve_secret
from headwater.kafka_client import read_certificates, read_key

_SECURITY = "org.apache.kafka.common.security"
_MODULES = {
    "PLAIN": f"{_SECURITY}.plain.PlainLoginModule",
    "SCRAM-SHA-256": f"{_SECURITY}.scram.ScramLoginModule",
    "SCRAM-SHA-512": f"{_SECURITY}.scram.ScramLoginModule",
    "OAUTHBEARER": f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule",
}
_OAUTH_HANDLER = f"{_SECURITY}.oauthbearer.secured.OAuthBearerLoginCallbackHandler"


def client_properties(access: KafkaAccess) -> dict[str, str]:
    """What a client of Java's needs to be let in."""
    if not access.security_protocol:
        return {}
    properties: dict[str, str] = {"security.protocol": access.security_protocol}
    if access.is_tls:
        properties |= _tls(access)
    if access.is_sasl:
        properties |= _sasl(access)
    return properties


def _tls(access: KafkaAccess) -> dict[str, str]:
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
        properties["ssl.key.password"] = resolve_secret(access.key_password).get_secret_value()
    return properties


def _sasl(access: KafkaAccess) -> dict[str, str]:
    mechanism = access.sasl_mechanism or ("PLAIN" if access.user else "")
    properties: dict[str, str] = {"sasl.mechanism": mechanism} if mechanism else {}
    if access.user:
        properties["sasl.jaas.config"] = _login(access, mechanism)
    if access.token_url:
        properties["sasl.oauthbearer.token.endpoint.url"] = access.token_url
        properties["sasl.login.callback.handler.class"] = _OAUTH_HANDLER
    return properties


def _login(access: KafkaAccess, mechanism: str) -> str:
    """The entry of a login module, with which Java's clients log in."""
    password = resolve_secret(access.password).get_secret_value()
    if mechanism == "OAUTHBEARER":
        options = {"clientId": access.user, "clientSecret": password, "scope": access.scope}
    else:
        options = {"username": access.user, "password": password}
    texts = [f"{key}={_quote(value)}" for key, value in options.items() if value]
    return f"{_MODULES[mechanism]} required {' '.join(texts)};"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
