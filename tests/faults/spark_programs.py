"""Programs of a user who listens to the streams of a Spark of their own, for tests to run and end.

python -m tests.faults.spark_programs NAME FOLDER URL...
"""

import atexit
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx2
import psutil

import headwater.spark
from headwater.emit.sender import Sender, http_post
from headwater.pipeline.spark.java import find_java
from headwater.spark import LineageListener, query_tracker
from testing.services.process import Process, bound_command
from testing.wait import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

ROOT = Path(__file__).parents[2]
# Several times what a quiet machine takes.
SECONDS = 300.0
ORDERS = "id int, price double, supplier string"


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        # A free port for the server of Spark Connect, in place of the usual one.
        "SPARK_TESTING": "1",
    }


def run(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    command = [sys.executable, "-m", "tests.faults.spark_programs", name, str(folder), *arguments]
    return subprocess.run(
        bound_command(command, signal.SIGKILL),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


class SparkProgram(Process):
    """A program that runs until it is ended; it is ready once its stream was told of."""

    name = "spark"
    start_seconds = SECONDS

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__()
        self._arguments = arguments

    @classmethod
    def start(cls, name: str, folder: Path, *arguments: str) -> Self:
        program = cls([name, str(folder), *arguments])
        try:
            program.launch()
        except BaseException:
            program.close()
            raise
        return program

    def command(self) -> Sequence[str]:
        return [sys.executable, "-m", "tests.faults.spark_programs", *self._arguments]

    def environment(self) -> dict[str, str]:
        return environment()

    def is_ready(self) -> bool:
        return "the stream was told of" in self.log()


def session() -> "SparkSession":
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("shop")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def fill(folder: Path) -> None:
    """Orders to read."""
    (folder / "orders").mkdir(exist_ok=True)
    order = json.dumps({"id": 1, "price": 2.5, "supplier": "a"})
    (folder / "orders" / f"{time.time_ns()}.json").write_text(f"{order}\n" * 3)


def start(
    spark: "SparkSession", folder: Path, total: str = "price * 2", target: str = "totals"
) -> "StreamingQuery":
    fill(folder)
    frame = spark.readStream.schema(ORDERS).json(str(folder / "orders"))
    writer = frame.selectExpr("id", f"{total} AS total").writeStream.queryName("totals")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.format("parquet").start(str(folder / target))


def wait_for_listeners(listening: LineageListener, events: int) -> None:
    wait_until(lambda: listening.sent >= events, seconds=SECONDS)


def stop_the_session(folder: Path, url: str) -> None:
    """End the session while its stream runs."""
    spark = session()
    listening = headwater.spark.listen(spark, url)
    start(spark, folder).processAllAvailable()
    wait_for_listeners(listening, 2)
    spark.stop()


def just_end(folder: Path, url: str) -> None:
    """End the program while its stream runs."""
    spark = session()
    listening = headwater.spark.listen(spark, url)
    start(spark, folder).processAllAvailable()
    wait_for_listeners(listening, 2)


def go_on(folder: Path, url: str, total: str, target: str) -> None:
    """Go on until the end comes from outside."""
    query_tracker.HEARTBEAT_SECONDS = 0.0
    spark = session()
    listening = headwater.spark.listen(spark, url)
    query = start(spark, folder, total, target)
    query.processAllAvailable()
    # The start of the application, that of the stream, and a batch.
    wait_for_listeners(listening, 3)
    print("the stream was told of", flush=True)
    query.awaitTermination()


def tell_many(folder: Path, *urls: str) -> None:
    """Tell many servers, whatever these make of it, of a stream that reads ten files."""
    query_tracker.HEARTBEAT_SECONDS = 0.0
    spark = session()
    # A session has one of these in all, but where it is made to have more.
    listening = [LineageListener(spark, Sender(http_post(url)), "shop") for url in urls]
    query = start(spark, folder)
    for _ in range(9):
        fill(folder)
        query.processAllAvailable()
    rows = spark.read.parquet(str(folder / "totals")).count()
    query.stop()
    with ThreadPoolExecutor(len(listening)) as together:
        list(together.map(LineageListener.close, listening))
    counts = [{"sent": each.sent, "dropped": each.dropped} for each in listening]
    print(json.dumps({"rows": rows, "servers": counts}))


def tell_nobody_for_long(folder: Path, url: str, batches: str) -> None:
    """Tell a server that is away of batch after batch."""
    query_tracker.HEARTBEAT_SECONDS = 0.0
    spark = session()
    listening = headwater.spark.listen(spark, url)
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
    writer = rate.writeStream.format("noop").option("checkpointLocation", str(folder / "c"))
    query = writer.start()
    memory = []
    for share in (0.2, 1.0):
        while (last := query.lastProgress) is None or last["batchId"] < share * int(batches):
            time.sleep(0.1)
        memory.append(psutil.Process().memory_info().rss)
    query.stop()
    listening.close()
    grown = (memory[1] - memory[0]) / 1e6
    print(json.dumps({"grown": grown, "sent": listening.sent, "dropped": listening.dropped}))


def end_while_away(folder: Path, url: str, is_stopped: str) -> None:
    """End with events that no server takes; tells for how long they were waited for."""
    spark = session()
    began: list[float] = []
    # Those that are registered last are called first: the listener's comes in between.
    atexit.register(lambda: print(json.dumps({"seconds": time.monotonic() - began[0]}), flush=True))
    headwater.spark.listen(spark, url)
    atexit.register(lambda: began.append(time.monotonic()))
    start(spark, folder).processAllAvailable()
    for number in range(5):
        spark.range(3).write.json(str(folder / f"out{number}"))
    if is_stopped == "stopped":
        spark.stop()


def over_connect(folder: Path, url: str) -> None:
    """Streams of a session over Spark Connect; none is stopped by its end."""
    from pyspark.sql import SparkSession

    query_tracker.HEARTBEAT_SECONDS = 0.0
    spark = SparkSession.builder.remote("local[2]").appName("remote").getOrCreate()
    listening = headwater.spark.listen(spark, url)
    start(spark, folder).processAllAvailable()
    wait_for_listeners(listening, 2)
    frame = spark.readStream.schema(ORDERS).json(str(folder / "orders"))
    broken = frame.selectExpr("raise_error('no such price') AS x").writeStream.queryName("broken")
    broken.format("noop").option("checkpointLocation", str(folder / "b")).start()
    rate = spark.readStream.format("rate").load().writeStream.queryName("rate")
    query = rate.format("noop").option("checkpointLocation", str(folder / "r")).start()
    while query.lastProgress is None:
        time.sleep(0.1)
    query.stop()
    # That it ended is a message of Spark's own, which a program that ends at once does not get.
    wait_until(lambda: "COMPLETE" in states_of(url, "rate"))


def states_of(url: str, job: str) -> list[str]:
    """The types of a job's events that a server has."""
    answer = httpx2.get(f"{url}/api/v1/events/lineage", params={"limit": 1_000}, trust_env=False)
    return [each["eventType"] for each in answer.json()["events"] if each["job"]["name"] == job]


PROGRAMS = {
    each.__name__: each
    for each in (
        stop_the_session,
        just_end,
        go_on,
        tell_many,
        tell_nobody_for_long,
        end_while_away,
        over_connect,
    )
}

if __name__ == "__main__":
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    name, folder, *arguments = sys.argv[1:]
    PROGRAMS[name](Path(folder), *arguments)
