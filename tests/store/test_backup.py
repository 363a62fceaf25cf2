"""A backup is the store at one moment; a restore puts it back, all or nothing."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from headwater.errors import BackupFailed, NotInstalled, StoreTooNew
from headwater.store.engine import open_engine
from headwater.store.maintenance import backup_postgres
from headwater.store.maintenance.backup import back_up, is_empty, restore
from headwater.store.maintenance.check import check_store
from headwater.store.migrate import HEAD, upgrade
from headwater.store.positions import move_position, read_positions
from headwater.store.tables import METADATA, outbox
from headwater.store.write.outbox import count_waiting, fill, read_waiting, remove_carried
from headwater.store.write.writer import open_writer
from tests.store.rows import differences, read_rows
from tests.store.samples import COLUMN_MAP, dataset_facts
from tests.store.stores import restore_from_elsewhere


def write(engine: Engine, *names: str) -> None:
    with closing(open_writer(engine)) as writer:
        writer.write([dataset_facts(name, columnLineage=COLUMN_MAP) for name in names])


def test_there_and_back(engine: Engine, tmp_path: Path) -> None:
    write(engine, "a", "b")
    before = read_rows(engine)
    assert back_up(engine, tmp_path / "backup") == (tmp_path / "backup").stat().st_size
    write(engine, "c")
    restore(engine, tmp_path / "backup", is_forced=True)
    assert differences(read_rows(engine), before) == {}
    assert check_store(engine) == []


def test_into_a_store_without_tables(empty_engine: Engine, tmp_path: Path) -> None:
    upgrade(empty_engine)
    assert is_empty(empty_engine)
    write(empty_engine, "a")
    before = read_rows(empty_engine)
    back_up(empty_engine, tmp_path / "backup")
    with empty_engine.begin() as connection:
        for table in (*METADATA.tables, "alembic_version"):
            connection.execute(text(f'DROP TABLE "{table}"'))
    restore(empty_engine, tmp_path / "backup")
    assert differences(read_rows(empty_engine), before) == {}


def test_what_waits_and_positions_are_those_of_the_backup(engine: Engine, tmp_path: Path) -> None:
    """What was carried on since is carried on again: better there twice than not at all."""
    write(engine, "a", "b")
    with engine.begin() as connection:
        fill(connection)
        places = [each.place for each in read_waiting(connection, 10, 1_000_000)]
        remove_carried(connection, places[:1])
        move_position(connection, "topic", "0", 5)
    back_up(engine, tmp_path / "backup")
    write(engine, "c")
    with engine.begin() as connection:
        fill(connection)
        remove_carried(connection, places)
        move_position(connection, "topic", "0", 7)
    restore(engine, tmp_path / "backup", is_forced=True)
    with engine.connect() as connection:
        assert [each.place for each in read_waiting(connection, 10, 1_000_000)] == places[1:]
        assert read_positions(connection, "topic")["0"].value == 5


def test_a_store_without_events_is_empty(engine: Engine) -> None:
    """What it says of itself, of sources and of the lake was not put there by anybody."""
    with engine.begin() as connection:
        move_position(connection, "topic", "0", 0)
        connection.execute(outbox.insert().values(at=0, digest=bytes(16)))
    assert is_empty(engine)
    with engine.connect() as connection:
        assert count_waiting(connection) == 1


def test_a_store_that_holds_something_is_left_alone(engine: Engine, tmp_path: Path) -> None:
    back_up(engine, tmp_path / "backup")
    write(engine, "a")
    before = read_rows(engine)
    with pytest.raises(BackupFailed, match="not empty"):
        restore(engine, tmp_path / "backup")
    assert differences(read_rows(engine), before) == {}


def test_a_writer_that_remembers_writes_again(engine: Engine, tmp_path: Path) -> None:
    """Also where the restored generation is the one the writer knows."""
    back_up(engine, tmp_path / "backup")
    with closing(open_writer(engine)) as writer:
        writer.write([dataset_facts("a", columnLineage=COLUMN_MAP)])
        before = read_rows(engine)
        restore_from_elsewhere(engine, tmp_path / "backup")
        assert not read_rows(engine)["content"]
        writer.write([dataset_facts("a", columnLineage=COLUMN_MAP)])
    assert differences(read_rows(engine), before) == {}


def test_while_others_write(engine: Engine, tmp_path: Path) -> None:
    stop = threading.Event()

    def keep_writing() -> None:
        number = 0
        while not stop.is_set():
            write(engine, f"table_{number}")
            number += 1

    thread = threading.Thread(target=keep_writing)
    thread.start()
    try:
        for number in range(3):
            back_up(engine, tmp_path / f"backup_{number}")
    finally:
        stop.set()
        thread.join()
    restore(engine, tmp_path / "backup_2", is_forced=True)
    assert check_store(engine) == []


@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"SQLite format 3\0" * 100])
def test_what_is_no_backup_changes_nothing(engine: Engine, tmp_path: Path, content: bytes) -> None:
    write(engine, "a")
    before = read_rows(engine)
    (tmp_path / "backup").write_bytes(content)
    with pytest.raises(BackupFailed):
        restore(engine, tmp_path / "backup", is_forced=True)
    assert differences(read_rows(engine), before) == {}


def test_a_cut_off_backup_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    write(engine, *(f"table_{number}" for number in range(100)))
    back_up(engine, tmp_path / "backup")
    whole = (tmp_path / "backup").read_bytes()
    (tmp_path / "backup").write_bytes(whole[: len(whole) // 2])
    before = read_rows(engine)
    with pytest.raises(BackupFailed):
        restore(engine, tmp_path / "backup", is_forced=True)
    assert differences(read_rows(engine), before) == {}


def test_a_backup_of_a_newer_version_is_refused(engine: Engine, tmp_path: Path) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    if engine.dialect.name == "sqlite":
        # Not made by this version either.
        opened = sqlite3.connect(str(engine.url.database)), sqlite3.connect(tmp_path / "backup")
        with closing(opened[0]) as source, closing(opened[1]) as target:
            source.backup(target)
    else:
        back_up(engine, tmp_path / "backup")
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{HEAD}'"))
    with pytest.raises(StoreTooNew):
        restore(engine, tmp_path / "backup", is_forced=True)


def test_places_that_cannot_be_used(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="no folder"):
        back_up(engine, tmp_path / "none" / "backup")
    with pytest.raises(BackupFailed, match="no file"):
        restore(engine, tmp_path / "none")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BackupFailed, match="cannot write"):
        back_up(engine, tmp_path / "folder")
    assert not list(tmp_path.glob("*.partial"))


def test_a_store_is_not_its_own_backup(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        with pytest.raises(BackupFailed, match="the store itself"):
            back_up(engine, Path(str(engine.url.database)))


def test_a_missing_program_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(backup_postgres, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalled, match="pg_dump is not installed; install .*postgresql-client"):
        backup_postgres.find_program("pg_dump")


def test_the_password_is_in_no_argument(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program that is run here writes down how it was called, then fails."""
    program = tmp_path / "pg_dump"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/called\necho "$PGPASSWORD" >&2\nexit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(backup_postgres, "DEBIAN", tmp_path / "none")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    engine = open_engine("postgresql://ada:secret@db.example/lineage?sslmode=require")
    with pytest.raises(BackupFailed, match="pg_dump failed: secret"):
        back_up(engine, tmp_path / "backup")
    called = (tmp_path / "called").read_text()
    assert "secret" not in called
    assert "postgresql://ada@db.example/lineage?sslmode=require" in called
