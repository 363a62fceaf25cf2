"""Fixtures that several folders of tests share: the real services, and an empty store."""

import gc
import os
import ssl
import sys
import uuid
from collections.abc import Generator, Iterator
from functools import cache
from typing import TYPE_CHECKING

import httpcore2
import hypothesis
import pytest
from xdist.remote import Producer

from headwater.config import SparkSettings
from headwater.store import engine
from testing.services import delta, hive, iceberg
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.services.postgresql import PostgreSQL
from tests.suite.failed_fixtures import FailedFixtures
from tests.suite.groups import GroupScheduling, order_tests
from tests.suite.signals import hear_ctrl_c

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# How long an example takes says how busy the machine is, not whether a property holds.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_configure(config: pytest.Config) -> None:
    # Before anything is started: workers and services take this over.
    hear_ctrl_c()
    # Some machines keep Python from storing compiled files: every process of a run, of which there
    # are hundreds, would compile all anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    share_trust()
    # Of stores that this process opens; servers and commands wait for the disk as always.
    engine.SYNCHRONOUS = "OFF"
    config.pluginmanager.register(FailedFixtures())
    # Of every Spark that a test starts: with the quick compiler and the plain collector its start
    # costs less than half. Spark itself reads these variables, and prints nothing about them.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", QUICK_JAVA)
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", QUICK_JAVA)


def share_trust() -> None:
    """Read the certificates of all authorities once; every client of HTTP would."""
    read = httpcore2.default_ssl_context

    @cache
    def read_once(options: frozenset[tuple[str, bool]], *_: str | None) -> ssl.SSLContext:
        return read(**dict(options))

    def share(**options: bool) -> ssl.SSLContext:
        variables = (os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
        return read_once(frozenset(options.items()), *variables)

    httpcore2.default_ssl_context = share


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what is collected here, as `headwater serve` does.

    So many objects belong to the tests that each full pass over them takes a tenth of a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties are tried on very many examples: that is not quick."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("slow")
    order_tests(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    return GroupScheduling(config, log)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """One PostgreSQL cluster for the whole test run."""
    with PostgreSQL.start() as service:
        yield service


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> Iterator[str]:
    """A database of this test alone."""
    database = f"test_{uuid.uuid4().hex}"
    yield postgresql.url(database)
    postgresql.drop(database)


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    """One Kafka broker for the whole test run; a test creates topics of its own."""
    with Kafka.start() as service:
        yield service


@pytest.fixture(scope="session")
def headwater_server() -> Iterator[Headwater]:
    """One server on SQLite for the whole test run."""
    with Headwater.start() as service:
        yield service


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """One Spark session for the whole test run: Kafka, JDBC, Delta, Hive; Iceberg is `lake`."""
    from headwater.pipeline.spark.packages import AVRO, DELTA, ICEBERG, KAFKA, POSTGRESQL
    from headwater.pipeline.spark.session import session

    conf = iceberg.catalog_conf(tmp_path_factory.mktemp("warehouse"))
    # Sessions that want Delta's catalog are made from this one, with `delta.new_session`.
    conf["spark.sql.extensions"] += f",{delta.EXTENSION}"
    conf["spark.sql.warehouse.dir"] = str(tmp_path_factory.mktemp("tables"))
    metastore = tmp_path_factory.mktemp("metastore")
    conf |= hive.catalog_conf(metastore)
    # Deep plans among the tests would be more than Spark itself can go down, by its usual stack.
    conf["spark.driver.extraJavaOptions"] = f"-Xss8m {hive.log_option(metastore)}"
    # Of a few rows, 200 partitions would be 200 tasks and as many files of state.
    conf["spark.sql.shuffle.partitions"] = "2"
    settings = SparkSettings(master="local[2]", conf=conf)
    needs = [KAFKA, AVRO, ICEBERG, DELTA, POSTGRESQL]
    with session(settings, "tests", needs, folder=tmp_path_factory.mktemp("data")) as spark:
        yield spark
