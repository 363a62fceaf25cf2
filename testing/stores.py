"""Empty stores in SQLite: copies of one, as an upgrade takes a tenth of a second."""

import tempfile
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Table, make_url

from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade


def prepare_sqlite(url: str) -> str:
    """Put an empty store of this version where the URL names a file that is not there yet.

    Returns the URL. Other databases, and files that exist, stay as they are.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        file = Path(parsed.database)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(_empty_store())
    return url


@cache
def _empty_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        engine = open_engine(f"sqlite:///{file}")
        upgrade(engine)
        engine.dispose()
        return file.read_bytes()


def empty_tables(engine: Engine, emptied: Iterable[Table]) -> None:
    """Remove all rows, as something that prunes would: writers must not count on them.

    In one call of the driver: tests do this thousands of times.
    """
    statements = [f'DELETE FROM "{table.name}"' for table in emptied]
    statements.append("UPDATE store_state SET generation = generation + 1")
    if engine.dialect.name == "sqlite":
        statements = ["BEGIN IMMEDIATE", *statements, "COMMIT"]
        with closing(engine.raw_connection()) as pooled:
            driver: Any = pooled.driver_connection
            driver.executescript(";".join(statements))
    else:
        with engine.begin() as connection:
            connection.exec_driver_sql(";".join(statements))


def open_prepared(url: str) -> Engine:
    """Open a store that has the tables of this version."""
    engine = open_engine(prepare_sqlite(url))
    upgrade(engine)
    return engine
