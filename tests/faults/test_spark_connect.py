"""Spark Connect: no plan is within reach; what the progress of streams names is told, no more."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from headwater.model.naming import DatasetName
from headwater.spark.connect import NO_PLAN, name_sink, name_source
from testing.services.headwater import Headwater
from tests.faults import spark_programs

Json = dict[str, Any]


@pytest.mark.integration
def test_streams_of_a_session(tmp_path: Path) -> None:
    with Headwater.start() as server:
        ended = spark_programs.run("over_connect", tmp_path, server.url)
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr.count("Spark Connect gives no access to plans") == 1
        answer = httpx2.get(f"{server.url}/api/v1/events/lineage", trust_env=False)
        events = list(reversed(answer.json()["events"]))
    check_running([event for event in events if event["job"]["name"] == "totals"], tmp_path)
    assert kinds(events, "broken") == ["START", "FAIL"]
    stopped = [event for event in events if event["job"]["name"] == "rate"][-1]
    assert (stopped["eventType"], gaps(stopped)) == ("COMPLETE", [NO_PLAN, "source RateStreamV2"])
    assert [each["name"] for each in stopped["outputs"]] == ["rate"]


def check_running(events: list[Json], folder: Path) -> None:
    start, *running = events
    assert (start["eventType"], start["inputs"], gaps(start)) == ("START", [], [NO_PLAN])
    # It goes on without the program.
    assert {event["eventType"] for event in running} == {"RUNNING"}
    last = running[-1]
    (read,), (written,) = last["inputs"], last["outputs"]
    assert (read["namespace"], read["name"]) == ("file", str(folder / "orders"))
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 3
    assert written["name"] == str(folder / "totals")
    (source,) = last["run"]["facets"]["spark_stream"]["sources"]
    assert (source["endOffset"], source["rows"]) == ({"logOffset": 0}, 3)


def kinds(events: list[Json], job: str) -> list[str]:
    return [event["eventType"] for event in events if event["job"]["name"] == job]


def gaps(event: Json) -> list[str]:
    told: list[str] = event["run"]["facets"]["spark_stream"]["gaps"]
    return told


@pytest.mark.parametrize(
    ("description", "names"),
    [
        ("lake.db.orders", [("lake", "db.orders")]),
        ("FileSink[file:/data/orders]", [("file", "/data/orders")]),
        ("FileSink[s3a://shop/orders]", [("s3://shop", "orders")]),
        ("org.apache.spark.sql.execution.datasources.noop.NoopTable$@7daa1f3c", [("noop", "q")]),
        ("org.apache.spark.sql.execution.streaming.ConsoleTable$@15a7", [("console", "q")]),
        ("MemorySink", [("memory", "q")]),
        ("org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable@4b", []),
        ("ForeachBatchSink", []),
        ("None", []),
    ],
)
def test_names_of_sinks(description: str, names: list[tuple[str, str]]) -> None:
    assert [relation.name for relation in name_sink(description, "q")] == names


def test_names_of_sources() -> None:
    """Topics are those that there are offsets of; their brokers are nowhere told."""
    topics = {
        "description": "KafkaV2[SubscribePattern[o.*]]",
        "endOffset": {"a": {"0": 1}, "b": {}},
    }
    read = name_source(topics, "unknown://shop/totals")
    assert [relation.name for relation in read] == [
        DatasetName("unknown://shop/totals", "a"),
        DatasetName("unknown://shop/totals", "b"),
    ]
    assert name_source({"description": "KafkaV2[Subscribe[a]]", "endOffset": None}, "x") == []
    assert name_source({"description": "RateStreamV2[rowsPerSecond=1"}, "x") == []
    assert name_source({}, "x") == []
