"""A relay sends every stored event as it came, at least once, whatever the target does."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import httpx2
import msgspec
import pytest

from headwater.errors import Busy, TargetUnavailable
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.publish import Published
from headwater.publish import relay as relay_module
from headwater.publish.openlineage.send import HttpTarget
from headwater.publish.relay import Relay, Send
from headwater.store.engine import Engine
from headwater.store.write.outbox import count_waiting
from headwater.store.write.outbox_readers import OutboxReader, list_refused, unregister
from headwater.store.write.writer import Writer, open_writer
from testing.events.minimal import run_event
from tests.store.conftest import empty_engine, engine, store_url

__all__ = ["empty_engine", "engine", "store_url"]

ADDRESS = "http://target/api/v1/lineage"
EDIT = {
    "eventTime": "2024-05-01T10:00:00Z",
    "edit": {"actor": "ann", "entity": {"type": "job", "namespace": "n", "name": "j"}},
}

Answer = Callable[[bytes], int]


class Target:
    """A backend that answers as it is told, and keeps what it took."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.asked = 0
        self.answer: Answer = lambda event: 201

    def handle(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        status = self.answer(request.content)
        if status == 0:
            raise httpx2.ConnectError("refused", request=request)
        if status < 300:
            self.taken.append(request.content)
        return httpx2.Response(status, text="because")

    def send(self, events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
        with HttpTarget(ADDRESS, transport=httpx2.MockTransport(self.handle)) as http:
            yield from http.send(events)


@pytest.fixture
def target() -> Target:
    return Target()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        yield writer


def event(number: int, text: str = "") -> bytes:
    """The times are in the order of the numbers."""
    at = f"2024-05-01T10:00:{number:02}Z"
    return msgspec.json.encode(run_event(at=at, job=f"job-{number}", x=text))


def facts(data: bytes) -> Facts:
    return project(decode_event(data))


def write(writer: Writer, *numbers: int) -> None:
    writer.write([facts(event(number)) for number in numbers])


def relay(engine: Engine) -> Relay:
    return Relay(engine, "target", "openlineage", ADDRESS)


def run(engine: Engine, target: Target, is_new_only: bool = False) -> Published:
    """All steps as one."""
    steps = list(relay(engine).run(target.send, is_new_only))
    return Published(
        sum(step.sent for step in steps),
        sum(step.refused for step in steps),
        sum(step.skipped for step in steps),
        steps[-1].waiting if steps else 0,
    )


def state(engine: Engine) -> OutboxReader:
    found = relay(engine).find()
    assert found is not None
    return found


def waiting(engine: Engine) -> int:
    with engine.connect() as connection:
        return count_waiting(connection, state(engine).id)


class TestWhatIsSent:
    def test_all_that_is_stored_then_what_comes(
        self, engine: Engine, writer: Writer, target: Target, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(relay_module, "EVENTS_AT_ONCE", 2)
        write(writer, 3, 1, 2)
        assert run(engine, target) == Published(3, 0, 0, 0)
        assert target.taken == [event(1), event(2), event(3)]
        assert run(engine, target) == Published(0, 0, 0, 0)
        write(writer, 5, 4)
        assert run(engine, target).sent == 2
        assert target.taken[3:] == [event(4), event(5)]
        assert (state(engine).sent, waiting(engine)) == (5, 0)

    def test_byte_for_byte(self, engine: Engine, writer: Writer, target: Target) -> None:
        odd = event(1, "ä€").replace(b'"x"', b' "x" ').replace(b"}", b" }")
        writer.write([facts(odd)])
        run(engine, target)
        assert target.taken == [odd]

    def test_only_what_is_new(self, engine: Engine, writer: Writer, target: Target) -> None:
        write(writer, 1)
        assert run(engine, target, is_new_only=True).sent == 0
        write(writer, 2)
        run(engine, target, is_new_only=True)
        assert target.taken == [event(2)]

    def test_edits_stay(self, engine: Engine, writer: Writer, target: Target) -> None:
        writer.write([facts(msgspec.json.encode(EDIT)), facts(event(1))])
        assert run(engine, target) == Published(1, 0, 1, 0)
        assert target.taken == [event(1)]

    def test_the_lake_has_its_own_notes(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        write(writer, 1, 2)
        run(engine, target)
        with engine.connect() as connection:
            assert count_waiting(connection) == 2

    def test_a_target_that_was_removed_begins_anew(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        write(writer, 1)
        run(engine, target)
        unregister(engine, "target")
        assert relay(engine).find() is None
        run(engine, target)
        assert target.taken == [event(1)] * 2

    def test_plan_changes_nothing(self, engine: Engine, writer: Writer, target: Target) -> None:
        write(writer, 1, 2)
        planned = relay(engine).plan(is_new_only=False)
        assert [(each.action, each.times) for each in planned] == [("register", 1), ("send", 2)]
        assert relay(engine).find() is None
        assert [each.action for each in relay(engine).plan(is_new_only=True)] == ["register"]
        run(engine, target)
        write(writer, 3)
        (planned_event,) = relay(engine).plan(is_new_only=False)
        assert planned_event.times == 1


class TestRefused:
    @pytest.mark.parametrize("status", [400, 409, 413, 422])
    def test_it_is_recorded_and_skipped(
        self, engine: Engine, writer: Writer, target: Target, status: int
    ) -> None:
        target.answer = lambda data: status if data == event(2) else 201
        write(writer, 1, 2, 3)
        assert run(engine, target) == Published(2, 1, 0, 0)
        assert target.taken == [event(1), event(3)]
        now = state(engine)
        assert (now.sent, now.refused, waiting(engine)) == (2, 1, 0)
        with engine.connect() as connection:
            (refused,) = list_refused(connection, now.id, 10)
        assert refused.reason == f"answered {status}: because"
        assert refused.digest == facts(event(2)).rows["event"][0][1]

    def test_an_event_that_makes_the_target_fail_keeps_no_other(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        target.answer = lambda data: 500 if data in (event(1), event(3)) else 201
        write(writer, 1, 2, 3, 4)
        assert run(engine, target) == Published(2, 2, 0, 0)
        assert target.taken == [event(2), event(4)]

    def test_one_that_works_the_second_time_is_sent(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        failed: list[bytes] = []

        def answer(data: bytes) -> int:
            if data != event(1) or failed:
                return 201
            failed.append(data)
            return 500

        target.answer = answer
        write(writer, 1, 2)
        assert run(engine, target) == Published(2, 0, 0, 0)
        assert sorted(target.taken) == [event(1), event(2)]


class TestBatches:
    """A backend that takes several at once, and tells of each."""

    @pytest.fixture
    def batches(self) -> list[list[bytes]]:
        return []

    def send_to(self, handle: Callable[[list[bytes]], httpx2.Response], target: Target) -> Send:
        """Send in threes; what is not sent in a batch goes to a target of single events."""

        def answer(request: httpx2.Request) -> httpx2.Response:
            if not request.url.path.endswith("/batch"):
                return target.handle(request)
            raw = msgspec.json.decode(request.content, type=list[msgspec.Raw])
            return handle([bytes(each) for each in raw])

        def send(events: Sequence[bytes]) -> Iterator[tuple[int, str | None]]:
            transport = httpx2.MockTransport(answer)
            with HttpTarget(ADDRESS, batch=3, transport=transport) as http:
                yield from http.send(events)

        return send

    def test_each_has_its_result(self, target: Target, batches: list[list[bytes]]) -> None:
        def handle(events: list[bytes]) -> httpx2.Response:
            batches.append(events)
            if event(2) not in events:
                return httpx2.Response(204)
            failed = [{"index": events.index(event(2)), "reason": "no"}]
            return httpx2.Response(200, json={"failed_events": failed})

        numbers = [event(number) for number in range(5)]
        results = list(self.send_to(handle, target)(numbers))
        assert results == [(0, None), (1, None), (2, "no"), (3, None), (4, None)]
        assert batches == [numbers[:3], numbers[3:]]
        assert target.asked == 0

    def test_one_that_is_to_be_sent_again_waits(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        failed = [
            {"index": 1, "reason": "no", "retriable": False},
            {"index": 2, "reason": "later", "retriable": True},
        ]
        answers = iter([httpx2.Response(200, json={"failed_events": failed})])
        send = self.send_to(lambda events: next(answers), target)
        write(writer, 0, 1, 2)
        with pytest.raises(TargetUnavailable, match="1 events again later: later"):
            list(relay(engine).run(send, is_new_only=False))
        now = state(engine)
        assert (now.sent, now.refused, waiting(engine)) == (1, 1, 1)
        assert run(engine, target).sent == 1
        assert target.taken == [event(2)]

    @pytest.mark.parametrize("content", [b"", b"OK", b"{}", b'{"status": "ok"}'])
    def test_a_target_that_tells_of_none_has_taken_them(
        self, target: Target, content: bytes
    ) -> None:
        send = self.send_to(lambda events: httpx2.Response(201, content=content), target)
        assert list(send([event(1), event(2)])) == [(0, None), (1, None)]
        assert target.asked == 0

    @pytest.mark.parametrize("status", [400, 413, 500])
    def test_refused_as_a_whole_they_are_sent_one_by_one(self, target: Target, status: int) -> None:
        target.answer = lambda data: 422 if data == event(1) else 201
        send = self.send_to(lambda events: httpx2.Response(status), target)
        results = dict(send([event(number) for number in range(4)]))
        assert [results[index] is None for index in range(4)] == [True, False, True, True]

    @pytest.mark.parametrize("status", [401, 404, 503])
    def test_a_target_that_takes_none(self, target: Target, status: int) -> None:
        send = self.send_to(lambda events: httpx2.Response(status), target)
        with pytest.raises(TargetUnavailable, match=str(status)):
            list(send([event(1)]))
        assert target.asked == 0


def test_one_at_a_time(engine: Engine) -> None:
    with relay(engine).alone():
        with pytest.raises(Busy, match="publishing to target 'target'"), relay(engine).alone():
            pass
        with Relay(engine, "another", "openlineage", ADDRESS).alone():
            pass
    with relay(engine).alone():
        pass


class TestAway:
    @pytest.mark.parametrize("status", [0, 301, 401, 403, 404, 408, 429, 500, 502, 503])
    def test_nothing_is_lost(
        self, engine: Engine, writer: Writer, target: Target, status: int
    ) -> None:
        """Whether it is down, busy or not what it should be: none of it is an event's fault."""
        target.answer = lambda data: status
        write(writer, 1, 2, 3, 4)
        with pytest.raises(TargetUnavailable, match=ADDRESS):
            run(engine, target)
        assert target.asked <= 4
        now = state(engine)
        assert (now.sent, now.refused, waiting(engine)) == (0, 0, 4)
        assert now.last_error is not None and ADDRESS in now.last_error
        target.answer = lambda data: 201
        assert run(engine, target).sent == 4
        assert state(engine).last_error is None

    def test_what_was_answered_before_is_not_sent_again(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        target.answer = lambda data: {event(1): 201, event(2): 422}.get(data, 0)
        write(writer, 1, 2, 3, 4)
        with pytest.raises(TargetUnavailable):
            run(engine, target)
        assert (state(engine).sent, state(engine).refused, waiting(engine)) == (1, 1, 2)
        target.answer = lambda data: 201
        run(engine, target)
        assert target.taken == [event(1), event(3), event(4)]

    def test_nor_after_an_interruption(
        self, engine: Engine, writer: Writer, target: Target
    ) -> None:
        def answer(data: bytes) -> int:
            if data == event(2):
                raise KeyboardInterrupt
            return 201

        target.answer = answer
        write(writer, 1, 2)
        with pytest.raises(KeyboardInterrupt):
            run(engine, target)
        assert waiting(engine) == 1
