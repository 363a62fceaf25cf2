"""`/lineage/events`: what is stored, refused and listed, and what a run id finds."""

from typing import Any

import pytest

from headwater.server.bridge import datasets
from headwater.server.bridge import events as routes
from testing.api import Api
from testing.events.confluent import CONFLUENT, PRODUCER, dataset, job
from testing.events.minimal import RUN, run_event

Json = dict[str, Any]
EVENTS = "/api/v1/lineage/events"


def times(found: list[Json]) -> list[str]:
    return [event["eventTime"] for event in found]


def at(hour: int, name: str = "load", **rest: Any) -> Json:
    return run_event("COMPLETE", f"2024-05-01T{hour:02}:00:00Z", f"run-{hour}", name, **rest)


def test_an_array_and_a_single_event_are_stored(bridge: Api) -> None:
    answer = bridge.post([at(1), at(2)], EVENTS)
    assert answer.status_code == 201
    assert answer.json()["events_stored"] == 2
    graph = answer.json()["graph_id"]
    assert bridge.post(at(3), EVENTS).json() == {"events_stored": 1, "graph_id": graph}
    assert bridge.event_count() == 3
    assert [each["graph_id"] for each in bridge.read("/graphs")] == [graph]


def test_events_of_every_kind_and_with_any_run_id_are_stored(bridge: Api) -> None:
    events = [
        at(1) | {"run": {"runId": "external-run-1"}},
        run_event(None, "2024-05-01T02:00:00Z"),
        run_event("OTHER", "2024-05-01T03:00:00Z"),
        PRODUCER.dataset_event(dataset("orders")),
        PRODUCER.job_event({"namespace": CONFLUENT, "name": "declared"}, [dataset("orders")]),
    ]
    assert bridge.post(events, EVENTS).json()["events_stored"] == 5
    listed = bridge.read("/lineage/events")
    assert len(listed) == 5
    assert "run" not in listed[-1] or "dataset" in listed[-2]


def test_some_bad_events_do_not_keep_the_others_out(bridge: Api) -> None:
    answer = bridge.post([at(1), at(3) | {"eventTime": "yesterday"}, at(2), 7], EVENTS)
    assert answer.status_code == 422
    error = answer.json()
    assert error["events_stored"] == 2
    assert [failed["index"] for failed in error["failed_events"]] == [1, 3]
    assert error["path"] == "$[1].eventTime"
    assert error["detail"] == error["message"]
    assert bridge.event_count() == 2
    assert len(bridge.rejected()) == 2
    # Sent again, nothing is there twice.
    bridge.post([at(1), at(2)], EVENTS)
    assert bridge.event_count() == 2


@pytest.mark.parametrize("body", [b"", b"[", b"no json", b"\xff"])
def test_what_is_no_event_is_refused(bridge: Api, body: bytes) -> None:
    answer = bridge.post(body, EVENTS)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]
    assert bridge.read("/lineage/events") == []


def test_a_body_that_does_not_claim_to_be_json_is_refused(bridge: Api) -> None:
    answer = bridge.post([at(1)], EVENTS, {"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_events_are_listed_by_time_and_have_both_lists(bridge: Api) -> None:
    bridge.post([at(2), at(1), at(3, inputs=None, outputs=[dataset("a")])], EVENTS)
    listed = bridge.read("/lineage/events")
    assert times(listed) == [f"2024-05-01T0{hour}:00:00Z" for hour in (1, 2, 3)]
    assert all(event["inputs"] == [] for event in listed)
    assert listed[2]["outputs"] == [dataset("a")]


def test_limit_offset_since_and_until(bridge: Api) -> None:
    bridge.post([at(hour) for hour in range(1, 7)], EVENTS)

    def hours(**parameters: Any) -> list[int]:
        found = bridge.read("/lineage/events", **parameters)
        return [int(event["eventTime"][11:13]) for event in found]

    assert hours(limit=2) == [1, 2]
    assert hours(limit=2, offset=3) == [4, 5]
    assert hours(offset=4) == [5, 6]
    assert hours(limit=0) == []
    assert hours(limit=100, offset=100) == []
    assert hours(since="2024-05-01T03:00:00Z", until="2024-05-01T05:00:00Z") == [3, 4, 5]
    assert hours(since="2024-05-01T07:00:00+02:00", limit=1) == [5]


def test_patterns_of_jobs(bridge: Api) -> None:
    events = [job(name, "CONNECTOR", [], [dataset(name)]) for name in ("pg-1", "pg-2", "my[1]")]
    bridge.post([*events, at(1)], EVENTS)

    def names(**parameters: str) -> set[str]:
        return {event["job"]["name"] for event in bridge.read("/lineage/events", **parameters)}

    assert names(namespace="confluent://*") == {"pg-1", "pg-2", "my[1]"}
    assert names(namespace=CONFLUENT, job="pg-?") == {"pg-1", "pg-2"}
    assert names(job="pg-[!1]") == {"pg-2"}
    assert names(job="my[[]1]") == {"my[1]"}
    assert names(job="PG-*") == set()
    assert names(job="load") == {"load"}
    assert names(job="pg-[") == set()


@pytest.mark.parametrize(
    "parameters",
    [
        {"since": "yesterday"},
        {"until": "2024-13-01"},
        {"limit": -1},
        {"offset": -1},
        {"limit": "all"},
        {"job": "*a" * 20},
    ],
)
def test_wrong_parameters_are_refused(bridge: Api, parameters: Json) -> None:
    answer = bridge.get("/lineage/events", **parameters)
    assert answer.status_code == 422
    assert answer.json()["detail"]


def test_without_a_limit_all_are_streamed(bridge: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "AT_ONCE", 3)
    bridge.post([at(hour) for hour in range(1, 11)], EVENTS)
    for parameters, count in (({}, 10), ({"limit": 7}, 7), ({"offset": 3}, 7), ({"limit": 9}, 9)):
        listed = bridge.read("/lineage/events", **parameters)
        assert len({event["eventTime"] for event in listed}) == count
        assert times(listed) == sorted(times(listed))


def test_edits_are_no_events(bridge: Api) -> None:
    bridge.post([job("a", "CONNECTOR", [], [dataset("orders")])], EVENTS)
    entity = {"type": "dataset", "namespace": CONFLUENT, "name": "orders"}
    edit = {"entity": entity, "set": {"documentation": {"description": "Orders."}}}
    assert bridge.post(edit, "/api/v1/edits").status_code == 201
    assert len(bridge.read("/lineage/events")) == 1


def test_events_of_a_run(bridge: Api) -> None:
    bridge.post([at(1), at(1) | {"eventType": "START"}, at(2)], EVENTS)
    assert len(bridge.read("/lineage/events/run-1")) == 2
    # The same id under another job is another run, and is found by it as well.
    bridge.post(at(1, "other"), EVENTS)
    assert len(bridge.read("/lineage/events/run-1")) == 3
    bridge.post(run_event("START"), EVENTS)
    assert len(bridge.read(f"/lineage/events/{RUN}")) == 1
    missing = bridge.get("/lineage/events/none")
    assert missing.status_code == 404
    assert "none" in missing.json()["detail"]


def test_lists_of_datasets_and_jobs_are_whole(bridge: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "AT_ONCE", 2)
    events = [job(f"job-{n}", "CONNECTOR", [], [dataset(f"topic-{n}")]) for n in range(7)]
    bridge.post(events, EVENTS)
    assert [each["name"] for each in bridge.read("/lineage/jobs")] == [f"job-{n}" for n in range(7)]
    found = bridge.read("/lineage/datasets", namespace="confluent://*", name="topic-[2-4]")
    assert [each["name"] for each in found] == ["topic-2", "topic-3", "topic-4"]
