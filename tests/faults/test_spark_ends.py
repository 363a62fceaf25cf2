"""Programs with streams that end in other ways than by stopping them: what the graph then says."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.services.headwater import Headwater
from tests.faults import spark_programs
from tests.faults.spark_programs import SparkProgram

pytestmark = pytest.mark.integration

Json = dict[str, Any]


def get(server: Headwater, path: str, **query: str) -> Json:
    answer = httpx2.get(f"{server.url}/api/v1/{path}", params=query, trust_env=False)
    assert answer.status_code == 200, answer.text
    body: Json = answer.json()
    return body


def runs(server: Headwater, job: str = "totals") -> list[Json]:
    """The runs of a job, the newest first."""
    found: list[Json] = get(server, f"namespaces/shop/jobs/{job}/runs")["runs"]
    return found


@pytest.mark.parametrize("program", ["stop_the_session", "just_end"])
def test_the_stream_is_not_stopped(program: str, tmp_path: Path) -> None:
    """Spark tells nobody of the queries that end with their session."""
    with Headwater.start() as server:
        ended = spark_programs.run(program, tmp_path, server.url)
        assert ended.returncode == 0, ended.stderr
        assert "Traceback" not in ended.stderr, ended.stderr
        (run,) = runs(server)
        assert run["state"] == "ABORTED"
        (dataset,) = run["outputDatasetVersions"]
        assert dataset["datasetVersionId"]["name"] == str(tmp_path / "totals")
        (application,) = runs(server, "shop")
        assert application["facets"]["spark_application"]["script"] == spark_programs.__file__


def test_killed_and_restarted_with_other_code(tmp_path: Path) -> None:
    with Headwater.start() as server:
        with SparkProgram.start("go_on", tmp_path, server.url, "price * 2", "totals") as program:
            program.kill()
        (killed,) = runs(server)
        assert killed["state"] == "RUNNING"
        with SparkProgram.start("go_on", tmp_path, server.url, "id + 1", "other") as program:
            newest, oldest = runs(server)
            assert (newest["state"], oldest["id"]) == ("RUNNING", killed["id"])
            check_graph(server, tmp_path)
            program.kill()
        facets = [run["facets"]["spark_stream"] for run in (newest, oldest)]
        # It goes on where it was: the same query to Spark, after the batches of the first.
        assert facets[0]["queryId"] == facets[1]["queryId"]
        assert facets[0]["batchId"] > facets[1]["batchId"]


def check_graph(server: Headwater, folder: Path) -> None:
    """The job writes what its newest run writes, and its columns come from where they now do."""
    graph = get(server, "lineage", nodeId="job:shop:totals", depth="1")["graph"]
    (job,) = (node for node in graph if node["type"] == "JOB")
    assert {edge["destination"]: edge.get("kind") for edge in job["outEdges"]} == {
        f"dataset:file:{folder / 'other'}": None,
        f"dataset:file:{folder / 'totals'}": "past",
    }
    columns = get(server, "column-lineage", nodeId=f"datasetField:file:{folder / 'other'}:total")
    (total,) = (node for node in columns["graph"] if node["id"].endswith(":total"))
    assert [each["field"] for each in total["data"]["inputFields"]] == ["id"]
