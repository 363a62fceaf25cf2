"""The stores that tests run on: SQLite always, PostgreSQL among the integration tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from testing.stores import prepare_sqlite


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)],
)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of this test alone, on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def empty_engine(store_url: str) -> Iterator[Engine]:
    """A store without tables."""
    engine = open_engine(store_url)
    yield engine
    engine.dispose()


@pytest.fixture
def engine(empty_engine: Engine, store_url: str) -> Engine:
    """A store with this version's tables."""
    prepare_sqlite(store_url)
    upgrade(empty_engine)
    return empty_engine
