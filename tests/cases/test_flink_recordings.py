"""What a real Flink 2.1 answered, and what its OpenLineage listener sent: both read as one.

They are not part of this repository; where they are not at hand this is one skip.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.flink import FlinkCollector, FlinkSettings
from testing.api import Api, open_api
from testing.stand_ins.serving import StandIn, serve

DATA = Path(__file__).parents[3] / "shared" / "data" / "recorded" / "flink"

if not DATA.is_dir():
    pytest.skip(f"no recordings at {DATA}", allow_module_level=True)

RUNNING, FINISHED = "fcfe5fccdcf18ea9ead2722a6c31d3a2", "59718837b2e59e45efcfb8d59ae33a21"
RUN = "fcfe5fcc-dcf1-8ea9-ead2-722a6c31d3a2"
NAMESPACE, HOME = "flink-feas", "default_catalog.default_database"
SCRIPT = """
CREATE TABLE src (id BIGINT, user_id INT, amount DOUBLE, ts TIMESTAMP(3))
  WITH ('connector' = 'datagen');
CREATE TABLE snk_bh (user_id INT, n BIGINT, total DOUBLE) WITH ('connector' = 'blackhole');
CREATE TABLE snk_pr (id BIGINT, amount2 DOUBLE) WITH ('connector' = 'print');
SET 'pipeline.name' = 'feas_running';
EXECUTE STATEMENT SET BEGIN
INSERT INTO snk_bh SELECT user_id, COUNT(*), SUM(amount) FROM src GROUP BY user_id;
INSERT INTO snk_pr SELECT id, amount * 2 FROM src WHERE user_id > 2;
END;
"""


def recorded(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())["response"]


class RecordedCluster(StandIn):
    """The cluster as it was; `is_over` is after one job was cancelled and another one finished."""

    is_over = False

    def find(self, parts: list[str], query: dict[str, list[str]]) -> Any:
        match parts:
            case ["config"]:
                return recorded("config")
            case ["jobs", "overview"]:
                return recorded("jobs_overview" if self.is_over else "jobs_overview_running")
            case ["jobs", job]:
                state = "canceled" if self.is_over else "running"
                return recorded(f"job_detail_{'finished' if job == FINISHED else state}")
            case ["jobs", _, "checkpoints" | "exceptions" as part]:
                return recorded(f"job_{part}")
            case ["jobs", _, "vertices", vertex, "subtasks", "metrics"]:
                number = 0 if vertex.startswith("e3dfc0") else 1
                if "get" not in query:
                    return recorded(f"vertex{number}_subtasks_metrics_list")
                wanted = query["get"][0].split(",")
                values = recorded(f"vertex{number}_subtasks_metrics_values")
                return [each for each in values if each["id"] in wanted]
        return None


@pytest.fixture
def cluster() -> Iterator[RecordedCluster]:
    with serve(RecordedCluster()) as stand_in:
        yield stand_in


def collect(cluster: RecordedCluster, folder: Path) -> list[bytes]:
    script = folder / "feas.sql"
    script.write_text(SCRIPT)
    settings = FlinkSettings(
        url=cluster.url, state=folder / "state", namespace=NAMESPACE, sql=(str(script),)
    )
    collector = FlinkCollector(settings, "http://server")
    found = list(collector.collect())
    collector.acknowledge(found)
    return [each.data for each in found]


def rows(datasets: list[Any], side: str) -> dict[str, int]:
    return {
        each["name"].rpartition(".")[2]: each[f"{side}Facets"][f"{side}Statistics"]["rowCount"]
        for each in datasets
    }


def test_the_answers_are_read_right(cluster: RecordedCluster, tmp_path: Path) -> None:
    start, running = map(json.loads, collect(cluster, tmp_path))
    assert (start["eventType"], running["eventType"]) == ("START", "RUNNING")
    assert start["eventTime"].startswith("2026-11-15T08:48:16.961")
    metrics = {each["id"]: each["sum"] for each in recorded("vertex0_subtasks_metrics_values")}
    assert rows(running["inputs"], "input") == {"src": metrics["Source__src[1].numRecordsOut"]}
    assert rows(running["outputs"], "output") == {
        "snk_bh": 1800,
        "snk_pr": metrics["Sink__snk_pr[7].numRecordsIn"],
    }
    by_name = {each["name"]: each["facets"] for each in running["outputs"]}
    fields = by_name[f"{HOME}.snk_bh"]["columnLineage"]["fields"]
    assert [each["field"] for each in fields["total"]["inputFields"]] == ["amount"]
    cluster.is_over = True
    ends = [json.loads(each) for each in collect(cluster, tmp_path)]
    assert {(each["eventType"], each["job"]["name"]) for each in ends} == {
        ("ABORT", "feas_running"),
        ("START", "feas_finite"),
        ("COMPLETE", "feas_finite"),
    }
    assert collect(cluster, tmp_path) == []


@pytest.mark.parametrize("is_listener_first", [True, False])
def test_with_the_listener_it_is_one_job_with_one_run(
    cluster: RecordedCluster, tmp_path: Path, is_listener_first: bool
) -> None:
    events = [each.encode() for each in (DATA / "ol_events.ndjson").read_text().splitlines()]
    heard = [each for each in events if json.loads(each)["job"]["name"] == "feas_running"]
    found = collect(cluster, tmp_path)
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        api.store(*(heard + found if is_listener_first else found + heard))
        _check_one_run(api, json.loads(heard[0])["run"]["runId"])
        cluster.is_over = True
        api.store(*collect(cluster, tmp_path))
        runs = api.read(f"/namespaces/{NAMESPACE}/jobs/feas_running/runs")["runs"]
        # The listener never sent its end.
        assert [(run["id"], run["state"]) for run in runs] == [(RUN, "ABORTED")]


def _check_one_run(api: Api, listener_run: str) -> None:
    runs = api.read(f"/namespaces/{NAMESPACE}/jobs/feas_running/runs")["runs"]
    assert [(run["id"], run["state"]) for run in runs] == [(RUN, "RUNNING")]
    assert api.run(listener_run)["id"] == RUN
    job = api.job(NAMESPACE, "feas_running")
    place = f"unknown://{NAMESPACE}/feas_running"
    assert [(each["namespace"], each["name"]) for each in job["inputs"]] == [(place, f"{HOME}.src")]
    assert {each["name"] for each in job["outputs"]} == {f"{HOME}.snk_bh", f"{HOME}.snk_pr"}
