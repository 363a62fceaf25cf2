"""The lab of Spark: what its parts make of answers, and the whole of it, from start to end."""

from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from labs.checks import LabFailed, check, wait_for
from labs.programs import Program
from labs.spark.graph import column_changes, column_sources, labels
from testing.services.process import free_port
from tests.labs.lab import lab_started
from tests.spark.observed import deciding, fields

TOPICS, FILES = "kafka://127.0.0.1:9092", "file"


def test_a_check_that_fails_says_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    check(True, "all is well")
    assert capsys.readouterr().out == "   ok: all is well\n"
    with pytest.raises(LabFailed, match=r"^not so: two runs; found \['one'\]$"):
        check(False, "two runs", ["one"])


def test_waiting_ends_with_the_first_answer() -> None:
    answers = iter([None, "", "found", "too late"])
    assert wait_for("an answer", lambda: next(answers)) == "found"
    with pytest.raises(LabFailed, match="not so within 0 s: an answer"):
        wait_for("an answer", lambda: None, seconds=0)


def test_labels_leave_out_where_things_happen_to_be() -> None:
    nodes = [
        {"type": "DATASET", "data": {"namespace": FILES, "name": "/tmp/a/lake/db/orders"}},
        {"type": "DATASET", "data": {"namespace": TOPICS, "name": "orders"}},
        {"type": "JOB", "data": {"namespace": "fh-local", "name": "ingest"}},
    ]
    assert labels({"graph": nodes}) == {"table orders", "topic orders", "job ingest"}


def test_columns_with_what_they_are_made_of() -> None:
    topic = {"namespace": TOPICS, "dataset": "orders", "field": "price"}
    table = {"namespace": FILES, "dataset": "/lake/db/orders", "field": "price"}
    way = {**topic, "transformations": [{"subtype": "IDENTITY"}, {"subtype": "FILTER"}]}
    graph = [{"data": {**table, "inputFields": [way]}}, {"data": {**topic, "inputFields": []}}]
    assert column_sources({"graph": graph}) == {
        "table orders.price": {"topic orders.price": "IDENTITY, FILTER"},
        "topic orders.price": {},
    }


def test_changes_of_columns_among_others() -> None:
    nodes = {
        "a": {"namespace": TOPICS, "name": "orders", "field": "currency"},
        "b": {"namespace": FILES, "name": "/lake/db/orders", "field": ""},
    }
    ends = {"origin": "a", "destination": "b", "before": "INDIRECT/FILTER", "after": None}
    changes = [
        {"type": "field", "change": "added", "subject": "a"},
        {"type": "column", "change": "removed", **ends},
        {"type": "state", "change": "changed", "subject": "c"},
    ]
    assert column_changes({"nodes": nodes, "changes": changes}) == {
        "added topic orders.currency",
        "removed topic orders.currency -> table orders INDIRECT/FILTER",
    }


@pytest.mark.integration
def test_a_program_that_fails_ends_the_lab_with_its_words() -> None:
    with (
        Program.start("labs.spark.supplier_stats", ["--nothing"]) as program,
        pytest.raises(LabFailed, match="(?s)supplier_stats ended with status 2.*--server"),
    ):
        program.finish()


class Expected(NamedTuple):
    """What a job tells of the columns of what it writes, by hand."""

    job: str
    columns: dict[str, list[str]]
    deciding: list[str]


_BY_NUMBER = ("order_id", "item", "price", "supplier", "currency")
EXPECTED = [
    Expected(
        "orders-source",
        {
            **dict.fromkeys(_BY_NUMBER, ["value TRANSFORMATION"]),
            "bid_time": ["timestamp TRANSFORMATION"],
        },
        [],
    ),
    Expected(
        "iceberg-ingestion",
        {
            "order_id": ["order_id IDENTITY"],
            "item": ["item IDENTITY"],
            "price": ["price TRANSFORMATION"],
            "supplier": ["supplier IDENTITY"],
            "bid_time": ["bid_time TRANSFORMATION"],
            "currency": ["currency IDENTITY"],
        },
        ["order_id FILTER"],
    ),
    Expected(
        "supplier-stats",
        {
            "window_start": ["bid_time TRANSFORMATION"],
            "window_end": ["bid_time TRANSFORMATION"],
            "supplier": ["supplier IDENTITY"],
            "total_price": ["price AGGREGATION"],
            "count": [],
        },
        # A window of no time is none: Spark leaves such rows out.
        ["bid_time FILTER", "bid_time GROUP_BY", "supplier GROUP_BY"],
    ),
    Expected(
        "SupplierStats.write lake.db.supplier_stats (4232e9)",
        {
            "supplier": ["supplier IDENTITY"],
            "bid_date": ["bid_time TRANSFORMATION"],
            "bid_hour": ["bid_time TRANSFORMATION"],
            "total_price": ["price AGGREGATION"],
            "total_count": [],
        },
        ["bid_time GROUP_BY", "supplier GROUP_BY"],
    ),
]


@pytest.mark.integration
@pytest.mark.long
def test_the_whole_lab(tmp_path: Path) -> None:
    port = free_port()
    with lab_started("labs.spark", tmp_path, "--keep", "--port", str(port)) as lab:
        lab.read_until("in a browser; Ctrl-C")
        events = _events(f"http://127.0.0.1:{port}")
        for job, columns, by in EXPECTED:
            (written,) = next(each for each in events if each["job"]["name"] == job)["outputs"]
            assert (job, fields(written)) == (job, columns)
            assert (job, deciding(written)) == (job, by)
        assert lab.interrupt() == 0
        assert lab.lines[-1].rstrip().splitlines()[-1].startswith("Done in ")


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.parametrize("line", ["Starting", "Headwater listens", "stream "])
def test_interrupted_at_any_point_nothing_is_left(line: str, tmp_path: Path) -> None:
    with lab_started("labs.spark", tmp_path) as lab:
        lab.read_until(line)
        assert lab.interrupt() == 130


def _events(url: str) -> list[dict[str, Any]]:
    """All events, newest first."""
    answer = httpx2.get(f"{url}/api/v1/events/lineage", params={"limit": 1000}, trust_env=False)
    return list(answer.json()["events"])
