"""A listener on the session of all tests, and a stream for it to listen to."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.emit.sender import Sender
from headwater.spark import query_tracker
from headwater.spark.listener import LineageListener
from testing.services import delta
from testing.services.postgresql import PostgreSQL
from tests.spark.observed import ObservedEvents

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ORDERS = "id int, price double, supplier string"


@pytest.fixture
def heard(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[ObservedEvents]:
    monkeypatch.setattr(query_tracker, "HEARTBEAT_SECONDS", 0.0)
    heard = ObservedEvents()
    listening = LineageListener(spark, Sender(heard.post), "tests")
    yield heard
    listening.close()


@pytest.fixture
def writes(spark: "SparkSession") -> Iterator[ObservedEvents]:
    """What a listener reports that listens to batch jobs as well."""
    heard = ObservedEvents()
    listening = LineageListener(spark, Sender(heard.post), "tests", batch=True)
    yield heard
    listening.close()


@pytest.fixture
def delta_session(spark: "SparkSession") -> "SparkSession":
    return delta.new_session(spark)


@pytest.fixture
def delta_writes(delta_session: "SparkSession") -> Iterator[ObservedEvents]:
    heard = ObservedEvents()
    listening = LineageListener(delta_session, Sender(heard.post), "tests", batch=True)
    yield heard
    listening.close()


@pytest.fixture
def jdbc(postgresql: PostgreSQL, postgresql_url: str) -> dict[str, str]:
    """The options of a database of this test alone."""
    address = postgresql_url.partition("@")[2]
    url = f"jdbc:postgresql://{address}"
    return {"url": url, "user": "postgres", "driver": "org.postgresql.Driver"}


@pytest.fixture
def orders(spark: "SparkSession", tmp_path: Path) -> "DataFrame":
    folder = tmp_path / "orders"
    folder.mkdir()
    (folder / "1.json").write_text('{"id": 1, "price": 2.5, "supplier": "a"}\n' * 3)
    return spark.readStream.schema(ORDERS).json(str(folder))
