"""What a store holds reaches the lake: all of it, whatever comes between."""

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from headwater.errors import LakeUnavailable, StoreUnavailable
from headwater.model.event import EventType, Kind
from headwater.model.facts import Facts
from headwater.model.relations import EventRow
from headwater.model.values.ids import digest
from headwater.model.values.instant import DAY, parse_instant
from headwater.pipeline.lake import outbox
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.lake.outbox import flush
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.maintenance.backup import back_up
from headwater.store.maintenance.prune import prune
from headwater.store.write import outbox_readers
from headwater.store.write.connections import PostgresConnection
from headwater.store.write.outbox import LAKE, count_waiting
from headwater.store.write.outbox_readers import fill_reader
from headwater.store.write.packing import unpack
from headwater.store.write.writer import open_writer
from tests.pipeline.lakes import NOON, payloads
from tests.store.stores import Store, restore_from_elsewhere
from tests.store.test_prune import HORIZON, NEW, OLD, ended_run, event_runs

FIRST = parse_instant("0001-01-01T00:00:00Z")
LAST = parse_instant("9999-12-31T23:59:59.999999Z")


def event_row(payload: bytes, at: int = NOON, received_at: int = NOON) -> EventRow:
    kind, event_type = int(Kind.RUN), int(EventType.START)
    return EventRow(at, digest(payload), received_at, kind, event_type, None, None, payload)


def event_facts(*rows: EventRow) -> Facts:
    """Events alone, which need not even be JSON."""
    facts = Facts()
    for row in rows:
        facts.add("event", row)
    return facts


def numbered(first: int, count: int) -> list[EventRow]:
    """Events of several days."""
    return [
        event_row(b"%d" % number, NOON + number % 3 * DAY) for number in range(first, first + count)
    ]


def write(store: Store, rows: Sequence[EventRow]) -> None:
    store.writer.write([event_facts(*rows)])


def stored(engine: Engine) -> list[bytes]:
    with engine.connect() as connection:
        found = connection.execute(select(tables.event.c.payload)).scalars()
        return sorted(unpack(payload) for payload in found)


def waiting(engine: Engine) -> int:
    with engine.connect() as connection:
        return count_waiting(connection)


class Failure(Exception):
    """What a test does to a flush."""


def fail(*_: object) -> None:
    raise Failure


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "EVENTS_AT_ONCE", 3)


class WhileWriting(Lake):
    """A lake in which something happens once events are on disk, while they still wait."""

    def __init__(self, lake: Lake, happen: Callable[[], object]) -> None:
        super().__init__(lake.folder)
        self._happen = happen

    def add(self, events: Sequence[LakeEvent]) -> int:
        count = super().add(events)
        self._happen()
        return count


class TestFlush:
    def test_everything_as_it_came(self, store: Store, lake: Lake) -> None:
        rows = [
            event_row(b"", FIRST),
            event_row(b"{}", -1, received_at=0),
            event_row(b"\xff\xfe\x80 not UTF-8"),
            # Looks as if the store had compressed it.
            event_row(b"\x28\xb5\x2f\xfd" + bytes(200)),
            event_row(b'{"a":' * 50_000, LAST),
            event_row(random.Random(1).randbytes(3_000_000), received_at=LAST),
        ]
        write(store, rows)
        assert flush(store.engine, lake) == len(rows)
        assert sorted(lake.read()) == sorted(
            LakeEvent(row.digest, row.at, row.received_at, row.kind, row.payload) for row in rows
        )
        assert waiting(store.engine) == 0

    def test_an_empty_store(self, store: Store, lake: Lake) -> None:
        assert flush(store.engine, lake) == 0
        assert not lake.folder.exists()

    def test_only_what_came_since(self, store: Store, lake: Lake) -> None:
        for first in (0, 10, 20):
            write(store, numbered(first, 10))
            assert flush(store.engine, lake) == 10
            assert waiting(store.engine) == 0
        assert flush(store.engine, lake) == 0
        assert payloads(lake) == stored(store.engine)
        assert lake.stats().events == 30

    def test_an_event_that_comes_again_does_no_harm(self, store: Store, lake: Lake) -> None:
        for _ in range(2):
            write(store, numbered(0, 3))
            flush(store.engine, lake)
        assert payloads(lake) == stored(store.engine)

    def test_what_nobody_noted_is_not_carried_on(self, store: Store, lake: Lake) -> None:
        """Somebody else has taken it there, or it is not to be there."""
        with closing(open_writer(store.engine)) as writer:
            writer.write([event_facts(*numbered(0, 3))])
        write(store, numbered(10, 2))
        assert flush(store.engine, lake) == 2

    def test_a_few_at_once(self, store: Store, lake: Lake, few_at_once: None) -> None:
        write(store, numbered(0, 10))
        told: list[int] = []
        assert flush(store.engine, lake, told.append) == 10
        assert told == [3, 6, 9, 10]
        assert payloads(lake) == stored(store.engine)

    def test_fewer_where_they_are_large(
        self, store: Store, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outbox, "BYTES_AT_ONCE", 2_500)
        # What they are once unpacked counts.
        write(store, [event_row(b"%d" % number * 1_000) for number in range(8)])
        told: list[int] = []
        assert flush(store.engine, lake, told.append) == 8
        assert told == [3, 6, 8]
        assert payloads(lake) == stored(store.engine)

    def test_what_comes_meanwhile_is_left_for_the_next(
        self, store: Store, lake: Lake, few_at_once: None
    ) -> None:
        """Or it would not end while events keep coming, one file for each."""
        write(store, numbered(0, 5))
        more = iter(range(100, 200))
        counts = [
            flush(store.engine, lake, lambda _: write(store, numbered(next(more), 1)))
            for _ in range(3)
        ]
        assert counts == [7, 1, 1]
        flush(store.engine, lake)
        assert payloads(lake) == stored(store.engine)

    def test_all_that_waited_is_there_though_others_come_before_it(
        self, store: Store, lake: Lake, few_at_once: None
    ) -> None:
        """Events are carried on by their time: those that come late are earlier ones."""
        write(store, [event_row(b"waited %d" % number, NOON) for number in range(7)])
        early = iter([[event_row(b"early %d" % number, 0)] for number in range(2)])
        flush(store.engine, lake, lambda _: write(store, next(early, [])))
        assert {b"waited %d" % number for number in range(7)} <= set(payloads(lake))

    def test_notes_of_what_is_no_longer_stored_go(
        self, store: Store, lake: Lake, few_at_once: None
    ) -> None:
        """More of them than are read at once, before others that are still stored."""
        rows = numbered(0, 12)
        write(store, rows)
        with store.engine.begin() as connection:
            connection.execute(tables.event.delete().where(tables.event.c.at == rows[0].at))
        assert waiting(store.engine) == 12
        assert flush(store.engine, lake) == 8
        assert waiting(store.engine) == 0
        assert payloads(lake) == stored(store.engine)


class TestFillAgain:
    """For a lake that is new, or was lost."""

    @pytest.mark.parametrize("at_once", [1, 4, 10, 11, 1_000])
    def test_all_that_is_stored(
        self, store: Store, lake: Lake, monkeypatch: pytest.MonkeyPatch, at_once: int
    ) -> None:
        monkeypatch.setattr(outbox_readers, "NOTES_AT_ONCE", at_once)
        write(store, numbered(0, 5))
        flush(store.engine, lake)
        write(store, numbered(5, 5))
        fill_reader(store.engine, LAKE)
        assert waiting(store.engine) == 10
        other = Lake(lake.folder.with_name("other"))
        assert flush(store.engine, other) == 10
        assert payloads(other) == stored(store.engine)

    def test_nothing(self, store: Store) -> None:
        fill_reader(store.engine, LAKE)
        assert waiting(store.engine) == 0

    def test_a_store_that_is_away_is_reported(self) -> None:
        engine = open_engine("postgresql://127.0.0.1:1/none")
        with pytest.raises(StoreUnavailable, match="refused"):
            fill_reader(engine, LAKE)
        engine.dispose()


class TestInterrupted:
    def test_between_two_parts_it_goes_on_where_it_was(
        self, store: Store, lake: Lake, few_at_once: None
    ) -> None:
        write(store, numbered(0, 10))
        for _ in range(3):
            with pytest.raises(Failure):
                flush(store.engine, lake, fail)
        assert flush(store.engine, lake) == 1
        assert payloads(lake) == stored(store.engine)
        assert lake.stats().events == 10

    def test_once_events_are_on_disk_there_are_copies(
        self, store: Store, lake: Lake, few_at_once: None
    ) -> None:
        write(store, numbered(0, 7))
        for _ in range(2):
            with pytest.raises(Failure):
                flush(store.engine, WhileWriting(lake, fail))
        assert waiting(store.engine) == 7
        assert flush(store.engine, lake) == 7
        assert lake.stats().events == 7 + 2 * 3
        assert payloads(lake) == stored(store.engine)
        lake.compact()
        assert lake.stats().events == 7

    def test_before_the_last_day_is_written_nothing_is_lost(self, store: Store, lake: Lake) -> None:
        lake.folder.mkdir(parents=True)
        blocked = lake.folder / "day=2026-02-02"
        blocked.write_text("")
        write(store, numbered(0, 9))
        with pytest.raises(LakeUnavailable):
            flush(store.engine, lake)
        assert waiting(store.engine) == 9
        blocked.unlink()
        assert flush(store.engine, lake) == 9
        assert payloads(lake) == stored(store.engine)

    def test_a_store_that_is_away_is_reported(self, lake: Lake) -> None:
        engine = open_engine("postgresql://127.0.0.1:1/none")
        with pytest.raises(StoreUnavailable, match="refused"):
            flush(engine, lake)
        engine.dispose()

    def test_a_store_that_is_restored_meanwhile(
        self, store: Store, lake: Lake, tmp_path: Path
    ) -> None:
        """Only what is in the lake no longer waits, whatever the restored store has."""
        write(store, numbered(0, 2))
        flush(store.engine, lake)
        write(store, numbered(2, 2))
        back_up(store.engine, tmp_path / "backup")
        write(store, numbered(10, 5))

        def replace() -> None:
            restore_from_elsewhere(store.engine, tmp_path / "backup")
            write(store, numbered(20, 5))

        flush(store.engine, WhileWriting(lake, replace))
        assert waiting(store.engine) == 5
        flush(store.engine, lake)
        assert set(stored(store.engine)) < set(payloads(lake))

    def test_a_store_that_is_restored_between(
        self, store: Store, lake: Lake, tmp_path: Path
    ) -> None:
        """What came after the backup comes again, or is in the lake alone."""
        write(store, numbered(0, 5))
        back_up(store.engine, tmp_path / "backup")
        write(store, numbered(5, 5))
        flush(store.engine, lake)
        restore_from_elsewhere(store.engine, tmp_path / "backup")
        assert waiting(store.engine) == 5
        write(store, numbered(20, 5))
        flush(store.engine, lake)
        assert len(payloads(lake)) == 15
        assert set(stored(store.engine)) < set(payloads(lake))


class TestAtOnce:
    def test_two_of_them(self, store: Store, lake: Lake, few_at_once: None) -> None:
        write(store, numbered(0, 40))
        together = threading.Barrier(2)

        def go(_: int) -> int:
            together.wait()
            return flush(store.engine, lake)

        with ThreadPoolExecutor(2) as threads:
            assert sum(threads.map(go, range(2))) >= 40
        assert waiting(store.engine) == 0
        assert payloads(lake) == stored(store.engine)
        assert flush(store.engine, lake) == 0

    def test_two_of_them_beside_writers(self, store: Store, lake: Lake, few_at_once: None) -> None:
        is_over = threading.Event()

        def keep_writing(first: int) -> None:
            with closing(open_writer(store.engine, notes_for_lake=True)) as writer:
                for row in numbered(first, 40):
                    writer.write([event_facts(row)])

        def keep_flushing(_: int) -> None:
            while not is_over.is_set():
                flush(store.engine, lake)

        with ThreadPoolExecutor(4) as threads:
            carried = [threads.submit(keep_flushing, number) for number in range(2)]
            written = [threads.submit(keep_writing, first) for first in (1_000, 2_000)]
            try:
                for each in written:
                    each.result()
            finally:
                is_over.set()
            for each in carried:
                each.result()
        flush(store.engine, lake)
        assert len(payloads(lake)) == 80
        assert payloads(lake) == stored(store.engine)
        assert waiting(store.engine) == 0

    def test_an_event_that_comes_again_while_it_is_carried_on(
        self, store: Store, lake: Lake
    ) -> None:
        rows = numbered(0, 3)
        write(store, rows)
        flush(store.engine, WhileWriting(lake, lambda: write(store, rows)))
        assert waiting(store.engine) == 0
        assert payloads(lake) == stored(store.engine)

    def test_beside_a_compaction(self, store: Store, lake: Lake, few_at_once: None) -> None:
        write(store, numbered(0, 40))

        def compact(_: int) -> None:
            lake.compact()

        assert flush(store.engine, lake, compact) == 40
        assert payloads(lake) == stored(store.engine)

    def test_writers_do_not_wait(self, store: Store, lake: Lake) -> None:
        """Neither while events are read nor while files are written anything is locked."""
        write(store, numbered(0, 1))
        flush(store.engine, WhileWriting(lake, lambda: write(store, numbered(10, 1))))
        assert waiting(store.engine) == 1


@pytest.mark.integration
@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
class TestTransactionsOfPostgresql:
    def test_one_that_is_committed_later_is_not_passed_over(self, store: Store, lake: Lake) -> None:
        early, late = numbered(0, 2)
        with closing(PostgresConnection(store.engine)) as slow:
            slow.begin()
            slow.upsert("event", [early])
            slow.fill_outbox([early[:2]])
            write(store, [late])
            assert flush(store.engine, lake) == 1
            slow.commit()
        assert flush(store.engine, lake) == 1
        assert payloads(lake) == sorted([early.payload, late.payload])

    def test_one_that_is_given_up_leaves_nothing(self, store: Store, lake: Lake) -> None:
        given_up, late = numbered(0, 2)
        slow = PostgresConnection(store.engine)
        slow.begin()
        slow.upsert("event", [given_up])
        slow.fill_outbox([given_up[:2]])
        write(store, [late])
        slow.abandon()
        assert flush(store.engine, lake) == 1
        assert waiting(store.engine) == 0


def test_nothing_is_pruned_that_the_lake_has_not(store: Store, lake: Lake) -> None:
    for number in range(1, 4):
        store.writer.write(ended_run(number, OLD + number * DAY))
    flush(store.engine, lake)
    for number in range(4, 7):
        store.writer.write(ended_run(number, OLD + number * DAY))
    store.writer.write(ended_run(7, NEW))
    prune(store.engine, HORIZON)
    assert event_runs(store.engine) == [4, 4, 5, 5, 6, 6, 7, 7]
    flush(store.engine, lake)
    prune(store.engine, HORIZON)
    assert event_runs(store.engine) == [7, 7]
    assert len(payloads(lake)) == 14
