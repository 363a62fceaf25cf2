"""Opening a store by URL: SQLite in a file, or PostgreSQL."""

import select
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, InvalidatePoolError

from headwater.errors import BadConfig
from headwater.extras import require
from headwater.store.driver_errors import DRIVER_ERRORS
from headwater.store.failures import DriverError
from headwater.store.query.time_limit import tie_to_limit

__all__ = ["Connection", "Engine"]

# Of the SQLite that Python brings along.
SQLITE_VERSION = sqlite3.sqlite_version_info
# How long a writer waits for another process's transaction before it says so.
BUSY_SECONDS = 5
# Pages that a connection keeps in memory. Those that read have the system's as well; were theirs as
# large as the writer's, a server that many ask at once would hold hundreds of megabytes.
READ_CACHE_KB = 8_192
WRITE_CACHE_KB = 32_768
# Every commit is on disk before it is answered.
SYNCHRONOUS = "FULL"
# How long a connection that was not used for a while has to answer.
_PING_MILLISECONDS = 2_000


def open_engine(url: str, statement_seconds: float = 0) -> Engine:
    """Open the store behind a URL; nothing is read or written yet.

    With `statement_seconds` a database ends by itself what takes longer.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadConfig("store", "not a URL; use sqlite:///FILE or postgresql://HOST/DB") from None
    match parsed.get_backend_name():
        case "sqlite":
            return _open_sqlite(parsed, _prepare_sqlite)
        case "postgresql":
            return _open_postgres(parsed, statement_seconds)
        case other:
            raise BadConfig("store", f"'{other}' is not a store; use sqlite or postgresql")


def open_scratch(url: str, other: Path | None = None) -> Engine:
    """Open a SQLite file that is of no use unless it is finished: nothing waits for the disk.

    The tables of an `other` file are seen as those of schema `other`; whoever begins to write
    keeps that file's writers waiting as well.
    """

    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000"):
            connection.execute(f"PRAGMA {pragma}")
        if other is not None:
            connection.execute("ATTACH ? AS other", (str(other),))

    return _open_sqlite(make_url(url), prepare)


def in_schema(url: URL, schema: str) -> str:
    """The URL of a PostgreSQL database that looks for tables in one schema alone."""
    options = url.query.get("options", "")
    given = " ".join(options) if isinstance(options, tuple) else options
    searched = f"{given} -csearch_path={schema}".strip()
    return url.update_query_dict({"options": searched}).render_as_string(hide_password=False)


def _open_sqlite(url: URL, prepare: Callable[[sqlite3.Connection, object], None]) -> Engine:
    if not url.database or url.database == ":memory:":
        raise BadConfig("store", "name a file: sqlite:///FILE")
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadConfig("store", f"cannot create its folder: {error}") from None
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        connect_args={
            "timeout": BUSY_SECONDS,
            "check_same_thread": False,
            # The upserts of each relation for each number of rows.
            "cached_statements": 512,
        },
        # The one used last has what was read last: the others need not read it as well.
        pool_use_lifo=True,
    )
    event.listen(engine, "connect", prepare)
    event.listen(engine, "checkout", lambda driver, *_: tie_to_limit(driver))
    # The driver would begin transactions by itself, late and not for schema changes.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    # SQLite's own knows ASCII alone.
    connection.create_function("lower", 1, _lower, deterministic=True)
    _switch_to_log(connection)
    for pragma in (
        f"synchronous = {SYNCHRONOUS}",
        f"cache_size = -{READ_CACHE_KB}",
        "temp_store = MEMORY",
        # Pages that many commits touch are copied back once, not every 4 MB of log.
        "wal_autocheckpoint = 4000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _switch_to_log(connection: sqlite3.Connection) -> None:
    """Write ahead to a log, so that reading goes on meanwhile.

    Only the first connection to a new file changes anything, and SQLite does not wait by itself
    for another that is at it.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def _open_postgres(url: URL, statement_seconds: float) -> Engine:
    require("postgres")
    arguments = {
        "application_name": "headwater",
        "connect_timeout": BUSY_SECONDS,
        # A host that is gone without a word is noticed within seconds, not hours.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args=arguments,
        pool_size=5,
        max_overflow=15,
    )

    def limit(driver: Any, _: object) -> None:
        driver.execute(f"SET statement_timeout = {round(statement_seconds * 1000)}")
        driver.commit()

    if statement_seconds:
        event.listen(engine, "connect", limit)
    event.listen(engine, "checkout", _check_out)
    return engine


def _check_out(driver: Any, *_: object) -> None:
    """See that a connection still answers; SQLAlchemy's own check would wait for it for good."""
    tie_to_limit(driver)
    try:
        driver.pgconn.send_query(b"")
        answers = select.poll()
        answers.register(driver.pgconn.socket, select.POLLIN)
        if not answers.poll(_PING_MILLISECONDS):
            raise InvalidatePoolError("the database does not answer")
        while (result := driver.pgconn.get_result()) is not None:
            if result.error_message:
                raise InvalidatePoolError(result.get_error_message())
    except DRIVER_ERRORS as error:
        raise InvalidatePoolError(str(error)) from error


def release_idle(engine: Engine) -> None:
    """Close connections that nobody uses and that hold memory: SQLite's keep pages they read."""
    if engine.dialect.name == "sqlite":
        engine.dispose()


def sqlite_file(engine: Engine) -> Path:
    """The file of a store in SQLite."""
    assert engine.url.database is not None
    return Path(engine.url.database)


def find_sqlite_file(url: str) -> Path | None:
    """The file that a URL names; None if it names another kind of store, or none at all."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return None
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in (
        None,
        "",
        ":memory:",
    )
    return Path(str(parsed.database)) if is_file else None


def describe(url: URL | str) -> str:
    """A store's URL as it may be shown: without password, options and driver; *** if it is none."""
    try:
        parsed = make_url(url)
        plain = parsed.set(drivername=parsed.get_backend_name(), query={})
        return plain.render_as_string(hide_password=True)
    except (ArgumentError, ValueError):
        return "***"


def read_clock(engine: Engine) -> datetime | None:
    """The time of the database's machine; None where it is this one, or does not answer."""
    if engine.dialect.name != "postgresql":
        return None
    try:
        with engine.connect() as connection:
            found: datetime = connection.execute(text("SELECT now()")).scalar_one()
            return found
    except DriverError:
        return None
