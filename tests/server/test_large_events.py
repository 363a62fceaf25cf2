"""Large events: stored in turns with those of others, or refused; none is stored after a 503."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from headwater.model.intake import MAX_DATASETS
from headwater.server import ingest
from testing.api import Api, error_of, open_api
from testing.events.minimal import dataset, run_event
from testing.wait import wait_until


def large(inputs: int) -> object:
    return run_event(inputs=[dataset(f"table_{number}") for number in range(inputs)])


def count_commits(api: Api) -> float:
    found = re.search(
        r"^headwater_commit_seconds_count (\S+)", api.client.get("/metrics").text, re.M
    )
    assert found is not None
    return float(found[1])


def test_a_large_event_is_stored_in_turns(api: Api) -> None:
    """Between its parts others have theirs."""
    before = count_commits(api)
    api.store(large(5_000))
    assert count_commits(api) - before > 5
    assert len(api.rows("run_dataset")) == 5_000
    assert len(api.rows("dataset")) == 5_000
    assert api.event_count() == 1


def test_an_array_of_many_new_names_is_stored_in_turns(sqlite_api: Api) -> None:
    events = [
        run_event(run=f"run-{number}", inputs=[dataset(f"t_{number}_{i}") for i in range(20)])
        for number in range(200)
    ]
    before = count_commits(sqlite_api)
    sqlite_api.store(events)
    assert count_commits(sqlite_api) - before > 5
    assert sqlite_api.event_count() == 200


def test_the_largest_is_refused(sqlite_api: Api) -> None:
    error = error_of(sqlite_api.post(large(MAX_DATASETS + 1)), 422, "$.inputs")
    assert "several events of the run" in error["reason"]
    assert sqlite_api.event_count() == 0
    (rejected,) = sqlite_api.rejected()
    assert rejected["path"] == "$.inputs"


def test_so_is_one_whose_facets_name_too_many(sqlite_api: Api) -> None:
    sources = [
        {"namespace": "n", "name": f"t{number}", "field": "a"} for number in range(MAX_DATASETS + 1)
    ]
    columns = {"fields": {"a": {"inputFields": sources}}}
    event = run_event(outputs=[dataset("target", columnLineage=columns)])
    error_of(sqlite_api.post(event), 422, "$.inputs")
    assert sqlite_api.rows("run_dataset") == []


@pytest.mark.slow
def test_what_got_a_503_is_not_stored_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that wait for a locked store are given up; when it is free again, both are gone."""
    monkeypatch.setattr(ingest, "WRITE_SECONDS", 0.2)
    monkeypatch.setattr(ingest, "END_SECONDS", 0.2)
    store = tmp_path / "headwater.db"
    with (
        open_api(f"sqlite:///{store}") as api,
        closing(sqlite3.connect(store, isolation_level=None)) as other,
    ):
        api.store(run_event(run="before"))
        other.execute("BEGIN IMMEDIATE")
        for run in ("first", "second"):
            error_of(api.post(run_event(run=run)), 503)
        other.execute("ROLLBACK")
        # Written behind all that was before it.
        wait_until(lambda: api.post(run_event(run="after")).status_code == 201)
        assert api.event_count() == 2
