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
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

import headwater.store
from headwater.errors import StoreTooNew
from headwater.store.engine import open_engine
from headwater.store.migrate import HEAD, REVISIONS, current_revision, upgrade
from headwater.store.tables import METADATA

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


def test_the_list_of_revisions_is_that_of_the_scripts() -> None:
    config = Config()
    folder = Path(headwater.store.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [HEAD]
    in_order = [script.revision for script in scripts.walk_revisions()][::-1]
    assert tuple(in_order) == REVISIONS


def test_a_migrated_store_is_as_declared(engine: Engine) -> None:
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
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
    return {
        (name, re.sub(r"\w+\.(?=\w+ IS NOT NULL)|\s+", "", sql))
        for name, sql in rows
        if not name.startswith("alembic_version")
    }


def test_indexes_exist(engine: Engine) -> None:
    found = inspect(engine)
    for table in METADATA.sorted_tables:
        names = {index["name"] for index in found.get_indexes(table.name)}
        assert names == {index.name for index in table.indexes}


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
    with pytest.raises(StoreTooNew, match=rf"9999.*knows up to {HEAD}"):
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


def test_processes_may_upgrade_at_once(store_url: str) -> None:
    command = [sys.executable, "-W", "error", "-c", UPGRADE_AT_ONCE, store_url]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    command,
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
        ends = [process.communicate(timeout=60) for process in processes]
    assert [errors for _, errors in ends] == [""] * AT_ONCE
    assert sorted(answer for answer, _ in ends) == ["False\n"] * (AT_ONCE - 1) + ["True\n"]
