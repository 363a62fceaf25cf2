"""Watching by the audit log: what counts as a change, and a log that cannot be read."""

import json
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from pydantic import ValidationError

from headwater.collect.confluent import ConfluentCollector, ConfluentSettings
from headwater.collect.confluent.audit_log import AuditLog, is_change
from headwater.collect.confluent.watch import WatchState
from headwater.errors import SourceUnavailable
from testing.services.kafka import Kafka
from testing.stand_ins.confluent import OpenCloud
from testing.wait import wait_until

TOPIC = "confluent-audit-log-events"


def event(method: str, **more: Any) -> bytes:
    """A CloudEvent of the log, as Confluent documents it."""
    crn = "crn://confluent.cloud/kafka=lkc-123"
    data = {
        "serviceName": crn,
        "methodName": method,
        "resourceName": f"{crn}/topic=orders",
        "authenticationInfo": {"principal": "User:sa-1"},
        "authorizationInfo": {"granted": True, "operation": "Create"},
        "result": {"status": "SUCCESS"},
        **more,
    }
    head = {"specversion": "1.0", "id": "1", "source": crn, "type": "io.confluent.kafka.server"}
    return json.dumps({**head, "data": data}).encode()


@pytest.mark.parametrize(
    "method",
    [
        "kafka.CreateTopics",
        "kafka.DeleteTopics",
        "kafka.IncrementalAlterConfigs",
        "connect.PauseConnector",
        "DeleteConnector",
        "ksql.CreateStream",
        "io.confluent.flink.CreateStatement",
        "io.confluent.schema_registry.RegisterSchema",
    ],
)
def test_what_may_change_lineage(method: str) -> None:
    assert is_change(event(method))


@pytest.mark.parametrize(
    "message",
    [
        event("kafka.Authentication"),
        event("mds.Authorize"),
        event("kafka.FetchTopics"),
        event("connect.GetConnector"),
        event("ksql.ListStreams"),
        event("CreateApiKey"),
        event("kafka.CreateTopics", authorizationInfo={"granted": False}),
        event("kafka.CreateTopics", result={"status": "FAILURE"}),
        b"{}",
    ],
)
def test_what_changes_nothing(message: bytes) -> None:
    assert not is_change(message)


@pytest.mark.parametrize("message", [None, b"", b"<html>", b"\xff", b'{"data": 7}', b"[" * 5_000])
def test_what_cannot_be_read_may_be_a_change(message: bytes | None) -> None:
    assert is_change(message)


class Message:
    def __init__(self, value: bytes, error: KafkaError | None = None) -> None:
        self._value, self._error = value, error

    def value(self) -> bytes:
        return self._value

    def error(self) -> KafkaError | None:
        return self._error


class Listed:
    def __init__(self, topics: dict[str, Any]) -> None:
        self.topics = topics


class Topic:
    error = None
    partitions = (0, 1)


class Log:
    """A consumer of a log that tests fill."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.topics: dict[str, Any] = {TOPIC: Topic()}
        self.assigned: list[Any] = []
        self.is_closed = False
        self.client: dict[str, Any] = {}

    def __call__(self, client: dict[str, Any]) -> "Log":
        self.client = client
        return self

    def list_topics(self, topic: str, timeout: float) -> Listed:
        return Listed(self.topics)

    def get_watermark_offsets(self, place: Any, timeout: float) -> tuple[int, int]:
        return 0, 7 + int(place.partition)

    def assign(self, places: list[Any]) -> None:
        self.assigned = places

    def consume(self, count: int, timeout: float) -> list[Message]:
        found, self.messages = self.messages[:count], self.messages[count:]
        return found

    def close(self) -> None:
        self.is_closed = True


def watched(log: Log, **more: Any) -> AuditLog:
    return AuditLog(ConfluentSettings(audit_bootstrap="audit:9092", **more), log)


def test_it_begins_at_the_end_and_tells_of_what_follows() -> None:
    log = Log()
    audit = watched(log)
    assert audit.look() is None
    assert [(each.partition, each.offset) for each in log.assigned] == [(0, 7), (1, 8)]
    assert audit.look() is False
    log.messages = [Message(event("kafka.FetchTopics"))] * 1_500
    log.messages.append(Message(event("kafka.CreateTopics")))
    assert audit.look() is True
    assert (audit.look(), log.messages) == (False, [])


def test_one_that_fails_is_begun_anew_and_what_was_missed_is_not_known() -> None:
    log = Log()
    audit = watched(log)
    audit.start()
    log.messages = [Message(b"", KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))]
    assert audit.look() is None and log.is_closed
    assert audit.look() is None
    assert audit.look() is False


def test_a_log_that_is_not_there_names_its_place() -> None:
    log = Log()
    log.topics = {}
    with pytest.raises(SourceUnavailable, match=f"{TOPIC} at audit:9092: there is no such topic"):
        watched(log).describe()

    def refuse(client: dict[str, Any]) -> Any:
        raise KafkaException(KafkaError(KafkaError.SASL_AUTHENTICATION_FAILED, "wrong key"))

    with pytest.raises(SourceUnavailable, match="wrong key"):
        AuditLog(ConfluentSettings(audit_bootstrap="audit:9092"), refuse).describe()


def test_its_secret_is_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match="only a reference"):
        ConfluentSettings(audit_bootstrap="a:9092", audit_user="K", audit_password="hunter2")
    monkeypatch.setenv("AUDIT", "hunter2")
    log = Log()
    watched(log, audit_user="K", audit_password="env:AUDIT").start()
    assert (log.client["sasl.password"], log.client["security.protocol"]) == ("hunter2", "SASL_SSL")


def test_without_it_the_account_is_looked_at(opened: OpenCloud) -> None:
    """A log that cannot be read holds nothing back."""
    log = Log()
    log.topics = {}
    settings = opened.settings(audit_bootstrap="audit:9092", cooldown="1s")
    collector = ConfluentCollector(settings, "http://server", AuditLog(settings, log))
    collector.acknowledge(list(collector.collect()))
    opened.estate.environments["env-abc"].clusters["lkc-123"].add_topic("returns")
    assert collected_after_a_while(collector) == ["confluent://env-abc/lkc-123/returns"]


def collected_after_a_while(collector: ConfluentCollector) -> list[str]:
    found: list[str] = []

    def is_sent() -> bool:
        found.extend(each.source for each in collector.collect())
        return bool(found)

    wait_until(is_sent)
    return found


@pytest.mark.integration
def test_a_change_in_the_log_is_extracted_without_a_look(opened: OpenCloud, kafka: Kafka) -> None:
    kafka.create_topic("audit.events", 2)
    kafka.produce("audit.events", [event("kafka.CreateTopics")])
    settings = opened.settings(
        audit_bootstrap=kafka.bootstrap, audit_topic="audit.events", cooldown="1s"
    )
    collector = ConfluentCollector(settings, "http://server")
    collector.acknowledge(list(collector.collect()))
    opened.cloud.requests.clear()
    kafka.produce("audit.events", [event("kafka.FetchTopics")])
    assert list(collector.collect()) == []
    assert collector.watch_state is WatchState.WATCHING
    # The account was not looked at.
    assert opened.cloud.requests == []
    opened.estate.environments["env-abc"].clusters["lkc-123"].add_topic("returns")
    kafka.produce("audit.events", [event("kafka.CreateTopics")])
    assert collected_after_a_while(collector) == ["confluent://env-abc/lkc-123/returns"]
