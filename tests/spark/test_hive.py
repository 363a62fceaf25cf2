"""Tables of Hive's: their names, what is loaded into them, and a metastore of its own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from headwater.pipeline.spark.java import find_java
from testing.services.headwater import Headwater
from testing.services.hive import Metastore, log_option
from tests.spark.observed import Json, ObservedEvents, counted, fields

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration

ROWS = "(1, 'a', 'x'), (2, 'b', 'y')"


def identifiers(dataset: Json) -> list[tuple[str, str]]:
    found = dataset["facets"]["symlinks"]["identifiers"]
    return [(each["namespace"], each["name"]) for each in found]


def test_a_table_of_a_database(writes: ObservedEvents, spark: "SparkSession") -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS office")
    spark.sql(
        "CREATE TABLE office.staff (id INT, name STRING) PARTITIONED BY (room STRING) "
        "STORED AS TEXTFILE"
    )
    try:
        spark.sql(f"INSERT INTO office.staff PARTITION (room) VALUES {ROWS}")
        place = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        written = writes.find_write(f"{place}/office.db/staff")["outputs"][0]
        assert (written["namespace"], written["name"]) == ("file", f"{place}/office.db/staff")
        assert identifiers(written) == [(f"file:{place}", "office.staff")]
        assert counted(written)["rowCount"] == 2
        # One partition is the table, whoever writes or reads it.
        spark.sql(
            "CREATE TABLE office.copy STORED AS TEXTFILE AS "
            "SELECT upper(name) AS name FROM office.staff WHERE room = 'x'"
        )
        end = writes.find_write(f"{place}/office.db/copy")
        assert [each["name"] for each in end["inputs"]] == [f"{place}/office.db/staff"]
        assert identifiers(end["inputs"][0]) == [(f"file:{place}", "office.staff")]
        assert fields(end["outputs"][0]) == {"name": ["name TRANSFORMATION"]}
        assert counted(end["outputs"][0])["rowCount"] == 1
        assert not any("headwater_gaps" in event["run"]["facets"] for event in writes.events)
    finally:
        spark.sql("DROP DATABASE office CASCADE")


def test_files_that_are_loaded(
    writes: ObservedEvents, spark: "SparkSession", tmp_path: Path
) -> None:
    """Nobody reads their rows: the table comes from them as a whole."""
    (tmp_path / "staff.csv").write_text("1,a\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "1.csv").write_text("2,b\n")
    spark.sql(
        "CREATE TABLE loaded (id INT, name STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY ','"
    )
    try:
        place = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        for path, source in (("staff.csv", "staff.csv"), ("more/*.csv", "more")):
            writes.events.clear()
            spark.sql(f"LOAD DATA LOCAL INPATH '{tmp_path}/{path}' INTO TABLE loaded")
            end = writes.find_write(f"{place}/loaded", verb="load")
            (read,), (written,) = end["inputs"], end["outputs"]
            assert (read["namespace"], read["name"]) == ("file", f"{tmp_path}/{source}")
            assert identifiers(written) == [(f"file:{place}", "default.loaded")]
            names = [each["name"] for each in written["facets"]["schema"]["fields"]]
            assert names == ["id", "name"]
            assert "columnLineage" not in written["facets"]
            assert "headwater_gaps" not in end["run"]["facets"]
        assert spark.table("loaded").count() == 2
    finally:
        spark.sql("DROP TABLE loaded")


PROGRAM = """
import sys
from pyspark.sql import SparkSession
import headwater.spark

spark = SparkSession.builder.appName("hive").enableHiveSupport().getOrCreate()
headwater.spark.listen(spark, sys.argv[1])
spark.sql("CREATE DATABASE shop")
for kind in ("STORED AS TEXTFILE", "USING parquet"):
    name = kind.rpartition(" ")[2].lower()
    spark.sql(f"CREATE TABLE shop.{name} {kind} AS SELECT * FROM VALUES (1, 'a') AS t(id, who)")
spark.sql("CREATE TABLE shop.copy STORED AS ORC AS SELECT id FROM shop.textfile")
spark.table("shop.parquet").write.insertInto("shop.textfile")
spark.stop()
"""


def test_a_metastore_of_its_own(headwater_server: Headwater, tmp_path: Path) -> None:
    """Tables are found by the name that OpenLineage has for them in Hive."""
    java = find_java().home
    (tmp_path / "program.py").write_text(PROGRAM)
    with Metastore.start(java) as metastore:
        conf = {
            "spark.master": "local[1]",
            "spark.sql.warehouse.dir": str(tmp_path / "tables"),
            "spark.hadoop.hive.metastore.uris": f"{metastore.uri},thrift://other:9083",
            "spark.driver.extraJavaOptions": log_option(tmp_path),
        }
        options = [part for each in conf.items() for part in ("--conf", "=".join(each))]
        submit = str(Path(sys.executable).with_name("spark-submit"))
        done = subprocess.run(
            [submit, *options, str(tmp_path / "program.py"), headwater_server.url],
            cwd=tmp_path,
            env={
                **os.environ,
                "JAVA_HOME": str(java),
                "PYSPARK_PYTHON": sys.executable,
                "SPARK_LOCAL_IP": "127.0.0.1",
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr
    namespace = f"hive://127.0.0.1:{metastore.port}"
    for name in ("textfile", "parquet", "copy"):
        node = f"dataset:{namespace}:shop.{name}"
        answer = httpx2.get(
            f"{headwater_server.url}/api/v1/lineage",
            params={"nodeId": node, "depth": 5},
            trust_env=False,
        )
        assert answer.status_code == 200, answer.text
        ids = {each["id"] for each in answer.json()["graph"]}
        assert any(id.endswith("/shop.db/copy") for id in ids), (name, ids)
