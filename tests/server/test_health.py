"""`/health/jobs` and `/health/datasets`: what is wrong, worst first, and nothing that is not."""

from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert

from headwater.config import HealthSettings, load_settings
from headwater.errors import BadConfig
from headwater.model.values.ids import job_id
from headwater.model.values.instant import DAY, MINUTE, format_instant, now, parse_instant
from headwater.store import tables
from testing.api import Api, error_of
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event
from tests.server.lineage import edit

HOUR = 60 * MINUTE
STREAM = {"jobType": {"processingType": "STREAMING", "integration": "FLINK"}}


def said(event_type: str, ago: int, run: str, job: str = "load", **rest: Any) -> Json:
    return run_event(event_type, format_instant(now() - ago), run, job, **rest)


def ended(api: Api, job: str, ago: int, end: str = "COMPLETE", **rest: Any) -> str:
    """A run of ten minutes that ended so long ago; what it says, it says at its end."""
    run = str(uuid4())
    api.store(said("START", ago + 10 * MINUTE, run, job), said(end, ago, run, job, **rest))
    return run


def hourly(api: Api, job: str, last: int, *rows: int | None) -> None:
    """Runs that ended an hour apart, newest first, with what each wrote into `totals`."""
    for number, count in enumerate(rows):
        ended(api, job, last + number * HOUR, outputs=[wrote("totals", count)])


def wrote(name: str, rows: int | None = None) -> Json:
    return dataset(name) | {"outputFacets": {"outputStatistics": {"rowCount": rows}}}


def by_name(answer: Any, noun: str) -> dict[str, Any]:
    return {row["name"]: row for row in answer[noun]}


class TestJobs:
    def test_failed(self, api: Api) -> None:
        error = {"message": "Java heap space\n\tat Main", "programmingLanguage": "JAVA"}
        run = ended(api, "load", 25 * MINUTE, "FAIL", run_facets={"errorMessage": error})
        answer = api.read("/health/jobs")
        (job,) = answer.pop("jobs")
        times = [job.pop("since"), job.pop("lastHeardAt"), job["latestRun"].pop("endedAt")]
        assert len(set(times)) == 1
        assert 24 * MINUTE < now() - parse_instant(times[0]) < 26 * MINUTE
        assert job["latestRun"].pop("startedAt") < times[0]
        assert job == {
            "namespace": JOBS,
            "name": "load",
            "id": f"job:{JOBS}:load",
            "type": "BATCH",
            "state": "failed",
            "reason": "Its newest run failed 25 minutes ago: Java heap space",
            "errorMessage": "Java heap space",
            "silentForSeconds": None,
            "expectedAt": None,
            "everySeconds": None,
            "usualSeconds": None,
            "latestRun": {"id": run, "state": "FAILED"},
            "system": "",
            "owners": [],
        }
        counts = {"failed": 1, "silent": 0, "late": 0, "stopped": 0, "deleted": 0, "ok": 0}
        assert now() - MINUTE < parse_instant(answer.pop("asOf")) <= now()
        assert answer == {"counts": counts, "totalCount": 1}

    def test_stopped_is_no_problem(self, api: Api) -> None:
        ended(api, "load", 3 * HOUR, "ABORT")
        assert api.read("/health/jobs")["jobs"] == []
        (job,) = api.read("/health/jobs", state="stopped")["jobs"]
        assert job["reason"] == "Its newest run was stopped 3 hours ago"
        assert job["errorMessage"] is None
        assert job["latestRun"]["state"] == "ABORTED"

    @pytest.mark.parametrize("facet", ["kafka_connect", "kafka_connect_rest"])
    def test_a_deleted_connector_is_no_failed_and_no_stopped_one(
        self, api: Api, facet: str
    ) -> None:
        """As its plugin has it, or a collector outside."""
        for job, end in (("sink", "FAIL"), ("source", "ABORT")):
            run = ended(api, job, 3 * HOUR, end)
            deleted = {facet: {"reason": "deleted"}}
            api.store(said("OTHER", 2 * HOUR, run, job, run_facets=deleted))
        assert api.read("/health/jobs")["jobs"] == []
        assert api.read("/health/jobs", state="stopped")["jobs"] == []
        found = by_name(api.read("/health/jobs", state="deleted"), "jobs")
        assert {job["reason"] for job in found.values()} == {"Deleted 2 hours ago"}
        assert found["sink"]["latestRun"]["state"] == "FAILED"
        assert found["source"]["latestRun"]["state"] == "ABORTED"

    def test_silent(self, api: Api) -> None:
        api.store(said("START", DAY, "r1", "stream", job_facets=STREAM))
        api.store(said("RUNNING", 20 * MINUTE, "r1", "stream"))
        (job,) = api.read("/health/jobs")["jobs"]
        assert (job["state"], job["type"]) == ("silent", "STREAM")
        assert 1_200 <= job["silentForSeconds"] < 1_260
        assert job["since"] == job["lastHeardAt"]
        assert job["latestRun"]["id"] == "r1"
        assert job["reason"] == "No events for 20 minutes, though it should be running"

    def test_a_type_that_a_person_set_counts(self, api: Api) -> None:
        api.store(said("START", DAY, "r1", "stream"))
        assert api.read("/health/jobs")["jobs"] == []
        entity = {"type": "job", "namespace": JOBS, "name": "stream"}
        change = {"entity": entity, "set": {"jobType": {"processingType": "STREAMING"}}}
        edit(api, {"eventTime": format_instant(now()), "edit": {"actor": "ada", **change}})
        (job,) = api.read("/health/jobs")["jobs"]
        assert (job["state"], job["type"]) == ("silent", "STREAM")

    def test_silent_after_another_time(self, api: Api) -> None:
        for ago in (3 * HOUR, 2 * HOUR, 5 * MINUTE):
            api.store(said("RUNNING", ago, "r1"))
        assert api.read("/health/jobs")["jobs"] == []
        assert api.read("/health/jobs", silentAfter="2m")["counts"]["silent"] == 1
        assert api.read("/health/jobs", silentAfter="1d")["counts"]["silent"] == 0

    def test_late(self, api: Api) -> None:
        for number in range(5):
            ended(api, "load", 5 * HOUR + number * HOUR)
        (job,) = api.read("/health/jobs")["jobs"]
        assert job["state"] == "late"
        assert 3_590 <= job["everySeconds"] <= 3_600
        assert job["expectedAt"] == job["since"]
        assert job["reason"].startswith("It should have started 4 hours ago")

    def test_takes_longer_than_usual(self, api: Api) -> None:
        for number in range(1, 5):
            ended(api, "load", number * HOUR)
        api.store(said("START", 45 * MINUTE, "r1"))
        (job,) = api.read("/health/jobs")["jobs"]
        assert job["state"] == "late"
        assert "takes longer than usual" in job["reason"]
        assert 595 <= job["usualSeconds"] <= 605
        assert job["everySeconds"] is None

    def test_a_job_that_writes_little_each_night(self, api: Api) -> None:
        """Its runs of an hour are compared with those of that hour on other days."""
        waves = [10, *[100] * 21]
        for hour in range(24 * 4 + 1):
            # The hour that is just over is low, on each of the days.
            outputs = [wrote("totals", waves[min(hour % 24, 21)])]
            ended(api, "load", 20 * MINUTE + hour * HOUR, outputs=outputs)
        answer = api.read("/health/datasets", all="true")
        (found,) = answer["datasets"]
        assert (found["state"], found["volume"]["rows"]) == ("fresh", 10)
        ended(api, "load", MINUTE, outputs=[wrote("totals", 1)])
        (found,) = api.read("/health/datasets")["datasets"]
        assert found["reason"] == "The last run wrote 1 rows, usually 100"

    @pytest.mark.parametrize(("rows", "state"), [(10, "fresh"), (2, "low")])
    def test_a_stream_that_brings_little_each_night(self, api: Api, rows: int, state: str) -> None:
        """Of the run before it was restarted, too."""
        this_hour = now() // HOUR * HOUR
        total = {"old": 0, "new": 0}
        events = []
        for hours in range(24 * 3 + 1, 0, -1):
            run = "old" if hours > 30 else "new"
            total[run] += (rows if hours == 1 else 10) if hours % 24 == 1 else 100
            at = format_instant(this_hour - (hours - 1) * HOUR - MINUTE)
            event = run_event("RUNNING", at, run, "stream", job_facets=STREAM)
            events.append(event | {"outputs": [wrote("totals", total[run])]})
        api.store(*events)
        (found,) = api.read("/health/datasets", all="true")["datasets"]
        assert (found["state"], found["volume"]["rows"]) == (state, rows)

    def test_what_is_well_is_shown_if_requested(self, api: Api) -> None:
        ended(api, "load", MINUTE)
        parent = {"run": {"runId": "p1"}, "job": {"namespace": JOBS, "name": "above"}}
        api.store(said("START", MINUTE, "r1", "child", run_facets={"parent": parent}))
        answer = api.read("/health/jobs")
        assert (answer["jobs"], answer["totalCount"]) == ([], 0)
        assert answer["counts"]["ok"] == 3
        found = by_name(api.read("/health/jobs", all="true"), "jobs")
        assert {job["state"] for job in found.values()} == {"ok"}
        assert found["above"]["latestRun"] is None
        assert found["above"]["lastHeardAt"] is None
        assert found["above"]["reason"] == "It has not run yet"
        assert set(by_name(api.read("/health/jobs", state="ok"), "jobs")) == set(found)

    def test_a_deleted_job_is_not_shown(self, api: Api) -> None:
        ended(api, "load", MINUTE, "FAIL")
        deleted = insert(tables.hidden).values(entity=job_id(JOBS, "load"), at=now(), is_deleted=1)
        with api.engine.begin() as connection:
            connection.execute(deleted)
        answer = api.read("/health/jobs", all="true")
        assert (answer["totalCount"], answer["counts"]["failed"]) == (0, 0)


class TestLists:
    @pytest.fixture
    def some_jobs(self, api: Api) -> None:
        ended(api, "b failed", HOUR, "FAIL")
        ended(api, "a well", HOUR)
        api.store(said("START", DAY, "s1", "a silent", job_facets=STREAM))
        ended(api, "a failed", HOUR, "FAIL")

    def test_worst_first_then_by_name(self, api: Api, some_jobs: None) -> None:
        answer = api.read("/health/jobs", all="true")
        names = [job["name"] for job in answer["jobs"]]
        assert names == ["a failed", "b failed", "a silent", "a well"]
        assert answer["totalCount"] == 4

    def test_pages(self, api: Api, some_jobs: None) -> None:
        pages = [api.read("/health/jobs", limit=1, offset=offset) for offset in range(4)]
        names = [[job["name"] for job in page["jobs"]] for page in pages]
        assert names == [["a failed"], ["b failed"], ["a silent"], []]
        assert {page["totalCount"] for page in pages} == {3}
        assert all(page["counts"]["failed"] == 2 for page in pages)
        assert api.read("/health/jobs", limit=0)["jobs"] == []

    @pytest.mark.parametrize(
        ("state", "names"),
        [
            ("silent", ["a silent"]),
            ("silent, failed", ["a failed", "b failed", "a silent"]),
            ("OK,", ["a well"]),
            ("late", []),
        ],
    )
    def test_by_state(self, api: Api, some_jobs: None, state: str, names: list[str]) -> None:
        answer = api.read("/health/jobs", state=state)
        assert [job["name"] for job in answer["jobs"]] == names
        assert answer["totalCount"] == len(names)
        assert answer["counts"] == {
            "failed": 2,
            "silent": 1,
            "late": 0,
            "stopped": 0,
            "deleted": 0,
            "ok": 1,
        }

    def test_by_namespace(self, api: Api, some_jobs: None) -> None:
        assert api.read("/health/jobs", namespace=JOBS)["totalCount"] == 3
        other = api.read("/health/jobs", namespace="another\0 one")
        assert other["totalCount"] == sum(other["counts"].values()) == 0

    def test_by_name(self, api: Api, some_jobs: None) -> None:
        one = api.read("/health/jobs", namespace=JOBS, name="a well", all=True)
        assert [job["name"] for job in one["jobs"]] == ["a well"]
        assert api.read("/health/jobs", namespace=JOBS, name="\0", all=True)["jobs"] == []
        error_of(api.get("/health/jobs", name="a well"), 400, "name")


class TestDatasets:
    def test_by_name(self, api: Api) -> None:
        for name in ("load", "other"):
            api.store(said("COMPLETE", HOUR, name, name, outputs=[dataset(name)]))
        one = api.read("/health/datasets", namespace=TABLES, name="load", all=True)
        assert [found["name"] for found in one["datasets"]] == ["load"]
        error_of(api.get("/health/datasets", name="load"), 400, "name")

    def test_stale(self, api: Api) -> None:
        hourly(api, "load", 5 * HOUR, 100, 100, 100, 100, 100)
        answer = api.read("/health/datasets")
        (found,) = answer.pop("datasets")
        written = found.pop("lastWrittenAt")
        assert 299 * MINUTE < now() - parse_instant(written) < 301 * MINUTE
        freshness = found.pop("freshness")
        assert written < freshness["expectedAt"] == found.pop("since")
        assert freshness["state"] == "stale"
        assert 3_590 <= freshness["everySeconds"] <= 3_600
        assert found == {
            "namespace": TABLES,
            "name": "totals",
            "id": f"dataset:{TABLES}:totals",
            "system": "postgres",
            "owners": [],
            "state": "stale",
            "reason": "Last written 5 hours ago, usually every 60 minutes",
            "volume": {
                "state": "normal",
                "per": "run",
                "rows": 100,
                "usualRows": 100,
                "bytes": None,
                "usualBytes": None,
            },
        }
        fine = {"fresh": 0, "unknown": 0}
        assert answer["counts"] == {"empty": 0, "stale": 1, "low": 0, "high": 0} | fine
        assert answer["totalCount"] == 1

    @pytest.mark.parametrize(("rows", "state"), [(0, "empty"), (40, "low"), (300, "high")])
    def test_volume(self, api: Api, rows: int, state: str) -> None:
        hourly(api, "load", 20 * MINUTE, rows, 100, 100, 100, 100)
        (found,) = api.read("/health/datasets")["datasets"]
        assert found["state"] == found["volume"]["state"] == state
        assert found["freshness"]["state"] == "fresh"
        assert found["reason"] == f"The last run wrote {rows} rows, usually 100"
        assert api.read("/health/datasets", state=state)["totalCount"] == 1
        assert api.read("/health/datasets", state="stale")["totalCount"] == 0

    def test_a_stream_by_the_hour(self, api: Api) -> None:
        """A hundred rows an hour, until it was nothing but heartbeats from an hour ago on."""
        this_hour = now() // HOUR * HOUR
        for hours in range(8, -1, -1):
            at = this_hour - hours * HOUR - MINUTE
            rows = 1_000 - 100 * max(hours, 1)
            event = run_event("RUNNING", format_instant(at), "s1", "stream", job_facets=STREAM)
            api.store(event | {"outputs": [wrote("totals", rows)]})
        (found,) = api.read("/health/datasets")["datasets"]
        assert found["state"] == "empty"
        assert found["reason"] == "The last full hour brought 0 rows, usually 100"
        volume = found["volume"]
        assert (volume["per"], volume["rows"], volume["usualRows"]) == ("hour", 0, 100)

    def test_what_is_well_is_shown_if_requested(self, api: Api) -> None:
        hourly(api, "load", 20 * MINUTE, 100, 100, 100, 100, 100)
        outputs, inputs = [dataset("once")], [dataset("only read")]
        ended(api, "by hand", HOUR, inputs=inputs, outputs=outputs)
        answer = api.read("/health/datasets")
        assert (answer["datasets"], answer["totalCount"]) == ([], 0)
        found = api.read("/health/datasets", all="true")["datasets"]
        assert [(one["name"], one["state"]) for one in found] == [
            ("totals", "fresh"),
            ("once", "unknown"),
        ]
        assert api.read("/health/datasets", state="unknown")["totalCount"] == 1
        assert api.read("/health/datasets", all="true", namespace="another")["totalCount"] == 0


class TestBadInput:
    @pytest.mark.parametrize("noun", ["jobs", "datasets"])
    @pytest.mark.parametrize(
        ("parameter", "value"),
        [
            ("state", "broken"),
            ("state", "ok,\0"),
            ("limit", "-1"),
            ("limit", "10001"),
            ("offset", "x"),
            ("offset", str(2**63)),
            ("all", "perhaps"),
        ],
    )
    def test_is_reported(self, sqlite_api: Api, noun: str, parameter: str, value: str) -> None:
        answer = sqlite_api.get(f"/health/{noun}", **{parameter: value})
        error_of(answer, 400, parameter)

    @pytest.mark.parametrize("value", ["soon", "0m", "-5m", "10", "9999999d", "1m1s", "\0"])
    def test_a_span_that_is_none(self, sqlite_api: Api, value: str) -> None:
        error_of(sqlite_api.get("/health/jobs", silentAfter=value), 400, "silentAfter")

    def test_states_of_the_other_noun(self, sqlite_api: Api) -> None:
        reason = error_of(sqlite_api.get("/health/jobs", state="stale"), 400, "state")["reason"]
        assert reason == "'stale' is not one of failed, silent, late, stopped, deleted, ok"

    @pytest.mark.parametrize("value", ["999999w", "1s"])
    def test_spans_at_the_edge(self, sqlite_api: Api, value: str) -> None:
        sqlite_api.store(said("START", DAY, "r1", job_facets=STREAM))
        sqlite_api.read("/health/jobs", silentAfter=value)

    @pytest.mark.parametrize(
        "message", [b'"half \\ud83d of a pair"', b'"nul \\u0000"', b"{}", b'["a"]', b"1e400", b'""']
    )
    def test_messages_that_are_odd(self, api: Api, message: bytes) -> None:
        body = b'{"eventType": "FAIL", "eventTime": "2024-05-01T10:00:00Z", "run": {"runId": "r1"'
        facets = b', "facets": {"errorMessage": {"message": ' + message + b"}}}"
        api.store(body + facets + b', "job": {"namespace": "n", "name": "j"}}')
        (job,) = api.read("/health/jobs")["jobs"]
        assert job["state"] == "failed"

    @pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z"])
    def test_times_long_ago(self, api: Api, at: str) -> None:
        outputs = [wrote("totals", 1)]
        for number in range(6):
            api.store(run_event("RUNNING", at, f"r{number}", f"job {number % 2}", outputs=outputs))
        assert api.read("/health/jobs", all="true")["totalCount"] == 2
        assert api.read("/health/datasets", all="true")["totalCount"] == 1


class TestSettings:
    def test_a_span_is_checked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert HealthSettings().silent_after == "10m"
        monkeypatch.setenv("HEADWATER__HEALTH__SILENT_AFTER", "2h")
        assert load_settings().health.silent_after == "2h"
        monkeypatch.setenv("HEADWATER__HEALTH__SILENT_AFTER", "soon")
        with pytest.raises(BadConfig, match=r"health\.silent_after"):
            load_settings()
