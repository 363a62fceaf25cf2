"""What a real dbt-ol sent of a build: one run a job, keyed by dbt's invocation, none beside it.

It is not part of this repository; where it is not at hand this is one skip.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from headwater.model.project.dbt_runs import dbt_run_id
from testing.api import Api, open_api

FILE = Path(__file__).parents[3] / "shared" / "data" / "recorded" / "dbt" / "dbt_events.ndjson"

if not FILE.is_file():
    pytest.skip(f"no recording at {FILE}", allow_module_level=True)

CALL = UUID("ab48c6dc-7318-431d-ade6-dff06199dd3b")
EVENTS: list[Any] = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


@pytest.mark.parametrize("is_reversed", [False, True])
def test_each_job_has_one_run_of_the_invocation(api: Api, is_reversed: bool) -> None:
    api.store(*(reversed(EVENTS) if is_reversed else EVENTS))
    jobs = api.read("/namespaces/dbt-feas/jobs", limit=100)["jobs"]
    assert len(jobs) == 5
    for job in jobs:
        name = job["name"]
        (run,) = api.read(f"/namespaces/dbt-feas/jobs/{name}/runs")["runs"]
        assert run["id"] == dbt_run_id(CALL, "dbt-feas", name)
        assert run["state"] == "COMPLETED"
        first = next(e for e in EVENTS if e["job"]["name"] == name)
        assert api.run(first["run"]["runId"])["id"] == run["id"]
        if name != "dbt-run-feas":
            stated = first["run"]["facets"]["parent"]["run"]["runId"]
            above = dbt_run_id(CALL, "dbt-feas", "dbt-run-feas")
            assert (job["parentJobName"], api.run(stated)["id"]) == ("dbt-run-feas", above)
