"""A job of Flink that its listener and the collector report: one run, and one dataset each."""

import itertools
from collections.abc import Sequence

import pytest

from headwater.graph.answer import Side
from testing.api import Api
from testing.events.minimal import Json, run_event

FLINK_JOB = "fcfe5fccdcf18ea9ead2722a6c31d3a2"
RUN = "fcfe5fcc-dcf1-8ea9-ead2-722a6c31d3a2"
LISTENER_RUN = "01a1de64-8877-7d1e-9912-1f7c18c76a3e"
TABLE, UNKNOWN = "default_catalog.default_database.stats", "unknown://scheduler/load"


def heard(kind: str, minute: int, run: str, outputs: Sequence[Json] = ()) -> Json:
    facets = {"flink_job": {"jobId": FLINK_JOB}}
    at = f"2024-05-01T10:0{minute}:00Z"
    return run_event(kind, at, run, run_facets=facets, outputs=list(outputs))


def written(namespace: str, name: str, **facets: Json) -> list[Json]:
    return [{"namespace": namespace, "name": name, "facets": facets}]


LINK = {"identifiers": [{"namespace": UNKNOWN, "name": TABLE, "type": "TABLE"}]}
EVENTS = [
    # The listener came first, and does not know where the table is.
    heard("START", 0, LISTENER_RUN, outputs=written("", TABLE)),
    heard("RUNNING", 1, RUN, outputs=written("postgres://db:5432", "shop.stats", symlinks=LINK)),
    heard("RUNNING", 2, LISTENER_RUN),
    heard("ABORT", 3, RUN, outputs=written("postgres://db:5432", "shop.stats", symlinks=LINK)),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(len(EVENTS)))))
def test_it_is_one_in_any_order(sqlite_api: Api, order: tuple[int, ...]) -> None:
    sqlite_api.store(*(EVENTS[place] for place in order))
    runs = sqlite_api.read("/namespaces/scheduler/jobs/load/runs")["runs"]
    assert [(run["id"], run["state"]) for run in runs] == [(RUN, "ABORTED")]
    assert sqlite_api.run(LISTENER_RUN)["id"] == RUN
    node = "job:scheduler:load"
    graph = sqlite_api.read("/lineage", nodeId=node, direction=Side.DOWNSTREAM)["graph"]
    names = [(each["data"]["namespace"], each["data"]["name"]) for each in graph]
    assert sorted(names) == [("postgres://db:5432", "shop.stats"), ("scheduler", "load")]


def test_an_id_that_nobody_has_reported(sqlite_api: Api) -> None:
    assert sqlite_api.get(f"/jobs/runs/{LISTENER_RUN}").status_code == 404
