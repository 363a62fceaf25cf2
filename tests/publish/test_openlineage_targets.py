"""Targets of OpenLineage events beside HTTP: files, topics of Kafka; which events are sent, and how
they are changed on the way."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from confluent_kafka import KafkaError
from pydantic import ValidationError

from headwater.errors import BadConfig, BadSecret, TargetUnavailable
from headwater.publish.openlineage import OpenLineagePublisher, OpenLineageSettings
from headwater.publish.openlineage.file import FileTarget
from headwater.publish.openlineage.kafka import KafkaTarget
from headwater.publish.openlineage.names import read_rewrite
from headwater.publish.openlineage.selection import RelayedEvents, read_subject
from headwater.publish.openlineage.target import open_target
from headwater.store.engine import Engine
from testing.events.bridge import KAFKA, estate
from testing.events.minimal import run_event
from tests.publish.conftest import Fill

EVENTS = estate()


def settings(to: str, **more: Any) -> OpenLineageSettings:
    return OpenLineageSettings.model_validate({"to": to, **more})


class TestSettings:
    @pytest.mark.parametrize(
        "to",
        ["kafka://", "kafka://b:9092", "kafka://b/t/x", "kafka://u:p@b/t", "file:", "kafka://[/t"],
    )
    def test_what_is_no_address(self, to: str) -> None:
        with pytest.raises(ValidationError) as caught:
            settings(to)
        assert "u:p" not in str(caught.value).partition("[type=")[0]

    @pytest.mark.parametrize(
        "more",
        [
            {"token": "secret"},
            {"token": "env:A", "api_key_env": "A"},
            {"header": ["no-sign"]},
            {"header": ["Authorization=Basic abc"]},
            {"header": ["X-Api-Key=abc"]},
            {"header": ["A=b\r\nC: d"]},
            {"rename_namespace": ["a"]},
            {"rename_namespace": ["a*b=c"]},
            {"rename_namespace": ["=c"]},
            {"security_protocol": "SSL"},
            {"user": "ann", "password": "env:P"},
        ],
    )
    def test_what_does_not_fit(self, more: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            settings("http://a", **more)

    def test_what_is_not_of_a_topic(self) -> None:
        for more in ({"token": "env:A"}, {"header": ["A=b"]}):
            with pytest.raises(ValidationError):
                settings("kafka://b:9092/t", **more)

    def test_headers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KEY", "k1\n")
        found = settings("http://a", header=["X-Team=data", "X-Key=env:KEY"]).read_headers()
        assert {name: each.get_secret_value() for name, each in found.items()} == {
            "X-Team": "data",
            "X-Key": "k1",
        }
        monkeypatch.setenv("KEY", "k\n1")
        with pytest.raises(BadConfig):
            settings("http://a", header=["X-Key=env:KEY"]).read_headers()
        monkeypatch.delenv("KEY")
        with pytest.raises(BadSecret):
            settings("http://a", header=["X-Key=env:KEY"]).read_headers()

    def test_a_secured_cluster(self, monkeypatch: pytest.MonkeyPatch) -> None:
        more = {"security_protocol": "sasl_ssl", "user": "ann", "password": "env:KAFKA_PASSWORD"}
        with pytest.raises(BadSecret):
            open_target(settings("kafka://b:9092/t", **more))
        with pytest.raises(BadConfig, match="ca"):
            open_target(settings("kafka://b:9092/t", security_protocol="SSL", ca="/no/such"))


class TestFile:
    def test_one_line_each(self, tmp_path: Path) -> None:
        path = tmp_path / "events"
        with FileTarget(path) as target:
            assert list(target.send([b'{"a":1}', b'{\r\n "b": 2}'])) == [(0, None), (1, None)]
        assert [json.loads(line) for line in path.read_bytes().splitlines()] == [{"a": 1}, {"b": 2}]

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (b"", b""),
            (b"{}\n", b"{}\n"),
            (b'{}\n{"a":', b"{}\n"),
            (b'{"a":', b""),
            (b"{}\n{}", b"{}\n{}\n"),
            (b"{}\n" + b'{"a":"' + b"x" * 2_000_000, b"{}\n"),
        ],
    )
    def test_after_an_interruption(self, tmp_path: Path, before: bytes, after: bytes) -> None:
        path = tmp_path / "events"
        path.write_bytes(before)
        with FileTarget(path) as target:
            target.send_one(b"[]")
        assert path.read_bytes() == after + b"[]\n"

    def test_one_that_cannot_be_written(self, tmp_path: Path) -> None:
        with FileTarget(tmp_path) as target, pytest.raises(TargetUnavailable):
            target.send_one(b"{}")
        (step,) = FileTarget(tmp_path).check()
        assert not step.is_ok


class _Broker:
    """Takes messages in the place of librdkafka's producer, and fails as it is told."""

    def __init__(self, fails: dict[bytes, int] | None = None) -> None:
        self.fails = fails or {}
        self.taken: list[tuple[bytes, bytes]] = []
        self._waiting: list[Callable[[], None]] = []
        self.is_full = False

    def produce(self, topic: str, value: bytes, key: bytes, on_delivery: Any) -> None:
        if self.is_full:
            self.is_full = False
            raise BufferError
        code = self.fails.get(value)

        def deliver() -> None:
            if code is None:
                self.taken.append((key, value))
            on_delivery(None if code is None else KafkaError(code), None)

        self._waiting.append(deliver)

    def poll(self, seconds: float) -> None:
        self.flush(seconds)

    def flush(self, seconds: float) -> None:
        for deliver in self._waiting:
            deliver()
        self._waiting = []

    def purge(self) -> None:
        self._waiting = []


def topic(broker: _Broker, monkeypatch: pytest.MonkeyPatch) -> KafkaTarget:
    monkeypatch.setattr("headwater.publish.openlineage.kafka.Producer", lambda settings: broker)
    return KafkaTarget("kafka://b:9092/t", "t", {})


def of(job: str, number: int) -> bytes:
    return msgspec.json.encode(run_event(job=job, number=number))


class TestKafka:
    def test_a_job_is_the_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        broker = _Broker()
        broker.is_full = True
        with topic(broker, monkeypatch) as target:
            assert list(target.send([of("a", 1), of("b", 1)])) == [(0, None), (1, None)]
        assert [key for key, _ in broker.taken] == [b"scheduler/a", b"scheduler/b"]

    def test_one_that_is_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        broker = _Broker({of("a", 1): KafkaError.MSG_SIZE_TOO_LARGE})
        with topic(broker, monkeypatch) as target:
            (first, reason), second = target.send([of("a", 1), of("a", 2)])
        assert (first, second) == (0, (1, None)) and "size" in str(reason)

    def test_the_order_of_a_job_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """After one that brokers did not take, the next of its job are sent again."""
        broker = _Broker({of("a", 2): KafkaError.REQUEST_TIMED_OUT})
        events = [of("a", 1), of("a", 2), of("b", 1), of("a", 3)]
        sent = []
        with topic(broker, monkeypatch) as target, pytest.raises(TargetUnavailable):
            for index, _ in target.send(events):
                sent.append(index)
        assert sent == [0, 2]

    def test_nobody_there(self) -> None:
        with open_target(settings("kafka://127.0.0.1:1/t")) as target:
            (step,) = target.check()
        assert not step.is_ok and step.next_step


class TestSelection:
    def test_what_an_event_is_of(self) -> None:
        assert read_subject(of("a", 1)) == "scheduler/a"
        assert read_subject(b'{"dataset": {"namespace": "n", "name": "d"}}') == "n/d"
        assert read_subject(b"{}") == ""

    @pytest.mark.parametrize(
        ("include", "exclude", "is_sent"),
        [
            ((), (), True),
            (("a",), (), True),
            (("b",), (), False),
            (("scheduler/*",), ("a",), False),
            ((), ("b*",), True),
        ],
    )
    def test_patterns(self, include: Any, exclude: Any, is_sent: bool) -> None:
        chosen = RelayedEvents(include, exclude).choose(of("a", 1))
        assert chosen == (of("a", 1) if is_sent else None)

    def test_namespaces_wherever_they_stand(self) -> None:
        rewrites = [read_rewrite(f"{KAFKA}=kafka://new"), read_rewrite("post*=maria")]
        changed = RelayedEvents(rewrites=rewrites).choose(EVENTS[0])
        assert changed is not None and KAFKA.encode() not in changed
        event = json.loads(changed)
        assert event["outputs"][0]["namespace"] == "kafka://new"
        source = event["outputs"][0]["facets"]["columnLineage"]["fields"]["amount"]
        assert source["inputFields"][0]["namespace"] == "mariagres://shop:5432"

    def test_others_stay_as_they_came(self) -> None:
        event = b' {"job": {"namespace": "n", "name": "j"}, "x": 12345678901234567890123} '
        selection = RelayedEvents(rewrites=[read_rewrite("m=k")])
        assert selection.choose(event) == event
        changed = RelayedEvents(rewrites=[read_rewrite("n=k")]).choose(event)
        assert changed is not None and b"12345678901234567890123" in changed

    def test_slashes_that_are_escaped(self) -> None:
        event = rb'{"job": {"namespace": "a:\/\/b", "name": "j"}}'
        changed = RelayedEvents(rewrites=[read_rewrite("a://b=c")]).choose(event)
        assert changed is not None and json.loads(changed)["job"]["namespace"] == "c"


def test_a_relay_to_a_file(store: Engine, fill: Fill, tmp_path: Path) -> None:
    """As they came, in the order of their times; those that are not chosen do not wait."""
    fill(EVENTS)
    path = tmp_path / "events.ndjson"
    chosen = settings(f"file:{path}", exclude=["sink-4"], rename_namespace=["scheduler=jobs"])
    (step,) = OpenLineagePublisher(chosen, store).publish()
    assert (step.sent, step.skipped, step.waiting) == (4, 1, 0)
    jobs = [json.loads(line)["job"] for line in path.read_bytes().splitlines()]
    assert [job["name"] for job in jobs] == ["orders-source", "enrich", "sink-3", "sink-5"]
    assert {job["namespace"] for job in jobs} == {"jobs"}
    assert list(OpenLineagePublisher(chosen, store).publish()) == []


def test_a_relay_since_a_time(store: Engine, fill: Fill, tmp_path: Path) -> None:
    fill(EVENTS)
    chosen = settings(f"file:{tmp_path / 'x'}", since="2024-05-01T10:00:04Z")
    (step,) = OpenLineagePublisher(chosen, store).publish()
    assert (step.sent, step.skipped, step.waiting) == (2, 3, 0)
