"""What is one in dbt, whoever reports it: runs by the call of dbt and the job, and those above."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.project.dbt_runs import dbt_run_id
from headwater.model.values.ids import run_key
from headwater.store.maintenance.evidence import run_of
from testing.events.minimal import JOBS, RUN, run_event

CALL = "ab48c6dc-7318-431d-ade6-dff06199dd3b"
OWN = "01a1de69-072b-74cc-a117-833004b1322e"
PROJECT = {"namespace": "dbt", "name": "dbt-run-shop"}
AIRFLOW = {"namespace": "airflow", "name": "nightly.dbt"}

Json = dict[str, Any]


def rows_of(event: Json) -> Any:
    facts = project(decode_event(msgspec.json.encode(event)))
    found: list[Any] = facts.rows["run"]
    rows = [row for row in found if row.first_event is not None]
    assert run_of(msgspec.json.encode(event)) == rows[0].id
    return rows[0]


def dbt_event(invocation: Any = CALL, job_type: str = "MODEL", **facets: Any) -> Json:
    run_facets = {"dbt_run": {"invocation_id": invocation}, **facets}
    return run_event(run_facets=run_facets, job_facets={"jobType": {"jobType": job_type}})


def parent(job: Json, run: str, root: Json | None = None) -> Json:
    above = {"job": job, "run": {"runId": run}}
    return above | ({"root": {"job": root, "run": {"runId": run}}} if root else {})


def key_of(job: Json) -> bytes:
    return UUID(dbt_run_id(UUID(CALL), job["namespace"], job["name"])).bytes


def test_a_run_is_known_by_the_call_and_its_job() -> None:
    assert rows_of(dbt_event()).id == key_of({"namespace": JOBS, "name": "load"})


@pytest.mark.parametrize("invocation", ["", "8a38", 7, None, CALL + "0"])
def test_an_id_that_tells_nothing_joins_nothing(invocation: Any) -> None:
    assert rows_of(dbt_event(invocation)).id == run_key(JOBS, "load", RUN)


def test_the_run_above_a_node_is_that_of_the_same_call() -> None:
    row = rows_of(dbt_event(parent=parent(PROJECT, OWN, PROJECT)))
    assert (row.parent_run, row.root_run) == (key_of(PROJECT), key_of(PROJECT))


def test_a_statement_stands_below_its_node_and_the_project() -> None:
    node = {"namespace": "dbt", "name": "model.shop.orders"}
    row = rows_of(dbt_event(job_type="SQL", parent=parent(node, OWN, PROJECT)))
    assert (row.parent_run, row.root_run) == (key_of(node), key_of(PROJECT))


def test_what_called_dbt_is_no_part_of_the_call() -> None:
    row = rows_of(dbt_event(job_type="JOB", parent=parent(AIRFLOW, OWN)))
    assert row.parent_run == run_key("", "", OWN)
    row = rows_of(dbt_event(parent=parent(PROJECT, OWN, AIRFLOW)))
    assert (row.parent_run, row.root_run) == (key_of(PROJECT), run_key("", "", OWN))


def test_without_a_type_the_name_of_its_job_tells_a_project() -> None:
    event = dbt_event(parent=parent(AIRFLOW, OWN))
    event["job"] = {**event["job"], "name": "dbt-run-shop", "facets": {}}
    assert rows_of(event).parent_run == run_key("", "", OWN)
