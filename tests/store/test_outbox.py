"""Events wait in the outbox until somebody says of exactly those that they were carried on."""

import random
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Engine

from headwater.errors import StoreUnavailable
from headwater.model.relations import EventRow
from headwater.model.values.instant import DAY
from headwater.store import tables
from headwater.store.maintenance.prune import prune
from headwater.store.write.outbox import (
    Place,
    Waiting,
    count_waiting,
    fill,
    find_last,
    read_waiting,
    remove_carried,
    select_waiting,
)
from headwater.store.write.writer import Writer, open_writer
from tests.store.samples import dataset_facts
from tests.store.test_prune import HORIZON, NEW, OLD, ended_run, event_runs, kept_runs

PLENTY = 1_000_000


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    """One that notes what it writes."""
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        yield writer


@pytest.fixture
def silent_writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine)) as writer:
        yield writer


def event_of(name: str) -> EventRow:
    (row,) = dataset_facts(name).rows["event"]
    return EventRow._make(row)


def place_of(name: str) -> Place:
    row = event_of(name)
    return row.at, row.digest


def noise(seed: str) -> str:
    """What does not become much smaller by being packed."""
    return random.Random(seed).randbytes(25_000).hex()


def waiting(engine: Engine, max_events: int = PLENTY, max_bytes: int = PLENTY) -> list[Waiting]:
    with engine.connect() as connection:
        return read_waiting(connection, max_events, max_bytes)


def count(engine: Engine) -> int:
    with engine.connect() as connection:
        return count_waiting(connection)


def remove(engine: Engine, *places: Place) -> None:
    with engine.begin() as connection:
        remove_carried(connection, places)


class TestWriting:
    def test_what_is_stored_waits(self, engine: Engine, writer: Writer) -> None:
        assert (waiting(engine), count(engine)) == ([], 0)
        writer.write([dataset_facts(name) for name in "abc"])
        writer.write([dataset_facts("d")])
        found = waiting(engine)
        assert [each.place for each in found] == sorted(place_of(name) for name in "abcd")
        assert count(engine) == 4
        for each in found:
            assert each.event is not None
            assert b'"dataset"' in each.event.payload and each.size == len(each.event.payload)

    def test_of_one_that_comes_again_there_is_one_note(
        self, engine: Engine, writer: Writer
    ) -> None:
        for names in ("aba", "ab"):
            writer.write([dataset_facts(name) for name in names])
        assert count(engine) == 2

    def test_it_waits_again_when_it_comes_again_after_it_was_carried_on(
        self, engine: Engine, writer: Writer
    ) -> None:
        for _ in range(2):
            writer.write([dataset_facts("a")])
            assert count(engine) == 1
            remove(engine, place_of("a"))

    def test_unless_the_writer_does_not_note_it(
        self, engine: Engine, silent_writer: Writer
    ) -> None:
        silent_writer.write([dataset_facts("a")])
        assert count(engine) == 0


class TestReading:
    @pytest.fixture
    def places(self, engine: Engine, writer: Writer) -> list[Place]:
        """Of five events, in the order in which they are read."""
        writer.write([dataset_facts(name) for name in "abcde"])
        return sorted(place_of(name) for name in "abcde")

    def test_as_many_as_requested(self, engine: Engine, places: list[Place]) -> None:
        for most in (1, 2, 5, 6):
            assert [each.place for each in waiting(engine, most)] == places[:most]

    def test_until_they_come_to_a_size(self, engine: Engine, places: list[Place]) -> None:
        size = len(event_of("a").payload)
        for most, found in ((1, 1), (size, 1), (size + 1, 2), (3 * size, 3), (9 * size, 5)):
            assert [each.place for each in waiting(engine, 5, most)] == places[:found]

    @pytest.mark.parametrize("is_repeating", [False, True])
    def test_none_is_too_large(self, engine: Engine, writer: Writer, is_repeating: bool) -> None:
        """Nor is more read than one too many, whether it is large as stored or once unpacked."""
        texts = [letter * 50_000 if is_repeating else noise(letter) for letter in "abcd"]
        writer.write([dataset_facts(padding={"text": text}) for text in texts])
        found = []
        while some := waiting(engine, PLENTY, 60_000):
            assert len(some) <= 2
            found += some
            remove(engine, *(each.place for each in some))
        assert len(found) == 4

    def test_no_more_is_fetched_than_comes_to_the_size(
        self, engine: Engine, writer: Writer
    ) -> None:
        """A driver holds all rows of an answer: 2,000 of 20 MB would be too many."""
        writer.write([dataset_facts(padding={"text": noise(str(number))}) for number in range(9)])
        with engine.connect() as connection:
            packed = [len(row.payload) for row in connection.execute(select_waiting(9, PLENTY))]
            assert min(packed) > 20_000
            assert len(connection.execute(select_waiting(9, sum(packed[:4]))).all()) == 4

    def test_a_note_of_what_is_no_longer_stored(self, engine: Engine, places: list[Place]) -> None:
        with engine.begin() as connection:
            table = tables.event
            connection.execute(table.delete().where(table.c.digest == places[1][1]))
        found = waiting(engine, 3)
        assert [each.place for each in found] == places[:3]
        assert [each.event is None for each in found] == [False, True, False]
        assert found[1].size == 0

    def test_a_damaged_event_is_named(self, engine: Engine, places: list[Place]) -> None:
        digest = places[2][1]
        with engine.begin() as connection:
            table = tables.event
            damaged = b"\x28\xb5\x2f\xfd nothing of the kind"
            change = table.update().where(table.c.digest == digest).values(payload=damaged)
            connection.execute(change)
        with pytest.raises(StoreUnavailable, match=digest.hex()):
            waiting(engine)


class TestRemoving:
    def test_exactly_those(self, engine: Engine, writer: Writer) -> None:
        writer.write([dataset_facts(name) for name in "abcd"])
        (at, digest), other = place_of("a"), place_of("b")
        remove(engine, other, (at, digest[::-1]), (at + 1, digest), place_of("never"))
        assert {each.place for each in waiting(engine)} == {place_of(name) for name in "acd"}
        remove(engine, other)
        assert count(engine) == 3
        remove(engine)
        assert count(engine) == 3

    def test_it_is_undone_with_its_transaction(self, engine: Engine, writer: Writer) -> None:
        writer.write([dataset_facts("a")])
        with engine.connect() as connection:
            remove_carried(connection, [place_of("a")])
            connection.rollback()
        assert count(engine) == 1


class TestFilling:
    @pytest.fixture
    def places(self, engine: Engine, silent_writer: Writer) -> list[Place]:
        silent_writer.write([dataset_facts(name) for name in "abcde"])
        return sorted(place_of(name) for name in "abcde")

    def test_all_that_is_stored(self, engine: Engine, places: list[Place]) -> None:
        for _ in range(2):
            with engine.begin() as connection:
                fill(connection)
            assert [each.place for each in waiting(engine)] == places

    @pytest.mark.parametrize(
        ("after", "last"), [(None, 2), (0, None), (0, 3), (None, None), (4, None), (4, 4)]
    )
    def test_a_part(
        self, engine: Engine, places: list[Place], after: int | None, last: int | None
    ) -> None:
        """After one and up to another."""
        first, end = 0 if after is None else after + 1, 5 if last is None else last + 1
        with engine.begin() as connection:
            fill(
                connection,
                None if after is None else places[after],
                None if last is None else places[last],
            )
        assert [each.place for each in waiting(engine)] == places[first:end]

    def test_the_last_of_so_many(self, engine: Engine, places: list[Place]) -> None:
        with engine.connect() as connection:
            assert find_last(connection, None, 1) == places[0]
            assert find_last(connection, None, 5) == places[4]
            assert find_last(connection, None, 6) is None
            assert find_last(connection, places[1], 2) == places[3]
            assert find_last(connection, places[4], 1) is None


class TestPrune:
    """Events go only once they are carried on; what is made of them goes by its own rules."""

    def write_runs(self, writer: Writer) -> None:
        for number in range(1, 5):
            writer.write(ended_run(number, OLD + number * DAY))
        writer.write(ended_run(5, NEW))

    def test_without_a_lake_all_that_is_old_goes(
        self, engine: Engine, silent_writer: Writer
    ) -> None:
        self.write_runs(silent_writer)
        assert prune(engine, HORIZON)["event"] == 8
        assert event_runs(engine) == [5, 5]

    def test_a_lake_that_has_nothing_yet_keeps_all(self, engine: Engine, writer: Writer) -> None:
        self.write_runs(writer)
        gone = prune(engine, HORIZON)
        assert gone["run"] == 4 and gone["event"] == 0
        assert event_runs(engine) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
        assert kept_runs(engine) == {5}

    def test_what_it_has_goes(self, engine: Engine, writer: Writer) -> None:
        self.write_runs(writer)
        found = [each.place for each in waiting(engine)]
        remove(engine, found[0], found[2], found[3])
        assert prune(engine, HORIZON, is_dry_run=True)["event"] == 3
        assert prune(engine, HORIZON)["event"] == 3
        assert event_runs(engine) == [1, 3, 3, 4, 4, 5, 5]
        assert not prune(engine, HORIZON)
        remove(engine, *found)
        assert prune(engine, HORIZON) == {"event": 5}
        assert event_runs(engine) == [5, 5]

    def test_in_parts(
        self, engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("headwater.store.maintenance.prune.EVENTS_AT_ONCE", 2)
        self.write_runs(writer)
        remove(engine, *(each.place for each in waiting(engine)[3:]))
        assert prune(engine, HORIZON)["event"] == 5
        assert event_runs(engine) == [1, 1, 2, 5, 5]
