"""Lists of much that is large: what is read for them is let go of before the next part is read."""

import tracemalloc

import pytest

from headwater.store.lineage import uses
from testing.api import Api
from testing.events.minimal import JOBS, dataset, run_event

MANY = 60


def events(jobs: int, tables: int) -> list[object]:
    used = [dataset(f"t{number:03}") for number in range(tables)]
    return [run_event(job=f"j{number:02}", run=f"r{number}", inputs=used) for number in range(jobs)]


def test_jobs_of_several_parts_come_in_their_order(api: Api) -> None:
    api.store(events(MANY, 2))
    listed = api.client.get(f"/api/v1/namespaces/{JOBS}/jobs?limit=100").json()
    assert [job["name"] for job in listed["jobs"]] == [f"j{number:02}" for number in range(MANY)]
    assert listed["totalCount"] == MANY
    for job in listed["jobs"]:
        assert [each["name"] for each in job["inputs"]] == ["t000", "t001"]


def test_all_parts_together_have_as_many_uses_as_one_answer_may(
    sqlite_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses, "MOST_USES", 300)
    sqlite_api.store(events(MANY, 20))
    jobs = sqlite_api.client.get(f"/api/v1/namespaces/{JOBS}/jobs?limit=100").json()["jobs"]
    assert {len(job["inputs"]) for job in jobs[:50]} == {4}
    assert sum(len(job["inputs"]) for job in jobs) <= 300


@pytest.mark.slow
def test_memory_for_a_list_of_jobs_with_many_inputs(sqlite_api: Api) -> None:
    """Of 60 jobs with 500 inputs each: 30,000 uses."""
    for event in events(MANY, 500):
        sqlite_api.store(event)
    url = f"/api/v1/namespaces/{JOBS}/jobs?limit=100"
    size = len(sqlite_api.client.get(url).content)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        assert len(sqlite_api.client.get(url).content) == size
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 17_000_000
