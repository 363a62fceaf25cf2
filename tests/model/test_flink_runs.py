"""What is one in Flink, whoever reports it: runs by the job's own id, and no session's tables."""

from typing import Any
from uuid import UUID

import msgspec
import pytest

from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.model.project.flink_runs import flink_run_id
from headwater.model.values.ids import run_key
from headwater.store.maintenance.evidence import run_of
from testing.events.minimal import JOBS, RUN, dataset, run_event

JOB = "fcfe5fccdcf18ea9ead2722a6c31d3a2"


def facts_of(event: Any) -> Facts:
    return project(decode_event(msgspec.json.encode(event)))


def runs_of(job_id: Any) -> list[bytes]:
    event = run_event(run_facets={"flink_job": {"jobId": job_id}})
    row: Any = facts_of(event).rows["run"][0]
    (event_row,) = facts_of(event).rows["event"]
    assert run_of(msgspec.json.encode(event)) == row.id == event_row.run  # type: ignore[attr-defined]
    return [row.id]


def test_a_run_is_known_by_the_id_of_its_job() -> None:
    assert runs_of(JOB) == [bytes.fromhex(JOB)] == [UUID(flink_run_id(JOB, 1)).bytes]


@pytest.mark.parametrize("job_id", ["0" * 32, "", "fcfe", JOB.upper(), 7, None])
def test_an_id_that_tells_nothing_joins_nothing(job_id: Any) -> None:
    assert runs_of(job_id) == [run_key(JOBS, "load", RUN)]


def test_jobs_without_an_id_of_their_own_differ_by_their_start() -> None:
    assert flink_run_id("0" * 32, 1) != flink_run_id("0" * 32, 2)
    assert flink_run_id("0" * 32, 1) == flink_run_id("0" * 32, 1)


@pytest.mark.parametrize(
    ("namespace", "name", "is_joined"),
    [
        ("kafka://k:9092", "default_catalog.default_database.orders", False),
        ("kafka://k:9092", "lake.db.orders", True),
        ("unknown://shop/job", "default_catalog.default_database.orders", True),
    ],
)
def test_tables_of_a_session_are_no_other_names_of_datasets(
    namespace: str, name: str, is_joined: bool
) -> None:
    link = {"namespace": namespace, "name": name, "type": "TABLE"}
    topic = dataset("orders", "kafka://k:9092", symlinks={"identifiers": [link]})
    assert ("alias" in facts_of(run_event(inputs=[topic])).rows) == is_joined
