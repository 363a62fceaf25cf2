"""Relaying stored events to one target through the outbox: each at least once, none lost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from headwater.errors import HeadwaterError, TargetUnavailable
from headwater.model.event import Kind
from headwater.model.values.instant import now
from headwater.publish import PlannedChange, Published
from headwater.store.engine import Connection, Engine
from headwater.store.failures import answering
from headwater.store.read.events import count_kinds
from headwater.store.write.outbox import Waiting, count_waiting, read_waiting
from headwater.store.write.outbox_readers import (
    OutboxReader,
    RefusedEvent,
    check_same,
    fill_history,
    find_reader,
    only_publisher,
    record_carried,
    record_error,
    register,
)

# Little to send again after an interruption, and few transactions beside those of writers.
EVENTS_AT_ONCE = 200
BYTES_AT_ONCE = 8_000_000

# The index of each event that the target has answered, and why it refuses it or None.
Answers = Iterable[tuple[int, str | None]]
Send = Callable[[Sequence[bytes]], Answers]
# An event as it is to be sent; None where it is not for the target.
Choose = Callable[[bytes], bytes | None]


class Relay:
    """One target as a reader of the outbox, under a name."""

    def __init__(self, engine: Engine, name: str, publisher: str, address: str) -> None:
        self._engine = engine
        self._name = name
        self._publisher = publisher
        self._address = address

    def alone(self) -> AbstractContextManager[None]:
        """Keep others from relaying to this target; raises Busy where one is at it."""
        return only_publisher(self._engine, self._name)

    def find(self) -> OutboxReader | None:
        """Its reader, if it is registered; raises Conflict where another target has its name."""
        with answering(), self._engine.connect() as connection:
            return self._find(connection)

    def _find(self, connection: Connection) -> OutboxReader | None:
        found = find_reader(connection, self._name)
        if found is not None:
            check_same(found, self._publisher, self._address)
        return found

    def plan(self, is_new_only: bool) -> list[PlannedChange]:
        """How many events would be sent: those that wait; of a new target, all that are stored."""
        with answering(), self._engine.connect() as connection:
            reader = self._find(connection)
            if reader is not None:
                waiting = count_waiting(connection, reader.id)
                return [PlannedChange("send", "events (edits among them are left out)", waiting)]
            register = PlannedChange("register", f"target {self._name}")
            if is_new_only:
                return [register]
            kinds = count_kinds(connection)
        sent = [
            PlannedChange("send", f"{kind.name.lower()} events", kinds[kind])
            for kind in Kind
            if kind is not Kind.EDIT and kinds[kind]
        ]
        return [register, *sent]

    def run(
        self,
        send: Send,
        is_new_only: bool,
        choose: Choose | None = None,
        since: int | None = None,
    ) -> Iterator[Published]:
        """Send what waits until nothing does; each step is recorded before it is yielded.

        Events of before `since`, in microseconds since 1970, are left out, as those not chosen.
        """
        reader = self._register(is_new_only)
        while True:
            with answering(), self._engine.connect() as connection:
                waiting = read_waiting(connection, EVENTS_AT_ONCE, BYTES_AT_ONCE, reader.id)
            if not waiting:
                return
            yield self._step(reader.id, waiting, send, _Selection(choose, since))

    def _register(self, is_new_only: bool) -> OutboxReader:
        target = (self._name, self._publisher, self._address)
        reader = register(self._engine, *target, lacks_history=not is_new_only)
        fill_history(self._engine, reader)
        return reader

    def _step(
        self, reader: int, waiting: Sequence[Waiting], send: Send, selection: "_Selection"
    ) -> Published:
        chosen = [(each, payload) for each in waiting if (payload := selection.choose(each))]
        events = [each for each, _ in chosen]
        relayed = {each.place for each in events}
        others = [each for each in waiting if each.place not in relayed]
        answers: dict[int, str | None] = {}
        failure: HeadwaterError | None = None
        try:
            for index, reason in send([payload for _, payload in chosen]):
                answers[index] = reason
        except TargetUnavailable as error:
            failure = error
        finally:
            # Also where it is interrupted: what the target has answered is not sent again.
            published = self._record(reader, events, others, answers, failure)
        if failure is not None:
            raise failure
        return published

    def _record(
        self,
        reader: int,
        events: Sequence[Waiting],
        others: Sequence[Waiting],
        answers: dict[int, str | None],
        failure: HeadwaterError | None,
    ) -> Published:
        refused = [
            RefusedEvent(*events[index].place, reason, now())
            for index, reason in answers.items()
            if reason is not None
        ]
        sent = len(answers) - len(refused)
        done = [each.place for each in others] + [events[index].place for index in answers]
        with answering(), self._engine.begin() as connection:
            record_carried(connection, reader, done, sent, refused)
            if failure is not None:
                record_error(connection, reader, failure.message)
            waiting = count_waiting(connection, reader)
        return Published(sent, len(refused), len(others), waiting)


class _Selection(NamedTuple):
    """Which of what waits is sent: OpenLineage events that are still stored, and are chosen."""

    by_event: Choose | None
    since: int | None

    def choose(self, waiting: Waiting) -> bytes | None:
        # Edits are Headwater's own, and stay.
        if waiting.event is None or waiting.event.kind == Kind.EDIT:
            return None
        if self.since is not None and waiting.at < self.since:
            return None
        payload = waiting.event.payload
        return payload if self.by_event is None else self.by_event(payload)
