"""The same lineage with other versions of PySpark: programs that need no jar of a version."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.pipeline.spark.java import find_java
from testing.services.process import bound_command

pytestmark = [pytest.mark.integration, pytest.mark.long]

ROOT = Path(__file__).parents[2]
VERSIONS = ("4.0.2", "4.1.3")


@pytest.mark.parametrize("version", VERSIONS)
def test_programs(version: str, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*install, str(packages), f"pyspark=={version}"], check=True, timeout=1800)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(packages), str(ROOT / "src"), str(ROOT))),
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    folder = tmp_path / "data"
    folder.mkdir()
    command = [sys.executable, "-m", "tests.spark.oracle.plain", str(folder)]
    done = subprocess.run(
        bound_command(command, signal.SIGKILL),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["version"] == version
    assert found["programs"] > 80
    assert found["wrong"] == {}
