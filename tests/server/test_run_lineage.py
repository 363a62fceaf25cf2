"""`/runlineage/upstream`: the runs that wrote what a run read, and those behind them."""

from typing import Any

import pytest
from sqlalchemy import Engine, event

from testing.api import Api
from testing.events.history import JOBS, TABLES, dataset, run, run_id
from testing.events.minimal import dataset as named
from testing.events.minimal import run_event
from tests.server.lineage import Uses, at, bulk_run, fill, refused

CHAIN = [
    run("load", "START", 0, 1, ["orders"], ["totals"]),
    run("load", "COMPLETE", 5, 1),
    run("report", "COMPLETE", 10, 2, ["totals"], ["summary"]),
    run("send", "FAIL", 20, 3, ["summary", "people"], ["mails"]),
]


def ask(api: Api, run: str, **parameters: Any) -> Any:
    return api.read("/runlineage/upstream", runId=run, **parameters)


def told(answer: Any) -> dict[str, dict[str, str | None]]:
    """Of each run's job what it read, and the number of the run that wrote that."""
    return {
        found["job"]["name"]: {
            used["name"]: _number(used["producedByRunId"]) for used in found["inputs"]
        }
        for found in answer["runs"]
    }


def _number(run: str | None) -> str | None:
    return None if run is None else run.rpartition("-")[2].lstrip("0")


class TestTheChain:
    def test_goes_from_run_to_run_to_the_first(self, api: Api) -> None:
        api.store(*CHAIN)
        answer = ask(api, run_id(3))
        assert [found["run"]["id"] for found in answer["runs"]] == [run_id(3), run_id(2), run_id(1)]
        assert told(answer) == {
            "send": {"people": None, "summary": "2"},
            "report": {"totals": "1"},
            "load": {"orders": None},
        }
        assert answer["isCut"] is False

    def test_has_marquez_s_shape(self, api: Api) -> None:
        api.store(*CHAIN)
        (first,) = ask(api, run_id(1))["runs"]
        assert first["job"]["namespace"] == JOBS
        assert first["job"]["name"] == "load"
        assert first["run"] == {
            "id": run_id(1),
            "start": at(0),
            "end": at(5),
            "status": "COMPLETED",
        }
        (used,) = first["inputs"]
        assert (used["namespace"], used["name"]) == (TABLES, "orders")
        version = api.run(run_id(1))["inputDatasetVersions"][0]["datasetVersionId"]["version"]
        assert used["version"] == version

    @pytest.mark.parametrize(("depth", "runs"), [(0, [3]), (1, [3, 2]), (2, [3, 2, 1])])
    def test_is_as_long_as_requested(self, api: Api, depth: int, runs: list[int]) -> None:
        api.store(*CHAIN)
        answer = ask(api, run_id(3), depth=depth)
        assert [found["run"]["id"] for found in answer["runs"]] == [run_id(run) for run in runs]
        assert answer["isCut"] is (depth < 2)
        # Who wrote it is named though that run is not in the answer.
        assert told(answer)["send"] == {"people": None, "summary": "2"}

    def test_is_20_runs_long_by_default(self, api: Api) -> None:
        fill(api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(25)])
        answer = ask(api, bulk_run("j24"))
        assert (len(answer["runs"]), answer["isCut"]) == (21, True)

    def test_has_no_more_runs_than_requested(self, api: Api) -> None:
        writers: list[Uses] = [(f"w{number}", [], [f"d{number}"]) for number in range(10)]
        fill(api, [*writers, ("reader", [f"d{number}" for number in range(10)], [])])
        answer = ask(api, bulk_run("reader"), limit=4)
        assert (len(answer["runs"]), answer["isCut"]) == (4, True)
        assert all(used["producedByRunId"] for used in answer["runs"][0]["inputs"])

    def test_ends_in_a_circle(self, api: Api) -> None:
        for step in range(6):
            reads, writes = ("a", "b") if step % 2 else ("b", "a")
            api.store(run(f"job{step % 2}", "COMPLETE", step, step + 1, [reads], [writes]))
        answer = ask(api, run_id(6), depth=10**9)
        assert [found["run"]["id"] for found in answer["runs"]] == [
            run_id(number) for number in range(6, 0, -1)
        ]
        assert answer["isCut"] is False

    def test_of_very_many_runs_comes_to_its_end(self, sqlite_api: Api) -> None:
        fill(sqlite_api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(500)])
        answer = ask(sqlite_api, bulk_run("j499"), depth=10**9, limit=50_000)
        assert (len(answer["runs"]), answer["isCut"]) == (500, False)

    def test_does_not_ask_the_store_for_each_writer_of_each_input(self, sqlite_api: Api) -> None:
        """A thousand runs that read what a thousand jobs write would be a million questions."""
        fill(
            sqlite_api,
            [
                *((f"source{number}", [], ["hub"]) for number in range(40)),
                *((f"middle{number}", ["hub"], [f"d{number}"]) for number in range(40)),
                ("last", [f"d{number}" for number in range(40)], []),
            ],
        )
        statements: list[str] = []

        def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
            statements.append(statement)

        event.listen(Engine, "before_cursor_execute", count)
        try:
            answer = ask(sqlite_api, bulk_run("last"))
        finally:
            event.remove(Engine, "before_cursor_execute", count)
        assert len(answer["runs"]) > 40
        assert len(statements) < 500


class TestWhoWroteIt:
    def test_is_the_last_by_the_time_it_was_read(self, api: Api) -> None:
        for number, minutes in ((1, 0), (2, 10), (4, 30)):
            api.store(run("load", "COMPLETE", minutes, number, [], ["totals"]))
        api.store(run("report", "COMPLETE", 20, 3, ["totals"], []))
        assert told(ask(api, run_id(3)))["report"] == {"totals": "2"}

    def test_is_the_last_of_several_jobs(self, api: Api) -> None:
        api.store(
            run("one", "COMPLETE", 10, 1, [], ["totals"]),
            run("two", "COMPLETE", 15, 2, [], ["totals"]),
            run("one", "COMPLETE", 30, 9, [], ["totals"]),
            run("report", "COMPLETE", 20, 3, ["totals"], []),
        )
        assert told(ask(api, run_id(3)))["report"] == {"totals": "2"}

    def test_may_still_be_running(self, api: Api) -> None:
        api.store(
            run("stream", "START", 0, 1, ["events"], ["totals"]),
            run("report", "COMPLETE", 20, 2, ["totals"], []),
            run("stream", "RUNNING", 30, 1, ["events"], ["totals"]),
        )
        assert told(ask(api, run_id(2)))["report"] == {"totals": "1"}

    def test_is_nobody_before_it_was_written(self, api: Api) -> None:
        api.store(
            run("report", "COMPLETE", 10, 1, ["totals"], []),
            run("load", "COMPLETE", 20, 2, [], ["totals"]),
        )
        assert told(ask(api, run_id(1)))["report"] == {"totals": None}

    def test_is_not_the_run_that_reads_what_it_writes(self, api: Api) -> None:
        for number in (1, 2, 3):
            api.store(run("upsert", "COMPLETE", number, number, ["table"], ["table"]))
        answer = ask(api, run_id(3))
        assert [
            (found["run"]["id"], _number(found["inputs"][0]["producedByRunId"]))
            for found in answer["runs"]
        ] == [(run_id(3), "2"), (run_id(2), "1"), (run_id(1), None)]

    def test_is_found_under_another_name_of_the_dataset(self, api: Api) -> None:
        written = dataset("s3://lake|orders/", symlinks=[("hive|orders", "TABLE")])
        api.store(
            run("load", "COMPLETE", 0, 1, [], [written]),
            run("report", "COMPLETE", 10, 2, ["hive|orders"], []),
        )
        assert told(ask(api, run_id(2)))["report"] == {"orders": "1"}

    def test_holds_whatever_the_order_of_arrival(self, api: Api) -> None:
        api.store(*CHAIN)
        expected = ask(api, run_id(3))
        api.empty()
        api.store(*reversed(CHAIN))
        assert ask(api, run_id(3)) == expected


class TestRuns:
    @pytest.mark.parametrize(
        "name",
        ["run_id", "spark/2024-05-01T10:00:00+00:00#1", "\u4e2d\u6587 \U0001f600", "%2F&a=b"],
    )
    def test_whose_ids_are_no_uuids(self, api: Api, name: str) -> None:
        api.store(
            run_event("COMPLETE", at(0), f"{name}-before", "load", outputs=[named("totals")]),
            run_event("COMPLETE", at(5), name, "report", inputs=[named("totals")]),
        )
        answer = ask(api, name)
        assert [found["run"]["id"] for found in answer["runs"]] == [name, f"{name}-before"]
        assert answer["runs"][0]["inputs"][0]["producedByRunId"] == f"{name}-before"

    def test_whose_uuid_is_written_otherwise(self, api: Api) -> None:
        id = "abcdef00-0000-4000-8000-000000000001"
        api.store(run_event("COMPLETE", at(0), id, "load", inputs=[named("orders")]))
        assert ask(api, id.upper())["runs"][0]["run"]["id"] == id

    def test_that_only_their_children_name(self, api: Api) -> None:
        api.store(run("app.load", "COMPLETE", 0, 1, ["orders"], [], parent=9))
        (found,) = ask(api, run_id(9))["runs"]
        assert (found["job"]["name"], found["inputs"]) == ("app", [])
        assert found["run"] == {"id": run_id(9), "start": None, "end": None, "status": "NEW"}

    def test_that_read_nothing(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, [], ["totals"]))
        answer = ask(api, run_id(1))
        assert [found["inputs"] for found in answer["runs"]] == [[]]

    @pytest.mark.parametrize("id", [run_id(7), "nobody", "\0", "\u2400", " ", "x" * 2_000, "%"])
    def test_that_nobody_knows_are_a_404(self, api: Api, id: str) -> None:
        api.store(*CHAIN)
        refused(api.get("/runlineage/upstream", runId=id), 404)

    @pytest.mark.parametrize(
        ("parameters", "where"),
        [
            ({}, "runId"),
            ({"runId": ""}, "runId"),
            ({"runId": "x" * 2_001}, "runId"),
            ({"runId": run_id(3), "depth": -1}, "depth"),
            ({"runId": run_id(3), "depth": "x"}, "depth"),
            ({"runId": run_id(3), "limit": 0}, "limit"),
            ({"runId": run_id(3), "limit": 10**9}, "limit"),
        ],
    )
    def test_requested_in_a_wrong_way_are_a_400(
        self, api: Api, parameters: dict[str, Any], where: str
    ) -> None:
        api.store(*CHAIN)
        refused(api.get("/runlineage/upstream", **parameters), 400, where)


def test_times_are_those_of_the_run(api: Api) -> None:
    """The start is the first START, the end the last terminal event, in whatever order."""
    api.store(
        run("load", "COMPLETE", 9, 1),
        run("load", "RUNNING", 5, 1, ["orders"], []),
        run("load", "START", 2, 1),
    )
    (found,) = ask(api, run_id(1))["runs"]
    assert (found["run"]["start"], found["run"]["end"]) == (at(2), at(9))
