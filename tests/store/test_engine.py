"""Connections of a store: those that nobody uses can be let go of."""

from typing import Any

from sqlalchemy import Engine, text

from headwater.store.engine import release_idle


def test_idle_connections_of_sqlite_are_closed(engine: Engine) -> None:
    """They keep pages in this process; those of PostgreSQL are dear to open and keep nothing."""
    with engine.connect() as first, engine.connect() as second:
        for connection in (first, second):
            connection.execute(text("SELECT 1"))
    pool: Any = engine.pool
    assert pool.checkedin() >= 2
    with engine.connect() as used:
        release_idle(engine)
        pool = engine.pool
        assert (pool.checkedin() == 0) is (engine.dialect.name == "sqlite")
        assert used.execute(text("SELECT 2")).scalar() == 2
    with engine.connect() as again:
        assert again.execute(text("SELECT lower('Ä')")).scalar() == "ä"
