"""A user's Spark program that tells its lineage, and measures what that costs it.

python -m bench.spark_job FOLDER URL
"""

import json
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

ROWS_A_SECOND = 20_000
BEFORE_SECONDS = 5.0
SECONDS = 20.5
JOINS = 20
COLUMNS_OF_A_TABLE = 25
WARM_READINGS = 5
PATIENCE_SECONDS = 60.0

# The JVM's threads that speak with Python, and those that call listeners.
_OURS = re.compile(r"Thread-\d+|spark-listener-group-(streams|shared)")


def main(folder: Path, url: str) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("bench")
    builder = builder.config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    told = {**measure_stream(spark, folder, url), **measure_plan(spark, folder)}
    spark.stop()
    print(json.dumps(told))


class Cpu(NamedTuple):
    """CPU seconds so far: of Python, of the JVM's threads that work for it, and of the JVM.

    The main thread, which does nothing but measure, is left out on both sides.
    """

    python: float
    threads: float
    jvm: float


def measure_stream(spark: "SparkSession", folder: Path, url: str) -> dict[str, float]:
    """The same stream twice: before anybody listens, and while it is told of."""
    query = start_stream(spark, folder / "before")
    time.sleep(BEFORE_SECONDS)
    query.stop()
    memory = psutil.Process().memory_info().rss

    import headwater.spark

    listening = headwater.spark.listen(spark, url)
    query = start_stream(spark, folder / "told")
    # Its plan is read once, which is measured by itself.
    wait_for(lambda: listening.sent > 0)
    began = read_cpu(spark)
    time.sleep(SECONDS)
    ended = read_cpu(spark)
    grown = psutil.Process().memory_info().rss - memory
    rows = sum(progress["numInputRows"] for progress in query.recentProgress)
    query.stop()
    listening.close()
    if listening.sent < SECONDS / 10 or rows < 0.5 * ROWS_A_SECOND * SECONDS:
        raise SystemExit(f"{rows} rows were read and {listening.sent} events sent: too few")
    python, threads, jvm = (end - begin for begin, end in zip(began, ended, strict=True))
    return {"ours": python + threads, "python": python, "jvm": jvm, "memory": grown / 1e6}


def start_stream(spark: "SparkSession", folder: Path) -> "StreamingQuery":
    rate = spark.readStream.format("rate").option("rowsPerSecond", ROWS_A_SECOND).load()
    frame = rate.filter("value % 10 <> 0").selectExpr(
        "value AS id", "timestamp AS at", "value % 100 AS supplier", "value * 1.19 AS price"
    )
    writer = frame.writeStream.queryName(folder.name).format("parquet")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.start(str(folder / "out"))


def read_cpu(spark: "SparkSession") -> Cpu:
    context: Any = spark.sparkContext
    times = psutil.Process(context._gateway.proc.pid).cpu_times()
    python = time.process_time() - time.thread_time()
    bean = context._jvm.java.lang.management.ManagementFactory.getThreadMXBean()
    threads = -bean.getCurrentThreadCpuTime()
    for id in bean.getAllThreadIds():
        info = bean.getThreadInfo(id)
        if info is not None and _OURS.fullmatch(str(info.getThreadName())):
            threads += bean.getThreadCpuTime(id)
    return Cpu(python, threads / 1e9, times.user + times.system)


def measure_plan(spark: "SparkSession", folder: Path) -> dict[str, Any]:
    """Read a plan as a stream's is read: the first time in a program, and when it is warm."""
    from headwater.spark.plan_lineage import AnalysedPlan

    frame = join_tables(spark, folder)
    query = frame.writeStream.format("noop").start()
    java: Any = query
    plan = wait_for_plan(java._jsq.streamingQuery())

    def read() -> None:
        (written,) = AnalysedPlan(plan, "plan").lineage().outputs
        if len(written.fields) != JOINS * COLUMNS_OF_A_TABLE:
            raise SystemExit(f"{len(written.fields)} columns were read")

    readings = [measure_call(spark, read) for _ in range(1 + WARM_READINGS)]
    query.stop()
    return {"cold": readings[0], "warm": median(readings[1:])}


def join_tables(spark: "SparkSession", folder: Path) -> "DataFrame":
    """A stream joined with tables, of all of whose columns new ones are made."""
    frame = spark.readStream.format("rate").load()
    columns: list[str] = []
    for table in range(JOINS):
        names = [f"t{table}_c{column}" for column in range(COLUMNS_OF_A_TABLE)]
        place = str(folder / f"table{table}")
        spark.range(3).selectExpr(*(f"id AS {name}" for name in names)).write.parquet(place)
        read = spark.read.parquet(place)
        frame = frame.join(read, frame.value == read[names[0]], "left")
        columns += [f"coalesce({name}, value) + 1 AS {name}_of_stream" for name in names]
    return frame.selectExpr(*columns)


def wait_for_plan(execution: Any) -> Any:
    found: list[Any] = []

    def is_there() -> bool:
        with suppress(Exception):
            found.append(execution.logicalPlan())
        return bool(found)

    wait_for(is_there)
    return found[0]


def wait_for(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > give_up:
            raise SystemExit("the stream does not get going")
        time.sleep(0.1)


def measure_call(spark: "SparkSession", call: Callable[[], object]) -> float:
    """CPU seconds of this thread and of the one in the JVM that answers it."""
    context: Any = spark.sparkContext
    bean = context._jvm.java.lang.management.ManagementFactory.getThreadMXBean()
    java, python = bean.getCurrentThreadCpuTime(), time.thread_time()
    call()
    python = time.thread_time() - python
    return float(python + (bean.getCurrentThreadCpuTime() - java) / 1e9)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
