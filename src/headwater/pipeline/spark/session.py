"""Spark sessions: one at a time in a process, on this machine or on a cluster.

On a cluster, executors get this package as a zip. What it depends on (msgspec, zstandard, pyarrow,
psycopg, sqlalchemy) has to be there: either `spark.python` names a Python that has it all, the same
on every machine, or `spark.archive` names an environment that was packed with venv-pack or
conda-pack, on a machine like those of the cluster:

    pip install 'headwater[all]' venv-pack && venv-pack -o headwater.tar.gz

    [spark]
    master = "spark://master:7077"
    archive = "headwater.tar.gz"
"""

import logging
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headwater.config import SparkSettings, variables_set
from headwater.errors import HeadwaterError, SparkUnavailable
from headwater.extras import require
from headwater.pipeline.spark.conf import (
    are_executors_apart,
    check_master,
    make_conf,
    python_of_executors,
    split_secrets,
)
from headwater.pipeline.spark.jars import replace_packages
from headwater.pipeline.spark.java import find_java
from headwater.pipeline.spark.jvm import Jvm, find_cause
from headwater.pipeline.spark.scratch import Scratch
from headwater.pipeline.spark.shipping import zip_package

# It takes nearly a second to load, which no other command has to wait for.
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

_END_SECONDS = 2.0

Notify = Callable[[str], None]


class _Open(NamedTuple):
    """What belongs to the session that is open, and ends with it."""

    jvm: Jvm
    scratch: Scratch


_open: _Open | None = None


@contextmanager
def session(
    settings: SparkSettings,
    name: str,
    needs: Collection[str] = (),
    *,
    folder: Path | None = None,
    notify: Notify = log.info,
    verbose: bool = False,
) -> Iterator["SparkSession"]:
    """A session that ends with the block, and its JVM with it; as `open_session` otherwise.

    Errors of Spark's that nobody handles in the block leave it as ours: the text of theirs is in
    the JVM, and gone with it.
    """
    spark = open_session(settings, name, needs, folder=folder, notify=notify, verbose=verbose)
    try:
        with errors_as_ours():
            yield spark
    finally:
        close_session(spark)


@contextmanager
def errors_as_ours() -> Iterator[None]:
    """Have Spark's errors leave the block as SparkUnavailable: its JVM may have ended."""
    try:
        yield
    except HeadwaterError:
        raise
    except Exception as error:
        _raise_as_ours(error)
        raise


def has_ended() -> bool:
    """Whether the JVM of the session that is open has ended by itself, or none is open."""
    return _open is None or _open.jvm.has_ended()


def open_session(
    settings: SparkSettings,
    name: str,
    needs: Collection[str] = (),
    *,
    folder: Path | None = None,
    notify: Notify = log.info,
    verbose: bool = False,
) -> "SparkSession":
    """Start Spark, for `close_session` to end.

    `needs` are packages, such as `packages.KAFKA`, fetched once. Scratch files go into `spark` in
    `folder`, which is the data folder, or where the system has its temporary ones. What takes long
    is reported; what Spark says, only if `verbose`.
    """
    global _open
    require("spark")
    if _open is not None:
        raise SparkUnavailable("this process already has a Spark session")
    java = find_java()
    check_master(settings.master)
    scratch = Scratch(None if folder is None else folder / "spark")
    try:
        conf = make_conf(settings, name, needs, scratch.path, verbose)
        conf = replace_packages(conf, java, notify)
        with variables_set(**_variables(settings.master, java.home, python_of_executors(settings))):
            jvm, spark = _start(conf, scratch.path, verbose)
    except BaseException:
        scratch.close()
        raise
    _open = _Open(jvm, scratch)
    return spark


def close_session(spark: "SparkSession") -> None:
    """End a session and its JVM, so that the next one may have other settings."""
    global _open
    ended, _open = _open, None
    if ended is None:
        return
    ended.jvm.output.passes_on = False
    # Nothing is lost with a session that cannot be ended in order: its JVM goes as well.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        spark.stop()
    _forget()
    ended.jvm.close()
    ended.scratch.close()


def _variables(master: str, java: Path, python: str) -> dict[str, str]:
    variables = {
        "JAVA_HOME": str(java),
        "PYSPARK_PYTHON": python,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    if master.startswith("local"):
        variables["SPARK_LOCAL_IP"] = "127.0.0.1"
    return variables


def _start(conf: Mapping[str, str], scratch: Path, verbose: bool) -> tuple[Jvm, "SparkSession"]:
    public, secret = split_secrets(conf)
    jvm = Jvm(public, scratch, verbose)
    try:
        spark = _connect(jvm, secret)
        if are_executors_apart(conf["spark.master"]):
            spark.sparkContext.addPyFile(str(zip_package(scratch / "headwater.zip")))
    except BaseException as error:
        _forget()
        reason = find_cause(error)
        jvm.close()
        if isinstance(error, Exception):
            raise SparkUnavailable(f"Spark does not start: {reason}") from error
        raise
    jvm.output.passes_on = True
    return jvm, spark


def _connect(jvm: Jvm, secret: Mapping[str, str]) -> "SparkSession":
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    # The others are in force in the JVM, where packages have been added to them.
    conf = SparkConf(loadDefaults=False).setAll(list(secret.items()))
    with _signals_kept():
        SparkContext(conf=conf, gateway=jvm.gateway)
    return SparkSession.builder.getOrCreate()


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Keep Ctrl-C what it was: Spark would have it for ever, also once its session has ended."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _raise_as_ours(error: Exception) -> None:
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    # A connection breaks a little before the process is seen to be gone.
    patience = _END_SECONDS if isinstance(error, Py4JNetworkError | ConnectionError) else 0
    if _open is not None and _open.jvm.has_ended(patience):
        raise SparkUnavailable(f"Spark ended unexpectedly: {_open.jvm.last_words}") from None
    if isinstance(error, PySparkException | Py4JError):
        log.debug("Spark failed: %s", error)
        raise SparkUnavailable(f"Spark failed: {find_cause(error)}") from None


def _forget() -> None:
    """Have pyspark begin anew: it would go on with this JVM, and after a crash not go on at all."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
