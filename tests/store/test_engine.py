"""Connections of a store: those that nobody uses can be let go of."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from headwater.store import engine as store_engine
from headwater.store.engine import release_idle
from tests.store.stores import opened


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


def test_commits_wait_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As shipped: the process of the tests alone does not wait."""
    as_shipped = runpy.run_path(str(store_engine.__file__))["SYNCHRONOUS"]
    monkeypatch.setattr(store_engine, "SYNCHRONOUS", as_shipped)
    with opened(f"sqlite:///{tmp_path / 'store.db'}") as engine, engine.connect() as connection:
        # FULL, by SQLite's number.
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
