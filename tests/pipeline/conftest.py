"""A lake, and stores that are carried on into it: SQLite always, PostgreSQL where it runs."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.config import SparkSettings
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.spark.session import KAFKA, session
from headwater.store.writer import open_writer
from tests.store.stores import Store, open_store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake that nobody has written to: its folder is not there yet."""
    return Lake(tmp_path / "files" / "lake")


@pytest.fixture
def sqlite_url(empty_sqlite: Path, tmp_path: Path) -> str:
    """An empty store of this test alone, in SQLite."""
    shutil.copy(empty_sqlite, tmp_path / "store.db")
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An empty store of this test alone, on each database; what is written to it waits."""
    with open_store(str(request.getfixturevalue(f"{request.param}_url"))) as store:
        store.writer = open_writer(store.engine, fills_outbox=True)
        yield store


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """One Spark session for the whole test run, with what reads and writes Kafka."""
    settings = SparkSettings(master="local[2]")
    with session(settings, "tests", [KAFKA], folder=tmp_path_factory.mktemp("data")) as spark:
        yield spark
