"""What `headwater.spark` costs the program that it runs in."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from headwater.pipeline.spark.java import find_java
from testing.services.headwater import Headwater

PATIENCE_SECONDS = 300.0


def spark_listening(client: Client) -> list[Figure]:
    """A program with a stream that is told of, and a plan that is read; a server beside it."""
    with (
        tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder,
        Headwater.start() as server,
        process.meter() as reading,
    ):
        told = _run(Path(folder), server.url)
    print(f"  CPU-s of a stream: Python {told['python']:.2f}, with the JVM's threads that serve it"
          f" {told['ours']:.2f}, the JVM {told['jvm']:.2f}", flush=True)  # fmt: skip

    def sample(value: float) -> list[Sample]:
        return [Sample(value, reading.steal)]

    return [
        Figure("a Spark stream of 20,000 rows/s reported while it runs, to the CPU of its JVM", "%",
               sample(100 * told["ours"] / told["jvm"]), limit=2),
        Figure("the same, memory of the program", "MB", sample(told["memory"]), limit=50),
        Figure("a Spark plan of 500 columns and 20 joins, read the first time, with the JVM",
               "CPU-s", sample(told["cold"]), limit=1),
        Figure("the same, read again", "CPU-s", sample(told["warm"])),
    ]  # fmt: skip


def _run(folder: Path, url: str) -> dict[str, Any]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(process.ROOT),
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    command = [sys.executable, "-m", "bench.spark_job", str(folder), url]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the program failed: {done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told
