"""Programs that start Spark by themselves, for tests to run: a process has one session at a time.

python -m tests.pipeline.spark_programs NAME ARGUMENT...
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa

from headwater.config import SparkSettings
from headwater.errors import HeadwaterError
from headwater.pipeline.spark.packages import KAFKA
from headwater.pipeline.spark.session import session

ROOT = Path(__file__).parents[2]
# Several times what a quiet machine takes.
SECONDS = 300


def run(
    name: str, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program of this module in a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.pipeline.spark_programs", name, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def path_without_java(folder: Path) -> str:
    """A PATH with all programs of this machine but Java."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if not program.name.startswith("java") and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def two_sessions(folder: str) -> None:
    """Write to a relative path, and start Spark once more with other settings."""
    with session(SparkSettings(master="local[2]"), "one", [KAFKA], folder=Path(folder)) as spark:
        spark.range(5).write.parquet("written")
        spark.range(5).write.saveAsTable("table_of_the_session")
        print(spark.conf.get("spark.app.name"), spark.conf.get("spark.sql.session.timeZone"))
    settings = SparkSettings(
        master="local[1]",
        driver_memory="600m",
        conf={"spark.ui.enabled": "false", "spark.hadoop.a.password": "hidden"},
    )
    with session(settings, "two", folder=Path(folder)) as spark:
        context: Any = spark.sparkContext
        command = Path(f"/proc/{context._gateway.proc.pid}/cmdline").read_text()
        print(context.appName, context.master, "-Xmx600m" in command, "hidden" in command)
        print(context.getConf().get("spark.hadoop.a.password"))


def on_a_cluster(archive: str) -> None:
    """Pack and unpack in executors, and tell where they have this package and Python from."""

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os

        import pyarrow

        from headwater.store.write import packing

        for _ in batches:
            value = b"schemaURL" * 100
            packed = packing.pack(value)
            row = {
                "file": [packing.__file__],
                "is_right": [packing.unpack(packed) == value and len(packed) < 100],
                "origin": [os.environ.get("HEADWATER_TEST_ORIGIN", "")],
                "process": [os.getppid()],
            }
            yield pyarrow.RecordBatch.from_pydict(row)

    settings = SparkSettings(master="local-cluster[2,1,1024]", archive=archive)
    with session(settings, "cluster") as spark:
        schema = "file string, is_right boolean, origin string, process long"
        rows = spark.range(8, numPartitions=8).mapInArrow(pack, schema).collect()
        for file, is_right, origin in {row[:3] for row in rows}:
            print(file, is_right, origin)


def failures(step: str) -> None:
    """Fail in one way or another, and tell as the command line does."""
    settings, needs = SparkSettings(master="local[2]"), list[str]()
    if step == "package":
        needs = ["org.apache.spark:no-such-thing_2.13:1.0"]
    elif step == "master":
        settings = SparkSettings(master="nowhere")
    elif step == "memory":
        settings = SparkSettings(driver_memory="9999t")
    try:
        with session(settings, "failing", needs) as spark:
            _fail(spark, step)
    except HeadwaterError as error:
        print(type(error).__name__, error.message)
    except KeyboardInterrupt:
        print("interrupted")


def _fail(spark: Any, step: str) -> None:
    def wait(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        for batch in batches:
            time.sleep(60)
            yield batch

    def stumble(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("no good")

    (java,) = (child for child in psutil.Process().children() if child.name() == "java")
    if step == "killed":
        threading.Timer(3, java.kill).start()
    elif step == "interrupted":
        threading.Timer(3, os.kill, (os.getpid(), signal.SIGINT)).start()
    work = stumble if step == "worker" else wait
    spark.range(2).mapInArrow(work, "id long").count()


def java_version() -> None:
    """Tell which Java Spark runs on."""
    with session(SparkSettings(master="local[1]"), "java") as spark:
        jvm: Any = spark.sparkContext._jvm
        print(
            spark.range(5).count(), jvm.java.lang.System.getProperty("java.specification.version")
        )


def imports() -> None:
    """Tell whether Spark was loaded by the modules that start it."""
    print("pyspark" in sys.modules)


PROGRAMS: Sequence[Callable[..., None]] = (
    two_sessions,
    on_a_cluster,
    failures,
    java_version,
    imports,
)

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    next(program for program in PROGRAMS if program.__name__ == name)(*arguments)
