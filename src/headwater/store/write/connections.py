"""A connection that writes: the same few steps on each database."""

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Engine

from headwater.model.merge import Row
from headwater.store.engine import WRITE_CACHE_KB
from headwater.store.query.time_limit import interrupt
from headwater.store.search.index import Entries
from headwater.store.write import upsert

if TYPE_CHECKING:
    import psycopg

# Rows of one SQLite statement: each statement gives other threads a turn, and takes one back.
_ROWS_AT_ONCE = 32

_TOUCH = "UPDATE store_state SET generation = generation"


class Connection(Protocol):
    """What a database must do for a writer."""

    def begin(self) -> int:
        """Begin to write, and read the generation within the transaction."""

    def upsert(self, relation: str, rows: Sequence[Row]) -> None: ...

    def fill_outbox(self, events: Sequence[Row], is_for_lake: bool = True) -> None:
        """Note events, by their keys, for every reader of the outbox, or all but the lake."""

    def fill_index(self, entries: Entries) -> None:
        """Add to what searches read, beside what is there."""

    def touch(self) -> None:
        """Write what changes nothing, to see whether anything can be written."""

    def commit(self) -> None: ...

    def interrupt(self) -> None:
        """End what it is at, from another thread; nothing of it is stored."""

    def release_memory(self) -> None:
        """Let go of pages that are kept in this process; not within a transaction."""

    def abandon(self) -> None:
        """Undo what was not committed, and let go of a connection that may be broken."""

    def close(self) -> None: ...


class SqliteConnection:
    """A connection of the SQLite driver, writing."""

    def __init__(self, engine: Engine) -> None:
        self._pooled = engine.raw_connection()
        driver = self._pooled.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._driver = driver
        driver.execute(f"PRAGMA cache_size = -{WRITE_CACHE_KB}")

    def begin(self) -> int:
        self._driver.execute("BEGIN IMMEDIATE")
        (generation,) = self._driver.execute("SELECT generation FROM store_state").fetchone()
        return int(generation)

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            statement = upsert.for_sqlite(relation, len(part))
            self._driver.execute(statement, list(chain.from_iterable(part)))

    def fill_outbox(self, events: Sequence[Row], is_for_lake: bool = True) -> None:
        self._driver.executemany(upsert.OUTBOX_OF_SQLITE[is_for_lake], events)

    def fill_index(self, entries: Entries) -> None:
        for statement, rows in zip(upsert.INDEX_OF_SQLITE, entries.by_table(), strict=True):
            self._driver.executemany(statement, rows)

    def touch(self) -> None:
        self._driver.execute(_TOUCH)

    def commit(self) -> None:
        self._driver.execute("COMMIT")

    def interrupt(self) -> None:
        interrupt(self._driver)

    def release_memory(self) -> None:
        self._driver.execute("PRAGMA shrink_memory")

    def abandon(self) -> None:
        self._pooled.invalidate()

    def close(self) -> None:
        self._pooled.close()


# Held shared by writers, alone by what removes rows: any number, the same in every process.
GENERATION_LOCK = 0x4845_4144


class PostgresConnection:
    """A connection of the PostgreSQL driver, writing."""

    def __init__(self, engine: Engine) -> None:
        self._pooled = engine.raw_connection()
        driver: Any = self._pooled.driver_connection
        self._driver: psycopg.Connection[Any] = driver
        self._driver.prepare_threshold = 1
        self._cursor = driver.cursor(binary=True)

    def begin(self) -> int:
        # Two statements: the second must see what was committed before the lock was had.
        self._cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", (GENERATION_LOCK,))
        row = self._cursor.execute("SELECT generation FROM store_state").fetchone()
        assert row is not None
        return int(row[0])

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        columns = [list(column) for column in zip(*rows, strict=True)]
        self._cursor.execute(upsert.for_postgres(relation), columns)

    def fill_outbox(self, events: Sequence[Row], is_for_lake: bool = True) -> None:
        columns = [list(column) for column in zip(*events, strict=True)]
        self._cursor.execute(upsert.OUTBOX_OF_POSTGRES[is_for_lake], columns)

    def fill_index(self, entries: Entries) -> None:
        for statement, rows in zip(upsert.INDEX_OF_POSTGRES, entries.by_table(), strict=True):
            if rows:
                columns = [list(column) for column in zip(*rows, strict=True)]
                self._cursor.execute(statement, columns)

    def touch(self) -> None:
        self._cursor.execute(_TOUCH)

    def commit(self) -> None:
        self._driver.commit()

    def interrupt(self) -> None:
        interrupt(self._driver)

    def release_memory(self) -> None:
        """They are kept by the database."""

    def abandon(self) -> None:
        self._pooled.invalidate()

    def close(self) -> None:
        self._pooled.close()


class LonePostgresConnection(PostgresConnection):
    """The same where nobody else writes nor removes: there is nobody to wait for."""

    def begin(self) -> int:
        row = self._cursor.execute("SELECT generation FROM store_state").fetchone()
        assert row is not None
        return int(row[0])


class BulkPostgresConnection(PostgresConnection):
    """The same for many thousand rows: streamed into a table of the session, then merged at once.

    A parameter holds at most 1 GB, and all of it twice in memory; a stream has no end.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._staged: set[str] = set()

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        if relation not in self._staged:
            self._cursor.execute(upsert.staging(relation))
            self._staged.add(relation)
        with self._cursor.copy(upsert.copy_to_staging(relation)) as copy:
            copy.set_types(upsert.postgres_types(relation))
            for row in rows:
                copy.write_row(row)
        self._cursor.execute(upsert.from_staging(relation))
