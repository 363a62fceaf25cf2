"""Each reader of the outbox gets every event, at its own pace, until it is removed."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Engine, delete, select

from headwater.errors import Conflict, NotFound
from headwater.model.values.instant import DAY
from headwater.store import tables
from headwater.store.maintenance.prune import prune
from headwater.store.write import outbox_readers
from headwater.store.write.connections import PostgresConnection
from headwater.store.write.outbox import LAKE, Place, count_waiting, read_waiting, remove_carried
from headwater.store.write.outbox_readers import (
    OutboxReader,
    RefusedEvent,
    fill_history,
    fill_reader,
    find_reader,
    list_readers,
    list_refused,
    record_carried,
    record_error,
    register,
    unregister,
)
from headwater.store.write.writer import Writer, open_writer
from testing.wait import wait_until
from tests.store.replacing import replace
from tests.store.samples import dataset_facts
from tests.store.test_prune import HORIZON, NEW, OLD, ended_run, event_runs

ADDRESS = "http://other:5000/api/v1/lineage"


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        yield writer


def add(engine: Engine, name: str = "other") -> OutboxReader:
    return register(engine, name, "openlineage", ADDRESS)


def waiting(engine: Engine, reader: int = LAKE) -> list[Place]:
    with engine.connect() as connection:
        found = read_waiting(connection, 1_000, 1_000_000, reader)
        assert count_waiting(connection, reader) == len(found)
    return [each.place for each in found]


def pass_on(engine: Engine, reader: int, *places: Place) -> None:
    with engine.begin() as connection:
        remove_carried(connection, places, reader)


def state(engine: Engine, name: str = "other") -> OutboxReader:
    with engine.connect() as connection:
        found = find_reader(connection, name)
    assert found is not None
    return found


class TestNotes:
    def test_each_reader_has_its_own(self, engine: Engine, writer: Writer) -> None:
        writer.write([dataset_facts("before")])
        one, two = add(engine, "one"), add(engine, "two")
        writer.write([dataset_facts(name) for name in "abc"])
        assert len(waiting(engine)) == 4
        places = waiting(engine, one.id)
        assert len(places) == 3 and places == waiting(engine, two.id)
        pass_on(engine, one.id, *places[:2])
        pass_on(engine, LAKE, *places)
        assert waiting(engine, one.id) == places[2:]
        assert waiting(engine, two.id) == places
        assert len(waiting(engine)) == 1

    def test_what_is_in_the_lake_already_is_noted_for_the_others(self, engine: Engine) -> None:
        reader = add(engine)
        with closing(open_writer(engine)) as writer:
            writer.write([dataset_facts("a")])
        assert (len(waiting(engine)), len(waiting(engine, reader.id))) == (0, 1)

    @pytest.mark.integration
    @pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
    def test_in_bulk(self, engine: Engine) -> None:
        reader = add(engine)
        with closing(open_writer(engine, is_bulk=True)) as writer:
            writer.write([dataset_facts(name) for name in "ab"])
        assert (len(waiting(engine)), len(waiting(engine, reader.id))) == (0, 2)

    def test_all_that_is_stored(
        self, engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outbox_readers, "NOTES_AT_ONCE", 2)
        writer.write([dataset_facts(name) for name in "abcde"])
        reader = add(engine)
        for _ in range(2):
            fill_reader(engine, reader.id)
            assert waiting(engine, reader.id) == waiting(engine)

    def test_events_are_pruned_when_every_reader_has_them(
        self, engine: Engine, writer: Writer
    ) -> None:
        reader = add(engine)
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number * DAY))
        writer.write(ended_run(4, NEW))
        places = waiting(engine)
        pass_on(engine, LAKE, *places)
        pass_on(engine, reader.id, *places[:2])
        prune(engine, HORIZON)
        assert event_runs(engine) == [2, 2, 3, 3, 4, 4]
        unregister(engine, "other")
        prune(engine, HORIZON)
        assert event_runs(engine) == [4, 4]


class TestRegistering:
    def test_again_changes_nothing(self, engine: Engine) -> None:
        first = add(engine)
        assert add(engine) == first
        assert first.id != LAKE
        with engine.connect() as connection:
            assert list_readers(connection) == [first]

    def test_a_name_stands_for_one_address(self, engine: Engine) -> None:
        add(engine)
        with pytest.raises(Conflict, match="publish remove other"):
            register(engine, "other", "openlineage", "http://elsewhere/api/v1/lineage")

    def test_what_was_stored_before_is_noted_though_it_is_interrupted(
        self, engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        writer.write([dataset_facts(name) for name in "ab"])
        reader = register(engine, "other", "openlineage", ADDRESS, lacks_history=True)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(outbox_readers, "fill_reader", interrupt)
            fill_history(engine, reader)
        again = register(engine, "other", "openlineage", ADDRESS)
        fill_history(engine, again)
        assert waiting(engine, reader.id) == waiting(engine)
        pass_on(engine, reader.id, *waiting(engine))
        fill_history(engine, state(engine))
        assert waiting(engine, reader.id) == []

    def test_the_lake_is_no_target(self, engine: Engine) -> None:
        with pytest.raises(NotFound):
            unregister(engine, "lake")
        with engine.connect() as connection:
            assert find_reader(connection, "lake") is None

    @pytest.mark.integration
    @pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
    def test_no_transaction_slips_through(self, engine: Engine) -> None:
        """One that began before is stored when the target is registered, so that it is found."""
        (row,) = dataset_facts("slow").rows["event"]
        with closing(PostgresConnection(engine)) as slow:
            slow.begin()
            slow.upsert("event", [row])
            slow.fill_outbox([row[:2]])
            thread = threading.Thread(target=add, args=(engine,))
            thread.start()
            wait_until(lambda: _is_anybody_waiting(engine))
            slow.commit()
            thread.join()
        reader = state(engine)
        assert waiting(engine, reader.id) == []
        fill_reader(engine, reader.id)
        assert waiting(engine, reader.id) == [row[:2]]


def _is_anybody_waiting(engine: Engine) -> bool:
    with engine.connect() as connection:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        return bool(connection.exec_driver_sql(query).scalar())


class TestRemoving:
    def test_nothing_of_it_is_left(
        self, engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outbox_readers, "NOTES_AT_ONCE", 2)
        gone, stays = add(engine, "gone"), add(engine, "stays")
        writer.write([dataset_facts(name) for name in "abcde"])
        place = waiting(engine, gone.id)[0]
        with engine.begin() as connection:
            record_carried(connection, gone.id, [], 0, [RefusedEvent(*place, "no", 1)])
        assert unregister(engine, "gone").id == gone.id
        with engine.connect() as connection:
            assert set(connection.scalars(select(tables.outbox.c.reader))) == {LAKE, stays.id}
            assert connection.execute(select(tables.refused_event)).all() == []
        writer.write([dataset_facts("f")])
        assert (len(waiting(engine, stays.id)), waiting(engine, gone.id)) == (6, [])

    def test_one_that_was_interrupted_is_no_others(self, engine: Engine, writer: Writer) -> None:
        """Notes that are left keep their number, hold nothing back, and go with the next one."""
        left = add(engine, "left")
        for number in range(1, 3):
            writer.write(ended_run(number, OLD + number * DAY))
        writer.write(ended_run(3, NEW))
        pass_on(engine, LAKE, *waiting(engine))
        with engine.begin() as connection:
            table = tables.outbox_reader
            connection.execute(delete(table).where(table.c.id == left.id))
        prune(engine, HORIZON)
        assert event_runs(engine) == [3, 3]
        other = add(engine)
        assert other.id > left.id
        assert waiting(engine, other.id) == []
        unregister(engine, "other")
        with engine.connect() as connection:
            assert connection.execute(select(tables.outbox)).all() == []

    def test_the_names_there_are(self, engine: Engine) -> None:
        add(engine)
        with pytest.raises(NotFound, match="did you mean other"):
            unregister(engine, "nobody")


class TestRecords:
    def test_what_was_sent_and_refused(self, engine: Engine, writer: Writer) -> None:
        reader = add(engine)
        writer.write([dataset_facts(name) for name in "abc"])
        places = waiting(engine, reader.id)
        with engine.begin() as connection:
            record_error(connection, reader.id, "down")
        assert state(engine).last_error == "down"
        refused = [RefusedEvent(*places[0], "answered 422: no", 7)]
        with engine.begin() as connection:
            record_carried(connection, reader.id, places[:2], 1, refused)
        now = state(engine)
        assert (now.sent, now.refused, now.last_error) == (1, 1, None)
        assert now.last_sent_at is not None
        assert waiting(engine, reader.id) == places[2:]
        with engine.connect() as connection:
            assert list_refused(connection, reader.id, 10) == refused

    def test_the_newest_refused_are_kept(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outbox_readers, "MAX_REFUSED", 3)
        reader, other = add(engine), add(engine, "second")
        refused = [RefusedEvent(at, bytes([at]) * 16, f"no {at}", at) for at in range(1, 8)]
        with engine.begin() as connection:
            record_carried(connection, other.id, [], 0, refused[:1])
            for some in (refused[:2], refused[2:6], refused[6:], refused[6:]):
                record_carried(connection, reader.id, [], 0, some)
            assert [each.at for each in list_refused(connection, reader.id, 10)] == [7, 6, 5]
            assert [each.at for each in list_refused(connection, other.id, 10)] == [1]
        assert state(engine).refused == 8


def test_a_replaced_store_has_the_same_readers(engine: Engine, writer: Writer) -> None:
    """With what waits for each of them; what waits for the lake is found anew."""
    reader = add(engine)
    writer.write([dataset_facts(name) for name in "abc"])
    places = waiting(engine, reader.id)
    refused = RefusedEvent(*places[0], "no", 7)
    with engine.begin() as connection:
        record_carried(connection, reader.id, places[:1], 0, [refused])
    before = state(engine)
    writer.close()
    replace(engine)
    assert state(engine) == before
    assert waiting(engine, reader.id) == places[1:]
    with engine.connect() as connection:
        assert list_refused(connection, reader.id, 10) == [refused]
