"""Leaving parts of events out: edges, owners, tags; and the gap that is reported for edges."""

import json
from typing import Any

import pytest

from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.pipeline.event_parts import KeptParts

FACETS: dict[str, Any] = {"ownership": {"owners": []}, "tags": {"tags": []}, "schema": {}}
DATASET = {"namespace": "db", "name": "t", "facets": {**FACETS, "columnLineage": {"fields": {}}}}


def run_event(**more: Any) -> dict[str, Any]:
    return {
        "eventTime": "2026-01-31T12:00:00Z",
        "eventType": "COMPLETE",
        "producer": "https://example.org",
        "run": {"runId": "0190b1f6-0000-7000-8000-000000000001", "facets": {}},
        "job": {"namespace": "etl", "name": "load", "facets": dict(FACETS)},
        "inputs": [DATASET],
        "outputs": [DATASET],
        **more,
    }


def select(parts: KeptParts, event: Any) -> Any:
    return json.loads(parts.select(json.dumps(event).encode()))


def test_all_of_it_is_as_it_came() -> None:
    data = json.dumps(run_event()).encode()
    assert KeptParts().select(data) is data


def test_without_edges_a_run_reports_a_gap() -> None:
    found = select(KeptParts(lineage=False, name="shop"), run_event())
    assert (found["inputs"], found["outputs"]) == ([], [])
    assert found["job"]["facets"] == FACETS
    facts = project(decode_event(json.dumps(found).encode()))
    assert "run_dataset" not in facts.rows and "job_dataset" not in facts.rows
    assert facts.rows["job"] and facts.rows["run"]
    assert "reported_gaps" in facts.rows
    (gap,) = found["run"]["facets"]["headwater_gaps"]["gaps"]
    assert "shop" in gap["description"]


def test_gaps_of_the_producer_stay() -> None:
    own = {"gaps": [{"kind": "input", "name": "x"}]}
    event = run_event()
    event["run"]["facets"] = {"headwater_gaps": own}
    found = select(KeptParts(lineage=False), event)
    names = [gap["name"] for gap in found["run"]["facets"]["headwater_gaps"]["gaps"]]
    assert names == ["x", "inputs and outputs"]


def test_edges_of_a_job_and_columns_of_a_dataset() -> None:
    event = run_event()
    del event["run"], event["eventType"]
    assert select(KeptParts(lineage=False), event)["inputs"] == []
    alone = {"eventTime": "2026-01-31T12:00:00Z", "dataset": DATASET}
    assert set(select(KeptParts(lineage=False), alone)["dataset"]["facets"]) == set(FACETS)


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        (KeptParts(owners=False), {"tags", "schema"}),
        (KeptParts(tags=False), {"ownership", "schema"}),
        (KeptParts(owners=False, tags=False), {"schema"}),
    ],
)
def test_owners_and_tags(parts: KeptParts, left: set[str]) -> None:
    found = select(parts, run_event())
    for owner in (found["job"], *found["inputs"], *found["outputs"]):
        assert set(owner["facets"]) - {"columnLineage"} == left


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"5",
        b'"x"',
        b"\xff",
        b'{"inputs": 5, "job": [], "run": null}',
        b"[" * 5_000,
    ],
)
def test_what_is_no_event_is_left_to_who_refuses_it(data: bytes) -> None:
    assert (
        KeptParts(lineage=False, owners=False, tags=False).select(data) == data or data[:1] == b"{"
    )
