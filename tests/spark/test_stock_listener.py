"""OpenLineage's own listener in the same session: names join, and nothing is shown twice."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.services.headwater import Headwater

pytestmark = pytest.mark.integration

PROGRAM = """
import sys
from pathlib import Path

import headwater.spark
from headwater.config import SparkSettings
from headwater.pipeline.spark.packages import ICEBERG, OPENLINEAGE
from headwater.pipeline.spark.session import session
from testing.services import iceberg

folder, url = Path(sys.argv[1]), sys.argv[2]
conf = {
    **iceberg.catalog_conf(folder / "warehouse"),
    "spark.sql.warehouse.dir": str(folder / "tables"),
    "spark.sql.shuffle.partitions": "2",
    "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
    "spark.openlineage.namespace": "both",
    "spark.openlineage.transport.type": "http",
    "spark.openlineage.transport.url": url,
}
needs = [ICEBERG, OPENLINEAGE]
with session(SparkSettings(master="local[2]", conf=conf), "Shop-Test", needs) as spark:
    listening = headwater.spark.listen(spark, url, batch=True)
    orders = spark.readStream.schema("id int, price double, supplier string")
    orders = orders.json(str(folder / "orders"))
    spark.sql("CREATE TABLE lake.db.copied (id int, price double, supplier string) USING iceberg")

    def stream(name):
        writer = orders.filter("id > 0").writeStream.queryName(name).trigger(availableNow=True)
        return writer.option("checkpointLocation", str(folder / name))

    def copy(batch, number):
        batch.writeTo("lake.db.copied").append()

    stream("clean").toTable("cleaned").awaitTermination()
    stream("copy").foreachBatch(copy).start().awaitTermination()
    summary = "SELECT supplier, sum(price) AS total FROM {} GROUP BY supplier"
    spark.sql(summary.format("cleaned")).write.mode("overwrite").parquet(str(folder / "totals"))
    spark.sql(summary.format("lake.db.copied")).write.mode("overwrite").parquet(
        str(folder / "others")
    )
    listening.close()
"""


class PlanLineage:
    """What a server has been told by both."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def read(self, path: str, **parameters: Any) -> Any:
        answer = httpx2.get(f"{self.url}/api/v1{path}", params=parameters, trust_env=False)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def edges(self, name: str) -> set[tuple[str, str]]:
        """All edges above and below some files; paths without the folder."""
        node = f"dataset:file:{self.folder}/{name}"
        graph = self.read("/lineage", nodeId=node, depth=20)["graph"]
        return {
            (self._short(edge["origin"]), self._short(edge["destination"]))
            for node in graph
            for edge in node["outEdges"]
        }

    def _short(self, node: str) -> str:
        kind, _, name = node.partition(":")
        return name.removeprefix(f"file:{self.folder}/").removeprefix("both:")


@pytest.fixture(scope="module")
def told(headwater_server: Headwater, tmp_path_factory: pytest.TempPathFactory) -> PlanLineage:
    folder = tmp_path_factory.mktemp("both")
    (folder / "orders").mkdir()
    rows = '{"id": 1, "price": 2.5, "supplier": "a"}\n'
    for number in range(2):
        (folder / "orders" / f"{number}.json").write_text(rows)
    command = [sys.executable, "-c", PROGRAM, str(folder), headwater_server.url]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    return PlanLineage(headwater_server.url, folder)


def test_both_reported(told: PlanLineage) -> None:
    """The stock listener has sent its micro-batches: else nothing here would be shown twice."""
    events = told.read("/events/lineage", limit=1000)["events"]
    told_of = [each["job"] for each in events if "job" in each]
    jobs = {job["name"] for job in told_of if job["namespace"] == "both"}
    assert {"shop_test.filter", "shop_test.append_data.lake_db_copied"} <= jobs


def test_a_table_by_its_path(told: PlanLineage) -> None:
    """The stream's table is the one that the stock listener has the batch job read."""
    assert {_without_plan(edge) for edge in told.edges("totals")} == {
        ("orders", "clean"),
        ("clean", "tables/cleaned"),
        ("tables/cleaned", "shop_test"),
        ("shop_test", "totals"),
        ("orders", "copy"),
        ("copy", "warehouse/db/copied"),
        ("warehouse/db/copied", "shop_test"),
        ("shop_test", "others"),
        # It tells of the making of tables as well, which is nothing of the streams'.
        ("shop_test", "tables/cleaned"),
        ("shop_test", "warehouse/db/copied"),
    }


def test_jobs_are_listed_once(told: PlanLineage) -> None:
    jobs = {job["name"] for job in told.read("/namespaces/both/jobs", limit=100)["jobs"]}
    assert {name for name in jobs if not name.startswith("shop_test")} == {"clean", "copy"}
    assert not {name for name in jobs if "append_data" in name or "filter" in name}


def test_files_of_the_stream_are_their_folder(told: PlanLineage) -> None:
    names = {
        each["name"] for each in told.read("/namespaces/file/datasets", limit=1000)["datasets"]
    }
    ours = {name for name in names if name.startswith(f"{told.folder}/")}
    assert f"{told.folder}/orders" in ours
    assert not {name for name in ours if name.endswith(".json")}


def test_one_name_for_each_other_name(told: PlanLineage) -> None:
    """Both give a table the same name in its catalog."""
    dataset = told.read(f"/namespaces/file/datasets/{_escaped(told.folder / 'tables/cleaned')}")
    (identifier,) = dataset["facets"]["symlinks"]["identifiers"]
    assert identifier["namespace"] == f"file:{told.folder}/tables"
    assert identifier["name"] == "default.cleaned"


def _without_plan(edge: tuple[str, str]) -> tuple[str, str]:
    """The stock listener's jobs without what it has them called after."""
    first, second = (each.partition(".")[0] if "shop_test" in each else each for each in edge)
    return first, second


def _escaped(path: Path) -> str:
    return str(path).replace("/", "%2F")
