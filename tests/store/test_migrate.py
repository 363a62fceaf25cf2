"""A migrated store has exactly the declared tables, and upgrades are safe beside each other."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Barrier, Timer
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, Table, inspect, text

import headwater.store
from headwater.errors import StoreTooNew
from headwater.model.event import EventType, Kind
from headwater.model.relations import (
    Content,
    DeclaredDataset,
    Direction,
    EventRow,
    JobDataset,
    RunRow,
)
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store.engine import open_engine
from headwater.store.maintenance.check import check_store
from headwater.store.migrate import HEAD, REVISIONS, current_revision, upgrade
from headwater.store.tables import METADATA
from headwater.store.write.outbox import count_waiting, read_waiting
from headwater.store.write.writer import open_writer
from tests.store.rows import read_rows
from tests.store.samples import dataset_facts

AT_ONCE = 4

# Waits for the others' start, so that all of them find the store empty.
UPGRADE_AT_ONCE = """
import sys
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
import alembic.command
engine = open_engine(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(upgrade(engine), flush=True)
engine.dispose()
"""


@pytest.fixture
def declared_engine(store_url: str, tmp_path: Path) -> Iterator[Engine]:
    """A second store, whose tables are made from the declarations and not by revisions."""
    if store_url.startswith("sqlite"):
        engine = open_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    else:
        engine = open_engine(store_url).execution_options(schema_translate_map={None: "declared"})
        with engine.begin() as connection:
            connection.execute(text("CREATE SCHEMA declared"))
    METADATA.create_all(engine)
    yield engine
    engine.dispose()


def fetch(engine: Engine, query: str) -> list[tuple[Any, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def scripts_config() -> Config:
    config = Config()
    folder = Path(headwater.store.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    return config


def left_out(engine: Engine) -> set[str]:
    """Indexes that are declared for the other database; Alembic would expect them in each."""
    return {"event_by_receipt"} if engine.dialect.name == "sqlite" else set()


def test_the_list_of_revisions_is_that_of_the_scripts() -> None:
    scripts = ScriptDirectory.from_config(scripts_config())
    assert scripts.get_heads() == [HEAD]
    in_order = [script.revision for script in scripts.walk_revisions()][::-1]
    assert tuple(in_order) == REVISIONS


def test_a_migrated_store_is_as_declared(engine: Engine) -> None:
    with engine.connect() as connection:
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_object": lambda _, name, kind, *__: (
                kind != "index" or name not in left_out(engine)
            ),
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []


def test_a_migrated_store_is_stored_as_declared(engine: Engine, declared_engine: Engine) -> None:
    """What Alembic does not compare: rowids, fill factors, the conditions of indexes."""
    assert definitions(engine, "public") == definitions(declared_engine, "declared")


def definitions(engine: Engine, schema: str) -> set[tuple[str, ...]]:
    if engine.dialect.name == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        rows = fetch(engine, query)
    else:
        query = f"""
            SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = '{schema}'
            UNION ALL
            SELECT relname, array_to_string(reloptions, ',') FROM pg_class
            WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r'
        """
        rows = [(name, (sql or "").replace(f"{schema}.", "")) for name, sql in fetch(engine, query)]
    # SQLite quotes the name of a table that was renamed.
    return {
        (name, re.sub(r"\w+\.(?=\w+ IS NOT NULL)|\s+|\"", "", sql))
        for name, sql in rows
        if not name.startswith("alembic_version")
    }


def test_indexes_exist(engine: Engine) -> None:
    found = inspect(engine)
    for table in METADATA.sorted_tables:
        names = {index["name"] for index in found.get_indexes(table.name)}
        assert names == {index.name for index in table.indexes} - left_out(engine)


def test_an_upgrade_begins_the_first_generation(engine: Engine) -> None:
    assert fetch(engine, "SELECT id, generation FROM store_state") == [(1, 1)]


def test_a_second_upgrade_does_nothing(empty_engine: Engine) -> None:
    assert upgrade(empty_engine) is True
    before = definitions(empty_engine, "public")
    assert upgrade(empty_engine) is False
    assert definitions(empty_engine, "public") == before
    with empty_engine.connect() as connection:
        assert current_revision(connection) == HEAD


def test_an_empty_store_has_no_revision(empty_engine: Engine) -> None:
    with empty_engine.connect() as connection:
        assert current_revision(connection) is None


def test_a_store_of_a_newer_version_is_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreTooNew, match=rf"9999.*only up to {HEAD}"):
        upgrade(engine)
    assert fetch(engine, "SELECT version_num FROM alembic_version") == [("9999",)]


def test_a_failed_upgrade_leaves_nothing(empty_engine: Engine) -> None:
    with empty_engine.begin() as connection:
        connection.execute(text("CREATE TABLE run (id INT)"))
    with pytest.raises(Exception, match="already exists"):
        upgrade(empty_engine)
    assert inspect(empty_engine).get_table_names() == ["run"]
    with empty_engine.begin() as connection:
        connection.execute(text("DROP TABLE run"))
    assert upgrade(empty_engine) is True


def upgrade_to(engine: Engine, revision: str) -> None:
    """Bring a store to the tables of an older version."""
    config = scripts_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def insert(engine: Engine, table: str, *rows: dict[str, Any]) -> None:
    """Add rows to a table of any version; the columns they do not name are NULL."""
    found = Table(table, MetaData(), autoload_with=engine)
    with engine.begin() as connection:
        for row in rows:
            connection.execute(found.insert().values(row))


class TestFrom0002:
    """Descriptions become part of the key; column maps are read from their content."""

    AUTHOR, JOB, DATASET, OTHER, RUN = (bytes([number]) * 16 for number in range(1, 6))
    SCHEMA, COLUMNS = Content(b"s" * 16, b"{}"), Content(b"c" * 16, b"[]")
    SAID = {
        "schema": SCHEMA.digest,
        "schema_at": 30 << 3,
        "columns": COLUMNS.digest,
        "columns_at": 20 << 3,
    }
    SAID_NONE = {"schema": NO_CONTENT, "schema_at": 20 << 3}

    @pytest.fixture
    def old_engine(self, empty_engine: Engine) -> Engine:
        upgrade_to(empty_engine, "0002")
        return empty_engine

    def test_what_jobs_stated_of_datasets_is_kept(self, old_engine: Engine) -> None:
        used = {"job": self.JOB, "first_seen": 10, "last_seen": 40}
        insert(
            old_engine,
            "job_dataset",
            {**used, "dataset": self.DATASET, "direction": Direction.OUTPUT, **self.SAID},
            {**used, "dataset": self.DATASET, "direction": Direction.INPUT},
            {**used, "dataset": self.OTHER, "direction": Direction.INPUT, **self.SAID_NONE},
        )
        upgrade(old_engine)
        said = (self.SCHEMA.digest, self.COLUMNS.digest)
        assert read_rows(old_engine)["job_dataset"] == {
            JobDataset(self.JOB, self.DATASET, Direction.OUTPUT, *said, 10, 40),
            JobDataset(self.JOB, self.DATASET, Direction.INPUT, UNREPORTED, UNREPORTED, 10, 40),
            JobDataset(self.JOB, self.OTHER, Direction.INPUT, NO_CONTENT, UNREPORTED, 10, 40),
        }

    def test_what_authors_stated_of_datasets_is_kept(self, old_engine: Engine) -> None:
        said = {"author": self.AUTHOR, "job": self.JOB, "first_said": 10, "last_said": 40}
        insert(
            old_engine,
            "declared_dataset",
            {**said, "dataset": self.DATASET, "direction": Direction.OUTPUT, **self.SAID},
            {**said, "dataset": self.DATASET, "direction": Direction.INPUT},
            {**said, "dataset": self.OTHER, "direction": Direction.INPUT, **self.SAID_NONE},
        )
        upgrade(old_engine)
        described = (self.SCHEMA.digest, self.COLUMNS.digest)
        ours = (self.AUTHOR, self.JOB)
        assert read_rows(old_engine)["declared_dataset"] == {
            DeclaredDataset(*ours, self.DATASET, Direction.OUTPUT, *described, 10, 40),
            DeclaredDataset(*ours, self.DATASET, Direction.INPUT, UNREPORTED, UNREPORTED, 10, 40),
            DeclaredDataset(*ours, self.OTHER, Direction.INPUT, NO_CONTENT, UNREPORTED, 10, 40),
        }

    def test_runs_are_kept_and_were_first_running_when_they_last_were(
        self, old_engine: Engine
    ) -> None:
        ended = RunRow(
            *(self.RUN, "named", self.JOB, 1, self.OTHER, self.JOB, self.OTHER, self.JOB, 2),
            *(3, 8, 4, 5, 6, 6, 7, EventType.COMPLETE, 9, 10, 11, 12),
            *(self.SCHEMA.digest, 13, self.COLUMNS.digest, 14),
        )
        silent = RunRow(self.OTHER, first_event=3)
        for run in (ended, silent):
            row = run._asdict()
            del row["first_running"]
            insert(old_engine, "run", row)
        upgrade(old_engine)
        assert read_rows(old_engine)["run"] == {ended, silent}

    def test_content_is_kept_and_edges_go(self, old_engine: Engine) -> None:
        contents = (self.SCHEMA, self.COLUMNS)
        insert(old_engine, "content", *(content._asdict() for content in contents))
        edge = {"output_column": "a", "input_dataset": self.DATASET, "input_column": "b"}
        insert(
            old_engine,
            "column_map_edge",
            *({**edge, "digest": self.COLUMNS.digest, "position": number} for number in range(2)),
        )
        upgrade(old_engine)
        assert read_rows(old_engine)["content"] == {*contents}
        assert not inspect(old_engine).has_table("column_map_edge")

    def test_the_tables_are_as_declared(self, old_engine: Engine, declared_engine: Engine) -> None:
        upgrade(old_engine)
        assert definitions(old_engine, "public") == definitions(declared_engine, "declared")

    def test_events_go_on_where_the_old_ones_ended(self, old_engine: Engine) -> None:
        """What is said again in the same way is no other description."""
        facts = dataset_facts(schema={"fields": [{"name": "a"}]})
        (declared,) = (DeclaredDataset._make(row) for row in facts.rows["declared_dataset"])
        assert declared.first_said is not None
        old = {**declared._asdict(), "first_said": 10, "last_said": 10}
        insert(old_engine, "declared_dataset", {**old, "columns": None, "schema_at": 10 << 3})
        upgrade(old_engine)
        with closing(open_writer(old_engine)) as writer:
            writer.write([facts])
        assert read_rows(old_engine)["declared_dataset"] == {declared._replace(first_said=10)}
        assert check_store(old_engine) == []

    def test_a_failure_leaves_the_store_as_it_was(self, old_engine: Engine) -> None:
        used = {"job": self.JOB, "dataset": self.DATASET, "direction": Direction.INPUT}
        insert(old_engine, "job_dataset", used)
        before = definitions(old_engine, "public")
        with old_engine.begin() as connection:
            connection.execute(text("CREATE TABLE old_declared_dataset (id INT)"))
        with pytest.raises(Exception, match="already"):
            upgrade(old_engine)
        with old_engine.begin() as connection:
            connection.execute(text("DROP TABLE old_declared_dataset"))
            assert current_revision(connection) == "0002"
        assert definitions(old_engine, "public") == before
        assert len(fetch(old_engine, "SELECT * FROM job_dataset")) == 1
        assert upgrade(old_engine) is True


class TestFrom0003:
    """There was no lake: all events wait for it."""

    EVENTS = tuple(
        EventRow(
            *(100 - received, bytes([received]) * 16, received, int(Kind.RUN), EventType.START),
            *(b"j" * 16, None, b"%d" % received),
        )
        for received in (40, 10, 50, 20, 30)
    )

    @pytest.fixture
    def old_engine(self, empty_engine: Engine) -> Engine:
        upgrade_to(empty_engine, "0003")
        insert(empty_engine, "event", *(event._asdict() for event in self.EVENTS))
        return empty_engine

    def test_events_are_kept(self, old_engine: Engine) -> None:
        upgrade(old_engine)
        found = fetch(old_engine, f"SELECT {', '.join(EventRow._fields)} FROM event ORDER BY at")
        assert found == sorted(self.EVENTS)

    def test_all_of_them_are_to_be_carried_on(self, old_engine: Engine) -> None:
        upgrade(old_engine)
        with old_engine.connect() as connection:
            found = read_waiting(connection, 100, 1_000_000)
        assert [(each.at, each.digest, each.event) for each in found] == [
            (event.at, event.digest, (event.received_at, event.kind, event.payload))
            for event in sorted(self.EVENTS)
        ]

    def test_an_event_that_comes_again_is_the_same(self, old_engine: Engine) -> None:
        facts = dataset_facts()
        (row,) = (EventRow._make(row) for row in facts.rows["event"])
        insert(old_engine, "event", row._asdict())
        upgrade(old_engine)
        with closing(open_writer(old_engine, notes_for_lake=True)) as writer:
            writer.write([facts])
        assert len(fetch(old_engine, "SELECT 1 FROM event")) == len(self.EVENTS) + 1
        with old_engine.connect() as connection:
            assert count_waiting(connection) == len(self.EVENTS) + 1

    def test_an_empty_store(self, empty_engine: Engine) -> None:
        upgrade_to(empty_engine, "0003")
        upgrade(empty_engine)
        with empty_engine.connect() as connection:
            assert count_waiting(connection) == 0
        assert check_store(empty_engine) == []

    def test_the_tables_are_as_declared(self, old_engine: Engine, declared_engine: Engine) -> None:
        upgrade(old_engine)
        assert definitions(old_engine, "public") == definitions(declared_engine, "declared")

    def test_a_failure_leaves_the_store_as_it_was(self, old_engine: Engine) -> None:
        before = definitions(old_engine, "public")
        with old_engine.begin() as connection:
            connection.execute(text("CREATE TABLE position (id INT)"))
        with pytest.raises(Exception, match="already"):
            upgrade(old_engine)
        with old_engine.begin() as connection:
            connection.execute(text("DROP TABLE position"))
            assert current_revision(connection) == "0003"
        assert definitions(old_engine, "public") == before
        assert len(fetch(old_engine, "SELECT * FROM event")) == len(self.EVENTS)
        assert upgrade(old_engine) is True


class TestFrom0008:
    """The outbox was the lake's alone: what waited still waits for it, and for nobody else."""

    PLACES = tuple((at, bytes([at]) * 16) for at in (3, 1, 2))

    @pytest.fixture
    def old_engine(self, empty_engine: Engine) -> Engine:
        upgrade_to(empty_engine, "0008")
        notes = ({"at": at, "digest": digest} for at, digest in self.PLACES)
        insert(empty_engine, "outbox", *notes)
        return empty_engine

    def test_it_waits_for_the_lake(self, old_engine: Engine) -> None:
        upgrade(old_engine)
        with old_engine.connect() as connection:
            found = read_waiting(connection, 100, 1_000_000)
        assert [each.place for each in found] == sorted(self.PLACES)
        assert fetch(old_engine, "SELECT id, name FROM outbox_reader") == [(0, "lake")]

    def test_the_tables_are_as_declared(self, old_engine: Engine, declared_engine: Engine) -> None:
        upgrade(old_engine)
        assert definitions(old_engine, "public") == definitions(declared_engine, "declared")

    def test_a_server_of_the_version_before_writes_on(self, old_engine: Engine) -> None:
        upgrade(old_engine)
        insert(old_engine, "outbox", {"at": 4, "digest": b"d" * 16})
        with old_engine.connect() as connection:
            assert count_waiting(connection) == len(self.PLACES) + 1


def upgrade_at_once(url: str) -> list[bool]:
    """Upgrade by several threads, each with an engine of its own."""
    together = Barrier(AT_ONCE)

    def go(_: int) -> bool:
        engine = open_engine(url)
        try:
            together.wait()
            return upgrade(engine)
        finally:
            engine.dispose()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(go, range(AT_ONCE)))


def test_threads_may_upgrade_at_once(store_url: str) -> None:
    assert sorted(upgrade_at_once(store_url)) == [False] * (AT_ONCE - 1) + [True]


def test_a_new_sqlite_file_is_waited_for(tmp_path: Path) -> None:
    """The first to write to a new file holds it while others open it; they wait, as ever after."""
    file = tmp_path / "store.db"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as first:
        first.execute("BEGIN IMMEDIATE")
        release = Timer(0.2, first.rollback)
        release.start()
        engine = open_engine(f"sqlite:///{file}")
        try:
            assert upgrade(engine) is True
        finally:
            release.join()
            engine.dispose()


@pytest.mark.slow
def test_processes_may_upgrade_at_once(store_url: str) -> None:
    program = [sys.executable, "-W", "error", "-c", UPGRADE_AT_ONCE, store_url]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    program,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(AT_ONCE)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        ends = [process.communicate(timeout=300) for process in processes]
    assert [errors for _, errors in ends] == [""] * AT_ONCE
    assert sorted(answer for answer, _ in ends) == ["False\n"] * (AT_ONCE - 1) + ["True\n"]
