"""Properties of Kafka's clients, out of named settings; what no client could read is refused."""

from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from headwater.access import KafkaAccess
from headwater.errors import BadConfig, BadSecret
from headwater.kafka_clients import java_properties, librdkafka_properties
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_errors import find_reason, with_advice
from testing.services.certificates import Authority

PASSWORD = 'a "quoted" \\ one'


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", PASSWORD)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


def properties(**given: str) -> dict[str, str]:
    return java_properties(KafkaAccess.model_validate(given))


def test_nothing_is_set_where_nothing_is_named() -> None:
    assert properties() == {}


def test_tls_with_a_certificate_of_ones_own(authority: Authority) -> None:
    certificate, key = authority.issue("own", password="secret")
    found = properties(
        security_protocol="SSL",
        ca=authority.file.read_text(),
        certificate=str(certificate),
        key=f"file:{key}",
        key_password="env:SECRET",
    )
    assert found == {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority.file.read_text(),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": certificate.read_text(),
        "ssl.keystore.key": key.read_text().rstrip("\n"),
        "ssl.key.password": PASSWORD,
    }


@pytest.mark.parametrize(
    ("mechanism", "module"),
    [
        ("", "plain.PlainLoginModule"),
        ("PLAIN", "plain.PlainLoginModule"),
        ("SCRAM-SHA-256", "scram.ScramLoginModule"),
        ("SCRAM-SHA-512", "scram.ScramLoginModule"),
    ],
)
def test_a_user_with_a_password(mechanism: str, module: str) -> None:
    found = properties(
        security_protocol="sasl_plaintext",
        sasl_mechanism=mechanism,
        user="alice",
        password="env:SECRET",
    )
    assert found == {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism or "PLAIN",
        "sasl.jaas.config": f"org.apache.kafka.common.security.{module} required "
        'username="alice" password="a \\"quoted\\" \\\\ one";',
    }


def test_tokens() -> None:
    found = properties(
        security_protocol="SASL_SSL",
        sasl_mechanism="OAUTHBEARER",
        user="client",
        password="env:SECRET",
        token_url="https://login.example/token",
        scope="kafka",
    )
    assert found["sasl.mechanism"] == "OAUTHBEARER"
    assert found["sasl.oauthbearer.token.endpoint.url"] == "https://login.example/token"
    assert found["sasl.login.callback.handler.class"].endswith("OAuthBearerLoginCallbackHandler")
    assert 'clientId="client"' in found["sasl.jaas.config"]
    assert 'scope="kafka"' in found["sasl.jaas.config"]


TOKENS = {
    "security_protocol": "SASL_SSL",
    "sasl_mechanism": "OAUTHBEARER",
    "user": "client",
    "password": "env:SECRET",
    "token_url": "https://login.example/token",
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"user": "alice", "password": "env:SECRET"}, {"sasl.mechanism": "PLAIN"}),
        (
            {"user": "alice", "password": "env:SECRET", "sasl_mechanism": "SCRAM-SHA-256"},
            {"security.protocol": "SASL_SSL", "sasl.username": "alice", "sasl.password": PASSWORD},
        ),
        (
            TOKENS | {"scope": "kafka"},
            {
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": "client",
                "sasl.oauthbearer.client.secret": PASSWORD,
                "sasl.oauthbearer.token.endpoint.url": "https://login.example/token",
                "sasl.oauthbearer.scope": "kafka",
            },
        ),
    ],
)
def test_librdkafka_has_names_of_its_own(given: dict[str, str], expected: dict[str, str]) -> None:
    found = librdkafka_properties(KafkaAccess.model_validate(given))
    assert found.items() >= expected.items() and bool(found) == bool(expected)
    # It refuses what it does not know; nothing is connected to before it is polled.
    AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, **found})


def test_certificates_go_to_librdkafka_as_text(authority: Authority) -> None:
    certificate, key = authority.issue("own")
    given = {"ca": str(authority.file), "certificate": str(certificate), "key": str(key)}
    found = librdkafka_properties(KafkaAccess.model_validate(given))
    assert found == {
        "security.protocol": "SSL",
        "ssl.ca.pem": authority.file.read_text(),
        "ssl.certificate.pem": certificate.read_text(),
        "ssl.key.pem": key.read_text(),
    }
    AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, **found})


def test_a_consumers_property_overrides_a_setting() -> None:
    access = KafkaAccess(security_protocol="SSL")
    source = KafkaSource("a:9092", settings={"security.protocol": "PLAINTEXT"}, access=access)
    assert source.client["security.protocol"] == "PLAINTEXT"
    assert not source.is_tls


def test_secrets_are_not_in_a_source(authority: Authority) -> None:
    access = KafkaAccess(security_protocol="SASL_SSL", user="alice", password="env:SECRET")
    assert PASSWORD not in repr(KafkaSource("a:9092", access=access))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"ca": "no-such-file"}, "'no-such-file' cannot be read: No such file"),
        ({"ca": "env:SECRET"}, "it has no certificate in PEM"),
        ({"certificate": "{own}.pem", "key": "{own}.pem"}, "openssl pkcs8 -topk8"),
        ({"certificate": "{locked}.pem", "key": "{locked}.key"}, "give --key-password"),
    ],
)
def test_files_that_cannot_be(authority: Authority, given: dict[str, str], reason: str) -> None:
    authority.issue("own")
    authority.issue("locked", password="secret")
    folder = authority.file.parent
    names = {"own": folder / "own", "locked": folder / "locked"}
    filled = {key: value.format(**names) for key, value in given.items()}
    with pytest.raises(BadConfig, match=reason):
        properties(security_protocol="SSL", **filled)


def test_a_reference_to_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SECRET")
    with pytest.raises(BadSecret, match="SECRET"):
        properties(security_protocol="SASL_SSL", user="alice", password="env:SECRET")


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("SunCertPathBuilderException: unable to find valid certification path", "give --ca"),
        ("CertificateExpiredException: NotAfter: Wed Nov 18", "has expired"),
        ("CertificateException: No subject alternative names present", "not for this host name"),
        ("SSLHandshakeException: Received fatal alert: certificate_required", "--certificate and"),
        ("SaslAuthenticationException: Authentication failed", "correct --user and --password"),
        ("TopicAuthorizationException: Not authorized to access topics: [a]", "READ on it"),
        ("GroupAuthorizationException: Not authorized to access group: a", "--group"),
        ("TimeoutException: no answer", ""),
    ],
)
def test_what_to_do_about_an_error(error: str, advice: str) -> None:
    shown = with_advice(error)
    assert shown.startswith(error) and advice in shown


def test_the_error_of_kafka_in_a_stack_of_sparks() -> None:
    stack = "x\nCaused by: org.apache.kafka.common.errors.TopicAuthorizationException: Not a\n at b"
    assert find_reason(stack) == "TopicAuthorizationException: Not a"
    assert find_reason("java.lang.Exception: a") is None
