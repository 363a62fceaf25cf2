"""One corpus, every way in, both databases: the same rows, whatever is doubled or out of order."""

import gzip
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import Engine

from headwater.access import KafkaAccess, KinesisAccess
from headwater.cli.commands.ingest.ingest_run import (
    IngestOptions,
    make_task,
    name_outputs,
)
from headwater.config import Settings, load_settings
from headwater.pipeline.feeds.feed import Feed
from headwater.pipeline.feeds.files_feed import FilesFeed
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_feed import KafkaFeed
from headwater.pipeline.feeds.kinesis.feed import KinesisFeed
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.ingest import Plan, StreamIngest
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.lake.outbox import flush
from headwater.pipeline.own_lineage import OwnLineage
from headwater.pipeline.rebuild import rebuild
from headwater.store.engine import open_engine
from headwater.store.maintenance.check import check_store
from headwater.store.migrate import upgrade
from headwater.store.write.writer import open_writer, ready
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.kafka_secured import PASSWORD, USER, SecuredKafka
from testing.services.moto import REGION, Moto
from testing.stores import open_prepared
from tests.faults.load import JSON, PATH, new_client
from tests.pipeline.corpus import (
    SEED,
    as_array,
    cut,
    doubled,
    expected_rows,
    facts_of_all,
    make_corpus,
    own_events,
    stored_rows,
)
from tests.pipeline.kinesis.test_aggregation import aggregate
from tests.pipeline.lakes import lake_event
from tests.properties.strategies import merge
from tests.store.rows import differences

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.integration,
    # PySpark leaves it to the collector to close what results came through.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

PARTITIONS = 3


@dataclass(frozen=True)
class Target:
    """A store and a lake of one test alone, with their settings."""

    settings: Settings
    engine: Engine

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.lake_folder)

    def ingest(self, spark: "SparkSession", feed: Feed, name: str = "same") -> None:
        """Take in all there is, put together as the command does it."""
        upgrade(self.engine)
        engine, settings = self.engine, self.settings
        choices = IngestOptions(settings, name, None, (), (), None, verbose=False)
        with closing(open_writer(engine, notes_for_lake=True)) as writer:
            own = OwnLineage(writer, name, name_outputs(settings, engine), is_stream=False)
            task, plan = make_task(choices, feed, engine), Plan(name, None)
            StreamIngest(spark, feed, task, engine, settings.data, plan, own).run()

    def check(self, sent: list[bytes]) -> None:
        """The store has what the reference has, and the pipeline's own events, and no more."""
        own = own_events(self.engine)
        assert differences(stored_rows(self.engine), expected_rows(sent, own)) == {}
        assert check_store(self.engine) == []

    def check_lake(self) -> None:
        """Every event that was taken in is in the lake, or waits for it."""
        flush(self.engine, self.lake)
        kept = {event.payload for event in self.lake.read()}
        assert kept == stored_payloads(make_corpus().good) | set(own_events(self.engine))


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_url")
    settings = load_settings(store=url, data=tmp_path / "data")
    engine = open_engine(settings.store_url)
    yield Target(settings, engine)
    engine.dispose()


def stored_payloads(events: list[bytes]) -> set[bytes]:
    return {row[-1] for facts in facts_of_all(events) for row in facts.rows["event"]}


def write_files(folder: Path) -> None:
    """All twice, over files of every form; what is no JSON only where one event is a line."""
    random = Random(SEED)
    lines, gzipped, array, gzipped_array = (
        list[bytes](),
        list[bytes](),
        list[bytes](),
        list[bytes](),
    )
    folder.mkdir()
    for number, event in enumerate(doubled(make_corpus().json)):
        form = random.choice((array, gzipped_array, lines, gzipped, None))
        if form is None or (b"\n" in event and form in (lines, gzipped)):
            (folder / f"{number}.json").write_bytes(event)
        else:
            form.append(event)
    for form in (lines, gzipped):
        form += make_corpus().broken
        random.shuffle(form)
    (folder / "a.ndjson").write_bytes(b"\n".join(lines))
    (folder / "deeper").mkdir()
    (folder / "deeper" / "b.ndjson.gz").write_bytes(gzip.compress(b"\r\n\n".join(gzipped) + b"\n"))
    (folder / "deeper" / "c.json").write_bytes(b"\xef\xbb\xbf" + as_array(array))
    (folder / "d.json.gz").write_bytes(gzip.compress(as_array(gzipped_array)))


def post(client: httpx2.Client, path: str, body: bytes) -> None:
    answer = client.post(path, content=body, headers=JSON)
    assert answer.status_code in (200, 201, 204, 400, 422), answer.text


def test_http(target: Target) -> None:
    """Half of them in arrays, half of them by themselves, and some by both ways."""
    order = doubled(make_corpus().json)
    with (
        Headwater.start(target.settings.store_url, target.settings.data) as server,
        new_client(server.url) as client,
    ):
        for number, events in enumerate(cut(order[: len(order) // 2], 40)):
            post(client, f"{PATH}/batch" if number % 2 else PATH, as_array(events))
        for event in [*order[len(order) // 2 :], *make_corpus().broken]:
            post(client, PATH, event)
    target.check(make_corpus().all)
    target.check_lake()


def test_files_by_spark(target: Target, spark: "SparkSession", tmp_path: Path) -> None:
    write_files(tmp_path / "events")
    target.ingest(spark, FilesFeed(str(tmp_path / "events")))
    assert len(own_events(target.engine)) == 2
    target.check(make_corpus().all)
    target.check_lake()
    # Once more, from the beginning: nothing changes.
    before = own_events(target.engine)
    target.ingest(spark, FilesFeed(str(tmp_path / "events")), "again")
    assert len(own_events(target.engine)) == len(before) + 2
    target.check(make_corpus().all)


@pytest.fixture(scope="module")
def secured() -> Iterator[SecuredKafka]:
    with SecuredKafka.start() as service:
        yield service


@pytest.mark.parametrize("protocol", ["SSL", "SASL_SSL"])
def test_a_secured_kafka_by_spark(
    target: Target,
    spark: "SparkSession",
    secured: SecuredKafka,
    protocol: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a client certificate; by SCRAM."""
    topic = f"lineage-{uuid4().hex}"
    secured.create_topic(topic, PARTITIONS)
    for number, events in enumerate(cut(doubled(make_corpus().all), 30)):
        secured.produce(topic, events, partition=number % PARTITIONS)
    monkeypatch.setenv("KAFKA_PASSWORD", PASSWORD)
    certificate, key = map(str, secured.client)
    login = {"user": USER, "password": "env:KAFKA_PASSWORD", "sasl_mechanism": "SCRAM-SHA-512"}
    own = {"SSL": {"certificate": certificate, "key": key}, "SASL_SSL": login}[protocol]
    given = {"security_protocol": protocol, "ca": str(secured.ca), **own}
    access = KafkaAccess.model_validate(given)
    source = KafkaSource(secured.address(protocol), (topic,), access=access)
    target.ingest(spark, KafkaFeed(source, "group"))
    target.check(make_corpus().all)
    target.check_lake()


def test_kafka_by_spark(target: Target, spark: "SparkSession", kafka: Kafka) -> None:
    topic = f"lineage-{uuid4().hex}"
    kafka.create_topic(topic, PARTITIONS)
    for number, events in enumerate(cut(doubled(make_corpus().all), 30)):
        kafka.produce(topic, events, partition=number % PARTITIONS)
    target.ingest(spark, KafkaFeed(KafkaSource(kafka.bootstrap, (topic,)), "group"))
    assert len(own_events(target.engine)) == 2
    target.check(make_corpus().all)
    target.check_lake()


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    with Moto.start() as service:
        yield service


def test_kinesis_by_spark(
    target: Target, spark: "SparkSession", moto: Moto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other record holds several events, as the producer library packs them; by a role."""
    stream = f"lineage-{uuid4().hex}"
    moto.create_stream(stream, PARTITIONS)
    for number, events in enumerate(cut(doubled(make_corpus().all), 30)):
        moto.put_records(stream, [aggregate(events)] if number % 2 else events)
    monkeypatch.setenv("AWS_KEY", "any")
    own = {"access_key_id": "any", "secret_access_key": "env:AWS_KEY"}
    role = {"role_arn": "arn:aws:iam::123456789012:role/lineage", "sts_endpoint_url": moto.url}
    access = KinesisAccess(region=REGION, endpoint_url=moto.url, **own, **role)
    source = KinesisSource(stream, access)
    target.ingest(spark, KinesisFeed(source))
    target.check(make_corpus().all)
    target.check_lake()


def test_rebuilt_from_the_lake_alone(target: Target, spark: "SparkSession") -> None:
    for events in cut(doubled(make_corpus().good), 100):
        target.lake.add([lake_event_of(event) for event in events])
    rebuild(target.engine, spark, target.lake, target.settings.data)
    target.check(make_corpus().good)


def test_rebuilt_from_what_other_ways_left(
    target: Target, spark: "SparkSession", tmp_path: Path
) -> None:
    """A third by files, a third by a writer of events, and a third is in the lake alone."""
    thirds = [make_corpus().good[number::3] for number in range(3)]
    (tmp_path / "array.json").write_bytes(as_array([*thirds[0], *make_corpus().bad]))
    target.ingest(spark, FilesFeed(str(tmp_path / "array.json")))
    with closing(open_writer(target.engine)) as writer:
        writer.write(facts_of_all(thirds[1]))
    target.lake.add([lake_event_of(event) for event in [*thirds[2], *thirds[0]]])
    totals = rebuild(target.engine, spark, target.lake, target.settings.data)
    assert totals.rejected == 0
    target.check(make_corpus().json)
    target.check_lake()


def test_many_rows_at_once(postgresql_url: str) -> None:
    """By the connection that streams, all of it in one transaction and in several."""
    engine = open_prepared(postgresql_url)
    with closing(open_writer(engine, is_bulk=True)) as writer:
        writer.write_rows(ready(merge(facts_of_all(doubled(make_corpus().all)))))
        for events in cut(doubled(make_corpus().all, SEED + 1), 90):
            writer.write_rows(ready(merge(facts_of_all(events))))
    assert differences(stored_rows(engine), expected_rows(make_corpus().all)) == {}
    engine.dispose()


def lake_event_of(event: bytes) -> LakeEvent:
    (row,) = facts_of_all([event])[0].rows["event"]
    return lake_event(row[-1], at=row[0], received_at=row[2])
