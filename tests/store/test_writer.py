"""The writer: all or nothing, content once a generation, and clear about a store not there."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, event, select, text

from headwater.errors import StoreUnavailable
from headwater.model.facts import Facts
from headwater.model.merge import CATALOG, Merged, Row
from headwater.model.values.ids import UNREPORTED, dataset_id
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from headwater.store.tables import TABLES
from headwater.store.write.connections import Connection
from headwater.store.write.writer import Writer, open_writer
from testing.services.process import free_port
from testing.stores import open_prepared
from testing.wait import PATIENCE_SECONDS, wait_until
from tests.store.rows import Rows, differences, merged_rows, read_rows
from tests.store.samples import COLUMN_MAP, Passing, bad_facts, connect, dataset_facts

SCHEMA = {"fields": [{"name": "a", "type": "INT"}]}
NOTHING: Rows = {name: set() for name in CATALOG}


class Recording(Passing):
    """Keeps what was written, a dictionary for each transaction."""

    def __init__(self, inner: Connection, log: list[dict[str, Sequence[Row]]]) -> None:
        super().__init__(inner)
        self.log = log

    def begin(self) -> int:
        self.log.append({})
        return super().begin()

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        self.log[-1][relation] = rows
        super().upsert(relation, rows)


class Failing(Passing):
    """Fails to commit until its errors are used up."""

    def __init__(self, inner: Connection, errors: list[Exception]) -> None:
        super().__init__(inner)
        self.errors = errors

    def commit(self) -> None:
        if self.errors:
            raise self.errors.pop()
        super().commit()


@pytest.fixture
def open_a_writer() -> Iterator[Callable[[Callable[[], Connection]], Writer]]:
    """Open writers that are closed with the test."""
    opened: list[Writer] = []

    def open_it(connect: Callable[[], Connection]) -> Writer:
        opened.append(Writer(connect))
        return opened[-1]

    yield open_it
    for writer in opened:
        writer.close()


OpenWriter = Callable[[Callable[[], Connection]], Writer]


def rows_of(*facts: Facts) -> Rows:
    merged = Merged()
    for stated in facts:
        merged.add(stated.all_rows())
    return merged_rows(merged)


def remove_content(engine: Engine, *, tell: bool) -> None:
    """Remove what writers may remember as stored; `tell` them by a new generation."""
    with engine.begin() as connection:
        for name in ("content", "dataset"):
            connection.execute(TABLES[name].delete())
        if tell:
            connection.execute(text("UPDATE store_state SET generation = generation + 1"))


def test_what_was_written_is_read_by_others(engine: Engine) -> None:
    facts = dataset_facts(schema=SCHEMA, columnLineage=COLUMN_MAP)
    with closing(open_writer(engine)) as writer:
        writer.write([facts])
        assert differences(read_rows(engine), rows_of(facts)) == {}


def test_nothing_can_be_written(engine: Engine) -> None:
    with closing(open_writer(engine)) as writer:
        writer.write([])
        writer.write([Facts()])
    assert read_rows(engine) == NOTHING


def test_large_values_are_packed(engine: Engine) -> None:
    fields = [{"name": f"column_{index}", "type": "VARCHAR"} for index in range(100)]
    facts = dataset_facts(schema={"fields": fields})
    with closing(open_writer(engine)) as writer:
        writer.write([facts])
    with engine.connect() as connection:
        stored = connection.execute(select(TABLES["content"].c.body)).scalars().one()
    (facet,) = facts.contents.values()
    assert len(stored) < len(facet.body) / 4
    assert differences(read_rows(engine), rows_of(facts)) == {}


def test_names_and_content_are_written_once(engine: Engine, open_a_writer: OpenWriter) -> None:
    log: list[dict[str, Sequence[Row]]] = []
    writer = open_a_writer(lambda: Recording(connect(engine), log))
    facts = dataset_facts(schema=SCHEMA, columnLineage=COLUMN_MAP)
    writer.write([facts, facts])
    writer.write([facts])
    first, second = log
    assert len(first["content"]) == 2
    assert {row[0] for row in first["dataset"]} == {
        dataset_id("db", name) for name in ("orders", "source")
    }
    assert not {"content", "dataset"} & second.keys()
    assert "event" in second


def test_content_is_remembered_within_a_generation(engine: Engine) -> None:
    facts = dataset_facts(schema=SCHEMA)
    with closing(open_writer(engine)) as writer:
        writer.write([facts])
        remove_content(engine, tell=False)
        writer.write([facts])
        assert read_rows(engine)["content"] == set()


def test_a_new_generation_makes_a_writer_write_again(engine: Engine) -> None:
    facts = dataset_facts(schema=SCHEMA, columnLineage=COLUMN_MAP)
    with closing(open_writer(engine)) as writer:
        writer.write([facts])
        for _ in range(2):
            remove_content(engine, tell=True)
            writer.write([facts])
            assert differences(read_rows(engine), rows_of(facts)) == {}


@pytest.mark.parametrize(
    "batches",
    [
        [[{"custom": COLUMN_MAP}], [{"columnLineage": COLUMN_MAP}]],
        [[{"columnLineage": COLUMN_MAP}, {"custom": COLUMN_MAP}]],
        [[{"columnLineage": COLUMN_MAP, "custom": COLUMN_MAP}]],
    ],
    ids=["before it", "in its batch", "in its event"],
)
def test_a_column_map_is_content_of_its_own_though_another_facet_has_its_body(
    engine: Engine, batches: list[list[dict[str, Any]]]
) -> None:
    with closing(open_writer(engine)) as writer:
        for batch in batches:
            writer.write([dataset_facts(**facets) for facets in batch])
    stored = read_rows(engine)
    (body,) = {body for _, body in stored["content"]}
    assert len(stored["content"]) == 2
    (columns,) = {row[5] for row in stored["declared_dataset"]} - {UNREPORTED}
    assert (columns, body) in stored["content"]


def test_a_write_that_fails_leaves_nothing(engine: Engine) -> None:
    good = dataset_facts(schema=SCHEMA)
    with closing(open_writer(engine)) as writer:
        with pytest.raises((sqlite3.Error, psycopg.Error)):
            writer.write([good, bad_facts()])
        assert read_rows(engine) == NOTHING
        writer.write([good])
        assert differences(read_rows(engine), rows_of(good)) == {}


def test_a_commit_that_fails_leaves_nothing(engine: Engine, open_a_writer: OpenWriter) -> None:
    errors: list[Exception] = [sqlite3.OperationalError("disk I/O error")]
    writer = open_a_writer(lambda: Failing(connect(engine), errors))
    facts = dataset_facts(schema=SCHEMA)
    with pytest.raises(StoreUnavailable, match="disk I/O error"):
        writer.write([facts])
    assert read_rows(engine) == NOTHING
    writer.write([facts])
    assert differences(read_rows(engine), rows_of(facts)) == {}


def test_a_deadlock_is_tried_again(engine: Engine, open_a_writer: OpenWriter) -> None:
    errors: list[Exception] = [psycopg.errors.DeadlockDetected() for _ in range(4)]
    writer = open_a_writer(lambda: Failing(connect(engine), errors))
    facts = dataset_facts(schema=SCHEMA)
    writer.write([facts])
    assert differences(read_rows(engine), rows_of(facts)) == {}


def test_endless_deadlocks_are_reported(engine: Engine, open_a_writer: OpenWriter) -> None:
    errors: list[Exception] = [psycopg.errors.DeadlockDetected() for _ in range(5)]
    writer = open_a_writer(lambda: Failing(connect(engine), errors))
    with pytest.raises(StoreUnavailable, match="is busy"):
        writer.write([dataset_facts()])
    assert read_rows(engine) == NOTHING
    writer.write([dataset_facts()])
    assert differences(read_rows(engine), rows_of(dataset_facts())) == {}


def test_two_writers_do_not_undo_each_other(engine: Engine) -> None:
    """Each takes the other's names and content for granted only once it has written them."""
    stated = [dataset_facts(f"t{index}", schema=SCHEMA) for index in range(20)]

    def go(facts: Sequence[Facts]) -> None:
        with closing(open_writer(engine)) as writer:
            for each in facts:
                writer.write([each])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(go, (stated, stated[::-1])))
    assert differences(read_rows(engine), rows_of(*stated)) == {}


@pytest.fixture
def impatient_engine(tmp_path: Path) -> Iterator[Engine]:
    """A SQLite store that does not wait long for another's transaction."""
    engine = open_engine(f"sqlite:///{tmp_path / 'store.db'}")
    event.listen(engine, "connect", lambda new, _: new.execute("PRAGMA busy_timeout = 50"))
    upgrade(engine)
    yield engine
    engine.dispose()


def test_a_locked_sqlite_store_is_reported_and_works_afterwards(impatient_engine: Engine) -> None:
    facts = dataset_facts(schema=SCHEMA)
    with (
        closing(open_writer(impatient_engine)) as writer,
        closing(sqlite3.connect(str(impatient_engine.url.database))) as other,
    ):
        for _ in range(2):
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="database is locked"):
                writer.write([facts])
            # Readers are not kept out.
            read_rows(impatient_engine)
            other.rollback()
            writer.write([facts])
            assert differences(read_rows(impatient_engine), rows_of(facts)) == {}


@pytest.mark.integration
class TestPostgresql:
    """What only a server can do to a writer."""

    @pytest.fixture
    def engine(self, postgresql_url: str) -> Iterator[Engine]:
        engine = open_prepared(postgresql_url)
        yield engine
        engine.dispose()

    def test_a_lost_connection_is_reported_and_works_afterwards(self, engine: Engine) -> None:
        first, second = dataset_facts(schema=SCHEMA), dataset_facts("other")
        with closing(open_writer(engine)) as writer:
            writer.write([first])
            with engine.begin() as connection:
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                )
            with pytest.raises(StoreUnavailable):
                writer.write([second])
            writer.write([second])
        assert differences(read_rows(engine), rows_of(first, second)) == {}

    def test_a_server_that_is_not_there_is_reported(self) -> None:
        engine = open_engine(f"postgresql://postgres@127.0.0.1:{free_port()}/none")
        with closing(open_writer(engine)) as writer, pytest.raises(StoreUnavailable):
            writer.write([dataset_facts()])
        engine.dispose()

    def test_a_real_deadlock_is_survived(self, engine: Engine) -> None:
        """Another takes the writer's rows in the opposite order; the writer gives way."""
        facts = dataset_facts(tags={"tags": []})
        with closing(open_writer(engine)) as writer, engine.connect() as other:
            writer.write([facts])
            # So long that it is the writer's check that finds the circle.
            other.execute(text("SET deadlock_timeout = '60s'"))
            other.execute(text("SELECT 1 FROM facet FOR UPDATE"))
            writing = threading.Thread(target=writer.write, args=([facts],))
            writing.start()
            self.wait_for_a_lock(engine)
            other.execute(text("UPDATE declared_dataset SET last_said = last_said"))
            other.commit()
            writing.join(PATIENCE_SECONDS)
            assert not writing.is_alive()
        assert differences(read_rows(engine), rows_of(facts)) == {}

    @staticmethod
    def wait_for_a_lock(engine: Engine) -> None:
        waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")

        def is_waited() -> bool:
            with engine.connect() as connection:
                return bool(connection.execute(waiting).scalar_one())

        wait_until(is_waited)
