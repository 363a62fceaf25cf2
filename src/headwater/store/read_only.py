"""Opening a store that is there, for reading only: nothing in it is made, changed or upgraded."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Engine, event

from headwater.errors import BadConfig, StoreUnavailable
from headwater.store.engine import describe, find_sqlite_file, open_engine
from headwater.store.failures import answering
from headwater.store.migrate import HEAD, check_revision, current_revision


def open_read_only(url: str) -> Engine:
    """Open a store of this version's revision."""
    if (file := find_sqlite_file(url)) is not None:
        _check_file(file)
    engine = open_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _forbid_writing)
    else:
        engine = engine.execution_options(postgresql_readonly=True)
    try:
        _check_revision(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _check_file(file: Path) -> None:
    """See that a file is a store before it is opened as one, which would change other files."""
    if not file.is_file():
        raise BadConfig("store", f"there is no store at '{file}'")
    try:
        address = f"file:{quote(str(file.absolute()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
            ).fetchall()
    except sqlite3.Error as error:
        raise StoreUnavailable(f"the store at '{file}' cannot be opened: {error}") from None
    if not found:
        raise BadConfig("store", f"'{file}' is not a Headwater store")


def _forbid_writing(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA query_only = ON")


def _check_revision(engine: Engine) -> None:
    where = describe(engine.url)
    with answering(f"the store at {where} cannot be opened"), engine.connect() as connection:
        revision = check_revision(current_revision(connection))
    if revision is None:
        raise BadConfig("store", f"{where} is not a Headwater store")
    if revision != HEAD:
        raise BadConfig(
            "store",
            f"{where} is at revision {revision}, and this version reads {HEAD}; "
            "run headwater db upgrade --store URL first",
        )
