"""Transactions that remove rows: alone with the store, short, and with room for writers between."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text, update

from headwater.model.merge import Row
from headwater.store.tables import store_state
from headwater.store.write import upsert
from headwater.store.write.connections import GENERATION_LOCK

# A writer of SQLite that found the store locked looks again after a tenth of a second at most.
_LONGEST_PAUSE = 0.1


@contextmanager
def removing(engine: Engine) -> Iterator[Connection]:
    """A transaction beside which nobody writes: what it reads is so until it commits."""
    started = time.monotonic()
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # An empty write, before anything is read, makes this the only writer.
            unchanged = {"generation": store_state.c.generation}
            connection.execute(update(store_state).values(unchanged))
        else:
            lock = text("SELECT pg_advisory_xact_lock(:lock)")
            connection.execute(lock, {"lock": GENERATION_LOCK})
        yield connection
    # Writers have as much of the time as this had.
    time.sleep(min(time.monotonic() - started, _LONGEST_PAUSE))


def change_generation(connection: Connection) -> None:
    """Tell writers that what they remember as stored may have gone."""
    connection.execute(update(store_state).values(generation=store_state.c.generation + 1))


def merge_rows(connection: Connection, relation: str, rows: Sequence[Row]) -> None:
    """Merge rows into a relation, as a writer does."""
    if connection.dialect.name == "sqlite":
        for row in rows:
            connection.exec_driver_sql(upsert.for_sqlite(relation), tuple(row))
    elif rows:
        columns = tuple(list(column) for column in zip(*rows, strict=True))
        connection.exec_driver_sql(upsert.for_postgres(relation), columns)
