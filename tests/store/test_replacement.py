"""A store that takes another's place: nothing is lost, nobody is disturbed, all or nothing."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select, text

from headwater.errors import Busy, StoreUnavailable
from headwater.model.intake import take_in
from headwater.model.values.instant import DAY, now
from headwater.store import engine as store_engine
from headwater.store import tables
from headwater.store.engine import sqlite_file
from headwater.store.keys import add_key, list_keys, read_active, revoke_key
from headwater.store.maintenance import replacement as replacements
from headwater.store.maintenance import replacement_postgres, replacement_sqlite
from headwater.store.maintenance.check import check_store
from headwater.store.maintenance.replacement import replacement
from headwater.store.migrate import upgrade
from headwater.store.positions import move_position, read_positions
from headwater.store.write.bulk import write_or_reject
from headwater.store.write.writer import open_writer, ready
from testing import load
from testing.stores import open_prepared
from tests.properties.strategies import facts_of, merge, rows_of
from tests.store.replacing import (
    POINTS,
    bring_over,
    fill,
    generation,
    leftovers,
    live_writers,
    replace,
    replace_until_killed,
    replace_when_free,
    waiting,
    write,
)
from tests.store.rows import differences, read_rows
from tests.store.samples import bad_facts
from tests.store.stores import opened

EVENTS = list(load.events(80))
OLD, BOTH, NEW = EVENTS[:30], EVENTS[30:50], EVENTS[50:]


def check_rows(engine: Engine, events: list[bytes]) -> None:
    assert differences(read_rows(engine), rows_of(map(facts_of, events))) == {}
    assert check_store(engine) == []


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_prepared(f"sqlite:///{tmp_path / 'store.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_engine(postgresql_url: str) -> Iterator[Engine]:
    engine = open_prepared(postgresql_url)
    yield engine
    engine.dispose()


class TestTakingThePlace:
    def test_it_has_what_both_had(self, engine: Engine) -> None:
        write(engine, [*OLD, *BOTH], notes_for_lake=True)
        before = generation(engine)
        replace(engine, [*BOTH, *NEW])
        check_rows(engine, EVENTS)
        assert generation(engine) > before
        assert waiting(engine) == {facts_of(event).rows["event"][0][1] for event in OLD}
        assert leftovers(engine) == []

    def test_an_empty_one_takes_an_empty_ones(self, engine: Engine) -> None:
        replace(engine)
        check_rows(engine, [])

    @pytest.mark.slow
    def test_again_and_again(self, engine: Engine) -> None:
        write(engine, OLD)
        generations = [generation(engine)]
        for _ in range(3):
            replace(engine, NEW)
            generations.append(generation(engine))
        assert generations == sorted(set(generations))
        check_rows(engine, [*OLD, *NEW])

    def test_what_no_event_says_is_kept(self, engine: Engine) -> None:
        rejected = take_in(b"no event", now(), DAY, "http").facts
        with closing(open_writer(engine)) as writer:
            writer.write([rejected])
        add_key(engine, "good", ["read"])
        add_key(engine, "ended", ["write"])
        revoke_key(engine, "ended")
        with engine.begin() as connection:
            move_position(connection, "topic", "0", 5, "incarnation")
        kept = (tables.rejected, tables.api_key, tables.position)
        with engine.connect() as connection:
            before = [connection.execute(select(table)).all() for table in kept]
            assert all(before)
        replace(engine, NEW)
        with engine.connect() as connection:
            assert [connection.execute(select(table)).all() for table in kept] == before
            assert {key.name for key in read_active(connection).keys.values()} == {"good"}

    def test_a_store_without_a_file(self, tmp_path: Path) -> None:
        engine = open_prepared(f"sqlite:///{tmp_path / 'new' / 'store.db'}")
        replace(engine, NEW)
        check_rows(engine, NEW)
        engine.dispose()


class TestWhatIsMissing:
    def test_is_read_some_at_a_time(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(replacements, "AT_ONCE", 7)
        write(engine, [*OLD, *BOTH])
        with replacement(engine) as new:
            fill(new, BOTH)
            parts = list(new.read_missing())
            assert [len(part) for part in parts] == [7, 7, 7, 7, 2]
            found = [kept for part in parts for kept in part]
            assert {kept.payload for kept in found} == set(OLD)
            assert [kept[:2] for kept in found] == sorted(kept[:2] for kept in found)
            bring_over(new)
            assert list(new.read_missing()) == []

    def test_of_one_time_and_of_times_before_1970(self, engine: Engine) -> None:
        template = b'{"eventTime":"%s","dataset":{"namespace":"db","name":"t%d"}}'
        times = (b"1960-01-01T00:00:00Z", b"2024-05-01T10:00:00Z")
        events = [template % (time, number) for time in times for number in range(40)]
        write(engine, events)
        replace(engine, events[::3])
        check_rows(engine, events)


@pytest.mark.slow
class TestWhileOthersWrite:
    @pytest.fixture(autouse=True, params=[1, 1_000])
    def pages(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """Pages that SQLite copies at once: of a small store nearly all, or one by one."""
        monkeypatch.setattr(replacement_sqlite, "PAGES_AT_ONCE", request.param)

    @pytest.fixture(autouse=True)
    def patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nobody is refused on a busy machine either; on an idle one five seconds are enough."""
        monkeypatch.setattr(store_engine, "BUSY_SECONDS", 60)

    def test_nothing_is_lost(self, engine: Engine) -> None:
        write(engine, [*OLD, *BOTH])
        with live_writers(engine) as writers:
            for _ in range(2):
                replace(engine, [*BOTH, *NEW])
        assert [writer.refusals for writer in writers] == [[], []]
        check_rows(engine, [*EVENTS, *writers[0].stored, *writers[1].stored])

    def test_what_comes_at_the_last_moment_is_brought_over(self, engine: Engine) -> None:
        """Much of it: what is copied already has to be copied again."""
        write(engine, OLD)
        with replacement(engine) as new:
            fill(new, NEW)
            late = list(load.events(400, start_run=700))
            write(engine, late)
            new.take_place(lambda: bring_over(new))
        check_rows(engine, [*OLD, *NEW, *late])


class TestWhoGoesOn:
    def test_a_writer_forgets_what_is_stored(self, engine: Engine) -> None:
        """The new store lacks what the writer has written to the old one."""
        first, second = load.events(2, start_run=3), load.events(22, start_run=3)
        start, complete = next(first), list(second)[10]
        with closing(open_writer(engine)) as writer:
            writer.write([facts_of(start)])
            with replacement(engine) as new:
                new.take_place(lambda: None)
            assert read_rows(engine)["content"] == set()
            writer.write([facts_of(complete)])
        check_rows(engine, [complete])

    def test_a_reader_of_sqlite_sees_what_it_saw(self, sqlite_engine: Engine) -> None:
        write(sqlite_engine, OLD)
        query = select(tables.event.c.digest)
        with sqlite_engine.connect() as reader:
            before = reader.execute(query).all()
            replace(sqlite_engine, NEW)
            assert reader.execute(query).all() == before
            reader.rollback()
            assert len(reader.execute(query).all()) == len(OLD) + len(NEW)

    @pytest.mark.integration
    def test_a_reader_of_postgresql_is_waited_for(self, postgres_engine: Engine) -> None:
        write(postgres_engine, OLD)
        query = select(tables.event.c.digest)
        with postgres_engine.connect() as reader:
            before = reader.execute(query).all()
            thread = threading.Thread(target=replace, args=(postgres_engine, NEW))
            thread.start()
            give_up = time.monotonic() + 2
            while time.monotonic() < give_up:
                # Whoever comes meanwhile is served.
                with postgres_engine.connect() as other:
                    assert other.execute(query).all() == before
                time.sleep(0.05)
            assert reader.execute(query).all() == before
            assert thread.is_alive()
            reader.rollback()
            thread.join()
            assert len(reader.execute(query).all()) == len(OLD) + len(NEW)

    @pytest.mark.integration
    @pytest.mark.parametrize(("firsts", "looks"), [((0, 0, 0), 0), ((0, 1, 2), 300)])
    def test_many_readers_of_postgresql_never_fail(
        self,
        postgres_engine: Engine,
        firsts: tuple[int, ...],
        looks: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Queries that are prepared, over several tables, in transactions of several queries.

        Those that read in one order come to wait for us; else we find a moment without any.
        """
        monkeypatch.setattr(replacement_postgres, "LOOKS", looks)
        write(postgres_engine, OLD)
        joined = select(tables.run_dataset, tables.dataset).join(
            tables.dataset, tables.dataset.c.id == tables.run_dataset.c.dataset
        )
        queries = [joined, select(tables.event), select(tables.run)]
        failures: list[Exception] = []
        stopped = threading.Event()

        def read(first: int) -> None:
            while not stopped.is_set():
                try:
                    with postgres_engine.connect() as connection:
                        for query in (*queries[first:], *queries[:first]):
                            assert connection.execute(query).all()
                except Exception as error:
                    failures.append(error)

        threads = [threading.Thread(target=read, args=(first,)) for first in firsts]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                replace(postgres_engine, NEW)
        finally:
            stopped.set()
            for thread in threads:
                thread.join()
        assert failures == []
        check_rows(postgres_engine, [*OLD, *NEW])

    @pytest.mark.slow
    def test_a_writer_that_takes_long_is_waited_for(
        self, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing is brought over before it is done: what it writes would be lost."""
        monkeypatch.setattr(replacement_sqlite, "TRY_SECONDS", 0.2)
        slow = sqlite_engine.connect()
        facts = facts_of(OLD[0])
        with replacement(sqlite_engine) as new:
            fill(new, NEW)
            slow.execute(
                insert(tables.position).values(
                    source="s", partition="p", incarnation="", value=1, moved_at=1
                )
            )
            steps: list[str] = []

            def commit() -> None:
                steps.append("written")
                slow.commit()

            def bring() -> None:
                steps.append("brought over")
                bring_over(new)

            # Several times as long as it is tried at once.
            timer = threading.Timer(1, commit)
            timer.start()
            new.take_place(bring)
            timer.join()
        slow.close()
        assert steps == ["written", "brought over"]
        with sqlite_engine.connect() as connection:
            assert read_positions(connection, "s")["p"].value == 1
        with closing(open_writer(sqlite_engine)) as writer:
            writer.write([facts])
        check_rows(sqlite_engine, [OLD[0], *NEW])

    def test_a_writer_without_end_is_not(
        self, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_sqlite, "TRY_SECONDS", 0.1)
        monkeypatch.setattr(replacement_sqlite, "PATIENCE_SECONDS", 0.2)
        write(sqlite_engine, OLD)
        with closing(sqlite3.connect(sqlite_file(sqlite_engine))) as slow:
            slow.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="keep writing to it"):
                replace(sqlite_engine, NEW)
            slow.rollback()
        check_rows(sqlite_engine, OLD)
        assert leftovers(sqlite_engine) == []

    @pytest.mark.integration
    def test_a_reader_without_end_is_not(
        self, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_postgres, "FIRST_WAIT", "200ms")
        monkeypatch.setattr(replacement_postgres, "LOOKS", 10)
        monkeypatch.setattr(replacement_postgres, "TRIES", 2)
        write(postgres_engine, OLD)
        with postgres_engine.connect() as reader:
            reader.execute(select(tables.dataset)).all()
            with pytest.raises(StoreUnavailable, match="cannot be replaced"):
                replace(postgres_engine, NEW)
        check_rows(postgres_engine, OLD)
        assert leftovers(postgres_engine) == []

    @pytest.mark.integration
    def test_a_key_that_is_revoked_between_two_tries_stays_revoked(
        self, postgres_engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_postgres, "FIRST_WAIT", "200ms")
        monkeypatch.setattr(replacement_postgres, "LOOKS", 10)
        add_key(postgres_engine, "stolen", ["read"])
        reader = postgres_engine.connect()
        reader.execute(select(tables.event)).all()
        calls = 0

        def bring() -> None:
            nonlocal calls
            calls += 1
            if calls == 2:
                revoke_key(postgres_engine, "stolen")
                add_key(postgres_engine, "other", ["read"])
                reader.rollback()

        with replacement(postgres_engine) as new:
            new.take_place(bring)
        assert calls == 2
        with reader:
            keys = list_keys(reader)
            assert [(key.name, key.revoked_at is None) for key in keys] == [
                ("other", True),
                ("stolen", False),
            ]


class TestAllOrNothing:
    def test_what_fails_at_the_last_moment(self, engine: Engine) -> None:
        write(engine, OLD)
        before = generation(engine)

        def fail() -> None:
            raise StoreUnavailable("full")

        with pytest.raises(StoreUnavailable, match="full"), replacement(engine) as new:
            fill(new, NEW)
            new.take_place(fail)
        check_rows(engine, OLD)
        assert generation(engine) == before
        assert leftovers(engine) == []
        write(engine, BOTH)
        replace(engine, NEW)
        check_rows(engine, EVENTS)

    def test_leaving_without_taking_the_place(self, engine: Engine) -> None:
        write(engine, OLD)
        with pytest.raises(KeyboardInterrupt), replacement(engine) as new:
            fill(new, NEW)
            raise KeyboardInterrupt
        check_rows(engine, OLD)
        assert leftovers(engine) == []

    def test_one_at_a_time(self, engine: Engine) -> None:
        write(engine, OLD)
        with replacement(engine) as new:
            for _ in range(2):
                with pytest.raises(Busy, match="another rebuild"), replacement(engine):
                    pass
            fill(new, NEW)
            new.take_place(lambda: bring_over(new))
        check_rows(engine, [*OLD, *NEW])
        replace(engine)
        check_rows(engine, [*OLD, *NEW])

    @pytest.mark.integration
    @pytest.mark.parametrize("point", POINTS)
    def test_killed(self, engine: Engine, point: str) -> None:
        write(engine, OLD)
        before = generation(engine)
        url = engine.url.render_as_string(hide_password=False)
        assert replace_until_killed(url, point) == -9
        check_rows(engine, OLD)
        assert generation(engine) == before
        write(engine, BOTH)
        replace_when_free(engine, NEW)
        check_rows(engine, EVENTS)
        assert leftovers(engine) == []

    def test_an_event_that_is_refused_harms_no_other(self, sqlite_engine: Engine) -> None:
        with replacement(sqlite_engine) as new:
            fill(new, OLD)
            with closing(new.writer()) as writer:
                stated = [*map(facts_of, NEW), bad_facts()]
                write_or_reject(writer, ready(merge(stated)))
            new.take_place(lambda: bring_over(new))
        assert check_store(sqlite_engine) == []


@pytest.mark.integration
class TestOthersInPostgresql:
    @pytest.fixture
    def mine(self, postgresql_url: str) -> Iterator[Engine]:
        """A store in a schema that needs quotes, beside one in the usual schema."""
        with opened(postgresql_url) as engine, engine.begin() as connection:
            connection.execute(text('CREATE SCHEMA "My Own"'))
        engine = open_prepared(f'{postgresql_url}?options=-csearch_path%3D"My\\ Own"')
        yield engine
        engine.dispose()

    def test_a_store_in_a_schema_of_its_own(self, mine: Engine, postgresql_url: str) -> None:
        with opened(postgresql_url) as public:
            upgrade(public)
            write(public, BOTH)
            write(mine, OLD)
            replace(mine, NEW)
            check_rows(mine, [*OLD, *NEW])
            check_rows(public, BOTH)
            replace(public, OLD)
            check_rows(mine, [*OLD, *NEW])
            check_rows(public, [*OLD, *BOTH])
            assert leftovers(public) == []

    def test_tables_of_others_stay(self, postgres_engine: Engine) -> None:
        with postgres_engine.begin() as connection:
            connection.execute(text("CREATE TABLE notes (id int PRIMARY KEY, event bytea)"))
            connection.execute(text("INSERT INTO notes VALUES (1, 'x')"))
            connection.execute(text("CREATE VIEW few AS SELECT id FROM notes"))
            connection.execute(text("CREATE SCHEMA other CREATE TABLE event (id int)"))
        replace(postgres_engine, NEW)
        with postgres_engine.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM notes")) == 1
            assert connection.scalar(text("SELECT id FROM few")) == 1
            assert connection.scalar(text("SELECT count(*) FROM other.event")) == 0

    @pytest.mark.parametrize(
        "made",
        [
            "CREATE VIEW busy AS SELECT count(*) FROM event",
            "CREATE MATERIALIZED VIEW busy AS SELECT name FROM job",
            "CREATE TABLE busy (job bytea REFERENCES job (id))",
        ],
    )
    def test_what_is_made_from_its_tables_is_not_dropped(
        self, postgres_engine: Engine, made: str
    ) -> None:
        with postgres_engine.begin() as connection:
            connection.execute(text(made))
        with pytest.raises(StoreUnavailable, match="busy depends on tables"):
            replace(postgres_engine, NEW)
        with postgres_engine.connect() as connection:
            connection.execute(text("SELECT * FROM busy"))
        assert leftovers(postgres_engine) == []

    def test_nor_where_it_is_made_meanwhile(self, postgres_engine: Engine) -> None:
        with (
            pytest.raises(StoreUnavailable, match="view busy depends on"),
            replacement(postgres_engine) as new,
        ):
            with postgres_engine.begin() as connection:
                connection.execute(text("CREATE VIEW busy AS SELECT count(*) FROM event"))
            new.take_place(lambda: None)
        with postgres_engine.connect() as connection:
            assert connection.scalar(text("SELECT * FROM busy")) == 0

    def test_who_may_read_may_go_on(self, postgres_engine: Engine) -> None:
        reader = f"reader_{now()}"
        with postgres_engine.begin() as connection:
            connection.execute(text(f"CREATE ROLE {reader}"))
            connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}"))
            connection.execute(text("GRANT SELECT, INSERT ON event TO PUBLIC"))
        try:
            replace(postgres_engine, NEW)
            query = "SELECT has_table_privilege(:role, :table, :privilege)"
            with postgres_engine.connect() as connection:
                for table, privilege, may in (
                    ("job", "SELECT", True),
                    ("event", "INSERT", True),
                    ("job", "INSERT", False),
                ):
                    asked = {"role": reader, "table": table, "privilege": privilege}
                    assert connection.scalar(text(query), asked) is may
        finally:
            with postgres_engine.begin() as connection:
                connection.execute(text(f"DROP OWNED BY {reader}"))
                connection.execute(text(f"DROP ROLE {reader}"))
