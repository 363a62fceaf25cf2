"""Volumes by time, who uses a dataset, two runs side by side, counts by system."""

from typing import Any

import jsonschema_rs
import pytest

from headwater.model.values.instant import DAY, MINUTE, format_instant, now
from headwater.store.maintenance.rollup import roll_up_samples
from headwater.store.stats import runs_in_range
from testing.api import Api, error_of, escape
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event, schema
from tests.server.lineage import edit, refused

HOUR = 60 * MINUTE
ORDERS = f"dataset:{TABLES}:orders"
LOAD = f"job:{JOBS}:load"
NOBODY: Json = {"rows": None, "bytes": None, "files": None, "lag": None, "runs": 0}


def path(node: str, question: str, kind: str = "datasets") -> str:
    return f"/{kind}/{escape(node)}/{question}"


def run_id(number: int) -> str:
    return f"01890000-0000-7000-8000-{number:012d}"


def wrote(name: str, **counts: int) -> Json:
    return dataset(name) | {"outputFacets": {"outputStatistics": counts}}


def read(name: str, **counts: int) -> Json:
    return dataset(name) | {"inputFacets": {"inputStatistics": counts}}


def at(time: str) -> str:
    return f"2024-05-01T{time}Z"


def counted(**counts: int) -> Json:
    return NOBODY | {"runs": 1} | counts


def samples(api: Api, by: str, first: str, last: str, **rest: Any) -> dict[str, Json]:
    """What was written by time, of those times of which something is told."""
    answer = api.read(
        path(ORDERS, "samples"),
        **{"by": by, "from": at(first), "to": at(last), "gaps": False, **rest},
    )
    assert answer["totalCount"] == len(answer["samples"])
    return {each["at"][11:16]: each["written"] for each in answer["samples"]}


@pytest.fixture(scope="module")
def shapes(api_on_sqlite: Api) -> Json:
    document: Json = api_on_sqlite.client.get("/openapi.json").json()
    return document


def fits(shapes: Json, name: str, value: Any) -> None:
    """Check that an answer is what the API document says, without a field that it leaves out."""
    schemas = shapes["components"]["schemas"]
    rule = {"$ref": f"#/components/schemas/{name}", "components": shapes["components"]}
    jsonschema_rs.validator_for(rule).validate(value)
    assert set(value) == set(schemas[name]["properties"])


class TestSamples:
    def test_tell_what_came_since_the_sample_before(self, api: Api, shapes: Json) -> None:
        for time, rows in (("10:00:10", 100), ("10:01:50", 250), ("10:04:00", 250)):
            api.store(run_event("RUNNING", at(time), outputs=[wrote("orders", rowCount=rows)]))
        asked = {"by": "minute", "from": at("10:00:00"), "to": at("10:05:00")}
        answer = api.read(path(ORDERS, "samples"), **asked)
        fits(shapes, "DatasetSamples", answer)
        assert answer["dataset"] == {"id": ORDERS, "namespace": TABLES, "name": "orders"}
        assert (answer["by"], answer["isCut"], answer["totalCount"]) == ("minute", False, 5)
        assert [each["at"] for each in answer["samples"]] == [
            f"2024-05-01T10:0{minute}:00.000000Z" for minute in range(5)
        ]
        assert [each["written"]["rows"] for each in answer["samples"]] == [100, 150, None, None, 0]
        assert all(each["read"] == NOBODY for each in answer["samples"])

    def test_begin_with_what_a_run_had_counted_before(self, api: Api) -> None:
        for time, rows in (("08:00:00", 70), ("09:59:00", 100), ("10:01:00", 130)):
            api.store(run_event("RUNNING", at(time), outputs=[wrote("orders", rowCount=rows)]))
        assert samples(api, "minute", "10:00:00", "10:02:00") == {"10:01": counted(rows=30)}

    def test_add_up_over_runs(self, api: Api) -> None:
        for number, rows in ((1, 100), (2, 30)):
            event = run_event("COMPLETE", at("10:30:00"), run_id(number), f"load{number}")
            api.store(event | {"outputs": [wrote("orders", rowCount=rows, size=rows * 10)]})
        assert samples(api, "hour", "09:00:00", "12:00:00") == {
            "10:00": counted(rows=130, bytes=1300, runs=2)
        }

    def test_by_hour_and_day_are_the_sum_of_minutes(self, api: Api) -> None:
        for hour in range(3):
            for minute in (5, 25, 45):
                rows = hour * 1000 + minute
                event = run_event("RUNNING", at(f"{10 + hour}:{minute:02}:00"))
                api.store(event | {"outputs": [wrote("orders", rowCount=rows)]})
        hours = samples(api, "hour", "10:00:00", "13:00:00")
        assert [each["rows"] for each in hours.values()] == [45, 1000, 1000]
        days = samples(api, "day", "00:00:00", "23:00:00")
        assert days == {"00:00": counted(rows=2045)}

    def test_what_was_rolled_up_to_hours_counts_as_before(self, api: Api) -> None:
        for time, rows in (("10:10:00", 10), ("10:50:00", 50), ("11:10:00", 60)):
            api.store(run_event("RUNNING", at(time), outputs=[wrote("orders", rowCount=rows)]))
        before = samples(api, "hour", "10:00:00", "12:00:00")
        assert [each["rows"] for each in before.values()] == [50, 10]
        assert sum(roll_up_samples(api.engine, now())) == 3
        assert samples(api, "hour", "10:00:00", "12:00:00") == before

    def test_a_count_that_fell_began_anew(self, api: Api) -> None:
        for time, rows in (("10:00:00", 100), ("10:01:00", 20), ("10:02:00", 50)):
            api.store(run_event("RUNNING", at(time), outputs=[wrote("orders", rowCount=rows)]))
        found = samples(api, "minute", "10:00:00", "10:03:00")
        assert [each["rows"] for each in found.values()] == [100, 20, 30]

    def test_a_sample_that_leaves_a_count_out_does_not_begin_it_anew(self, api: Api) -> None:
        for time, counts in (
            ("10:00:00", {"rowCount": 100, "size": 1}),
            ("10:01:00", {"size": 5}),
            ("10:02:00", {"rowCount": 150, "size": 6}),
        ):
            api.store(run_event("RUNNING", at(time), outputs=[wrote("orders", **counts)]))
        found = samples(api, "minute", "10:00:00", "10:03:00").values()
        assert [(each["rows"], each["bytes"]) for each in found] == [(100, 1), (None, 4), (50, 1)]

    def test_reading_is_reported_beside_writing(self, api: Api) -> None:
        event = run_event("RUNNING", at("10:00:00"), inputs=[read("orders", rowCount=7, lag=40)])
        api.store(event)
        asked = {"by": "minute", "from": at("10:00:00"), "to": at("10:01:00")}
        (only,) = api.read(path(ORDERS, "samples"), **asked)["samples"]
        assert only["written"] == NOBODY
        assert only["read"] | {"lag": None} == counted(rows=7)

    def test_of_a_dataset_by_another_of_its_names(self, api: Api) -> None:
        other = dataset("orders") | {
            "facets": {
                "symlinks": {
                    "identifiers": [{"namespace": "hive://h", "name": "o", "type": "TABLE"}]
                }
            },
            "outputFacets": {"outputStatistics": {"rowCount": 5}},
        }
        api.store(run_event("COMPLETE", at("10:00:00"), outputs=[other]))
        asked = {"by": "minute", "from": at("10:00:00"), "to": at("10:01:00")}
        (only,) = api.read(path("dataset:hive://h:o", "samples"), **asked)["samples"]
        assert only["written"] == counted(rows=5)

    def test_before_1970(self, api: Api) -> None:
        event = run_event("COMPLETE", "1969-12-31T23:30:00Z")
        api.store(event | {"outputs": [wrote("orders", rowCount=5)]})
        asked = {"by": "hour", "from": "1969-12-31T22:00:00Z", "to": "1970-01-01T01:00:00Z"}
        found = api.read(path(ORDERS, "samples"), **asked)["samples"]
        assert [each["written"]["rows"] for each in found] == [None, 5, None]

    def test_of_too_many_runs_are_those_that_are_whole(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(4):
            event = run_event("COMPLETE", at(f"1{number}:30:00"), run_id(number))
            api.store(event | {"outputs": [wrote("orders", rowCount=5)]})
        asked = {"by": "hour", "from": at("10:00:00"), "to": at("14:00:00")}
        whole = api.read(path(ORDERS, "samples"), **asked)
        assert [each["written"]["rows"] for each in whole["samples"]] == [5, 5, 5, 5]
        monkeypatch.setattr(runs_in_range, "MOST_RUNS", 2)
        answer = api.read(path(ORDERS, "samples"), **asked)
        assert answer["isCut"] and not whole["isCut"]
        # Of the hour from eleven on only the end is known.
        assert answer["from"] == "2024-05-01T12:00:00.000000Z"
        assert answer["samples"] == whole["samples"][2:]

    def test_without_times_end_now(self, api: Api) -> None:
        api.store(run_event("COMPLETE", format_instant(now()), outputs=[wrote("orders", size=9)]))
        for by, steps in (("minute", 180), ("hour", 48), ("day", 30)):
            answer = api.read(path(ORDERS, "samples"), by=by)
            assert answer["totalCount"] == steps
            # Unless a minute passed between.
            assert [each["written"]["bytes"] for each in answer["samples"][-2:]].count(9) == 1

    @pytest.mark.parametrize(
        ("asked", "where"),
        [
            ({"by": "week"}, "by"),
            ({"from": "yesterday"}, "from"),
            ({"to": "0000-00-00"}, "to"),
            ({"from": at("11:00:00"), "to": at("10:00:00")}, "from"),
            ({"by": "minute", "from": "2020-01-01", "to": "2024-01-01"}, "from"),
            ({"to": "0001-01-01"}, "to"),
            ({"to": "9999-12-31T23:59:59Z"}, "to"),
            ({"gaps": "perhaps"}, "gaps"),
        ],
    )
    def test_refuse_what_cannot_be_reported(
        self, sqlite_api: Api, asked: dict[str, str], where: str
    ) -> None:
        sqlite_api.store(run_event(outputs=[wrote("orders", rowCount=5)]))
        error_of(sqlite_api.get(path(ORDERS, "samples"), **asked), 400, where)


class TestDatasetsInPaths:
    @pytest.mark.parametrize("question", ["samples", "usage"])
    def test_are_node_ids(self, sqlite_api: Api, question: str) -> None:
        sqlite_api.store(run_event(inputs=[dataset("orders", schema=schema(a="INT"))]))
        assert sqlite_api.get(path(ORDERS, question)).status_code == 200
        for wrong in (LOAD, f"datasetField:{TABLES}:orders:a", "orders", "dataset:"):
            refused(sqlite_api.get(path(wrong, question)), 400, "id")
        error = refused(sqlite_api.get(path(f"dataset:{TABLES}:order", question)), 404)
        assert error["near"] == [ORDERS]

    def test_that_are_deleted_are_not_found(self, sqlite_api: Api) -> None:
        sqlite_api.store(run_event(inputs=[dataset("orders")]))
        entity = {"type": "dataset", "namespace": TABLES, "name": "orders"}
        change = {"actor": "ada", "entity": entity, "set": {"deleted": True}}
        edit(sqlite_api, {"eventTime": at("23:00:00"), "edit": change})
        refused(sqlite_api.get(path(ORDERS, "samples")), 404)


class TestUsage:
    def test_names_readers_and_writers_by_day(self, api: Api, shapes: Json) -> None:
        today = now() // DAY * DAY
        for number, (ago, job) in enumerate(
            ((0, "load"), (2 * DAY, "load"), (2 * DAY, "load"), (2 * DAY, "audit"))
        ):
            time = format_instant(today - ago + number)
            api.store(run_event("COMPLETE", time, run_id(number), job, inputs=[dataset("orders")]))
        time = format_instant(today - 5 * DAY)
        api.store(run_event("COMPLETE", time, run_id(9), "fill", outputs=[dataset("orders")]))
        answer = api.read(path(ORDERS, "usage"))
        fits(shapes, "DatasetUsage", answer)
        assert not answer["isCut"]
        days = {day["day"]: day for day in answer["days"]}
        assert list(days) == [format_instant(today - ago * DAY)[:10] for ago in (0, 2, 5)]
        _, second, fifth = days.values()
        assert second["readers"] == {
            "jobs": [
                {
                    "id": LOAD,
                    "namespace": JOBS,
                    "name": "load",
                    "runs": 2,
                    "lastAt": format_instant(today - 2 * DAY + 2),
                },
                {
                    "id": f"job:{JOBS}:audit",
                    "namespace": JOBS,
                    "name": "audit",
                    "runs": 1,
                    "lastAt": format_instant(today - 2 * DAY + 3),
                },
            ],
            "jobCount": 2,
            "runCount": 3,
        }
        assert second["writers"] == {"jobs": [], "jobCount": 0, "runCount": 0}
        assert [job["name"] for job in fifth["writers"]["jobs"]] == ["fill"]

    def test_a_run_that_goes_on_reads_every_day(self, api: Api) -> None:
        today = now() // DAY * DAY
        for ago in (400 * DAY, 3 * DAY, 0):
            time = format_instant(today - ago)
            api.store(run_event("RUNNING", time, inputs=[dataset("orders")]))
        answer = api.read(path(ORDERS, "usage"), days=10)
        assert [day["readers"]["runCount"] for day in answer["days"]] == [1] * 10

    def test_is_of_the_days_requested_and_so_many_jobs(self, api: Api) -> None:
        today = now() // DAY * DAY
        for number in range(6):
            time = format_instant(today - number * DAY)
            for job in ("a", "b"):
                run = run_id(number * 2 + (job == "b"))
                api.store(run_event("COMPLETE", time, run, job, inputs=[dataset("orders")]))
        answer = api.read(path(ORDERS, "usage"), days=3, limit=1)
        assert [day["readers"]["jobCount"] for day in answer["days"]] == [2, 2, 2]
        assert [len(day["readers"]["jobs"]) for day in answer["days"]] == [1, 1, 1]
        assert answer["from"] == format_instant(today - 2 * DAY)

    def test_of_too_many_runs_is_of_whole_days(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        today = now() // DAY * DAY
        for number in range(4):
            time = format_instant(today - number * DAY)
            event = run_event("COMPLETE", time, run_id(number), inputs=[dataset("orders")])
            api.store(event)
        whole = api.read(path(ORDERS, "usage"))
        monkeypatch.setattr(runs_in_range, "MOST_RUNS", 2)
        answer = api.read(path(ORDERS, "usage"))
        assert answer["isCut"] and not whole["isCut"]
        assert answer["days"] == whole["days"][:2]
        monkeypatch.setattr(runs_in_range, "MOST_JOBS", 0)
        assert api.read(path(ORDERS, "usage"))["isCut"]

    @pytest.mark.parametrize("days", ["0", "367", "-1", "x"])
    def test_refuses_days_out_of_range(self, sqlite_api: Api, days: str) -> None:
        error_of(sqlite_api.get(path(ORDERS, "usage"), days=days), 400, "days")


def compare(api: Api, **asked: str) -> Json:
    found: Json = api.read(path(LOAD, "runs/compare", "jobs"), **asked)
    return found


def mapped(**columns: str) -> Json:
    return {
        "fields": {
            output: {
                "inputFields": [
                    {
                        "namespace": TABLES,
                        "name": "orders",
                        "field": source,
                        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                    }
                ]
            }
            for output, source in columns.items()
        }
    }


class TestComparison:
    def store_two(self, api: Api) -> None:
        """Two runs of a job that differ in all that can differ."""
        first = run_event(
            "COMPLETE",
            at("10:01:40"),
            run_id(1),
            run_facets={"spark": {"memory": "1g", "_producer": "a"}},
            job_facets={"sourceCodeLocation": {"version": "1f"}, "sql": {"query": "SELECT 1"}},
            inputs=[dataset("orders"), dataset("customers")],
            outputs=[
                wrote("totals", rowCount=10)
                | {"facets": {"schema": schema(a="INT", b="INT"), "columnLineage": mapped(a="x")}}
            ],
        )
        second = run_event(
            "FAIL",
            at("11:00:20"),
            run_id(2),
            run_facets={
                "spark": {"memory": "2g", "_producer": "b"},
                "errorMessage": {"message": "no room"},
            },
            job_facets={"sourceCodeLocation": {"version": "2a"}, "sql": {"query": "SELECT 1"}},
            inputs=[dataset("orders"), dataset("coupons")],
            outputs=[
                wrote("totals", rowCount=4)
                | {
                    "facets": {
                        "schema": schema(a="BIGINT", c="INT"),
                        "columnLineage": mapped(a="y"),
                    }
                }
            ],
        )
        api.store(
            run_event("START", at("10:00:00"), run_id(1)),
            first,
            run_event("START", at("11:00:00"), run_id(2)),
            second,
            run_event("START", at("12:00:00"), run_id(3)),
        )

    def test_tells_all_that_is_different(self, api: Api, shapes: Json) -> None:
        self.store_two(api)
        found = compare(api)
        fits(shapes, "RunComparison", found)
        assert found["job"] == {"id": LOAD, "namespace": JOBS, "name": "load"}
        assert (found["a"]["id"], found["a"]["state"]) == (run_id(1), "COMPLETED")
        assert (found["b"]["id"], found["b"]["state"]) == (run_id(2), "FAILED")
        assert (found["a"]["durationMs"], found["b"]["durationMs"]) == (100_000, 20_000)
        assert found["durationDeltaMs"] == -80_000
        assert [(each["name"], each["change"]) for each in found["datasets"]] == [
            ("coupons", "added"),
            ("customers", "removed"),
        ]
        assert [
            (each["field"], each["change"], each["before"], each["after"])
            for each in found["fields"]
        ] == [
            ("a", "changed", "INT", "BIGINT"),
            ("b", "removed", "INT", None),
            ("c", "added", None, "INT"),
        ]
        assert [(each["origin"][-1], each["change"]) for each in found["columns"]] == [
            ("x", "removed"),
            ("y", "added"),
        ]
        assert found["columns"][0]["before"] == "DIRECT/IDENTITY"
        assert found["columns"][0]["destination"] == f"datasetField:{TABLES}:totals:a"
        assert found["code"] == [
            {
                "facet": "sourceCodeLocation",
                "field": "version",
                "change": "changed",
                "before": "1f",
                "after": "2a",
            }
        ]
        assert [(each["facet"], each["field"], each["after"]) for each in found["facets"]] == [
            ("errorMessage", "message", "no room"),
            ("spark", "memory", "2g"),
        ]
        counters = {each["dataset"]: each for each in found["counters"]}
        totals = counters[f"dataset:{TABLES}:totals"]
        assert (totals["a"]["rows"], totals["b"]["rows"]) == (10, 4)
        assert counters[f"dataset:{TABLES}:coupons"]["a"] is None
        assert found["isCut"] is False

    def test_takes_the_runs_that_are_named(self, api: Api) -> None:
        self.store_two(api)
        found = compare(api, a=run_id(2), b=run_id(1))
        assert (found["a"]["id"], found["b"]["id"]) == (run_id(2), run_id(1))
        assert [(each["name"], each["change"]) for each in found["datasets"]] == [
            ("coupons", "removed"),
            ("customers", "added"),
        ]
        # The one that goes on with the newest that has ended.
        assert compare(api, a=run_id(3))["b"]["id"] == run_id(2)
        assert compare(api, b=run_id(2))["a"]["id"] == run_id(1)

    def test_of_a_run_with_itself_finds_nothing(self, api: Api) -> None:
        self.store_two(api)
        found = compare(api, a=run_id(1), b=run_id(1))
        for name in ("datasets", "fields", "columns", "code", "facets"):
            assert found[name] == []

    def test_of_runs_whose_ids_are_no_uuids(self, api: Api) -> None:
        for number, run in enumerate(("monday", "tuesday")):
            api.store(run_event("COMPLETE", at(f"1{number}:00:00"), run))
            api.store(run_event("COMPLETE", at(f"1{number}:30:00"), run, "other"))
        found = compare(api, a="monday", b="tuesday")
        assert found["a"]["endedAt"] == "2024-05-01T10:00:00.000000Z"

    def test_says_what_is_not_there(self, sqlite_api: Api) -> None:
        address = path(LOAD, "runs/compare", "jobs")
        refused(sqlite_api.get(address), 404)
        sqlite_api.store(run_event("COMPLETE", run=run_id(1)))
        refused(sqlite_api.get(address), 404)
        sqlite_api.store(run_event("COMPLETE", run=run_id(2), job="other"))
        refused(sqlite_api.get(address, a=run_id(1), b=run_id(2)), 404)
        refused(sqlite_api.get(address, a="\0", b="'; DROP TABLE run"), 404)
        refused(sqlite_api.get(address, a=""), 400, "a")
        refused(sqlite_api.get(path(ORDERS, "runs/compare", "jobs")), 404)

    def test_leaves_marquez_paths_alone(self, api: Api) -> None:
        self.store_two(api)
        assert api.read(f"/jobs/runs/{run_id(1)}")["id"] == run_id(1)
        refused(api.get("/jobs/runs/compare"), 404)


def parent(job: str, namespace: str = JOBS) -> Json:
    return {"parent": {"run": {"runId": run_id(9)}, "job": {"namespace": namespace, "name": job}}}


class TestFamily:
    def test_parent_and_children_with_their_states(self, api: Api, shapes: Json) -> None:
        api.store(
            run_event("START", run=run_id(9), job="nightly"),
            run_event("FAIL", run=run_id(1), job="second", run_facets=parent("nightly")),
            run_event("COMPLETE", run=run_id(2), job="first", run_facets=parent("nightly")),
        )
        answer = api.read(path(f"job:{JOBS}:nightly", "family", "jobs"))
        fits(shapes, "JobFamily", answer)
        assert answer["parent"] is None
        children = [(child["name"], child["state"]) for child in answer["children"]]
        assert children == [("first", "COMPLETED"), ("second", "FAILED")]
        first = api.read(path(f"job:{JOBS}:first", "family", "jobs"))
        assert (first["parent"]["name"], first["parent"]["state"]) == ("nightly", "RUNNING")
        assert first["children"] == []

    def test_a_parent_that_is_only_named(self, api: Api) -> None:
        api.store(run_event("COMPLETE", run_facets=parent("dag", "airflow")))
        found = api.read(path(LOAD, "family", "jobs"))["parent"]
        assert (found["namespace"], found["state"]) == ("airflow", None)
        assert found["lastHeardAt"] == api.job("airflow", "dag")["updatedAt"]

    def test_counts_the_children_it_leaves_out(self, api: Api) -> None:
        api.store(run_event("START", run=run_id(9), job="nightly"))
        for number in range(3):
            facets = parent("nightly")
            api.store(run_event("START", run=run_id(number), job=f"j{number}", run_facets=facets))
        answer = api.read(path(f"job:{JOBS}:nightly", "family", "jobs"), limit=2)
        assert ([child["name"] for child in answer["children"]], answer["totalCount"]) == (
            ["j0", "j1"],
            3,
        )
        refused(api.get(path("job:scheduler:none", "family", "jobs")), 404)


class TestSystems:
    def test_are_counted(self, api: Api, shapes: Json) -> None:
        flink = {"jobType": {"processingType": "STREAMING", "integration": "FLINK"}}
        api.store(
            run_event("RUNNING", at("10:00:00"), run_id(1), "stream", job_facets=flink),
            run_event("COMPLETE", at("10:00:00"), run_id(2), "ended", job_facets=flink),
            run_event("RUNNING", at("09:00:00"), run_id(3), "ended", job_facets=flink),
            run_event("START", at("10:00:00"), run_id(4), "plain"),
            run_event("COMPLETE", at("10:10:00"), run_id(5), "again"),
            run_event("START", at("10:20:00"), run_id(5), "again"),
            run_event(None, at("10:00:00"), run_id(6), "other"),
            run_event(
                inputs=[dataset("a", "kafka://b:9092"), dataset("b", "kafka://b:9092")],
                outputs=[dataset("c", "s3a://bucket"), dataset("d", "s3://other")],
                run=run_id(4),
                job="plain",
            ),
        )
        answer = api.read("/systems")
        fits(shapes, "SystemCountList", answer)
        counts = {
            each["name"]: (each["datasets"], each["jobs"], each["runningJobs"])
            for each in answer["systems"]
        }
        assert counts == {
            "flink": (0, 2, 1),
            "kafka": (2, 0, 0),
            "s3": (2, 0, 0),
            "unknown": (0, 3, 2),
        }
        assert answer["totalCount"] == 4

    def test_count_running_as_jobs_tell_it(self, api: Api) -> None:
        events = ["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", None]
        for number, kind in enumerate(events):
            api.store(run_event(kind, at("10:00:00"), run_id(number), f"job{number}"))
            api.store(run_event("RUNNING", at("09:00:00"), run_id(number), f"job{number}"))
        jobs = api.read(f"/namespaces/{JOBS}/jobs")["jobs"]
        running = sum(job["latestRun"]["state"] == "RUNNING" for job in jobs)
        (only,) = api.read("/systems")["systems"]
        assert (only["jobs"], only["runningJobs"]) == (len(events), running)

    def test_follow_the_word_of_persons(self, api: Api) -> None:
        api.store(run_event(job="load"), run_event(job="gone"))
        for name, change in (
            ("load", {"jobType": {"integration": "DBT"}}),
            ("gone", {"deleted": True}),
        ):
            entity = {"type": "job", "namespace": JOBS, "name": name}
            told = {"actor": "ada", "entity": entity, "set": change}
            edit(api, {"eventTime": at("23:00:00"), "edit": told})
        (only,) = api.read("/systems")["systems"]
        assert (only["name"], only["jobs"]) == ("dbt", 1)

    def test_of_an_empty_store(self, api: Api) -> None:
        assert api.read("/systems") == {"systems": [], "totalCount": 0}
