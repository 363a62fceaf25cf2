"""Runs of a stream from the same checkpoint are linked, whoever told of them."""

from testing.api import Api
from testing.events.minimal import JOBS, Json, run_event


def run_id(number: int) -> str:
    return f"01890000-0000-4000-8000-{number:012d}"


def stream(number: int, query: str | None, kind: str = "RUNNING") -> Json:
    """A run of the stream; its query's id is that of its checkpoint."""
    facets = None if query is None else {"spark_stream": {"queryId": query}}
    at = f"2024-05-01T1{number}:00:00Z"
    return run_event(kind, at, run=run_id(number), job="clean", run_facets=facets)


def test_restarts_are_linked(api: Api) -> None:
    api.store(stream(1, "a"), stream(2, "a"), stream(3, "b"), stream(4, None), stream(5, "b"))
    runs = api.read(f"/namespaces/{JOBS}/jobs/clean/runs")["runs"]
    assert {run["id"]: run.get("restartOf") for run in runs} == {
        run_id(1): None,
        run_id(2): run_id(1),
        run_id(3): None,
        run_id(4): None,
        run_id(5): None,
    }
    assert api.run(run_id(2))["restartOf"] == run_id(1)


def test_what_is_no_text_is_no_query(sqlite_api: Api) -> None:
    first, second = stream(1, "a"), stream(2, "a")
    second["run"]["facets"]["spark_stream"] = {"queryId": 7}
    sqlite_api.store(first, second)
    assert "restartOf" not in sqlite_api.run(run_id(2))


def test_a_killed_run_is_replaced_by_its_successor(api: Api) -> None:
    killed, successor, newest = stream(1, "a"), stream(2, "a"), stream(3, "b")
    api.store(killed)
    assert api.run(run_id(1))["state"] == "RUNNING"
    api.store(successor, newest)
    run = api.run(run_id(1))
    assert (run["state"], run["replacedBy"]) == ("ABORTED", run_id(2))
    assert run["endedAt"] == run["updatedAt"]
    # Of another query: nothing is known of the one before.
    assert api.run(run_id(2))["state"] == "RUNNING"
    assert "replacedBy" not in api.run(run_id(3))


def test_a_run_that_ended_by_itself_is_not_replaced(sqlite_api: Api) -> None:
    sqlite_api.store(stream(1, "a", "FAIL"), stream(2, "a"))
    assert sqlite_api.run(run_id(1))["state"] == "FAILED"
    assert "replacedBy" not in sqlite_api.run(run_id(1))


def test_a_run_that_was_heard_of_since_goes_on(sqlite_api: Api) -> None:
    late = {**stream(1, "a"), "eventTime": "2024-05-01T13:00:00Z"}
    sqlite_api.store(stream(1, "a"), stream(2, "a"), late)
    assert sqlite_api.run(run_id(1))["state"] == "RUNNING"


def test_a_job_of_flink_names_the_run_that_it_goes_on_from(sqlite_api: Api) -> None:
    facets = {"flink_rest": {"restartOf": run_id(1)}}
    at = "2024-05-01T12:00:00Z"
    renamed = run_event("RUNNING", at, run=run_id(2), job="renamed", run_facets=facets)
    sqlite_api.store(stream(1, None), renamed)
    assert sqlite_api.run(run_id(2))["restartOf"] == run_id(1)
