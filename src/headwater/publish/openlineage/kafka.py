"""Events to a topic of Kafka: those of one job in one partition, in their order."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaError, KafkaException, Producer

from headwater.errors import TargetUnavailable
from headwater.kafka_clients import librdkafka_properties
from headwater.plugins import CheckStep
from headwater.publish.catalog import ItemRefused
from headwater.publish.openlineage.selection import read_subject
from headwater.publish.openlineage.settings import TargetSettings

_ANSWER_SECONDS = 10.0
# How long the client itself repeats what brokers do not take.
DELIVERY_MS = 30_000
# Of the event: another would be taken.
_OF_THE_EVENT = frozenset(
    (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG, KafkaError.INVALID_RECORD)
)


def open_topic(settings: TargetSettings) -> "KafkaTarget":
    """Connect to the topic that settings name; raises TargetUnavailable where they do not do."""
    brokers, topic = settings.brokers_and_topic
    given: dict[str, Any] = {
        **librdkafka_properties(settings),
        "bootstrap.servers": brokers,
        "client.id": "headwater-publish",
        "enable.idempotence": True,
        "compression.type": "zstd",
        "message.timeout.ms": DELIVERY_MS,
        # Larger ones than that brokers refuse, in words of their own.
        "message.max.bytes": 100_000_000,
        "log_level": 0,
    }
    return KafkaTarget(settings.to, topic, given)


class KafkaTarget:
    """A topic; the key of a message is the job of its event, or its dataset."""

    def __init__(self, address: str, topic: str, settings: dict[str, Any]) -> None:
        self._address, self._topic = address, topic
        self._last_error = ""
        try:
            self._producer = Producer({**settings, "error_cb": self._note})
        except (KafkaException, ValueError) as error:
            raise TargetUnavailable(address, str(error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """What was not delivered is not sent later behind the back of who counts it."""
        self._producer.purge()

    def _note(self, error: KafkaError) -> None:
        self._last_error = error.str()

    def check(self) -> list[CheckStep]:
        try:
            # All of them: to look for one may create it.
            found: Any = self._producer.list_topics(timeout=_ANSWER_SECONDS)
        except KafkaException as error:
            reason = self._last_error or error.args[0].str()
            advice = "are the brokers running, and are --to and the security settings right?"
            return [CheckStep("connect", False, reason, advice)]
        steps = [CheckStep("connect", True, f"{len(found.brokers)} brokers answer")]
        topic = found.topics.get(self._topic)
        if topic is None:
            return [*steps, CheckStep("topic", False, f"no topic {self._topic}", "create it")]
        return [*steps, CheckStep("topic", True, f"{len(topic.partitions)} partitions")]

    def send(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        """Send events, and wait until brokers have them all or none is under way."""
        self._last_error = ""
        outcomes: dict[int, KafkaError | None] = {}
        keys = [read_subject(event) for event in events]
        for index, event in enumerate(events):
            self._produce(index, keys[index], event, outcomes)
        self._producer.flush(2 * DELIVERY_MS / 1_000)
        self._send_alone(events, keys, outcomes)
        late: set[str] = set()
        problem = ""
        for index, key in enumerate(keys):
            error = outcomes.get(index, KafkaError(KafkaError.REQUEST_TIMED_OUT))
            if error is not None and error.code() not in _OF_THE_EVENT:
                late.add(key)
                problem = problem or error.str()
            if key not in late:
                # After one that is late the next of its job are sent again: their order counts.
                yield index, None if error is None else error.str()
        if late:
            raise TargetUnavailable(self._address, self._last_error or problem)

    def _send_alone(
        self, events: Sequence[bytes], keys: Sequence[str], outcomes: dict[int, KafkaError | None]
    ) -> None:
        """Send what was refused again by itself, and what follows it of its job.

        Brokers refuse what arrives together as a whole, for one event that is too large.
        """
        refused: set[str] = set()
        for index, key in enumerate(keys):
            error = outcomes.get(index)
            if error is not None and error.code() in _OF_THE_EVENT:
                refused.add(key)
            if key in refused:
                outcomes.pop(index, None)
                self._produce(index, key, events[index], outcomes)
                self._producer.flush(2 * DELIVERY_MS / 1_000)

    def _produce(
        self, index: int, key: str, event: bytes, outcomes: dict[int, KafkaError | None]
    ) -> None:
        def note(error: KafkaError | None, message: object) -> None:
            outcomes[index] = error

        while True:
            try:
                self._producer.produce(self._topic, event, key.encode(), on_delivery=note)
                return
            except BufferError:
                self._producer.poll(1.0)
            except KafkaException as error:
                outcomes[index] = error.args[0]
                return

    def send_one(self, event: bytes) -> None:
        for _, reason in self.send([event]):
            if reason is not None:
                raise ItemRefused(reason)
