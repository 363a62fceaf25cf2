"""What was rejected is taken in once it can be, and is nowhere lost on the way."""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import select

from headwater.errors import StoreUnavailable
from headwater.model.facts import Facts
from headwater.model.intake import reject
from headwater.model.values.ids import dataset_id, digest
from headwater.model.values.instant import DAY, SECOND, now
from headwater.pipeline import replay as module
from headwater.pipeline.replay import Replayed, replay
from headwater.store import tables
from headwater.store.write.outbox import count_waiting
from headwater.store.write.writer import Writer
from testing.events.full import encode, run_event
from tests.store.stores import Store

LONG_AGO = 0


def event(number: int) -> bytes:
    return encode(run_event(eventTime=f"2024-05-01T12:00:{number:02}Z"))


def put(store: Store, *datas: bytes, source: str = "kafka orders/0@1", **rest: Any) -> None:
    """Have events rejected, for a reason that is one no longer."""
    store.writer.write(
        [reject(data, LONG_AGO, source, "$", "an older version", **rest) for data in datas]
    )


def take(store: Store, **options: Any) -> Replayed:
    return replay(store.engine, DAY, **{"notes_for_lake": True, **options})


def kept(store: Store) -> set[bytes]:
    """What is still rejected."""
    with store.engine.connect() as connection:
        return set(connection.execute(select(tables.rejected.c.digest)).scalars())


def counts(store: Store) -> tuple[int, int]:
    """How many events are stored, and how many wait for the lake."""
    with store.engine.connect() as connection:
        return len(connection.execute(select(tables.event)).all()), count_waiting(connection)


class Failure(Exception):
    """What a test does to a replay."""


def fail(*_: object) -> None:
    raise Failure


def is_away(*_: object) -> None:
    raise StoreUnavailable("away")


def test_what_can_be_read_is_taken_in(store: Store) -> None:
    bad = b'{"eventTime": '
    put(store, event(1), event(2), bad, b"")
    assert take(store) == Replayed(taken_in=2, still_rejected=2)
    assert counts(store) == (2, 2)
    assert kept(store) == {digest(bad), digest(b"")}
    assert {row[0] for row in store.rows()["dataset"]} == {
        dataset_id("db", name) for name in ("orders", "totals")
    }


def test_why_the_rest_cannot_be_read_stays_as_it_was(store: Store) -> None:
    put(store, b"{")
    before = store.rows()["rejected"]
    take(store)
    assert store.rows()["rejected"] == before


def test_nothing(store: Store) -> None:
    assert take(store) == Replayed()
    put(store, event(1))
    take(store)
    assert take(store) == Replayed()


def test_it_is_received_now(store: Store) -> None:
    before = now()
    put(store, event(1))
    take(store)
    with store.engine.connect() as connection:
        assert connection.execute(select(tables.event.c.received_at)).scalar_one() >= before


def test_without_a_lake_nothing_waits_for_it(store: Store) -> None:
    put(store, event(1))
    take(store, notes_for_lake=False)
    assert counts(store) == (1, 0)


def test_an_event_that_is_stored_already_is_not_stored_twice(store: Store) -> None:
    for _ in range(2):
        put(store, event(1))
        assert take(store).taken_in == 1
    assert counts(store)[0] == 1


def test_what_comes_too_early_waits_for_its_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, encode(run_event(eventTime="2024-05-01T12:00:00Z")))
    time = 1_714_564_800 * SECOND - DAY
    monkeypatch.setattr(module, "now", lambda: time - 1)
    assert take(store) == Replayed(still_rejected=1)
    monkeypatch.setattr(module, "now", lambda: time)
    assert take(store) == Replayed(taken_in=1)


def test_of_what_was_cut_short_nothing_is_made(store: Store) -> None:
    """Even where its beginning would be an event."""
    put(store, event(1), size=len(event(1)) + 1)
    put(store, b"x" * 1_000_001)
    assert take(store) == Replayed(cut_short=2)
    assert counts(store) == (0, 0)
    assert len(kept(store)) == 2


@pytest.mark.parametrize("at_once", [1, 2, 3, 7, 100])
def test_a_few_at_once(store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    put(store, *map(event, range(7)), b"{", b"}")
    put(store, event(59), size=10_000)
    told: list[int] = []
    assert take(store, progress=told.append) == Replayed(7, 2, 1)
    assert told == [*range(at_once, 10, at_once), 10]
    assert counts(store) == (7, 7)


class TestSource:
    SOURCES = ("kafka orders/0@1", "kafka orders_eu/0@1", "kafka ordersXeu/0@1", "file 50%/a:1")

    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("", 4),
            ("kafka ", 3),
            ("kafka orders/", 1),
            ("kafka orders_eu", 1),
            ("kafka orders_", 1),
            ("file 50%/", 1),
            ("%", 0),
            ("_afka", 0),
            ("orders", 0),
            ("kafka orders\\", 0),
            ("/", 0),
            ("file 50%/a:1", 1),
            ("file 50%/a:1x", 0),
        ],
    )
    def test_only_what_begins_so(self, store: Store, source: str, expected: int) -> None:
        for number, place in enumerate(self.SOURCES):
            put(store, event(number), source=place)
        assert take(store, source=source) == Replayed(taken_in=expected)
        assert len(kept(store)) == 4 - expected

    def test_letters_of_both_cases_are_two(self, store: Store) -> None:
        """As they are in the names of topics."""
        put(store, event(1), source="kafka Orders/0@1")
        assert take(store, source="kafka orders/") == Replayed()


class TestInterrupted:
    def test_between_store_and_removal_nothing_is_counted_twice(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, event(1), event(2), b"{")
        with monkeypatch.context() as patched:
            patched.setattr(module, "remove_rejected", fail)
            with pytest.raises(Failure):
                take(store)
        assert counts(store) == (2, 2)
        assert len(kept(store)) == 3
        rows = store.rows()
        assert take(store) == Replayed(taken_in=2, still_rejected=1)
        assert counts(store) == (2, 2)
        for name in ("rejected", "rejected_place"):
            rows[name] = {row for row in rows[name] if row[0] == digest(b"{")}
        assert store.rows() == rows

    def test_between_two_parts_it_goes_on(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "AT_ONCE", 2)
        put(store, *map(event, range(6)))
        for expected in (4, 2):
            with pytest.raises(Failure):
                take(store, progress=fail)
            assert len(kept(store)) == expected
        assert take(store).taken_in == 2
        assert counts(store) == (6, 6)

    def test_before_the_store_nothing_has_changed(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(store, event(1))
        with monkeypatch.context() as patched:
            patched.setattr(Writer, "write", is_away)
            with pytest.raises(StoreUnavailable):
                take(store)
        assert counts(store) == (0, 0)
        assert len(kept(store)) == 1


class TestRefused:
    """The store itself may be why an event was rejected, and may not have changed its mind."""

    @pytest.fixture
    def refuse(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
        """Have the store refuse an event, whoever writes it."""
        write = Writer.write

        def refuse(data: bytes) -> None:
            def check(self: Writer, facts: Sequence[Facts]) -> None:
                if any(row[1] == digest(data) for each in facts for row in each.rows["event"]):
                    raise sqlite3.IntegrityError("no")
                write(self, facts)

            monkeypatch.setattr(Writer, "write", check)

        return refuse

    def test_it_keeps_no_other_from_being_taken_in(
        self, store: Store, refuse: Callable[[bytes], None]
    ) -> None:
        put(store, *map(event, range(5)))
        refuse(event(3))
        assert take(store) == Replayed(taken_in=4, still_rejected=1)
        assert counts(store) == (4, 4)
        assert kept(store) == {digest(event(3))}
