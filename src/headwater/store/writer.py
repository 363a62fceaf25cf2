"""Writing facts: one transaction for many events, merged by the database itself."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Protocol

import psycopg
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from headwater.errors import StoreUnavailable
from headwater.model.facts import Facts, content_rows, name_row
from headwater.model.memo import Memo
from headwater.model.merge import CATALOG, Merged, Row
from headwater.store import upsert
from headwater.store.packing import pack

# A digest weighs little; this remembers some hundred thousand.
_REMEMBERED_BYTES = 64_000_000
_RETRIES = 5
# Rows of one SQLite statement: each statement gives other threads a turn, and takes one back.
_ROWS_AT_ONCE = 32

_REFUSALS = (
    psycopg.DataError,
    psycopg.IntegrityError,
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)

_PACKED = {
    name: tuple(index for index, column in enumerate(relation.columns) if column.is_packed)
    for name, relation in CATALOG.items()
}


class Connection(Protocol):
    """What a database must do for a writer."""

    def begin(self) -> int:
        """Begin to write, and read the generation within the transaction."""

    def upsert(self, relation: str, rows: Sequence[Row]) -> None: ...

    def commit(self) -> None: ...

    def abandon(self) -> None:
        """Undo what was not committed, and let go of a connection that may be broken."""

    def close(self) -> None: ...


class Writer:
    """Writes facts in groups. Not for several threads at once."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        # Ids of names and digests of content known to be stored, as of one generation.
        self._stored: Memo[bool] = Memo(_REMEMBERED_BYTES)
        self._generation: int | None = None

    def write(self, facts: Sequence[Facts]) -> None:
        """Store all or nothing; returns once it is durable."""
        for attempt in range(_RETRIES):
            try:
                return self._write(facts)
            except psycopg.errors.DeadlockDetected:
                self._abandon()
                if attempt == _RETRIES - 1:
                    raise StoreUnavailable("the store is contended; try again") from None
            except (psycopg.Error, sqlite3.Error, DBAPIError) as error:
                self._abandon()
                if _is_refusal(error):
                    raise
                raise StoreUnavailable(f"the store cannot be written: {error}") from error
            except BaseException:
                self._abandon()
                raise
        return None

    def _write(self, facts: Sequence[Facts]) -> None:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        self._remember_for(connection.begin())
        merged, new_ids = self._merge(facts)
        for name in CATALOG:
            if merged.rows[name]:
                connection.upsert(name, _packed(name, merged.sorted_rows(name)))
        connection.commit()
        for id in new_ids:
            self._stored.put(id, True)

    def _merge(self, facts: Sequence[Facts]) -> tuple[Merged, Iterable[bytes]]:
        merged = Merged()
        names, contents = {}, {}
        for stated in facts:
            merged.add(stated.rows)
            names.update(stated.names)
            contents.update(stated.contents)
        new_names = [id for id in names if self._stored.get(id) is None]
        merged.add_rows("dataset", [name_row(names[id]) for id in new_names])
        new_contents = [digest for digest in contents if self._stored.get(digest) is None]
        for digest in new_contents:
            merged.add(content_rows(contents[digest]))
        return merged, (*new_names, *new_contents)

    def _remember_for(self, generation: int) -> None:
        if generation != self._generation:
            self._stored.clear()
            self._generation = generation

    def _abandon(self) -> None:
        """Give up the connection: whatever state it is in, the next write starts anew."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abandon()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _is_refusal(error: Exception) -> bool:
    """Tell whether something is wrong with the rows, not with the store."""
    # Without a state of the server's, its driver did not get as far as asking it.
    is_unasked = isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None
    return isinstance(error, _REFUSALS) or is_unasked


def _packed(name: str, rows: Sequence[Row]) -> Sequence[Row]:
    indexes = _PACKED[name]
    if not indexes:
        return rows
    packed = []
    for row in rows:
        values = list(row)
        for index in indexes:
            values[index] = pack(values[index])
        packed.append(tuple(values))
    return packed


class SqliteConnection:
    """A connection of the SQLite driver, writing."""

    def __init__(self, engine: Engine) -> None:
        self._pooled = engine.raw_connection()
        driver = self._pooled.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._driver = driver

    def begin(self) -> int:
        self._driver.execute("BEGIN IMMEDIATE")
        (generation,) = self._driver.execute("SELECT generation FROM store_state").fetchone()
        return int(generation)

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            statement = upsert.for_sqlite(relation, len(part))
            self._driver.execute(statement, list(chain.from_iterable(part)))

    def commit(self) -> None:
        self._driver.execute("COMMIT")

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
        assert isinstance(driver, psycopg.Connection)
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

    def commit(self) -> None:
        self._driver.commit()

    def abandon(self) -> None:
        self._pooled.invalidate()

    def close(self) -> None:
        self._pooled.close()


def open_writer(engine: Engine) -> Writer:
    """Make the writer for a store."""
    if engine.dialect.name == "sqlite":
        return Writer(lambda: SqliteConnection(engine))
    return Writer(lambda: PostgresConnection(engine))
