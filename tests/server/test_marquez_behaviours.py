"""What Marquez gets wrong and Headwater must not: the facts' table, row by row, through the API.

Rows on search belong to a later part, the row on speed to the benchmarks.
"""

import itertools
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from headwater.model.column_map import Transformation
from headwater.model.relations import Direction
from headwater.model.values.ids import dataset_id
from testing.api import Api, error_of
from testing.events.minimal import JOBS, OLDER_RUN, RUN, TABLES, Json, dataset, run_event, schema
from testing.services.postgresql import PostgreSQL

START, MIDDLE, END = "2024-05-01T10:00:00Z", "2024-05-01T10:05:00Z", "2024-05-01T10:10:00Z"
BEFORE = "2024-05-01T09:00:00Z"

Check = Callable[[], None]


def names(datasets: list[Json]) -> list[str]:
    return [found["name"] for found in datasets]


def in_any_order(api: Api, events: list[Json], check: Check) -> None:
    """Store the events in every order, doubled, and check each time."""
    for order in itertools.permutations(events):
        api.empty()
        api.store(*order, *order)
        check()


class TestCompleteThenStart:
    def test_the_run_stays_completed_and_its_start_is_filled(self, api: Api) -> None:
        api.store(run_event("COMPLETE", END))
        assert api.run(RUN)["state"] == "COMPLETED"
        api.store(run_event("START", START))
        run = api.run(RUN)
        assert run["state"] == "COMPLETED"
        assert run["startedAt"] == "2024-05-01T10:00:00.000000Z"
        assert run["endedAt"] == "2024-05-01T10:10:00.000000Z"
        assert run["durationMs"] == 600_000

    @pytest.mark.parametrize(
        ("event_type", "state"),
        [("COMPLETE", "COMPLETED"), ("FAIL", "FAILED"), ("ABORT", "ABORTED")],
    )
    def test_each_end_outlasts_late_events_in_any_order(
        self, api: Api, event_type: str, state: str
    ) -> None:
        def check() -> None:
            assert api.run(RUN)["state"] == state
            assert api.job(JOBS, "load")["latestRun"]["state"] == state

        events = [
            run_event("START", START),
            run_event("RUNNING", MIDDLE),
            run_event(event_type, END),
        ]
        in_any_order(api, events, check)

    def test_a_running_event_after_the_end_does_not_reopen_the_run(self, api: Api) -> None:
        api.store(run_event("COMPLETE", MIDDLE), run_event("RUNNING", END))
        assert api.run(RUN)["state"] == "COMPLETED"

    def test_a_later_start_restarts_the_run(self, api: Api) -> None:
        api.store(run_event("START", START), run_event("FAIL", MIDDLE), run_event("START", END))
        run = api.run(RUN)
        assert (run["state"], run["endedAt"]) == ("RUNNING", None)
        assert run["startedAt"] == "2024-05-01T10:00:00.000000Z"


class TestALateEventOfAnOlderRun:
    EVENTS = [
        run_event("COMPLETE", END, outputs=[dataset("totals", schema=schema(id="BIGINT"))]),
        run_event(
            "COMPLETE", BEFORE, OLDER_RUN, outputs=[dataset("totals", schema=schema(id="INT"))]
        ),
    ]

    def test_is_history_only(self, api: Api) -> None:
        def check() -> None:
            fields = api.dataset(TABLES, "totals")["fields"]
            assert [(field["name"], field["type"]) for field in fields] == [("id", "BIGINT")]
            assert api.job(JOBS, "load")["latestRun"]["id"] == RUN

        in_any_order(api, self.EVENTS, check)

    def test_is_kept_in_the_history(self, api: Api) -> None:
        api.store(*self.EVENTS)
        versions = [
            api.run(run)["outputDatasetVersions"][0]["datasetVersionId"]["version"]
            for run in (RUN, OLDER_RUN)
        ]
        assert versions[0] != versions[1]
        assert versions[0] == api.dataset(TABLES, "totals")["currentVersion"]

    def test_does_not_change_what_the_job_reads_and_writes_now(self, api: Api) -> None:
        older = run_event("COMPLETE", BEFORE, OLDER_RUN, outputs=[dataset("old")])
        api.store(run_event("COMPLETE", END, outputs=[dataset("new")]), older)
        assert names(api.job(JOBS, "load")["outputs"]) == ["new"]


class TestRunningWithoutAJobType:
    @pytest.mark.slow
    def test_lineage_is_there_at_once(self, api: Api) -> None:
        api.store(
            run_event("RUNNING", START, inputs=[dataset("orders")], outputs=[dataset("totals")])
        )
        job = api.job(JOBS, "load")
        assert names(job["inputs"]) == ["orders"]
        assert names(job["outputs"]) == ["totals"]
        assert api.run(RUN)["state"] == "RUNNING"

    def test_lineage_is_there_from_start(self, api: Api) -> None:
        api.store(run_event("START", START, outputs=[dataset("totals")]))
        assert names(api.job(JOBS, "load")["outputs"]) == ["totals"]


class TestTheNextRunWritesAnotherOutput:
    FIRST = [
        run_event("START", BEFORE, OLDER_RUN, inputs=[dataset("orders")], outputs=[dataset("old")]),
        run_event("COMPLETE", "2024-05-01T09:10:00Z", OLDER_RUN),
    ]
    SECOND = [
        run_event("START", START, RUN, inputs=[dataset("orders")], outputs=[dataset("new")]),
        run_event("COMPLETE", END, RUN),
    ]

    def test_the_job_writes_the_new_output_now(self, api: Api) -> None:
        in_any_order(
            api,
            [*self.FIRST, *self.SECOND],
            lambda: self.check_now(api),
        )

    def check_now(self, api: Api) -> None:
        job = api.job(JOBS, "load")
        assert names(job["outputs"]) == ["new"]
        assert names(job["inputs"]) == ["orders"]

    def test_the_old_output_keeps_its_lineage_as_of_then(self, api: Api) -> None:
        api.store(*self.FIRST, *self.SECOND)
        assert api.dataset(TABLES, "old")["name"] == "old"
        then = api.run(OLDER_RUN)
        assert [use["datasetVersionId"]["name"] for use in then["outputDatasetVersions"]] == ["old"]
        assert [use["datasetVersionId"]["name"] for use in then["inputDatasetVersions"]] == [
            "orders"
        ]
        writers = [
            row.job
            for row in api.rows("job_dataset")
            if row.dataset == dataset_id(TABLES, "old") and row.direction == Direction.OUTPUT
        ]
        assert len(writers) == 1


class TestAParentOnStartOnly:
    PARENT: Json = {
        "run": {"runId": "01890000-0000-7000-8000-0000000000aa"},
        "job": {"namespace": JOBS, "name": "dag"},
    }

    def test_there_is_one_job(self, api: Api) -> None:
        def check() -> None:
            jobs = api.read(f"/namespaces/{JOBS}/jobs")
            assert [job["name"] for job in jobs["jobs"]] == ["dag", "dag.load"]
            job = api.job(JOBS, "dag.load")
            assert job["parentJobName"] == "dag"
            assert job["simpleName"] == "load"
            assert [run["id"] for run in job["latestRuns"]] == [RUN]
            assert job["latestRun"]["state"] == "COMPLETED"

        events = [
            run_event("START", START, job="dag.load", run_facets={"parent": self.PARENT}),
            run_event("COMPLETE", END, job="dag.load"),
        ]
        in_any_order(api, events, check)

    def test_a_run_known_only_as_a_parent_is_not_the_latest(self, api: Api) -> None:
        """The parent's own run has times; one that is only named has none and comes last."""
        own = "01890000-0000-7000-8000-0000000000bb"
        api.store(
            run_event("START", BEFORE, own, job="dag"),
            run_event("START", START, job="dag.load", run_facets={"parent": self.PARENT}),
        )
        job = api.job(JOBS, "dag")
        assert [run["id"] for run in job["latestRuns"]] == [own, self.PARENT["run"]["runId"]]
        assert job["latestRun"]["id"] == own


class TestMalformedEvents:
    @pytest.mark.parametrize("body", [b"{", b'{"eventType": "START",}', b"<event/>"])
    def test_malformed_json_is_a_4xx_with_the_reason(self, api: Api, body: bytes) -> None:
        error = error_of(api.post(body), 400, "$")
        assert error["reason"].startswith("invalid JSON: ")

    def test_an_array_is_taken(self, api: Api) -> None:
        api.store([run_event("START", START), run_event("COMPLETE", END)])
        assert api.run(RUN)["state"] == "COMPLETED"

    @pytest.mark.parametrize("at", ["2024-05-01", "yesterday", "", "2024-05-01T25:00:00Z", "17"])
    def test_an_odd_time_is_a_4xx_with_the_place(self, api: Api, at: str) -> None:
        error = error_of(api.post(run_event(at=at)), 422, "$.eventTime")
        assert "not a usable time" in error["reason"]

    def test_a_schema_url_with_a_space_is_taken(self, api: Api) -> None:
        api.store(run_event(schemaURL="https://example.org/a schema.json"))


class TestEventTypeNull:
    def test_is_taken_and_the_run_is_whole(self, api: Api) -> None:
        api.store(run_event(None, MIDDLE, outputs=[dataset("totals")]))
        run = api.run(RUN)
        assert run["state"] == "NEW"
        assert run["createdAt"] == "2024-05-01T10:05:00.000000Z"
        assert names(api.job(JOBS, "load")["outputs"]) == ["totals"]

    def test_absent_is_the_same(self, api: Api) -> None:
        event = run_event()
        del event["eventType"]
        api.store(event)
        assert api.run(RUN)["state"] == "NEW"

    def test_it_changes_no_state(self, api: Api) -> None:
        def check() -> None:
            assert api.run(RUN)["state"] == "COMPLETED"

        events = [run_event("START", START), run_event("COMPLETE", MIDDLE), run_event(None, END)]
        in_any_order(api, events, check)


class TestNul:
    def test_in_a_name_is_a_clear_4xx(self, api: Api) -> None:
        error = error_of(api.post(run_event(job="a\0b")), 422, "$.job.name")
        assert error["reason"] == "contains a NUL character"

    def test_in_a_facet_is_stored_safely(self, api: Api) -> None:
        api.store(run_event(run_facets={"errorMessage": {"message": "a\0b"}}))
        assert api.run(RUN)["facets"]["errorMessage"] == {"message": "a\0b"}


class TestNestedFields:
    def test_children_are_kept(self, api: Api) -> None:
        street = {"name": "street", "type": "STRING", "description": "with number"}
        cities = {
            "name": "cities",
            "type": "ARRAY",
            "fields": [{"name": "_element", "type": "STRING"}],
        }
        address = {"name": "address", "type": "STRUCT", "fields": [street, cities]}
        api.store(run_event(outputs=[dataset("people", schema={"fields": [address]})]))
        found = api.dataset(TABLES, "people")
        assert found["facets"]["schema"] == {"fields": [address]}
        (top,) = found["fields"]
        assert [(child["name"], child["type"]) for child in top["fields"]] == [
            ("street", "STRING"),
            ("cities", "ARRAY"),
        ]
        assert top["fields"][0]["description"] == "with number"
        assert top["fields"][1]["fields"][0]["name"] == "_element"


class TestColumnLineage:
    FIELD: Json = {
        "namespace": "kafka://broker:9092",
        "name": "unseen",
        "field": "amount",
        "transformations": [
            {"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum", "masking": True}
        ],
    }
    COLUMNS: Json = {"fields": {"total": {"inputFields": [FIELD]}}}

    def test_of_an_input_nobody_has_seen_is_kept(self, api: Api) -> None:
        api.store(run_event(outputs=[dataset("totals", columnLineage=self.COLUMNS)]))
        assert api.dataset("kafka://broker:9092", "unseen")["type"] == "STREAM"
        (column_map,) = api.column_maps()
        ((output, (source,)),) = column_map.outputs.items()
        assert source.dataset == dataset_id("kafka://broker:9092", "unseen")
        assert (output, source.column) == ("total", "amount")

    def test_transformations_are_kept(self, api: Api) -> None:
        api.store(run_event(outputs=[dataset("totals", columnLineage=self.COLUMNS)]))
        assert api.dataset(TABLES, "totals")["facets"]["columnLineage"] == self.COLUMNS
        (column_map,) = api.column_maps()
        (source,) = column_map.sources_of("total")
        assert source.transformations == (Transformation("DIRECT", "AGGREGATION", "sum", True),)


class TestABareComplete:
    def test_erases_nothing(self, api: Api) -> None:
        columns = {
            "fields": {"total": {"inputFields": [{"namespace": "a", "name": "b", "field": "c"}]}}
        }
        start = run_event(
            "START",
            START,
            inputs=[dataset("orders", schema=schema(amount="INT"))],
            outputs=[dataset("totals", schema=schema(total="INT"), columnLineage=columns)],
            run_facets={"nominalTime": {"nominalStartTime": "2024-05-01"}},
            job_facets={"sql": {"query": "select 1"}, "documentation": {"description": "sums"}},
        )
        bare: list[dict[str, Any]] = [
            run_event("COMPLETE", END),
            run_event("COMPLETE", END, inputs=[], outputs=[]),
            run_event("COMPLETE", END, inputs=None, outputs=None),
            run_event("COMPLETE", END, outputs=[dataset("totals")]),
        ]
        for end in bare:

            def check() -> None:
                job = api.job(JOBS, "load")
                assert names(job["inputs"]) == ["orders"]
                assert names(job["outputs"]) == ["totals"]
                assert job["facets"]["sql"] == {"query": "select 1"}
                assert job["description"] == "sums"
                totals = api.dataset(TABLES, "totals")
                assert [field["name"] for field in totals["fields"]] == ["total"]
                assert totals["facets"]["columnLineage"] == columns
                run = api.run(RUN)
                assert run["state"] == "COMPLETED"
                assert run["nominalStartTime"] == "2024-05-01T00:00:00.000000Z"

            in_any_order(api, [start, end], check)


class TestOneTransaction:
    def test_one_event_is_one_transaction(self, api: Api) -> None:
        def commits() -> float:
            text = api.client.get("/metrics").text
            lines = [line for line in text.splitlines() if not line.startswith("#")]
            values = dict(line.rsplit(" ", 1) for line in lines)
            return float(values["headwater_commit_seconds_count"])

        before = commits()
        api.store(run_event(inputs=[dataset("orders")], outputs=[dataset("totals")]))
        assert commits() == before + 1
        api.store([run_event(run=f"run-{number}") for number in range(100)])
        assert commits() == before + 2

    @pytest.mark.integration
    def test_postgresql_counts_one_transaction_too(
        self, api_on_postgresql: Api, postgresql: PostgreSQL
    ) -> None:
        api_on_postgresql.empty()
        taken = []
        for number in range(5):
            before = transaction_id(postgresql)
            api_on_postgresql.store(run_event(run=f"run-{number}", outputs=[dataset("totals")]))
            taken.append(transaction_id(postgresql) - before)
        # The database's own housekeeping may take one beside it, but not each time.
        assert min(taken) == 1


def transaction_id(service: PostgreSQL) -> int:
    """The next transaction that writes; asking takes none."""
    with psycopg.connect(service.url("postgres")) as connection:
        row = connection.execute(
            "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
        ).fetchone()
    assert row is not None
    return int(row[0])
