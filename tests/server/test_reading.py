"""Reading: the shapes of Marquez's API, paging, and clear answers to what is not there."""

import gzip
import os
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy.exc import DBAPIError

from headwater.model.relations import Slot
from headwater.server.http.parameters import page
from headwater.store.query.paging import LONGEST_PAGE, Page
from headwater.store.read.facets import read_facets
from testing.api import Api, error_of, escape
from testing.events.minimal import (
    JOBS,
    OLDER_RUN,
    PRODUCER,
    RUN,
    TABLES,
    Json,
    dataset,
    run_event,
    schema,
)

START, END = "2024-05-01T10:00:00Z", "2024-05-01T10:10:00Z"


def full_run() -> list[Json]:
    """A run that says all there is to say."""
    tags = {"tags": [{"key": "gold"}, {"key": "pii", "field": "amount"}, {"key": "daily"}]}
    output = dataset(
        "totals",
        schema=schema(amount="INT", day="DATE"),
        documentation={"description": "sums by day"},
        dataSource={"name": "warehouse", "uri": "postgres://db"},
        lifecycleStateChange={"lifecycleStateChange": "OVERWRITE"},
        tags=tags,
        custom={"anything": [1, 2]},
    )
    output["outputFacets"] = {"outputStatistics": {"rowCount": 7}}
    job_facets = {
        "jobType": {"processingType": "STREAMING", "integration": "SPARK"},
        "sourceCodeLocation": {"type": "git", "url": "https://example.org/load.py"},
        "documentation": {"description": "loads"},
        "tags": {"tags": [{"key": "nightly"}]},
    }
    return [
        run_event(
            "START",
            START,
            inputs=[dataset("orders", schema=schema(amount="INT"))],
            outputs=[output],
            run_facets={"nominalTime": {"nominalStartTime": "2024-05-01T00:00:00Z"}},
            job_facets=job_facets,
        ),
        run_event("COMPLETE", END),
    ]


class TestShapes:
    def test_a_job(self, api: Api) -> None:
        api.store(*full_run())
        job = api.job(JOBS, "load")
        run = job.pop("latestRun")
        assert job.pop("latestRuns") == [run]
        assert run["id"] == RUN
        assert len(job.pop("currentVersion")) == 36
        assert set(job.pop("facets")) == {
            "jobType",
            "sourceCodeLocation",
            "documentation",
            "tags",
        }
        assert job == {
            "id": {"namespace": JOBS, "name": "load"},
            "type": "STREAM",
            "name": "load",
            "simpleName": "load",
            "parentJobName": None,
            "parentJobUuid": None,
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:10:00.000000Z",
            "namespace": JOBS,
            "inputs": [{"namespace": TABLES, "name": "orders"}],
            "outputs": [{"namespace": TABLES, "name": "totals"}],
            "location": "https://example.org/load.py",
            "context": {},
            "description": "loads",
            "tags": ["nightly"],
            "labels": [],
        }

    def test_a_dataset(self, api: Api) -> None:
        api.store(*full_run())
        found = api.dataset(TABLES, "totals")
        facets = found.pop("facets")
        assert facets["custom"] == {"anything": [1, 2]}
        assert facets["schema"] == schema(amount="INT", day="DATE")
        assert len(found.pop("currentVersion")) == 36
        assert found == {
            "id": {"namespace": TABLES, "name": "totals"},
            "type": "DB_TABLE",
            "name": "totals",
            "physicalName": "totals",
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:00:00.000000Z",
            "namespace": TABLES,
            "sourceName": "warehouse",
            "fields": [
                {"name": "amount", "type": "INT", "tags": ["pii"], "description": None},
                {"name": "day", "type": "DATE", "tags": [], "description": None},
            ],
            "tags": ["daily", "gold"],
            "lastModifiedAt": "2024-05-01T10:00:00.000000Z",
            "lastLifecycleState": "OVERWRITE",
            "description": "sums by day",
            "columnLineage": None,
            "deleted": False,
        }

    def test_a_run(self, api: Api) -> None:
        api.store(*full_run())
        run = api.run(RUN)
        assert run.pop("facets") == {"nominalTime": {"nominalStartTime": "2024-05-01T00:00:00Z"}}
        (read,), (written,) = run.pop("inputDatasetVersions"), run.pop("outputDatasetVersions")
        assert read["datasetVersionId"]["name"] == "orders"
        assert read["facets"] == {}
        assert written["datasetVersionId"]["name"] == "totals"
        assert written["facets"] == {"outputStatistics": {"rowCount": 7}}
        version = run.pop("jobVersion")
        assert version["version"] == api.job(JOBS, "load")["currentVersion"]
        assert run == {
            "id": RUN,
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:10:00.000000Z",
            "nominalStartTime": "2024-05-01T00:00:00.000000Z",
            "nominalEndTime": None,
            "state": "COMPLETED",
            "startedAt": "2024-05-01T10:00:00.000000Z",
            "endedAt": "2024-05-01T10:10:00.000000Z",
            "durationMs": 600_000,
            "args": {},
            "job": {"namespace": JOBS, "name": "load"},
        }

    def test_namespaces(self, api: Api) -> None:
        api.store(*full_run())
        found = api.read("/namespaces")
        assert found["totalCount"] == 2
        assert [one["name"] for one in found["namespaces"]] == [TABLES, JOBS]
        namespace = api.read(f"/namespaces/{JOBS}")
        assert namespace == {
            "name": JOBS,
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:10:00.000000Z",
            "ownerName": "anonymous",
            "description": None,
            "isHidden": False,
        }
        assert namespace in found["namespaces"]

    def test_lists_hold_what_single_answers_hold(self, api: Api) -> None:
        api.store(*full_run())
        jobs = api.read(f"/namespaces/{JOBS}/jobs")
        assert jobs == {"jobs": [api.job(JOBS, "load")], "totalCount": 1}
        datasets = api.read(f"/namespaces/{escape(TABLES)}/datasets")
        shown = [api.dataset(TABLES, name) for name in ("orders", "totals")]
        assert datasets == {"datasets": shown, "totalCount": 2}
        (run,) = api.read(f"/namespaces/{JOBS}/jobs/load/runs")["runs"]
        assert run.items() <= api.run(RUN).items()

    def test_events(self, api: Api) -> None:
        events = full_run()
        api.store(*events)
        assert api.read("/events/lineage") == {"events": events[::-1], "totalCount": 2}

    def test_rejected(self, api: Api) -> None:
        error_of(api.post(b'{"eventTime": 7}'), 422, "$.eventTime")
        (one,) = api.rejected()
        assert set(one) == {
            "id",
            "receivedAt",
            "source",
            "path",
            "reason",
            "size",
            "payload",
            "sources",
        }
        assert one["receivedAt"].endswith("Z")

    def test_an_empty_store_has_empty_lists(self, api: Api) -> None:
        assert api.read("/namespaces") == {"namespaces": [], "totalCount": 0}
        assert api.read("/events/lineage") == {"events": [], "totalCount": 0}
        assert api.read("/events/rejected") == {"rejected": [], "totalCount": 0}

    @pytest.mark.parametrize(
        ("namespace", "kind"),
        [
            ("kafka://broker:9092", "STREAM"),
            ("kinesis://eu-west-1", "STREAM"),
            ("pubsub", "STREAM"),
            ("postgres://db:5432", "DB_TABLE"),
            ("s3://lake", "DB_TABLE"),
        ],
    )
    def test_the_type_of_a_dataset(self, api: Api, namespace: str, kind: str) -> None:
        api.store(run_event(outputs=[dataset("x", namespace)]))
        assert api.dataset(namespace, "x")["type"] == kind

    @pytest.mark.parametrize(
        ("processing", "kind"),
        [("BATCH", "BATCH"), ("STREAMING", "STREAM"), ("SERVICE", "SERVICE"), (7, "BATCH")],
    )
    def test_the_type_of_a_job(self, api: Api, processing: object, kind: str) -> None:
        api.store(run_event(job_facets={"jobType": {"processingType": processing}}))
        assert api.job(JOBS, "load")["type"] == kind

    def test_the_version_of_a_job_tells_reading_from_writing(self, api: Api) -> None:
        api.store(run_event(inputs=[dataset("orders")]))
        reads = api.job(JOBS, "load")["currentVersion"]
        api.empty()
        api.store(run_event(outputs=[dataset("orders")]))
        assert api.job(JOBS, "load")["currentVersion"] != reads


class TestOtherEvents:
    def test_a_job_event_declares_what_its_job_uses(self, api: Api) -> None:
        def job_event(at: str, **rest: Any) -> Json:
            job = {"namespace": JOBS, "name": "load"}
            return {"eventTime": at, "job": job, "producer": PRODUCER, **rest}

        api.store(job_event(START, inputs=[dataset("orders")], outputs=[dataset("totals")]))
        job = api.job(JOBS, "load")
        assert [one["name"] for one in job["inputs"] + job["outputs"]] == ["orders", "totals"]
        assert job["latestRun"] is None
        api.store(job_event(END, inputs=[dataset("customers")]))
        job = api.job(JOBS, "load")
        assert [one["name"] for one in job["inputs"] + job["outputs"]] == ["customers"]

    def test_a_dataset_event_describes_a_dataset(self, api: Api) -> None:
        described = dataset("orders", schema=schema(amount="DECIMAL"))
        api.store(
            run_event("COMPLETE", END, outputs=[dataset("orders", schema=schema(amount="INT"))]),
            {"eventTime": START, "dataset": described, "producer": PRODUCER},
        )
        found = api.dataset(TABLES, "orders")
        assert [field["type"] for field in found["fields"]] == ["DECIMAL"]

    def test_who_writes_knows_better_than_who_reads(self, api: Api) -> None:
        api.store(
            run_event("COMPLETE", START, outputs=[dataset("orders", schema=schema(a="INT"))]),
            run_event(
                "COMPLETE",
                END,
                OLDER_RUN,
                job="read",
                inputs=[dataset("orders", schema=schema(b="INT"))],
            ),
        )
        assert [field["name"] for field in api.dataset(TABLES, "orders")["fields"]] == ["a"]

    def test_a_deleted_facet_is_not_shown(self, api: Api) -> None:
        gone = {"_deleted": True}
        api.store(
            run_event("START", START, outputs=[dataset("x", schema=schema(a="INT"), storage={})]),
            run_event("COMPLETE", END, outputs=[dataset("x", schema=gone, storage=gone)]),
        )
        found = api.dataset(TABLES, "x")
        assert found["fields"] == []
        assert found["facets"] == {}

    def test_a_dataset_without_namespace_is_found_under_its_job(self, api: Api) -> None:
        api.store(run_event(outputs=[{"name": "x"}]))
        assert api.dataset(f"unknown://{JOBS}/load", "x")["name"] == "x"


class TestPaging:
    @pytest.fixture
    def many(self, api: Api) -> Api:
        events = [
            run_event(
                "COMPLETE",
                f"2024-05-01T10:{number:02}:00Z",
                f"run-{number:02}",
                outputs=[dataset(f"table-{number:02}"), dataset("x", f"namespace-{number:02}")],
            )
            for number in range(25)
        ]
        api.store(events)
        api.store([run_event(job=f"job-{number:02}") for number in range(25)])
        for number in range(25):
            error_of(api.post(str(number).encode()), 400, "$")
        return api

    @pytest.mark.parametrize(
        ("path", "key", "total"),
        [
            ("/namespaces", "namespaces", 27),
            (f"/namespaces/{JOBS}/jobs", "jobs", 26),
            (f"/namespaces/{escape(TABLES)}/datasets", "datasets", 25),
            ("/events/lineage", "events", 50),
            ("/events/rejected", "rejected", 25),
        ],
    )
    def test_pages_make_up_the_whole(self, many: Api, path: str, key: str, total: int) -> None:
        whole = many.read(path)
        assert whole["totalCount"] == len(whole[key]) == total
        paged: list[Any] = []
        for offset in range(0, total + 7, 7):
            page = many.read(path, limit=7, offset=offset)
            assert page["totalCount"] == total
            paged += page[key]
        assert paged == whole[key]
        assert many.read(path, limit=0) == {key: [], "totalCount": total}
        assert many.read(path, offset=10_000) == {key: [], "totalCount": total}

    def test_runs_come_newest_first(self, many: Api) -> None:
        path = f"/namespaces/{JOBS}/jobs/load/runs"
        whole = [run["id"] for run in many.read(path)["runs"]]
        assert whole == [f"run-{number:02}" for number in reversed(range(25))]
        pages = [many.read(path, limit=10, offset=offset)["runs"] for offset in (0, 10, 20)]
        assert [run["id"] for page in pages for run in page] == whole
        latest = many.job(JOBS, "load")["latestRuns"]
        assert [run["id"] for run in latest] == whole[:10]

    def test_names_come_in_the_order_of_their_code_points(self, api: Api) -> None:
        names = ["B", "_", "a", "b", "\u00e9", "\U0001f600"]
        api.store(run_event(job="a", outputs=[dataset(name) for name in reversed(names)]))
        api.store([run_event(job=name) for name in reversed(names)])
        datasets = api.read(f"/namespaces/{escape(TABLES)}/datasets")["datasets"]
        assert [one["name"] for one in datasets] == names
        jobs = api.read(f"/namespaces/{JOBS}/jobs")["jobs"]
        assert [one["name"] for one in jobs] == names

    def test_runs_of_one_instant_have_one_order(self, api: Api) -> None:
        """Ties are decided, and alike by both databases: pages then neither repeat nor miss."""
        runs = [f"01890000-0000-7000-8000-{number:012}" for number in (3, 1, 4, 2, 5)]
        api.store([run_event(run=run) for run in runs])
        found = [run["id"] for run in api.read(f"/namespaces/{JOBS}/jobs/load/runs")["runs"]]
        assert found in (sorted(runs), sorted(runs, reverse=True))

    def test_the_default_is_a_hundred(self, api: Api) -> None:
        api.store([run_event(run=f"run-{number}") for number in range(120)])
        found = api.read("/events/lineage")
        assert (len(found["events"]), found["totalCount"]) == (100, 120)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("limit", "-1"),
            ("limit", "10001"),
            ("limit", "ten"),
            ("limit", ""),
            ("limit", "1.5"),
            ("limit", "1" * 30),
            ("offset", "-1"),
            ("offset", "x"),
            ("offset", "9" * 30),
        ],
    )
    def test_what_is_no_page_is_a_400(self, api: Api, name: str, value: str) -> None:
        for path in ("/namespaces", "/events/lineage", "/events/rejected"):
            error_of(api.get(path, **{name: value}), 400, name)

    def test_the_largest_page_is_answered(self, api: Api) -> None:
        api.store(*full_run())
        for path in (f"/namespaces/{JOBS}/jobs", "/events/lineage", "/namespaces"):
            assert api.get(path, limit=10_000, offset=2**62).status_code == 200
            assert api.read(path, limit=10_000)["totalCount"] > 0

    def test_facets_of_very_many_owners_can_be_read(self, api: Api) -> None:
        """As many as the runs of the largest page of jobs: ten times ten thousand."""
        owners = [os.urandom(16) for _ in range(100_000)]
        try:
            with api.engine.connect() as connection:
                found = read_facets(connection, owners, Slot.RUN)
        except DBAPIError as error:
            # Its own text is the whole statement, megabytes of it.
            pytest.fail(str(error.orig), pytrace=False)
        assert not found


class TestEventsByTime:
    @pytest.fixture
    def timed(self, api: Api) -> Api:
        api.store([run_event(at=f"2024-05-0{day}T00:00:00Z", run=str(day)) for day in range(1, 6)])
        return api

    def days(self, api: Api, **parameters: Any) -> list[str]:
        return [
            event["run"]["runId"] for event in api.read("/events/lineage", **parameters)["events"]
        ]

    def test_newest_first_unless_requested(self, timed: Api) -> None:
        assert self.days(timed) == ["5", "4", "3", "2", "1"]
        assert self.days(timed, sortDirection="desc") == ["5", "4", "3", "2", "1"]
        assert self.days(timed, sortDirection="asc") == ["1", "2", "3", "4", "5"]

    def test_after_is_included_and_before_is_not(self, timed: Api) -> None:
        assert self.days(timed, after="2024-05-04T00:00:00Z") == ["5", "4"]
        assert self.days(timed, before="2024-05-02T00:00:00Z") == ["1"]
        both = timed.read(
            "/events/lineage", after="2024-05-02T00:00:00Z", before="2024-05-04T00:00:00Z", limit=1
        )
        assert [event["run"]["runId"] for event in both["events"]] == ["3"]
        assert both["totalCount"] == 2

    @pytest.mark.parametrize(
        "text",
        [
            "2024-05-04",
            "2024-05-04T00:00:00",
            "2024-05-04T00:00:00.000Z",
            "2024-05-04T02:00:00+02:00",
            "2024-05-04 00:00:00",
        ],
    )
    def test_any_form_of_a_time_will_do(self, timed: Api, text: str) -> None:
        assert self.days(timed, after=text) == ["5", "4"]

    def test_a_plus_sign_may_be_sent_bare(self, timed: Api) -> None:
        answer = timed.client.get("/api/v1/events/lineage?after=2024-05-04T02:00:00+02:00&limit=1")
        assert answer.json()["totalCount"] == 2

    @pytest.mark.parametrize("name", ["before", "after"])
    @pytest.mark.parametrize(
        "text", ["soon", "2024", "2024-13-01", "1714557600", "\0", "2024-W18-3"]
    )
    def test_what_is_no_time_is_a_400(self, api: Api, name: str, text: str) -> None:
        error_of(api.get("/events/lineage", **{name: text}), 400, name)

    def test_an_unknown_direction_is_a_400(self, api: Api) -> None:
        error_of(api.get("/events/lineage", sortDirection="up"), 400, "sortDirection")


class TestRunIds:
    @pytest.mark.parametrize(
        "run", ["7", "a/b", "/", "manual__2024-05-01T00:00:00+00:00", "r?x=1#y"]
    )
    def test_a_run_id_need_not_be_a_uuid(self, api: Api, run: str) -> None:
        api.store(run_event("COMPLETE", run=run))
        assert api.run(run)["id"] == run

    def test_a_uuid_is_found_however_it_is_written(self, api: Api) -> None:
        api.store(run_event("START", run=RUN.upper()), run_event("COMPLETE", END, run=RUN))
        assert api.run(RUN)["state"] == api.run(RUN.upper())["state"] == "COMPLETED"

    def test_a_bare_id_of_several_jobs_means_the_newest(self, api: Api) -> None:
        api.store(
            run_event("START", END, "7", "newer"),
            run_event("START", START, "7", "older"),
            run_event(
                "START",
                START,
                "8",
                "child",
                run_facets={
                    "parent": {"run": {"runId": "7"}, "job": {"namespace": JOBS, "name": "p"}}
                },
            ),
        )
        assert api.run("7")["job"]["name"] == "newer"

    def test_a_run_known_only_as_a_parent_can_be_read(self, api: Api) -> None:
        parent = {"run": {"runId": OLDER_RUN}, "job": {"namespace": JOBS, "name": "dag"}}
        api.store(run_event(run_facets={"parent": parent}))
        run = api.run(OLDER_RUN)
        assert (run["state"], run["createdAt"], run["startedAt"]) == ("NEW", None, None)
        assert run["job"]["name"] == "dag"


class TestNotThere:
    @pytest.mark.parametrize(
        "path",
        [
            "/namespaces/none",
            "/namespaces/none/jobs",
            "/namespaces/none/datasets",
            "/namespaces/none/jobs/none",
            "/namespaces/none/datasets/none",
            "/namespaces/none/jobs/none/runs",
            f"/namespaces/{JOBS}/jobs/none",
            f"/namespaces/{JOBS}/datasets/load",
            f"/namespaces/{escape(TABLES)}/datasets/none",
            f"/namespaces/{escape(TABLES)}/jobs/totals",
            "/jobs/runs/none",
            f"/jobs/runs/{OLDER_RUN}",
            "/jobs/runs/%00",
            "/jobs/runs/%FF%FE",
            "/jobs/runs/%ED%A0%80",
            f"/jobs/runs/{'x' * 5_000}",
            "/namespaces/%00/jobs/%00",
            "/namespaces/%FF",
        ],
    )
    def test_an_unknown_name_is_a_404(self, api: Api, path: str) -> None:
        api.store(run_event(outputs=[dataset("totals")]))
        assert "not found" in error_of(api.get(path), 404)["message"]

    @pytest.mark.parametrize(
        "path",
        [
            "/nothing",
            "/api/v1",
            "/api/v1/nothing",
            "/api/v2/namespaces",
            "/api/v1/namespaces/a/b/c",
            "/%00",
        ],
    )
    def test_an_unknown_path_is_a_404(self, api: Api, path: str) -> None:
        error_of(api.client.get(path), 404)
        error_of(api.client.post(path, content=b"{}"), 404)

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/api/v1/namespaces"),
            ("DELETE", "/api/v1/events/lineage"),
            ("POST", "/healthz"),
            ("PATCH", "/api/v1/jobs/runs/7"),
        ],
    )
    def test_a_wrong_method_is_a_405(self, api: Api, method: str, path: str) -> None:
        error_of(api.client.request(method, path, content=b"{}"), 405)

    @pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
    def test_another_method_where_events_are_posted_is_a_405(self, api: Api, path: str) -> None:
        error_of(api.client.put(path, content=b"{}"), 405)

    def test_a_batch_can_only_be_posted(self, api: Api) -> None:
        assert api.client.get("/api/v1/lineage/batch").status_code in (404, 405)

    def test_names_are_distinguished_by_case_and_space(self, api: Api) -> None:
        api.store(run_event(job="load"), run_event(job="Load "))
        assert api.job(JOBS, "Load ")["name"] == "Load "
        error_of(api.get(f"/namespaces/{JOBS}/jobs/LOAD"), 404)
        error_of(api.get(f"/namespaces/{JOBS}/jobs/Load"), 404)


class TestRequests:
    def test_gzip(self, api: Api) -> None:
        body = gzip.compress(msgspec.json.encode(run_event()))
        assert api.post(body, headers={"Content-Encoding": "gzip"}).status_code == 201
        assert api.event_count() == 1

    @pytest.mark.parametrize("is_packed", [False, True])
    def test_chunked(self, api: Api, is_packed: bool) -> None:
        body = msgspec.json.encode(run_event(outputs=[dataset("x", note={"text": "y" * 300_000})]))
        sent = gzip.compress(body) if is_packed else body

        def pieces() -> Iterator[bytes]:
            for start in range(0, len(sent), 100):
                yield sent[start : start + 100]

        headers = {"Content-Type": "application/json"} | (
            {"Content-Encoding": "gzip"} if is_packed else {}
        )
        answer = api.client.post("/api/v1/lineage", content=pieces(), headers=headers)
        assert answer.status_code == 201
        assert body in api.get("/events/lineage").content

    def test_what_was_answered_can_be_read(self, api: Api) -> None:
        for number in range(20):
            api.store(run_event(run=f"run-{number}"))
            assert api.run(f"run-{number}")["id"] == f"run-{number}"
            assert api.event_count() == number + 1

    def test_an_event_sent_again_is_stored_once(self, api: Api) -> None:
        for _ in range(3):
            api.store(run_event())
        assert api.event_count() == 1

    def test_query_parameters_do_not_hide_the_route(self, api: Api) -> None:
        assert api.post(run_event(), "/api/v1/lineage?api_key=x").status_code == 201


class TestOperations:
    def test_health_and_readiness(self, api: Api) -> None:
        assert api.client.get("/healthz").json() == {"status": "ok"}
        assert api.client.get("/readyz").json() == {"status": "ready"}

    def test_metrics_count_events_by_what_became_of_them(self, api: Api) -> None:
        def metrics() -> dict[str, float]:
            answer = api.client.get("/metrics")
            assert answer.headers["content-type"].startswith("text/plain")
            lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
            return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

        before = metrics()
        api.store(run_event(), [run_event("COMPLETE"), run_event("RUNNING")])
        api.post([run_event("ABORT"), 7])
        api.post(b"7")
        api.post(b"{")
        after = metrics()
        stored, rejected = (
            f'headwater_events_total{{result="{name}"}}' for name in ("stored", "rejected")
        )
        assert after[stored] - before[stored] == 4
        assert after[rejected] - before[rejected] == 3
        received = "headwater_received_bytes_total"
        assert after[received] > before[received]

    def test_the_api_describes_itself(self, api: Api) -> None:
        described = api.client.get("/openapi.json").json()
        for path in ("/api/v1/lineage", "/api/v1/lineage/batch", "/api/v1/namespaces", "/readyz"):
            assert path in described["paths"]


def test_a_page_is_no_longer_than_it_may_be() -> None:
    assert page(limit=10_000, offset=7) == Page(LONGEST_PAGE, 7)
    assert page(limit=5, offset=0) == Page(5, 0)
