"""Spark's settings out of ours, without a Spark."""

import socket
import sys
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path

import pytest

from headwater.config import SparkSettings, load_settings
from headwater.errors import BadConfig, SparkUnavailable
from headwater.pipeline.spark.conf import (
    are_executors_apart,
    check_master,
    make_conf,
    python_of_executors,
    split_secrets,
)
from headwater.pipeline.spark.packages import KAFKA
from testing.services.process import free_port

SCRATCH = Path("/scratch")


def conf_of(settings: SparkSettings, needs: Collection[str] = ()) -> dict[str, str]:
    return make_conf(settings, "name", needs, SCRATCH, verbose=False)


class TestConf:
    def test_a_local_one_stays_on_this_machine(self) -> None:
        conf = conf_of(SparkSettings())
        assert conf["spark.master"] == "local[*]"
        assert conf["spark.driver.bindAddress"] == conf["spark.driver.host"] == "127.0.0.1"
        assert conf["spark.local.dir"] == str(SCRATCH)
        assert conf["spark.ui.enabled"] == "false"

    def test_a_cluster_reaches_this_machine_and_has_its_own_folders(self) -> None:
        conf = conf_of(SparkSettings(master="spark://master:7077"))
        assert not {"spark.driver.bindAddress", "spark.driver.host", "spark.local.dir"} & set(conf)

    def test_the_users_own_win(self) -> None:
        conf = conf_of(SparkSettings(conf={"spark.ui.enabled": "true", "spark.x": "y"}))
        assert (conf["spark.ui.enabled"], conf["spark.x"]) == ("true", "y")

    def test_lists_are_added_to(self) -> None:
        own = {"spark.jars.packages": "a:b:1", "spark.driver.extraJavaOptions": "-Dx=y"}
        conf = conf_of(SparkSettings(conf=own), [KAFKA])
        kafka = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version('pyspark')}"
        assert conf["spark.jars.packages"] == f"a:b:1,{kafka}"
        assert conf["spark.driver.extraJavaOptions"].endswith(" -Dx=y")
        assert "--add-opens" in conf["spark.driver.extraJavaOptions"]

    def test_no_packages_are_requested_without_need(self) -> None:
        assert "spark.jars.packages" not in conf_of(SparkSettings())

    def test_files_are_named_in_full(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        own = {"spark.jars": "a.jar,/b.jar,https://host/c.jar,hdfs:/d.jar"}
        settings = SparkSettings(master="yarn", archive="packed.tar.gz", conf=own)
        conf = conf_of(settings)
        assert conf["spark.jars"] == f"{tmp_path}/a.jar,/b.jar,https://host/c.jar,hdfs:/d.jar"
        assert conf["spark.archives"] == f"{tmp_path}/packed.tar.gz#environment"

    def test_secrets_are_kept_from_the_command_line(self) -> None:
        conf = {"spark.hadoop.fs.s3a.secret.key": "a", "spark.ssl.keyPassword": "b", "spark.x": "c"}
        public, secret = split_secrets(conf)
        assert public == {"spark.x": "c"}
        assert public | secret == conf


class TestExecutors:
    @pytest.mark.parametrize(
        ("master", "apart"),
        [
            ("local", False),
            ("local[*]", False),
            ("local[2,3]", False),
            ("local-cluster[2,1,1024]", True),
            ("spark://host:7077", True),
            ("yarn", True),
            ("k8s://https://host", True),
        ],
    )
    def test_whether_they_are_apart(self, master: str, apart: bool) -> None:
        assert are_executors_apart(master) is apart

    @pytest.mark.parametrize(
        ("master", "python", "archive", "expected"),
        [
            ("local[*]", "/elsewhere", "a.tar.gz", sys.executable),
            ("local-cluster[1,1,1024]", "", "", sys.executable),
            ("local-cluster[1,1,1024]", "", "a.tar.gz", "./environment/bin/python"),
            ("yarn", "", "", "python3"),
            ("yarn", "", "a.tar.gz", "./environment/bin/python"),
            ("yarn", "/opt/python", "", "/opt/python"),
            ("yarn", "./environment/python", "a.tar.gz", "./environment/python"),
        ],
    )
    def test_their_python(self, master: str, python: str, archive: str, expected: str) -> None:
        settings = SparkSettings(master=master, python=python, archive=archive)
        assert python_of_executors(settings) == expected


class TestMaster:
    def test_one_that_listens_will_do(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            check_master(f"spark://127.0.0.1:{free_port()},127.0.0.1:{port}")

    def test_none_is_reported_at_once(self) -> None:
        port = free_port()
        with pytest.raises(SparkUnavailable, match=f"127.0.0.1:{port}: Connection refused"):
            check_master(f"spark://127.0.0.1:{port}")

    @pytest.mark.parametrize("address", ["", "host", "host:", ":7077", "host:port"])
    def test_an_address_has_a_host_and_a_port(self, address: str) -> None:
        with pytest.raises(BadConfig, match="not HOST:PORT"):
            check_master(f"spark://{address}")

    @pytest.mark.parametrize("master", ["local[*]", "yarn", "k8s://https://127.0.0.1:1"])
    def test_others_are_left_to_spark(self, master: str) -> None:
        check_master(master)


class TestSettings:
    def test_file_variables_and_flags_are_merged(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "headwater.toml"
        file.write_text('[spark]\nmaster = "yarn"\n[spark.conf]\n"spark.a" = "1"\n')
        monkeypatch.setenv("HEADWATER_CONFIG", str(file))
        monkeypatch.setenv("HEADWATER__SPARK__DRIVER_MEMORY", "3g")
        spark = load_settings(spark={"conf": {"spark.b": "2"}, "master": None}).spark
        assert (spark.master, spark.driver_memory) == ("yarn", "3g")
        assert spark.conf == {"spark.a": "1", "spark.b": "2"}

    @pytest.mark.parametrize(
        "settings",
        [
            {"conf": {"master": "x"}},
            {"conf": {"spark.master": "x"}},
            {"driver_memory": "much"},
            {"master": ""},
        ],
    )
    def test_what_spark_cannot_use_is_refused(self, settings: dict[str, object]) -> None:
        with pytest.raises(BadConfig, match="spark"):
            load_settings(spark=settings)
