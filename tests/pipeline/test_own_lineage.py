"""The pipeline's own lineage: one run, told when something changes, whatever the store does."""

import json
import logging
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import attrs
import pytest
from openlineage.client.event_v2 import RunEvent
from openlineage.client.facet_v2 import (
    error_message_run,
    job_type_job,
    output_statistics_output_dataset,
)
from sqlalchemy import select

from headwater.errors import SourceUnavailable, StoreUnavailable
from headwater.model.event import EventType, Kind, decode_event
from headwater.model.facts import Facts
from headwater.pipeline import own_lineage
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.own_lineage import OwnLineage
from headwater.store import tables
from headwater.store.write.outbox import count_waiting
from headwater.store.write.packing import unpack
from headwater.store.write.writer import Writer
from testing.events.full import Json
from tests.pipeline.lakes import NOON
from tests.store.stores import Store

TOPIC = ("kafka://host:9092", "orders")
OUTPUTS = (("file", "/data/headwater.db"), ("file", "/data/lake"))
BATCH = Totals(messages=10, events=7, rejected=2, excluded=1, bytes=3_000)


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Kept(Writer):
    """Keeps what it is given; fails while it has an error to raise."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.error: Exception | None = None

    def write(self, facts: Sequence[Facts], check: Callable[[], None] = lambda: None) -> None:
        if self.error is not None:
            raise self.error
        (stated,) = facts
        (row,) = stated.rows["event"]
        self.raw.append(row[-1])

    @property
    def events(self) -> list[Json]:
        return [json.loads(raw) for raw in self.raw]

    @property
    def types(self) -> list[str]:
        return [event["eventType"] for event in self.events]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def own(kept: Kept, clock: Clock) -> OwnLineage:
    return OwnLineage(kept, "ingest.kafka-orders", OUTPUTS, is_stream=True, clock=clock)


def pass_time(own: OwnLineage, clock: Clock, seconds: int) -> None:
    """Be alive every second, as an ingest is."""
    for _ in range(seconds):
        clock.now += 1
        own.alive()


def statistics(event: Json) -> list[tuple[int, int]]:
    found = [output["outputFacets"]["outputStatistics"] for output in event["outputs"]]
    return [(facet["rowCount"], facet["size"]) for facet in found]


class TestEvents:
    def test_from_start_to_end(self, own: OwnLineage, kept: Kept, clock: Clock) -> None:
        own.started([TOPIC])
        own.stored(BATCH, 1.0)
        pass_time(own, clock, 30)
        own.settled(5)
        own.ended(None)
        assert kept.types == ["START", "RUNNING", "COMPLETE"]
        (run,) = {event["run"]["runId"] for event in kept.events}
        decoded = [decode_event(raw) for raw in kept.raw]
        assert {event.kind for event in decoded} == {Kind.RUN}
        assert [event.type for event in decoded] == [
            EventType.START,
            EventType.RUNNING,
            EventType.COMPLETE,
        ]
        for event in kept.events:
            assert event["job"]["namespace"] == "headwater"
            assert event["job"]["name"] == "ingest.kafka-orders"
            assert event["inputs"] == [{"namespace": TOPIC[0], "name": TOPIC[1]}]
            assert [(each["namespace"], each["name"]) for each in event["outputs"]] == [*OUTPUTS]

    def test_each_run_has_an_id_of_its_own(self, kept: Kept) -> None:
        for _ in range(2):
            own = OwnLineage(kept, "ingest.a", OUTPUTS, is_stream=False)
            own.started([TOPIC])
            own.ended(None)
        assert len({event["run"]["runId"] for event in kept.events}) == 2

    @pytest.mark.parametrize(("is_stream", "expected"), [(True, "STREAMING"), (False, "BATCH")])
    def test_the_kind_of_job(self, kept: Kept, is_stream: bool, expected: str) -> None:
        OwnLineage(kept, "ingest.a", OUTPUTS, is_stream=is_stream).started([])
        (event,) = kept.events
        assert event["job"]["facets"]["jobType"]["processingType"] == expected

    def test_a_stream_that_begins_again_is_the_same_run(
        self, own: OwnLineage, kept: Kept, clock: Clock
    ) -> None:
        """And may by then read more."""
        own.started([TOPIC])
        own.failed(StoreUnavailable("away"), 1.0)
        own.started([TOPIC, ("kafka://host:9092", "payments")])
        assert kept.types == ["START", "RUNNING"]
        assert [len(event["inputs"]) for event in kept.events] == [1, 2]

    @pytest.mark.parametrize(
        ("error", "text"),
        [
            (SourceUnavailable("host:9092", "no answer"), "host:9092: no answer"),
            (KeyboardInterrupt(), "KeyboardInterrupt"),
            (RuntimeError("a\0b"), "a\0b"),
        ],
    )
    def test_a_failure_tells_why(
        self, own: OwnLineage, kept: Kept, error: BaseException, text: str
    ) -> None:
        own.started([TOPIC])
        own.ended(error)
        assert kept.types == ["START", "FAIL"]
        first, last = kept.events
        assert "errorMessage" not in first["run"]["facets"]
        assert last["run"]["facets"]["errorMessage"]["message"] == text

    def test_what_never_began_does_not_end(self, own: OwnLineage, kept: Kept) -> None:
        own.alive()
        own.ended(StoreUnavailable("away"))
        assert kept.raw == []

    def test_facets_are_what_openlineage_has(self, own: OwnLineage, kept: Kept) -> None:
        """By the classes of its client, which are made from the specification."""
        own.started([TOPIC])
        own.ended(RuntimeError("why"))
        event = kept.events[-1]
        assert event["schemaURL"] == RunEvent._get_schema()
        assert event.keys() <= {field.name for field in attrs.fields(RunEvent)}
        check(event["job"]["facets"]["jobType"], job_type_job.JobTypeJobFacet)
        check(event["run"]["facets"]["errorMessage"], error_message_run.ErrorMessageRunFacet)
        for output in event["outputs"]:
            facet = output["outputFacets"]["outputStatistics"]
            kind = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet
            check(facet, kind)


def check(facet: Json, kind: Any) -> None:
    """A facet has all that its class needs, and nothing that it does not know."""
    assert facet["_schemaURL"] == kind._get_schema()
    assert facet["_producer"].startswith("https://")
    kind(**{key: value for key, value in facet.items() if not key.startswith("_")})


class TestHowOften:
    def test_news_are_reported_every_half_minute(
        self, own: OwnLineage, kept: Kept, clock: Clock
    ) -> None:
        own.started([TOPIC])
        for expected in (1, 2, 3):
            for _ in range(3):
                own.stored(BATCH, 1.0)
                pass_time(own, clock, 9)
            assert len(kept.raw) == expected
            pass_time(own, clock, 3)
            assert len(kept.raw) == expected + 1
        assert kept.types == ["START", "RUNNING", "RUNNING", "RUNNING"]

    def test_without_news_every_five_minutes(
        self, own: OwnLineage, kept: Kept, clock: Clock
    ) -> None:
        own.started([TOPIC])
        pass_time(own, clock, 299)
        assert kept.types == ["START"]
        pass_time(own, clock, 1)
        assert kept.types == ["START", "RUNNING"]
        pass_time(own, clock, 299)
        assert len(kept.raw) == 2

    def test_news_after_a_quiet_while_are_reported_at_once(
        self, own: OwnLineage, kept: Kept, clock: Clock
    ) -> None:
        own.started([TOPIC])
        pass_time(own, clock, 100)
        own.stored(BATCH, 1.0)
        own.alive()
        assert kept.types == ["START", "RUNNING"]
        # Told, they are news no more.
        pass_time(own, clock, 299)
        assert len(kept.raw) == 2

    def test_counters_are_of_the_whole_run(self, own: OwnLineage, kept: Kept, clock: Clock) -> None:
        own.started([TOPIC])
        for _ in range(2):
            own.stored(BATCH, 1.0)
            pass_time(own, clock, 30)
        own.stored(BATCH, 1.0)
        own.ended(None)
        assert [statistics(event) for event in kept.events] == [
            [(0, 0)] * 2,
            [(7, 3_000)] * 2,
            [(14, 6_000)] * 2,
            [(21, 9_000)] * 2,
        ]

    def test_the_totals_of_a_batch_are_left_as_they_are(self, own: OwnLineage) -> None:
        batch = Totals(events=1)
        own.stored(batch, 1.0)
        own.stored(batch, 1.0)
        assert batch == Totals(events=1)


class TestStore:
    def test_one_that_is_away_is_no_reason_to_end(
        self, own: OwnLineage, kept: Kept, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.WARNING, own_lineage.__name__)
        kept.error = StoreUnavailable("away")
        own.started([TOPIC])
        own.stored(BATCH, 1.0)
        pass_time(own, clock, 29)
        # Not with every look.
        assert [record.getMessage() for record in caplog.records] == [
            "own lineage could not be stored: away"
        ]
        pass_time(own, clock, 1)
        kept.error = None
        own.stored(BATCH, 1.0)
        pass_time(own, clock, 30)
        own.ended(None)
        assert kept.types == ["RUNNING", "COMPLETE"]
        assert statistics(kept.events[0]) == [(14, 6_000)] * 2

    def test_one_that_is_away_in_the_end(self, own: OwnLineage, kept: Kept) -> None:
        own.started([TOPIC])
        kept.error = StoreUnavailable("away")
        own.ended(StoreUnavailable("away"))
        assert kept.types == ["START"]

    def test_it_has_the_run(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """With all that is read of it, and noted for the lake like any other's."""
        times = count(NOON)
        monkeypatch.setattr(own_lineage, "now", lambda: next(times))
        own = OwnLineage(store.writer, "ingest.a", OUTPUTS, is_stream=True)
        own.started([TOPIC])
        own.stored(BATCH, 1.0)
        own.ended(StoreUnavailable("the disk is full"))
        with store.engine.connect() as connection:
            found = connection.execute(select(tables.event).order_by(tables.event.c.at)).all()
            (run,) = connection.execute(select(tables.run)).all()
            (job,) = connection.execute(select(tables.job)).all()
            names = connection.execute(select(tables.dataset.c.namespace, tables.dataset.c.name))
            assert {tuple(row) for row in names} == {TOPIC, *OUTPUTS}
            assert count_waiting(connection) == 2
        assert [json.loads(unpack(row.payload))["eventType"] for row in found] == ["START", "FAIL"]
        assert run.terminal == EventType.FAIL
        assert (job.namespace, job.name) == ("headwater", "ingest.a")
