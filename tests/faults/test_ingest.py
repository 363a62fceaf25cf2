"""An ingest from Kafka through faults of all it depends on: it goes on, and nothing is lost."""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

from testing import load as bench_load
from testing.commands import Outcome, check_one_line
from testing.services.ingest import PATIENCE_SECONDS, Ingest, run_headwater
from testing.services.kafka import Kafka, Outgoing
from testing.services.kafka_tls import TlsKafka
from testing.services.postgresql import PostgreSQL
from testing.services.process import free_port
from testing.wait import wait_until
from tests.faults.stored import events_in
from tests.faults.taken_in import (
    check_same_rows,
    foreign_events,
    lake_events,
    own_states,
    read_offsets,
    read_places,
    read_rejected,
)
from tests.faults.test_postgresql_away import hung

pytestmark = pytest.mark.integration

SOON = ("--every", "1s")
LARGEST_BYTES = 20_000_000
# What a stop may take while the broker does not answer; orchestrators kill after half a minute.
# Less than it would wait for a batch that does not end.
STOP_SECONDS = 50

_runs = iter(range(0, 1_000_000, 1_000))


def new_events(count: int) -> list[bytes]:
    """Events that no other test has."""
    return list(bench_load.events(count, start_run=next(_runs)))


def new_name() -> str:
    return f"lineage-{uuid4().hex[:12]}"


def wait_long(is_so: Callable[[], bool]) -> None:
    wait_until(is_so, seconds=PATIENCE_SECONDS)


class Scene:
    """An ingest that runs, and what was sent to its topics."""

    def __init__(self, kafka: Kafka, service: Ingest, name: str, scratch: Path) -> None:
        self.kafka = kafka
        self.service = service
        self.name = name
        self.sent: list[bytes] = []
        self._scratch = scratch

    def new_topic(self, partitions: int = 1, **config: int) -> str:
        """A topic that fits its pattern."""
        topic = f"{self.name}-{uuid4().hex[:8]}"
        self.kafka.create_topic(topic, partitions, **config)
        return topic

    def send(self, topic: str, events: Iterable[bytes]) -> None:
        some = list(events)
        self.kafka.produce(topic, some)
        self.sent += some

    def wait(self, topic: str) -> None:
        """Wait until the store is as far as the topic."""
        ends = self.kafka.end_offsets(topic)
        wait_long(lambda: read_offsets(self.service.store, self.name, topic) == ends)

    def check(self) -> None:
        """Everything that was sent is stored, by the same process as ever and without a fuss."""
        check_same_rows(self.service.store, self.sent, self._scratch)
        assert lake_events(self.service.data) >= set(self.sent)
        assert self.service.is_running
        check_no_stacks(self.service.log())


def check_no_stacks(log: str) -> None:
    assert re.search(r"Traceback|^\s+at \w|CRITICAL", log, re.MULTILINE) is None, log[-5_000:]


@pytest.fixture(scope="module")
def scene(kafka: Kafka, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One ingest for many tests, each with a topic of its own that appears while it runs."""
    name = new_name()
    kafka.create_topic(f"{name}-first")
    pattern = ("--brokers", kafka.bootstrap, "--pattern", f"{name}-.*", "--name", name)
    data = tmp_path_factory.mktemp("shared")
    with Ingest.start(*pattern, *SOON, data=data) as service:
        yield Scene(kafka, service, name, tmp_path_factory.mktemp("expected"))


def test_topics_that_appear_later(scene: Scene) -> None:
    """All of their partitions, and those that they get in time; told to the group as well."""
    topic = scene.new_topic(partitions=2)
    scene.send(topic, new_events(40))
    scene.wait(topic)
    with AdminClient({"bootstrap.servers": scene.kafka.bootstrap}) as admin:
        admin.create_partitions([NewPartitions(topic, 5)])[topic].result(30)
    wait_until(lambda: scene.kafka.has_partitions(topic, 5))
    scene.send(topic, new_events(100))
    scene.wait(topic)
    scene.check()
    ends = scene.kafka.end_offsets(topic)
    wait_long(lambda: scene.kafka.committed(f"headwater-{scene.name}", topic) == ends)


# What a topic may hold beside events, and what is said of it.
POISON: dict[str, tuple[Outgoing, str]] = {
    "no JSON": (b"an event that is not JSON", "JSON"),
    "too large": (b'{"filler": "' + b"x" * LARGEST_BYTES + b'"}', "the limit is 20,000,000"),
    "UTF-16": (next(bench_load.events(1)).decode().encode("utf-16"), "UTF-8"),
    "Latin-1": ('{"eventTime": "früh"}'.encode("latin-1"), "UTF-8"),
    "no value": ((None, None), "no value"),
    "a tombstone": ((b"key", None), "no value"),
    "no bytes": (b"", "empty"),
    "an array": (b"[" + next(bench_load.events(1)) + b"]", "array"),
    "no event": (b'{"eventTime": "2025-01-01T00:00:00Z"}', "missing"),
}


def test_poison_is_put_aside(scene: Scene) -> None:
    """With where it was and why; what is good is stored, and the lake has only that."""
    topic = scene.new_topic(max_message_bytes=2 * LARGEST_BYTES)
    good = new_events(len(POISON) + 1)
    places: dict[str, str] = {}
    scene.send(topic, good[:1])
    for event, (kind, (poison, _)) in zip(good[1:], POISON.items(), strict=True):
        places[kind] = f"kafka {topic}/0@{scene.kafka.end_offsets(topic)[0]}"
        scene.kafka.produce(topic, [poison])
        scene.send(topic, [event])
    scene.wait(topic)
    scene.check()
    assert lake_events(scene.service.data).isdisjoint(poison for poison, _ in POISON.values())
    rejected = read_rejected(scene.service.store, f"kafka {topic}/")
    assert set(rejected) == set(places.values())
    for kind, place in places.items():
        assert POISON[kind][1] in rejected[place].reason
    too_large = rejected[places["too large"]]
    assert too_large.size == LARGEST_BYTES + 14
    assert len(too_large.payload) == 1_000_000


def test_what_a_transaction_took_back_is_left_out(scene: Scene) -> None:
    topic = scene.new_topic()
    taken_back, kept = new_events(3), new_events(3)
    settings = {"bootstrap.servers": scene.kafka.bootstrap, "transactional.id": topic}
    producer = Producer(settings)
    producer.init_transactions(30)
    for events, end in (
        (taken_back, producer.abort_transaction),
        (kept, producer.commit_transaction),
    ):
        producer.begin_transaction()
        for event in events:
            producer.produce(topic, event)
        producer.flush(30)
        end(30)
    scene.sent += kept
    scene.wait(topic)
    scene.check()
    assert lake_events(scene.service.data).isdisjoint(taken_back)


def test_an_event_ahead_of_the_clock_is_taken_in_by_a_replay(scene: Scene) -> None:
    topic = scene.new_topic()
    (event,) = new_events(1)
    time = datetime.now(UTC) + timedelta(days=30)
    early = re.sub(rb'("eventTime":")[^"]+', rb"\g<1>" + time.isoformat().encode(), event, count=1)
    scene.kafka.produce(topic, [early])
    scene.wait(topic)
    scene.check()
    (rejected,) = read_rejected(scene.service.store, f"kafka {topic}/").values()
    assert rejected.source == f"kafka {topic}/0@0"
    assert rejected.path == "$.eventTime"
    assert "ahead of the receiver's clock" in rejected.reason

    command = ("ingest", "replay", "--source", f"kafka {topic}/", "--data", str(scene.service.data))
    assert run_headwater(*command).out == "0 ingested, 1 still rejected\n"
    raised = {"HEADWATER__INTAKE__MAX_AHEAD_SECONDS": str(60 * 86_400)}
    assert run_headwater(*command, env=raised) == (0, "1 ingested, 0 still rejected\n", "")
    assert read_rejected(scene.service.store, f"kafka {topic}/") == {}
    scene.sent.append(early)
    carried = run_headwater("lake", "flush", "--data", str(scene.service.data))
    assert carried.status == 0
    scene.check()


def test_a_broker_that_restarts(scene: Scene) -> None:
    topic = scene.new_topic()
    scene.send(topic, new_events(20))
    scene.wait(topic)
    scene.kafka.stop()
    scene.kafka.restart()
    scene.send(topic, new_events(20))
    scene.wait(topic)
    scene.check()


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Write to a store's file from this process, and do not come to an end."""
    file = url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


def test_sqlite_locked_by_another_process(scene: Scene) -> None:
    topic = scene.new_topic()
    scene.send(topic, new_events(5))
    scene.wait(topic)
    failures = scene.service.log().count("database is locked; trying again")
    with locked(scene.service.store):
        scene.send(topic, new_events(50))
        scene.service.wait_for("database is locked; trying again", failures + 2)
        assert not set(scene.sent) <= events_in(scene.service.store)
    scene.wait(topic)
    scene.check()


def test_a_lake_that_cannot_be_written(scene: Scene) -> None:
    """Nothing is stored that is not in the lake."""
    topic = scene.new_topic()
    lake, away = scene.service.data / "lake", scene.service.data / "away"
    failures = scene.service.log().count("trying again")
    lake.rename(away)
    lake.touch()
    try:
        scene.send(topic, new_events(20))
        scene.service.wait_for("trying again", failures + 2)
        assert not set(scene.sent) <= events_in(scene.service.store)
    finally:
        lake.unlink()
        away.rename(lake)
    scene.wait(topic)
    scene.check()


@pytest.mark.parametrize("count", [5, 20, 50], ids=["fewer", "as many", "more"])
def test_a_topic_made_anew_while_it_runs(scene: Scene, count: int) -> None:
    topic = scene.new_topic()
    scene.send(topic, new_events(20))
    scene.wait(topic)
    scene.kafka.delete_topic(topic)
    scene.kafka.create_topic(topic)
    events = new_events(count)
    scene.send(topic, events)
    wait_long(lambda: set(events) <= events_in(scene.service.store))
    scene.wait(topic)
    scene.check()


def remove_records(kafka: Kafka, topic: str, before: int) -> None:
    with AdminClient({"bootstrap.servers": kafka.bootstrap}) as admin:
        for removed in admin.delete_records([TopicPartition(topic, 0, before)]).values():
            removed.result(30)


def test_messages_that_were_removed_before_they_were_read(scene: Scene) -> None:
    topic = scene.new_topic()
    scene.send(topic, new_events(5))
    scene.wait(topic)
    # Nothing can be taken in meanwhile.
    with locked(scene.service.store):
        scene.kafka.produce(topic, new_events(10))
        scene.send(topic, new_events(10))
        remove_records(scene.kafka, topic, before=15)
        scene.service.wait_for("trying again", scene.service.log().count("trying again") + 1)
    scene.wait(topic)
    assert f"10 messages of {topic}/0 were removed by Kafka" in scene.service.log()
    scene.check()


def test_a_second_one_on_the_same_data_folder(scene: Scene) -> None:
    options = ("--brokers", scene.kafka.bootstrap, "--pattern", f"{scene.name}-.*")
    storage = ("--name", scene.name, "--data", str(scene.service.data))
    outcome = run_headwater("ingest", "kafka", *options, *storage)
    check_one_line(outcome, f"an ingest named '{scene.name}' is running on this data folder")
    topic = scene.new_topic()
    scene.send(topic, new_events(5))
    scene.wait(topic)
    scene.check()


def spoil_checkpoints(folder: Path) -> None:
    """Leave what an older version, or a broken disk, may have left."""
    for name in ("checkpoint", "checkpoint-0a1b2c"):
        for kind in ("offsets", "commits", "sources/0"):
            (folder / name / kind).mkdir(parents=True, exist_ok=True)
            (folder / name / kind / "0").write_bytes(b"v9\n{\xff\x00")
        (folder / name / "metadata").write_bytes(b"")
    (folder / "checkpoint.old").write_bytes(b"\x00")


def test_stopped_and_started_again(kafka: Kafka, tmp_path: Path) -> None:
    """It goes on where it was: past a damaged checkpoint, and from the first of another topic."""
    topic = name = new_name()
    options = ("--brokers", kafka.bootstrap, "--topic", topic, "--name", name, "--from", "latest")
    kafka.create_topic(topic, partitions=2)
    kafka.produce(topic, new_events(20))
    sent: list[bytes] = []

    def send(count: int) -> None:
        events = new_events(count)
        kafka.produce(topic, events)
        sent.extend(events)

    def wait_for_all() -> None:
        ends = kafka.end_offsets(topic)
        wait_long(lambda: read_offsets(service.store, name, topic) == ends)

    with Ingest.start(*options, *SOON, "--max-events", "200", data=tmp_path) as service:
        firsts = read_offsets(service.store, name, topic)
        send(800)
        service.wait_for("stored", 1)
        # In the middle of a batch, most likely: it is brought to its end.
        assert service.stop() == 0
        assert own_states(service.store)[-1] == "COMPLETE"
        offsets = read_offsets(service.store, name, topic)
        stored = foreign_events(service.store)
        assert 0 < len(stored) < len(sent)
        assert len(stored) == sum(offsets.values()) - sum(firsts.values())
        assert kafka.committed(f"headwater-{name}", topic) == offsets

        spoil_checkpoints(tmp_path / "ingest" / name)
        service.restart()
        send(20)
        wait_for_all()
        assert foreign_events(service.store) == set(sent)
        kafka.stop()
        try:
            began = time.monotonic()
            assert service.stop() == 0
            assert time.monotonic() - began < STOP_SECONDS
        finally:
            kafka.restart()
        assert own_states(service.store)[-1] == "COMPLETE"
        check_no_stacks(service.log())

    kafka.delete_topic(topic)
    kafka.create_topic(topic, partitions=2)
    send(500)
    outcome = run_headwater("ingest", "kafka", *options, "--once", "--data", str(tmp_path))
    assert outcome.status == 0
    assert outcome.out == ""
    check_no_stacks(outcome.err)
    check_same_rows(service.store, sent, tmp_path)
    assert lake_events(tmp_path) == set(sent)
    assert kafka.committed(f"headwater-{name}", topic) == kafka.end_offsets(topic)
    left = {path.name.partition("-")[0] for path in (tmp_path / "ingest" / name).iterdir()}
    assert left <= {"checkpoint"}


def test_from_a_time_on_and_some_jobs_only(kafka: Kafka, tmp_path: Path) -> None:
    topic = new_name()
    kafka.create_topic(topic)
    kafka.produce(topic, new_events(20))
    last = max(record.timestamp for record in kafka.consume_all(topic))
    wait_until(lambda: time.time() * 1000 > last + 1)
    events = new_events(200)
    kafka.produce(topic, events)
    start = datetime.fromtimestamp((last + 1) / 1000, UTC).isoformat(timespec="milliseconds")
    outcome = run_headwater(
        *("ingest", "kafka", "--brokers", kafka.bootstrap, "--topic", topic, "--from", start),
        *("--include", "load_layer1.*", "--include", "load_layer2.*", "--exclude", "*.t0?0"),
        *("--once", "--data", str(tmp_path)),
    )
    assert outcome.status == 0
    wanted = [event for event in events if is_wanted(job_of(event))]
    assert 0 < len(wanted) < len(events)
    assert f"stored {len(wanted)} events" in outcome.err
    assert f"0 rejected, {len(events) - len(wanted)} excluded" in outcome.err
    check_same_rows(f"sqlite:///{tmp_path / 'headwater.db'}", wanted, tmp_path)
    assert lake_events(tmp_path) == set(wanted)


def test_once_with_the_same_poison_again_and_again(kafka: Kafka, tmp_path: Path) -> None:
    """What waits is said before the first batch; messages that are equal keep every position."""
    topic = new_name()
    kafka.create_topic(topic)
    poison = b"the same, and no event"
    kafka.produce(topic, [poison, *new_events(5), poison, poison])
    outcome = run_headwater(
        *("ingest", "kafka", "--brokers", kafka.bootstrap, "--topic", topic),
        *("--once", "--data", str(tmp_path)),
    )
    assert outcome.status == 0
    begun, waiting, stored = (
        outcome.err.index(text)
        for text in ("ingesting from", "8 messages remaining", "stored 5 events")
    )
    assert begun < waiting < stored
    url = f"sqlite:///{tmp_path / 'headwater.db'}"
    assert read_places(url) == {f"kafka {topic}/0@{offset}" for offset in (0, 6, 7)}
    assert [each.payload for each in read_rejected(url).values()] == [poison]


def job_of(event: bytes) -> str:
    return str(msgspec.json.decode(event)["job"]["name"])


def is_wanted(job: str) -> bool:
    is_included = fnmatch(job, "load_layer1.*") or fnmatch(job, "load_layer2.*")
    return is_included and not fnmatch(job, "*.t0?0")


def test_two_into_one_store_that_goes_away(kafka: Kafka, tmp_path: Path) -> None:
    """Each waits for it by itself; what both have taken in is there once."""
    topic = name = new_name()
    kafka.create_topic(topic, partitions=2)
    options = ("--brokers", kafka.bootstrap, "--topic", topic, "--name", name, *SOON)
    before, during, after = (new_events(100) for _ in range(3))
    with (
        PostgreSQL.start() as postgresql,
        Ingest.start(*options, data=tmp_path / "a", store=postgresql.url("one")) as first,
        Ingest.start(*options, data=tmp_path / "b", store=postgresql.url("one")) as second,
    ):
        services = (first, second)
        kafka.produce(topic, before)
        for service in services:
            service.wait_for("stored 100 events")
        postgresql.stop()
        kafka.produce(topic, during)
        for service in services:
            service.wait_for("trying again")
        postgresql.restart()
        for service in services:
            wait_long(partial(has_gone_on, service))
        kafka.produce(topic, after)
        ends = kafka.end_offsets(topic)
        wait_long(lambda: read_offsets(first.store, name, topic) == ends)
        sent = {*before, *during, *after}
        check_same_rows(first.store, sent, tmp_path)
        assert lake_events(first.data) | lake_events(second.data) == sent
        # As a terminal does it, to all of its processes.
        os.killpg(first.pid, signal.SIGINT)
        assert first.wait_for_end() == 0
        assert second.stop() == 0
        for service in services:
            check_no_stacks(service.log())


def has_gone_on(service: Ingest) -> bool:
    return "ingesting from" in service.log().rpartition("trying again")[2]


@pytest.mark.long
def test_a_stop_while_the_store_hangs(kafka: Kafka, tmp_path: Path) -> None:
    """It ends late, or soon if asked twice; what was under way is taken in by the next."""
    topic = name = new_name()
    kafka.create_topic(topic)
    options = ("--brokers", kafka.bootstrap, "--topic", topic, "--name", name, *SOON)
    sent: list[bytes] = []
    with (
        PostgreSQL.start() as postgresql,
        Ingest.start(*options, data=tmp_path / "data", store=postgresql.url("hung")) as service,
    ):
        for signals, seconds in ((1, 120), (2, 30)):
            service.restart()
            sent += new_events(20)
            kafka.produce(topic, sent[-20:])
            service.wait_for("stored")
            with hung(postgresql):
                sent += new_events(20)
                kafka.produce(topic, sent[-20:])
                for _ in range(signals):
                    service.send_signal(signal.SIGTERM)
                    service.wait_for("stopping after this batch")
                assert service.wait_for_end(seconds) == 1
        service.restart()
        ends = kafka.end_offsets(topic)
        wait_long(lambda: read_offsets(service.store, name, topic) == ends)
        assert service.stop() == 0
        check_same_rows(service.store, sent, tmp_path)
        check_no_stacks(service.log())


@pytest.mark.long
def test_a_broker_that_is_away_for_minutes(scene: Scene) -> None:
    """Longer than Spark waits for it."""
    topic = scene.new_topic()
    scene.send(topic, new_events(20))
    scene.wait(topic)
    failures = scene.service.log().count("trying again")
    scene.kafka.stop()
    try:
        scene.service.wait_for("waiting for it")
        scene.service.wait_for("trying again", failures + 2)
    finally:
        scene.kafka.restart()
    scene.send(topic, new_events(20))
    scene.wait(topic)
    scene.check()


@pytest.mark.parametrize("name", ["../other", "a/b", ".."])
def test_a_name_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    options = ("--brokers", "127.0.0.1:1", "--topic", "any", "--name", name)
    outcome = run_headwater("ingest", "kafka", *options, "--data", str(tmp_path / "data"))
    assert outcome.status == 2
    assert "--name" in outcome.err
    assert set(tmp_path.iterdir()) == set()


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "setting"),
    [
        (("--pattern", "["), "setting 'pattern': Unclosed character class"),
        (("--topic", "any", "--consumer", "security.protocol=FOO"), "setting 'consumer': Invalid"),
    ],
    ids=["pattern", "consumer"],
)
def test_what_cannot_work_is_not_tried_again(
    kafka: Kafka, options: tuple[str, ...], setting: str, tmp_path: Path
) -> None:
    command = ("ingest", "kafka", "--brokers", kafka.bootstrap, *options, "--data", str(tmp_path))
    outcome = run_headwater(*command)
    assert outcome.status == 1
    assert outcome.err.splitlines()[-1].startswith(f"headwater: {setting}")
    assert "trying again" not in outcome.err
    check_no_stacks(outcome.err)


def check_steps(outcome: Outcome, *failed: str) -> None:
    """These steps are said to have failed, the others not, and there is no stack."""
    lines = [line.split(maxsplit=2) for line in outcome.out.splitlines()]
    assert [name for name, result, _ in lines if result == "FAILED"] == list(failed), outcome
    assert {result for _, result, _ in lines} <= {"ok", "FAILED"}
    assert all(text for _, _, text in lines)
    assert outcome.status == (1 if failed else 0)
    assert outcome.err == ""


class TestCheck:
    def test_all_is_well(self, kafka: Kafka, tmp_path: Path) -> None:
        topic = new_name()
        kafka.create_topic(topic, partitions=2)
        kafka.produce(topic, new_events(3), partition=1)
        outcome = check("--topic", topic, brokers=kafka.bootstrap, data=tmp_path)
        check_steps(outcome)
        assert f"{topic}: 2 partitions, 3 messages" in outcome.out
        assert f"{topic}/1@2 is an event" in outcome.out
        assert foreign_events(f"sqlite:///{tmp_path / 'headwater.db'}") == set()

    def test_all_but_the_broker_is_wrong(self, kafka: Kafka, tmp_path: Path) -> None:
        """Each is told, not only the first."""
        file = tmp_path / "file"
        file.touch()
        port = free_port()
        outcome = check(
            *("--topic", "no-such-topic", "--store", f"postgresql://127.0.0.1:{port}/none"),
            brokers=kafka.bootstrap,
            data=tmp_path / "data",
            env={"HEADWATER__LAKE__FOLDER": str(file / "lake")},
        )
        check_steps(outcome, "topics", "store", "lake")
        assert "there is no topic 'no-such-topic'" in outcome.out
        assert f"127.0.0.1:{port}/none" in outcome.out
        assert f"{file / 'lake'} cannot be written: Not a directory" in outcome.out

    def test_a_misspelt_setting_and_one_of_nobody_knows_whom(
        self, kafka: Kafka, tmp_path: Path
    ) -> None:
        options = ("--topic", "any", "--consumer", "security.protocl=SSL")
        outcome = check(*options, brokers=kafka.bootstrap, data=tmp_path)
        check_steps(outcome, "settings")
        assert "no setting 'security.protocl' and would ignore it" in outcome.out
        assert "did you mean 'security.protocol'?" in outcome.out

    def test_a_client_of_tls_at_a_plain_port(self, kafka: Kafka, tmp_path: Path) -> None:
        """Told without Spark: its client would only wait."""
        options = ("--topic", "any", "--consumer", "security.protocol=SSL")
        outcome = check(*options, brokers=kafka.bootstrap, data=tmp_path)
        check_steps(outcome, "brokers")
        assert "does not speak TLS, and this client does (SSL)" in outcome.out

    def test_a_port_of_tls(self, tmp_path: Path) -> None:
        """A client that sends plain text is told so, by a real broker; one that does TLS reads."""
        with TlsKafka.start() as kafka:
            topic = new_name()
            kafka.create_topic(topic)
            kafka.produce(topic, new_events(1))
            outcome = check("--topic", topic, brokers=kafka.tls_bootstrap, data=tmp_path)
            check_steps(outcome, "brokers")
            assert "expects TLS, and this client sends plain text (PLAINTEXT)" in outcome.out
            assert "--security-protocol SSL" in outcome.out
            settings = [f"{name}={value}" for name, value in kafka.client_settings.items()]
            options = [part for each in settings for part in ("--consumer", each)]
            outcome = check("--topic", topic, *options, brokers=kafka.tls_bootstrap, data=tmp_path)
            check_steps(outcome)
            assert f"{topic}/0@0 is an event" in outcome.out

    def test_a_port_where_nobody_listens(self, tmp_path: Path) -> None:
        brokers = f"127.0.0.1:{free_port()}"
        outcome = check("--topic", "any", brokers=brokers, data=tmp_path)
        check_steps(outcome, "brokers")
        assert f"cannot connect to {brokers}: Connection refused" in outcome.out

    def test_a_host_that_is_not_there(self, tmp_path: Path) -> None:
        outcome = check("--topic", "any", brokers="broker.invalid:9092", data=tmp_path)
        check_steps(outcome, "brokers")
        assert "no address for 'broker.invalid'" in outcome.out


def check(*options: str, brokers: str, data: Path, env: dict[str, str] | None = None) -> Outcome:
    command = ("ingest", "kafka", "--check", "--brokers", brokers, *options, "--data", str(data))
    return run_headwater(*command, env=env)
