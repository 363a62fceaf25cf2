"""A store of a newer version is left alone; an upgrade that was killed runs again."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from headwater.store.engine import open_engine
from headwater.store.migrate import HEAD, current_revision, upgrade
from headwater.store.tables import METADATA
from testing.services.headwater import Headwater
from tests.faults.stored import check_consistent, check_quiet, check_stores_more

pytestmark = pytest.mark.integration

# Stops for good once an upgrade has made a statement that begins so.
UPGRADE_HALF_WAY = """
import sys, time
from sqlalchemy import event
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
engine = open_engine(sys.argv[1])

def stop(connection, cursor, statement, *rest):
    if statement.strip().startswith(sys.argv[2]):
        print("half-way", flush=True)
        time.sleep(600)

event.listen(engine, "after_cursor_execute", stop)
upgrade(engine)
"""
# In the order they are made.
STATEMENTS = [
    "CREATE TABLE alembic_version",
    "CREATE TABLE run_dataset",
    "INSERT INTO store_state",
    "INSERT INTO alembic_version",
    "INSERT INTO declared_dataset",
    "INSERT INTO outbox",
    "CREATE TABLE position",
    "INSERT INTO outbox_reader",
    "CREATE TABLE refused_event",
]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of this test alone, on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgresql_url"))


def tables_of(url: str) -> set[str]:
    engine = open_engine(url)
    try:
        return set(inspect(engine).get_table_names())
    finally:
        engine.dispose()


def revision_of(url: str) -> str | None:
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            return current_revision(connection)
    finally:
        engine.dispose()


def test_a_store_made_by_a_newer_version(store_url: str, tmp_path: Path) -> None:
    engine = open_engine(store_url)
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    program = Path(sys.executable).with_name("headwater")
    command = [str(program), "serve", "--port", "0", "--store", store_url]
    command += ["--data", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 1
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("headwater: the store is at revision 9999")
    assert "install the version that created it, or a newer one" in line
    assert revision_of(store_url) == "9999"


def kill_half_way(url: str, statement: str) -> None:
    """Kill an upgrade inside its transaction."""
    command = [sys.executable, "-c", UPGRADE_HALF_WAY, url, statement]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"half-way\n"
        finally:
            process.kill()


def test_an_upgrade_killed_half_way(store_url: str) -> None:
    """At one place after the other; then a server's start does it all."""
    for statement in STATEMENTS:
        kill_half_way(store_url, statement)
        assert tables_of(store_url) == set()
    with Headwater.start(store=store_url) as server:
        assert tables_of(store_url) == {*METADATA.tables, "alembic_version"}
        assert revision_of(store_url) == HEAD
        check_stores_more(server)
        check_consistent(store_url)
        check_quiet(server)
