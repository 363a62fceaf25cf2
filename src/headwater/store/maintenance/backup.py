"""Copies of a store, made and put back while servers go on."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, inspect, select

from headwater.errors import BackupFailed
from headwater.store.engine import sqlite_file
from headwater.store.maintenance import backup_postgres
from headwater.store.migrate import check_revision, upgrade
from headwater.store.tables import (
    METADATA,
    catalog_target,
    collector,
    outbox,
    outbox_reader,
    position,
    published_item,
    publisher,
    refused_event,
    store_state,
)

# Called with how much is done, and the total.
Progress = Callable[[int, int], None]

_PAGES_AT_ONCE = 1_000
# What a store says of itself, of sources and of readers.
_OWN = (
    store_state,
    position,
    collector,
    publisher,
    outbox,
    outbox_reader,
    refused_event,
    catalog_target,
    published_item,
)


def _silent(done: int, total: int) -> None:
    pass


def back_up(engine: Engine, file: Path, progress: Progress = _silent) -> int:
    """Copy a store as it is at one moment into a file, which appears when it is whole.

    Returns the file's size.
    """
    if not file.absolute().parent.is_dir():
        raise BackupFailed(f"there is no folder '{file.absolute().parent}'")
    partial = file.with_name(file.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        if engine.dialect.name == "sqlite":
            _copy_sqlite(engine, file, partial, progress)
        else:
            backup_postgres.dump(engine, partial)
        with partial.open("rb") as copied:
            os.fsync(copied.fileno())
        partial.replace(file)
    except OSError as error:
        raise BackupFailed(f"cannot write '{file}': {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return file.stat().st_size


def restore(
    engine: Engine, file: Path, is_forced: bool = False, progress: Progress = _silent
) -> None:
    """Put a backup in a store's place, all or nothing; only `is_forced` replaces what it holds."""
    if not file.is_file():
        raise BackupFailed(f"there is no file '{file}'")
    if not is_forced and not is_empty(engine):
        raise BackupFailed("the store is not empty; --force replaces its contents")
    if engine.dialect.name == "sqlite":
        _restore_sqlite(engine, file, progress)
    else:
        backup_postgres.restore(engine, file)
    upgrade(engine)


def is_empty(engine: Engine) -> bool:
    """Whether a store holds nothing that anybody put there."""
    with engine.connect() as connection:
        present = set(inspect(connection).get_table_names())
        return not any(
            connection.execute(select(1).select_from(table).limit(1)).first()
            for table in METADATA.sorted_tables
            if table.name in present and table not in _OWN
        )


def _copy_sqlite(engine: Engine, file: Path, partial: Path, progress: Progress) -> None:
    source_file = sqlite_file(engine)
    if not source_file.exists():
        raise BackupFailed(f"there is no store at '{source_file}'")
    if file.exists() and file.samefile(source_file):
        raise BackupFailed("that is the store itself; name another file")
    try:
        with closing(_open(source_file)) as source, closing(_open(partial)) as target:
            # A transaction that reads holds on to this moment: writers do not make it start again.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(target, pages=_PAGES_AT_ONCE, progress=_steps(progress))
            # One file, without a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
            _check_sqlite(target, partial)
    except sqlite3.Error as error:
        raise BackupFailed(f"the store cannot be copied: {error}") from error


def _restore_sqlite(engine: Engine, file: Path, progress: Progress) -> None:
    """Copy the file, make it ready, then copy it over the store in one transaction.

    Servers that have the store open see it change as by any other writer.
    """
    store = sqlite_file(engine)
    ready = store.with_name(store.name + ".restoring")
    ready.unlink(missing_ok=True)
    # Of no use any more, but a connection to it would keep the copy waiting.
    engine.dispose()
    try:
        with closing(_open(ready)) as copy:
            with closing(_open(file, is_read_only=True)) as source:
                _check_sqlite(source, file)
                source.backup(copy)
            with closing(_open(store)) as target:
                generation = max(_generation(copy), _generation(target)) + 1
                # Writers must not count on what the old store held.
                copy.execute("UPDATE store_state SET generation = ?", (generation,))
                copy.backup(target, progress=_steps(progress))
    except sqlite3.Error as error:
        raise BackupFailed(f"'{file}' cannot be restored: {error}") from error
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            ready.with_name(ready.name + suffix).unlink(missing_ok=True)


def _open(file: Path, is_read_only: bool = False) -> sqlite3.Connection:
    mode = "ro" if is_read_only else "rwc"
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True)
    connection.isolation_level = None
    return connection


def _steps(progress: Progress) -> Callable[[int, int, int], None]:
    return lambda status, left, total: progress(total - left, total)


def _generation(connection: sqlite3.Connection) -> int:
    try:
        (generation,) = connection.execute("SELECT generation FROM store_state").fetchone()
    except sqlite3.OperationalError:
        # A store without tables.
        return 0
    return int(generation)


def _check_sqlite(connection: sqlite3.Connection, file: Path) -> None:
    """A whole database, and a store of Headwater's that this version can read."""
    try:
        (result,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if result != "ok":
            raise BackupFailed(f"'{file}' is damaged: {result}")
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except (sqlite3.DatabaseError, TypeError) as error:
        raise BackupFailed(f"'{file}' is not a Headwater store in SQLite: {error}") from None
    check_revision(revision)
