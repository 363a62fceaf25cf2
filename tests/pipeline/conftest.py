"""A lake, and stores that are carried on into it: SQLite always, PostgreSQL where it runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.pipeline.lake.lake import Lake
from headwater.store.write.writer import open_writer
from testing.stores import prepare_sqlite
from tests.store.stores import Store, open_store


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake that nobody has written to: its folder is not there yet."""
    return Lake(tmp_path / "files" / "lake")


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """An empty store of this test alone, in SQLite."""
    return prepare_sqlite(f"sqlite:///{tmp_path / 'store.db'}")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of this test alone, on each database; what is written to it waits."""
    with open_store(str(request.getfixturevalue(f"{request.param}_url"))) as store:
        store.writer = open_writer(store.engine, notes_for_lake=True)
        yield store
