"""Watching an account by its audit log, a topic that says who changed what in Confluent Cloud."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from headwater.collect.confluent.settings import ConfluentSettings
from headwater.config import resolve_secret
from headwater.errors import SourceUnavailable
from headwater.extras import require

log = logging.getLogger(__name__)

# What events are called that read, or let somebody in; all others may have changed something.
_READS = ("get", "list", "describe", "fetch", "find", "search", "validate", "authenti", "authoriz")
# Of the parts whose changes an extraction would show. Others are users, keys, bills.
_PARTS = ("topic", "config", "partition", "connector", "link", "mirror", "statement", "schema",
          "subject", "ksql", "query", "tableflow", "catalog", "tag", "cluster", "environment",
          "metadata", "flink", "pool")  # fmt: skip
_REFUSED = frozenset(("FAILURE", "ERROR", "UNAUTHENTICATED", "UNAUTHORIZED"))
_AT_ONCE = 1_000
# In one look: a log that grows faster than it is read is looked at again.
_MOST_BATCHES = 100
_WAIT_SECONDS = 1.0
_TIMEOUT_SECONDS = 30.0


class _Authorization(msgspec.Struct):
    granted: bool | None = None


class _Result(msgspec.Struct):
    status: str | None = None


class _Data(msgspec.Struct):
    methodName: str = ""
    authorizationInfo: _Authorization | None = None
    result: _Result | None = None


class _AuditEvent(msgspec.Struct):
    """A CloudEvent of the log, as far as it tells whether something has changed."""

    data: _Data = msgspec.field(default_factory=_Data)


_EVENT = msgspec.json.Decoder(_AuditEvent)


def is_change(message: bytes | None) -> bool:
    """Whether an event of the log may have changed lineage; one that cannot be read may have."""
    try:
        data = _EVENT.decode(message or b"").data
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return True
    if data.authorizationInfo is not None and data.authorizationInfo.granted is False:
        return False
    if data.result is not None and (data.result.status or "").upper() in _REFUSED:
        return False
    method = data.methodName.lower()
    verb = method.rpartition(".")[2]
    return any(part in method for part in _PARTS) and not verb.startswith(_READS)


class AuditLog:
    """The topic from now on: each look tells whether something has changed since the last one.

    Nothing is committed: after a start everything is extracted anyway.
    """

    def __init__(
        self, settings: ConfluentSettings, connect: Callable[[dict[str, Any]], Any] | None = None
    ) -> None:
        require("kafka")
        self._settings = settings
        self._connect = connect or _connect
        self._consumer: Any = None

    @property
    def place(self) -> str:
        return f"{self._settings.audit_topic} at {self._settings.audit_bootstrap}"

    def start(self) -> None:
        """Read from the end of the topic as it is now; raises SourceUnavailable."""
        from confluent_kafka import KafkaException

        if self._consumer is not None:
            return
        try:
            consumer = self._connect(self._client())
            ends = _read_ends(consumer, self._settings.audit_topic)
            consumer.assign(ends)
        except (KafkaException, ValueError) as error:
            raise SourceUnavailable(self.place, _reason(error)) from None
        self._consumer = consumer

    def look(self) -> bool | None:
        """Whether something has changed since the last look; None where that is not known."""
        try:
            if self._consumer is None:
                self.start()
                # What happened before that is not seen.
                return None
            return self._read_on()
        except SourceUnavailable as error:
            log.warning("the audit log cannot be read, and the account is looked at: %s", error)
            self.stop()
            return None

    def stop(self) -> None:
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def describe(self) -> str:
        """What a check says of the topic; raises SourceUnavailable."""
        self.start()
        self.stop()
        return f"{self.place} can be read"

    def _read_on(self) -> bool:
        found = False
        for _ in range(_MOST_BATCHES):
            messages: Sequence[Any] = self._consumer.consume(_AT_ONCE, _WAIT_SECONDS)
            for message in messages:
                if message.error() is not None:
                    raise SourceUnavailable(self.place, _reason(message.error()))
                found = found or is_change(message.value())
            if len(messages) < _AT_ONCE:
                break
        return found

    def _client(self) -> dict[str, Any]:
        settings = self._settings
        found: dict[str, Any] = {
            "bootstrap.servers": settings.audit_bootstrap,
            # Of a consumer that is given its partitions no more than a name.
            "group.id": "headwater-watch",
            "enable.auto.commit": False,
            "client.id": "headwater-watch",
            "log_level": 0,
        }
        if settings.audit_user:
            secret = resolve_secret(settings.audit_password).get_secret_value()
            found |= {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.username": settings.audit_user,
                "sasl.password": secret,
            }
        return found


def _connect(client: dict[str, Any]) -> Any:
    from confluent_kafka import Consumer

    return Consumer(client)


def _read_ends(consumer: Any, topic: str) -> list[Any]:
    from confluent_kafka import TopicPartition

    known = consumer.list_topics(topic, timeout=_TIMEOUT_SECONDS).topics.get(topic)
    if known is None or known.error is not None:
        raise ValueError("there is no such topic, or this key may not read it")
    places = [TopicPartition(topic, number) for number in known.partitions]
    return [
        TopicPartition(
            topic,
            each.partition,
            consumer.get_watermark_offsets(each, timeout=_TIMEOUT_SECONDS)[1],
        )
        for each in places
    ]


def _reason(error: Any) -> str:
    """Without what a client's own error has around its sentence."""
    inner = error.args[0] if getattr(error, "args", None) else error
    return str(inner.str()) if hasattr(inner, "str") else str(inner)
