"""Programs that say nothing of lineage: settings alone have it told."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from headwater.pipeline.spark.java import find_java
from testing.services.headwater import Headwater

pytestmark = pytest.mark.integration

PROGRAM = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("plain").getOrCreate()
SparkSession.builder.getOrCreate()
folder = sys.argv[1]
orders = spark.readStream.schema("id int").json(folder + "/orders")
query = orders.writeStream.queryName(sys.argv[2]).trigger(availableNow=True)
query.option("checkpointLocation", folder + "/checkpoint").start(folder + "/out").awaitTermination()
spark.stop()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "1.json").write_text('{"id": 1}\n')
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def run(command: list[str], **variables: str) -> None:
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        **variables,
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def runs(server: Headwater, namespace: str, job: str) -> list[dict[str, Any]]:
    url = f"{server.url}/api/v1/namespaces/{namespace}/jobs/{job}/runs"
    found: list[dict[str, Any]] = httpx2.get(url, trust_env=False).json()["runs"]
    return found


def states(server: Headwater, namespace: str, job: str) -> list[str]:
    return [each["state"] for each in runs(server, namespace, job)]


def options(settings: Mapping[str, str]) -> list[str]:
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


def test_submitted_with_settings(headwater_server: Headwater, program: Path) -> None:
    conf = {
        "spark.master": "local[1]",
        "spark.headwater.url": headwater_server.url,
        "spark.headwater.namespace": "submitted",
        "spark.openlineage.parentJobNamespace": "airflow",
        "spark.openlineage.parentJobName": "daily.load",
        "spark.openlineage.parentRunId": "01890000-0000-7000-8000-000000000001",
    }
    submit = str(Path(sys.executable).with_name("spark-submit"))
    run([submit, *options(conf), str(program), str(program.parent), "by-conf"])
    assert states(headwater_server, "submitted", "by-conf") == ["COMPLETED"]
    # What started the program is the parent of the application's run.
    (application,) = runs(headwater_server, "submitted", "plain")
    parent = application["facets"]["parent"]
    assert parent["job"] == {"namespace": "airflow", "name": "daily.load"}
    assert parent["run"]["runId"] == conf["spark.openlineage.parentRunId"]


def test_with_a_variable(headwater_server: Headwater, program: Path) -> None:
    command = [sys.executable, str(program), str(program.parent), "by-variable"]
    run(command, HEADWATER_SPARK_URL=headwater_server.url, PYSPARK_SUBMIT_ARGS=MASTER)
    assert states(headwater_server, "plain", "by-variable") == ["COMPLETED"]


def test_a_server_that_cannot_be(program: Path) -> None:
    """The program runs all the same."""
    command = [sys.executable, str(program), str(program.parent), "by-variable"]
    run(command, HEADWATER_SPARK_URL="nonsense", PYSPARK_SUBMIT_ARGS=MASTER)
    assert list((program.parent / "out").glob("*.parquet"))


MASTER = "--master local[1] pyspark-shell"
