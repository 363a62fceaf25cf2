"""A secured cluster, by a real broker: each way in, and which step of a check each fault fails."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from confluent_kafka.admin._acl import AclOperation
from confluent_kafka.admin._resource import ResourceType

from headwater.access import KafkaAccess
from headwater.pipeline.check_steps import Step
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_check import check_kafka
from testing.events.full import encode, run_event
from testing.services.certificates import Authority
from testing.services.kafka_secured import PASSWORD, USER, SecuredKafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

VARIABLE = "KAFKA_PASSWORD_OF_THE_TESTS"


@pytest.fixture(scope="module")
def broker() -> Iterator[SecuredKafka]:
    with SecuredKafka.start() as service:
        yield service


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, PASSWORD)


@pytest.fixture
def topic(broker: SecuredKafka) -> str:
    """A topic of one test alone, with an event in it."""
    name = f"lineage-{uuid4().hex[:8]}"
    broker.create_topic(name)
    broker.produce(name, [encode(run_event())])
    return name


def access_to(broker: SecuredKafka, protocol: str, mechanism: str = "") -> KafkaAccess:
    """What lets a client in."""
    certificate, key = broker.client
    given: dict[str, str] = {"security_protocol": protocol}
    if protocol.endswith("SSL"):
        given["ca"] = str(broker.ca)
    if protocol == "SSL":
        given |= {"certificate": str(certificate), "key": str(key)}
    else:
        given |= {"sasl_mechanism": mechanism, "user": USER, "password": f"env:{VARIABLE}"}
    return KafkaAccess.model_validate(given)


def check(
    spark: "SparkSession",
    broker: SecuredKafka,
    topic: str,
    access: KafkaAccess,
    listener: str = "",
    group: str = "",
) -> list[Step]:
    brokers = broker.address(listener or access.security_protocol)
    source = KafkaSource(brokers, (topic,), access=access, group=group)
    return list(check_kafka(source, "secured", lambda: spark))


def failed(steps: list[Step]) -> tuple[str, str]:
    """The last step, which is the one that failed."""
    *before, last = steps
    assert all(step.is_good for step in before), steps
    assert not last.is_good, steps
    return last.name, last.text


@pytest.mark.parametrize(
    ("protocol", "mechanism"),
    [
        ("SSL", ""),
        ("SASL_SSL", "SCRAM-SHA-256"),
        ("SASL_SSL", "SCRAM-SHA-512"),
        ("SASL_SSL", "PLAIN"),
        ("SASL_PLAINTEXT", "SCRAM-SHA-512"),
        ("SASL_PLAINTEXT", "PLAIN"),
    ],
)
def test_each_way_in(
    spark: "SparkSession", broker: SecuredKafka, topic: str, protocol: str, mechanism: str
) -> None:
    steps = check(spark, broker, topic, access_to(broker, protocol, mechanism))
    assert all(step.is_good for step in steps), steps
    names = [step.name for step in steps]
    assert ("credentials" in names) == protocol.startswith("SASL")
    assert ("certificate" in names) == protocol.endswith("SSL")
    assert f"{topic}/0@0 is an event" in {step.name: step.text for step in steps}["messages"]
    assert PASSWORD not in str(steps)


def test_a_wrong_ca(
    spark: "SparkSession", broker: SecuredKafka, topic: str, tmp_path: Path
) -> None:
    another = Authority(tmp_path).file
    access = access_to(broker, "SSL").model_copy(update={"ca": str(another)})
    name, text = failed(check(spark, broker, topic, access))
    assert name == "certificate"
    assert "no known CA signed the broker's certificate; give --ca" in text


def test_a_certificate_that_has_expired(
    spark: "SparkSession", broker: SecuredKafka, topic: str
) -> None:
    name, text = failed(check(spark, broker, topic, access_to(broker, "SSL"), "EXPIRED"))
    assert name == "certificate"
    assert "the broker's certificate has expired; have it renewed" in text


def test_a_certificate_of_another_host(
    spark: "SparkSession", broker: SecuredKafka, topic: str
) -> None:
    name, text = failed(check(spark, broker, topic, access_to(broker, "SSL"), "NAMELESS"))
    assert name == "host name"
    assert "the broker's certificate is not for this host name" in text


def test_no_certificate_of_ones_own(
    spark: "SparkSession", broker: SecuredKafka, topic: str
) -> None:
    access = KafkaAccess(security_protocol="SSL", ca=str(broker.ca))
    name, text = failed(check(spark, broker, topic, access))
    assert name == "cluster"
    assert "give --certificate and --key" in text


def test_a_wrong_password(
    spark: "SparkSession",
    broker: SecuredKafka,
    topic: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "quite-wrong")
    access = access_to(broker, "SASL_SSL", "SCRAM-SHA-512")
    name, text = failed(check(spark, broker, topic, access))
    assert name == "credentials"
    assert "the broker refuses user or password; correct --user and --password" in text
    assert "quite-wrong" not in text


@pytest.mark.parametrize(
    ("allowed", "step"), [(AclOperation.WRITE, "messages"), (AclOperation.ALTER_CONFIGS, "topics")]
)
def test_a_topic_that_is_denied(
    spark: "SparkSession", broker: SecuredKafka, topic: str, allowed: AclOperation, step: str
) -> None:
    """To read; or, as WRITE is what lets one see it, to see it at all."""
    broker.allow(ResourceType.TOPIC, topic, allowed)
    access = access_to(broker, "SASL_PLAINTEXT", "PLAIN")
    name, text = failed(check(spark, broker, topic, access))
    assert name == step
    assert "the ACLs deny the topic; allow this user DESCRIBE and READ on it" in text


def test_a_group_that_is_denied(spark: "SparkSession", broker: SecuredKafka, topic: str) -> None:
    group = f"group-{uuid4().hex[:8]}"
    broker.deny(ResourceType.GROUP, group, AclOperation.READ)
    access = access_to(broker, "SASL_PLAINTEXT", "PLAIN")
    name, text = failed(check(spark, broker, topic, access, group=group))
    assert name == "group"
    assert "the ACLs deny the group" in text


def test_a_topic_that_is_not_there(spark: "SparkSession", broker: SecuredKafka) -> None:
    access = access_to(broker, "SASL_PLAINTEXT", "PLAIN")
    name, text = failed(check(spark, broker, "no-such-topic", access))
    assert name == "topics"
    assert "there is no topic 'no-such-topic'" in text or "UnknownTopic" in text


def test_secrets_are_not_in_what_spark_shows(
    spark: "SparkSession", broker: SecuredKafka, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither in a plan, which its UI and its events show, nor in its configuration."""
    caplog.set_level(logging.DEBUG)
    source = KafkaSource(
        broker.address("SASL_SSL"), (topic,), access=access_to(broker, "SASL_SSL", "PLAIN")
    )
    frame = source.frame(spark, topic, 0, 0)
    assert frame.count() == 1
    plan = frame._jdf.queryExecution()
    shown = plan.toString() + plan.debug().toString() + str(spark.sparkContext.getConf().getAll())
    assert PASSWORD not in shown
    assert PASSWORD not in caplog.text
