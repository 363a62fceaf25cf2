"""The projection: which rows an event states, and what they become when events meet."""

import itertools
from typing import Any

import pytest

from headwater.model.column_map import InputColumn, read_column_map
from headwater.model.event import EventType
from headwater.model.merge import Merged
from headwater.model.project import project
from headwater.model.relations import RELATIONS, Authority, Direction, Joined, Slot
from headwater.model.uses import Evidence, Use, newest_schema
from headwater.model.values.ids import (
    NO_CONTENT,
    UNREPORTED,
    author_id,
    dataset_id,
    digest,
    job_id,
    namespace_id,
    run_key,
)
from headwater.model.values.instant import MINUTE, parse_instant
from headwater.model.values.stamp import stamp_of, time_of
from testing.events.full import (
    PARENT_RUN,
    PRODUCER,
    ROOT_RUN,
    RUN,
    Json,
    dataset_event,
    decode,
    edit_event,
    encode,
    job_event,
    run_event,
)

NOON = parse_instant("2024-05-01T12:00:00Z")
LATER, LATEST = "2024-05-01T12:05:00Z", "2024-05-01T12:10:00Z"
JOB = job_id("scheduler", "load")
ORDERS, TOTALS = dataset_id("db", "orders"), dataset_id("db", "totals")
KEY = run_key("scheduler", "load", RUN)
AUTHOR = author_id(PRODUCER)


class Rows:
    """The rows that events come to, by relation."""

    def __init__(self, *events: Json) -> None:
        self._merged = Merged()
        for event in events:
            self._merged.add(project(decode(event)).all_rows())

    def of(self, relation: str) -> list[Any]:
        row_type: Any = RELATIONS[relation]
        return [row_type._make(row) for row in self._merged.sorted_rows(relation)]

    def only(self, relation: str) -> Any:
        (row,) = self.of(relation)
        return row

    def content(self, value_digest: bytes) -> bytes:
        (body,) = (row.body for row in self.of("content") if row.digest == value_digest)
        return bytes(body)

    def all(self) -> dict[str, list[Any]]:
        return {name: self.of(name) for name in self._merged.rows}


def in_any_order(*events: Json) -> Rows:
    """The rows of events, which must not depend on their order, nor on hearing some twice."""
    expected = Rows(*events)
    for order in itertools.permutations(events):
        assert Rows(*order).all() == expected.all()
        assert Rows(*order, *events).all() == expected.all()
    return expected


def dataset(name: str, **facets: Any) -> Json:
    return {"namespace": "db", "name": name, "facets": facets}


def by_dataset(rows: list[Any]) -> dict[tuple[bytes, int], Any]:
    return {(row.dataset, row.direction): row for row in rows}


def uses(rows: Rows, of: bytes) -> list[Use]:
    """What runs said of a dataset, as it is read."""
    return [
        Use._make((*row, Evidence.OBSERVED)) for row in rows.of("job_dataset") if row.dataset == of
    ]


class TestRunEvent:
    def test_the_event_is_a_row_with_its_bytes(self) -> None:
        event = run_event()
        row: Any = project(decode(event), received_at=7).rows["event"][0]
        assert row.payload == encode(event)
        assert row.digest == digest(encode(event))
        assert (row.at, row.received_at, row.job, row.run) == (NOON, 7, JOB, KEY)

    def test_only_the_events_own_row_knows_when_it_was_received(self) -> None:
        one = project(decode(run_event()), received_at=1).all_rows()
        two = project(decode(run_event()), received_at=2).all_rows()
        del one["event"], two["event"]
        assert one == two

    def test_job_run_and_datasets_have_rows(self) -> None:
        rows = Rows(run_event())
        job = rows.only("job")
        assert (job.id, job.namespace, job.name) == (JOB, "scheduler", "load")
        assert job.namespace_id == namespace_id("scheduler")
        run = rows.only("run")
        assert (run.id, run.name, run.job) == (KEY, None, JOB)
        assert {row.id for row in rows.of("dataset")} == {ORDERS, TOTALS}
        uses = {(ORDERS, Direction.INPUT), (TOTALS, Direction.OUTPUT)}
        assert set(by_dataset(rows.of("run_dataset"))) == uses
        assert set(by_dataset(rows.of("job_dataset"))) == uses

    def test_a_run_id_that_is_no_uuid_is_kept_and_belongs_to_its_job(self) -> None:
        mine = Rows(run_event(run={"runId": "7"})).only("run")
        job = {"namespace": "scheduler", "name": "other"}
        other = Rows(run_event(run={"runId": "7"}, job=job)).only("run")
        assert mine.name == other.name == "7"
        assert mine.id != other.id

    def test_a_uuid_is_one_run_however_it_is_written(self) -> None:
        assert Rows(run_event(run={"runId": RUN.upper()})).only("run").id == KEY

    @pytest.mark.parametrize(
        ("event_type", "started", "running", "terminal"),
        [
            ("START", NOON, None, None),
            ("RUNNING", None, NOON, None),
            ("OTHER", None, None, None),
            (None, None, None, None),
            ("COMPLETE", None, None, EventType.COMPLETE),
            ("ABORT", None, None, EventType.ABORT),
            ("FAIL", None, None, EventType.FAIL),
        ],
    )
    def test_each_type_leaves_its_mark_on_the_run(
        self,
        event_type: str | None,
        started: int | None,
        running: int | None,
        terminal: EventType | None,
    ) -> None:
        run = Rows(run_event(event_type)).only("run")
        assert (run.first_event, run.last_event) == (NOON, NOON)
        assert (run.first_start, run.last_start) == (started, started)
        assert (run.first_running, run.last_running) == (running, running)
        assert run.terminal == terminal
        assert (run.terminal_at is None) == (terminal is None)

    def test_a_run_is_running_from_the_first_word_of_it_to_the_last(self) -> None:
        times = ("2024-05-01T12:00:00Z", LATER, LATEST)
        run = in_any_order(*(run_event("RUNNING", eventTime=time) for time in times)).only("run")
        assert (run.first_running, run.last_running) == (NOON, parse_instant(LATEST))

    def test_complete_before_start_ends_in_the_same_run(self) -> None:
        run = in_any_order(run_event("START"), run_event("COMPLETE", eventTime=LATER)).only("run")
        assert (run.first_start, time_of(run.terminal_at)) == (NOON, parse_instant(LATER))

    def test_a_bare_complete_takes_nothing_back(self) -> None:
        bare = run_event("COMPLETE", eventTime=LATER, inputs=[], outputs=None)
        rows = in_any_order(run_event(outputs=[dataset("totals", schema={"fields": []})]), bare)
        used = by_dataset(rows.of("run_dataset"))
        assert set(used) == {(ORDERS, Direction.INPUT), (TOTALS, Direction.OUTPUT)}
        assert used[TOTALS, Direction.OUTPUT].schema is not None
        assert rows.only("run").first_datasets == NOON

    def test_a_run_without_datasets_says_so(self) -> None:
        assert Rows(run_event(inputs=[], outputs=[])).only("run").first_datasets is None

    def test_the_same_dataset_read_and_written_has_two_uses(self) -> None:
        rows = Rows(run_event(inputs=[dataset("orders")], outputs=[dataset("orders")]))
        assert set(by_dataset(rows.of("run_dataset"))) == {
            (ORDERS, Direction.INPUT),
            (ORDERS, Direction.OUTPUT),
        }

    def test_a_dataset_named_twice_is_one_use(self) -> None:
        facets = {"schema": {"fields": [{"name": "a"}]}}
        rows = Rows(run_event(inputs=[dataset("orders"), dataset("orders", **facets)], outputs=[]))
        assert rows.only("run_dataset").schema is not None

    @pytest.mark.parametrize("namespace", ["", None])
    def test_a_dataset_without_namespace_is_unknown_to_its_job(self, namespace: str | None) -> None:
        rows = Rows(run_event(inputs=[{"namespace": namespace, "name": "orders"}], outputs=[]))
        assert rows.only("dataset").namespace == "unknown://scheduler/load"
        assert rows.only("run_dataset").dataset == dataset_id("unknown://scheduler/load", "orders")

    def test_an_event_that_comes_twice_states_nothing_new(self) -> None:
        assert Rows(run_event(), run_event()).all() == Rows(run_event()).all()


class TestSchemasAndFacets:
    OLD: Json = {"fields": [{"name": "a", "type": "INT"}]}
    NEW: Json = {"fields": [{"name": "a", "type": "BIGINT"}]}

    def test_the_newest_schema_counts_whenever_it_comes(self) -> None:
        rows = in_any_order(
            run_event(outputs=[dataset("totals", schema=self.OLD)]),
            run_event("RUNNING", eventTime=LATER, outputs=[dataset("totals", schema=self.NEW)]),
            run_event("COMPLETE", eventTime=LATEST, outputs=[dataset("totals")]),
        )
        used = newest_schema(uses(rows, TOTALS))
        assert used is not None
        assert rows.content(used.schema) == encode(self.NEW)
        assert used.reported_at == parse_instant(LATER)

    def test_a_run_event_may_say_that_it_only_declares(self) -> None:
        facets = {"headwater_declared": {"_producer": PRODUCER}}
        rows = Rows(run_event(run={"runId": RUN, "facets": facets}), run_event("COMPLETE"))
        assert rows.only("run").job == JOB
        declared = by_dataset(rows.of("declared_dataset"))
        assert set(declared) == {(ORDERS, Direction.INPUT), (TOTALS, Direction.OUTPUT)}
        assert rows.only("declaration").author == AUTHOR
        # The other event of the run observes.
        assert len(rows.of("run_dataset")) == 2
        declaring = run_event(run={"runId": RUN, "facets": facets})
        assert Rows(declaring).of("run_dataset") == Rows(declaring).of("job_dataset") == []

    def test_every_description_is_kept_with_its_times(self) -> None:
        old, new = (dataset("totals", schema=schema) for schema in (self.OLD, self.NEW))
        rows = in_any_order(
            run_event(outputs=[old]),
            run_event("RUNNING", eventTime=LATER, outputs=[new]),
            run_event("COMPLETE", eventTime=LATEST, outputs=[new]),
            run_event("OTHER", eventTime=LATEST, outputs=[dataset("totals")]),
        )
        later, latest = parse_instant(LATER), parse_instant(LATEST)
        assert {(use.schema, use.first_seen, use.reported_at) for use in uses(rows, TOTALS)} == {
            (digest(encode(self.OLD)), NOON, NOON),
            (digest(encode(self.NEW)), later, latest),
            (UNREPORTED, latest, latest),
        }

    def test_what_is_stated_of_schema_and_columns_at_once_is_one_description(self) -> None:
        columns: Json = {"fields": {"a": {"inputFields": []}}}
        rows = in_any_order(
            run_event(inputs=[], outputs=[dataset("totals", schema=self.OLD)]),
            run_event(
                inputs=[],
                outputs=[dataset("totals", schema=self.OLD, columnLineage=columns)],
                eventTime=LATER,
            ),
        )
        described = rows.only("run_dataset")
        assert {(use.schema, use.columns, use.first_seen) for use in uses(rows, TOTALS)} == {
            (described.schema, UNREPORTED, NOON),
            (described.schema, described.columns, parse_instant(LATER)),
        }

    def test_a_late_event_of_an_older_run_is_history_only(self) -> None:
        older = "01890000-0000-7000-8000-000000000000"
        rows = in_any_order(
            run_event("COMPLETE", eventTime=LATER, outputs=[dataset("totals", schema=self.NEW)]),
            run_event(
                "COMPLETE", run={"runId": older}, outputs=[dataset("totals", schema=self.OLD)]
            ),
        )
        now = newest_schema(uses(rows, TOTALS))
        assert now is not None
        assert rows.content(now.schema) == encode(self.NEW)
        then = [row for row in rows.of("run_dataset") if row.run == run_key("", "", older)]
        assert rows.content(by_dataset(then)[TOTALS, Direction.OUTPUT].schema) == encode(self.OLD)

    def test_at_one_instant_the_more_final_event_of_a_run_counts(self) -> None:
        rows = in_any_order(
            run_event("START", outputs=[dataset("totals", schema=self.NEW)]),
            run_event("COMPLETE", outputs=[dataset("totals", schema=self.OLD)]),
        )
        used = by_dataset(rows.of("run_dataset"))[TOTALS, Direction.OUTPUT]
        assert rows.content(used.schema) == encode(self.OLD)

    def test_a_value_never_takes_the_stamp_of_another(self) -> None:
        """Description A at 1, description B at 2, another facet at 3: B stays, in any order."""
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", documentation={"description": "A"})),
            dataset_event(
                eventTime=LATER, dataset=dataset("orders", documentation={"description": "B"})
            ),
            dataset_event(eventTime=LATEST, dataset=dataset("orders", storage={"x": 1})),
        )
        facets = {row.name: row for row in rows.of("facet")}
        assert rows.content(facets["documentation"].digest) == b'{"description":"B"}'
        assert set(facets) == {"documentation", "storage"}

    def test_deleted_is_a_value_like_others(self) -> None:
        gone = dataset("totals", schema={"_deleted": True}, storage={"_deleted": True})
        rows = in_any_order(
            run_event(outputs=[dataset("totals", schema=self.OLD, storage={"x": 1})]),
            run_event("RUNNING", eventTime=LATER, outputs=[gone]),
        )
        assert [use.schema for use in uses(rows, TOTALS) if use.reported_at > NOON] == [NO_CONTENT]
        assert newest_schema(uses(rows, TOTALS)) is None
        assert rows.only("facet").digest == NO_CONTENT

    def test_deleted_does_not_undo_what_came_after_it(self) -> None:
        gone = dataset("totals", schema={"_deleted": True})
        rows = in_any_order(
            run_event(outputs=[gone]),
            run_event("RUNNING", eventTime=LATER, outputs=[dataset("totals", schema=self.NEW)]),
        )
        used = newest_schema(uses(rows, TOTALS))
        assert used is not None
        assert rows.content(used.schema) == encode(self.NEW)

    def test_unknown_facets_are_kept_in_their_slots(self) -> None:
        used = {"namespace": "db", "name": "orders"}
        event = run_event(
            run={"runId": RUN, "facets": {"a": {"v": 1}}},
            job={"namespace": "scheduler", "name": "load", "facets": {"b": {"v": 2}}},
            inputs=[used | {"facets": {"c": {"v": 3}}, "inputFacets": {"d": {"v": 4}}}],
            outputs=[used | {"outputFacets": {"e": {"v": 5}}}],
        )
        rows = Rows(event)
        found = {
            (row.owner, row.slot, row.name): rows.content(row.digest) for row in rows.of("facet")
        }
        assert found[KEY, Slot.RUN, "a"] == b'{"v":1}'
        assert found[JOB, Slot.JOB, "b"] == b'{"v":2}'
        assert found[ORDERS, Slot.DATASET, "c"] == b'{"v":3}'
        assert found[ORDERS, Slot.INPUT, "d"] == b'{"v":4}'
        assert found[ORDERS, Slot.OUTPUT, "e"] == b'{"v":5}'

    def test_what_a_run_says_of_its_reading_is_kept_with_that_run(self) -> None:
        used = {"namespace": "db", "name": "orders"}
        other = "01890000-0000-7000-8000-000000000002"
        one = run_event(inputs=[used | {"inputFacets": {"dataQualityMetrics": {"v": 1}}}])
        two = run_event(
            run={"runId": other},
            eventTime=LATER,
            inputs=[used | {"inputFacets": {"dataQualityMetrics": {"v": 2}}}],
        )
        rows = in_any_order(one, two)
        bodies = sorted(rows.content(row.digest) for row in rows.of("facet"))
        assert bodies == [b'{"v":1}', b'{"v":2}', b'{"v":2}']

    @pytest.mark.parametrize("event", [run_event, job_event])
    def test_facets_of_reading_and_writing_are_kept_for_every_kind(self, event: Any) -> None:
        used = {"namespace": "db", "name": "orders", "inputFacets": {"subset": {"v": 1}}}
        rows = Rows(event(inputs=[used], outputs=[]))
        assert b'{"v":1}' in [row.body for row in rows.of("content")]

    @pytest.mark.parametrize("name", ["documentation", "ownership", "tags"])
    def test_words_of_two_authors_are_both_kept(self, name: str) -> None:
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", **{name: {"v": 1}})),
            dataset_event(dataset=dataset("orders", **{name: {"v": 2}}), producer="https://b/2.0"),
        )
        assert {row.author for row in rows.of("facet")} == {AUTHOR, author_id("https://b/2.0")}

    def test_a_newer_release_of_an_author_replaces_its_words(self) -> None:
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", tags={"v": 1}), producer="https://a/1.0.0"),
            dataset_event(
                dataset=dataset("orders", tags={"v": 2}),
                producer="https://a/1.1.0",
                eventTime=LATER,
            ),
        )
        assert rows.content(rows.only("facet").digest) == b'{"v":2}'

    def test_other_facets_are_the_newest_of_all_authors(self) -> None:
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", storage={"v": 1})),
            dataset_event(
                dataset=dataset("orders", storage={"v": 2}), producer="https://b", eventTime=LATER
            ),
        )
        assert rows.content(rows.only("facet").digest) == b'{"v":2}'

    def test_equal_facets_are_one_content(self) -> None:
        rows = Rows(
            run_event(
                inputs=[dataset("orders", schema=self.OLD)],
                outputs=[dataset("totals", schema=self.OLD)],
            )
        )
        assert rows.only("content").body == encode(self.OLD)


class TestColumnMaps:
    FIELDS: Json = {
        "total": {"inputFields": [{"namespace": "erp", "name": "unseen", "field": "amount"}]}
    }

    def test_is_content_and_an_unseen_input_has_a_node(self) -> None:
        rows = Rows(run_event(outputs=[dataset("totals", columnLineage={"fields": self.FIELDS})]))
        unseen = dataset_id("erp", "unseen")
        used = by_dataset(rows.of("run_dataset"))
        body = rows.content(used[TOTALS, Direction.OUTPUT].columns)
        assert read_column_map(body).outputs == {"total": (InputColumn(unseen, "amount"),)}
        assert unseen in {row.id for row in rows.of("dataset")}
        assert (unseen, Direction.INPUT) not in used

    def test_a_column_map_that_repeats_is_one_content(self) -> None:
        output = dataset("totals", columnLineage={"fields": self.FIELDS})
        rows = in_any_order(
            run_event(outputs=[output]), run_event("COMPLETE", eventTime=LATER, outputs=[output])
        )
        assert rows.only("content").body == encode({"fields": self.FIELDS})
        (columns,) = {use.columns for use in uses(rows, TOTALS)}
        assert columns == rows.only("content").digest

    def test_explicit_lineage_of_a_job_makes_one(self) -> None:
        source = {"namespace": "erp", "name": "unseen", "type": "DATASET", "field": "amount"}
        entry = {
            "namespace": "db",
            "name": "sums",
            "type": "DATASET",
            "fields": {"total": {"inputs": [source]}},
        }
        job = {
            "namespace": "scheduler",
            "name": "load",
            "facets": {"lineage": {"entries": [entry]}},
        }
        reads = (dataset_id("erp", "unseen"), Direction.INPUT)
        writes = (dataset_id("db", "sums"), Direction.OUTPUT)
        for event, relation in ((run_event, "run_dataset"), (job_event, "declared_dataset")):
            rows = Rows(event(job=job, inputs=[], outputs=[]))
            used = by_dataset(rows.of(relation))
            assert set(used) == {reads, writes}
            body = rows.content(used[writes].columns)
            assert read_column_map(body).outputs == {"total": (InputColumn(reads[0], "amount"),)}

    def test_explicit_lineage_of_a_dataset_is_read_by_who_writes_it(self) -> None:
        lineage = {"inputs": [{"namespace": "erp", "name": "unseen", "type": "DATASET"}]}
        rows = Rows(run_event(inputs=[], outputs=[dataset("totals", lineage=lineage)]))
        assert set(by_dataset(rows.of("run_dataset"))) == {
            (dataset_id("erp", "unseen"), Direction.INPUT),
            (TOTALS, Direction.OUTPUT),
        }

    def test_column_lineage_comes_before_explicit_lineage(self) -> None:
        lineage = {"fields": {"x": {"inputs": [{"namespace": "a", "name": "b", "field": "c"}]}}}
        for facets in (
            {"columnLineage": {"fields": self.FIELDS}, "lineage": lineage},
            {"lineage": lineage, "columnLineage": {"fields": self.FIELDS}},
        ):
            rows = Rows(run_event(outputs=[dataset("totals", **facets)]))
            columns = by_dataset(rows.of("run_dataset"))[TOTALS, Direction.OUTPUT].columns
            assert rows.content(columns) == encode({"fields": self.FIELDS})


class TestParents:
    FACET: Json = {
        "run": {"runId": PARENT_RUN},
        "job": {"namespace": "airflow", "name": "dag.task"},
        "root": {"run": {"runId": ROOT_RUN}, "job": {"namespace": "airflow", "name": "dag"}},
    }

    def test_parent_and_root_are_kept_and_can_be_shown_by_name(self) -> None:
        rows = Rows(run_event(run={"runId": RUN, "facets": {"parent": self.FACET}}))
        runs = {row.id: row for row in rows.of("run")}
        parent, root = run_key("", "", PARENT_RUN), run_key("", "", ROOT_RUN)
        assert set(runs) == {KEY, parent, root}
        run = runs[KEY]
        assert (run.parent_run, run.root_run) == (parent, root)
        assert run.parent_job == job_id("airflow", "dag.task")
        assert run.root_job == job_id("airflow", "dag")
        assert {row.name for row in rows.of("job")} == {"load", "dag.task", "dag"}
        assert runs[parent].first_event is None

    def test_a_parent_on_start_only_stays(self) -> None:
        rows = in_any_order(
            run_event(run={"runId": RUN, "facets": {"parent": self.FACET}}),
            run_event("COMPLETE", eventTime=LATER),
        )
        jobs = {row.name: row for row in rows.of("job")}
        assert set(jobs) == {"load", "dag.task", "dag"}
        assert jobs["load"].parent == job_id("airflow", "dag.task")
        run = {row.id: row for row in rows.of("run")}[KEY]
        assert run.parent_run == run_key("", "", PARENT_RUN)

    def test_a_run_that_is_its_own_parent_is_one_run(self) -> None:
        facet = {"run": {"runId": RUN}, "job": {"namespace": "scheduler", "name": "load"}}
        rows = Rows(run_event(run={"runId": RUN, "facets": {"parent": facet}}))
        assert rows.only("run").first_event == NOON

    def test_each_column_of_a_run_has_its_own_value(self) -> None:
        """The row is made from a long list of values: none stands in the place of another."""
        nominal = {"nominalStartTime": "2024-04-01", "nominalEndTime": "2024-04-02"}
        facets = {"parent": self.FACET, "nominalTime": nominal}
        code = {"type": "git", "url": "https://example.com/code"}
        sql = {"query": "SELECT 1"}
        job = {
            "namespace": "scheduler",
            "name": "load",
            "facets": {"sourceCodeLocation": code, "sql": sql},
        }
        run = Rows(
            run_event("START", run={"runId": RUN, "facets": facets}, inputs=[], outputs=[]),
            run_event("RUNNING", eventTime=LATER),
            run_event("COMPLETE", eventTime=LATEST, job=job),
        )
        found = next(row for row in run.of("run") if row.id == KEY)._asdict()
        later, latest = parse_instant(LATER), parse_instant(LATEST)
        ended = stamp_of(latest, EventType.COMPLETE)
        assert found == {
            "id": KEY,
            "name": None,
            "job": JOB,
            "job_at": ended,
            "parent_run": run_key("", "", PARENT_RUN),
            "parent_job": job_id("airflow", "dag.task"),
            "root_run": run_key("", "", ROOT_RUN),
            "root_job": job_id("airflow", "dag"),
            "parent_at": stamp_of(NOON, EventType.START),
            "first_event": NOON,
            "last_event": latest,
            "first_start": NOON,
            "last_start": NOON,
            "first_running": later,
            "last_running": later,
            "first_datasets": later,
            "terminal": int(EventType.COMPLETE),
            "terminal_at": ended,
            "nominal_start": parse_instant("2024-04-01T00:00:00Z"),
            "nominal_end": parse_instant("2024-04-02T00:00:00Z"),
            "nominal_at": stamp_of(NOON, EventType.START),
            "code": digest(encode(code)),
            "code_at": ended,
            "sql": digest(encode(sql)),
            "sql_at": ended,
        }

    def test_nominal_times_are_kept(self) -> None:
        facet = {"nominalStartTime": "2024-05-01", "nominalEndTime": "2024-05-01T12:00:00Z"}
        run = Rows(run_event(run={"runId": RUN, "facets": {"nominalTime": facet}})).only("run")
        assert run.nominal_start == parse_instant("2024-05-01T00:00:00Z")
        assert run.nominal_end == NOON


class TestMarks:
    def test_statistics_are_a_sample_of_their_minute(self) -> None:
        def event(event_type: str, at: str, rows: int) -> Json:
            facets = {"outputStatistics": {"rowCount": rows, "size": rows * 10}}
            output = {"namespace": "db", "name": "totals", "outputFacets": facets}
            return run_event(event_type, eventTime=at, inputs=[], outputs=[output])

        rows = in_any_order(
            event("START", "2024-05-01T12:00:00Z", 1),
            event("RUNNING", "2024-05-01T12:00:59Z", 5),
            event("COMPLETE", "2024-05-01T12:01:00Z", 9),
        )
        samples = [(row.minute, row.rows, row.bytes, row.files) for row in rows.of("sample")]
        assert samples == [(NOON // MINUTE, 5, 50, None), (NOON // MINUTE + 1, 9, 90, None)]
        assert rows.content(rows.only("run_dataset").statistics) == b'{"rowCount":9,"size":90}'

    def test_symlinks_are_aliases_and_nodes(self) -> None:
        links = {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": "TABLE"}]}
        rows = Rows(run_event(inputs=[dataset("orders", symlinks=links)], outputs=[]))
        alias = rows.only("alias")
        other = dataset_id("hive", "shop.orders")
        assert (alias.dataset, alias.other) == (ORDERS, other)
        assert (alias.voice, alias.joined) == (Authority.EVENT, Joined.TABLE)
        assert other in {row.id for row in rows.of("dataset")}

    def test_a_symlink_to_itself_is_none(self) -> None:
        links = {"identifiers": [{"namespace": "db", "name": "orders", "type": "TABLE"}]}
        rows = Rows(dataset_event(dataset=dataset("orders", symlinks=links)))
        assert rows.of("alias") == []

    def test_lifecycle_changes_are_marks_on_the_timeline(self) -> None:
        rename = {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "db", "name": "old"},
        }
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", lifecycleStateChange=rename)),
            dataset_event(
                eventTime=LATER,
                dataset=dataset("orders", lifecycleStateChange={"lifecycleStateChange": "DROP"}),
            ),
        )
        marks = [(row.at, row.change, row.previous) for row in rows.of("lifecycle")]
        assert marks[0] == (NOON, "RENAME", dataset_id("db", "old"))
        assert marks[1][:2] == (parse_instant(LATER), "DROP")

    def test_the_version_facet_is_kept_with_the_use(self) -> None:
        version = {"datasetVersion": "7"}
        rows = Rows(run_event(inputs=[], outputs=[dataset("totals", version=version)]))
        assert rows.content(rows.only("run_dataset").version) == encode(version)


class TestDeclarations:
    def test_a_job_event_declares_and_runs_nothing(self) -> None:
        rows = Rows(job_event())
        assert rows.of("run") == rows.of("run_dataset") == rows.of("job_dataset") == []
        assert rows.only("job").name == "load"
        declared = by_dataset(rows.of("declared_dataset"))
        assert set(declared) == {(ORDERS, Direction.INPUT), (TOTALS, Direction.OUTPUT)}
        assert rows.only("declaration").said_at == NOON

    def test_every_description_is_kept_with_its_times(self) -> None:
        old, new = ({"fields": [{"name": name}]} for name in "ab")
        rows = in_any_order(
            dataset_event(dataset=dataset("orders", schema=old)),
            dataset_event(eventTime=LATER, dataset=dataset("orders", schema=old)),
            dataset_event(eventTime=LATEST, dataset=dataset("orders", schema=new)),
            dataset_event(eventTime=LATEST),
        )
        declared = {
            (row.schema, row.columns, row.first_said, row.last_said)
            for row in rows.of("declared_dataset")
        }
        later, latest = parse_instant(LATER), parse_instant(LATEST)
        assert declared == {
            (digest(encode(old)), UNREPORTED, NOON, later),
            (digest(encode(new)), UNREPORTED, latest, latest),
            (UNREPORTED, UNREPORTED, latest, latest),
        }

    def test_what_a_newer_job_event_leaves_out_is_older_than_its_declaration(self) -> None:
        rows = in_any_order(job_event(), job_event(eventTime=LATER, inputs=[]))
        declared = by_dataset(rows.of("declared_dataset"))
        said = max(row.said_at for row in rows.of("declaration"))
        assert declared[ORDERS, Direction.INPUT].last_said < said
        assert declared[TOTALS, Direction.OUTPUT].last_said == said

    def test_a_dataset_event_describes_the_dataset_itself(self) -> None:
        schema = {"fields": [{"name": "a"}]}
        rows = Rows(dataset_event(dataset=dataset("orders", schema=schema)))
        row = rows.only("declared_dataset")
        assert (row.dataset, row.direction) == (ORDERS, Direction.ITSELF)
        assert rows.content(row.schema) == encode(schema)
        assert rows.of("job") == []

    def test_a_dataset_event_without_namespace_is_kept(self) -> None:
        rows = Rows(dataset_event(dataset={"name": "orders"}))
        assert rows.only("dataset").namespace == "unknown://"


class TestEdits:
    def test_a_word_on_a_dataset_is_the_persons(self) -> None:
        rows = Rows(edit_event(set={"documentation": {"description": "x"}}))
        row = rows.only("edit_value")
        assert (row.entity, row.field, row.aspect) == (ORDERS, "", "documentation")
        assert rows.content(row.digest) == b'{"description":"x"}'
        assert rows.of("facet") == []

    def test_words_on_fields_and_jobs_have_their_own_rows(self) -> None:
        column = {"type": "dataset", "namespace": "db", "name": "orders", "field": "amount"}
        job = {"type": "job", "namespace": "scheduler", "name": "load"}
        tags = {"tags": {"tags": [{"key": "pii"}]}}
        rows = in_any_order(
            edit_event(set=tags),
            edit_event(entity=column, set=tags),
            edit_event(entity=job, set=tags),
        )
        found = {(row.entity, row.field) for row in rows.of("edit_value")}
        assert found == {(ORDERS, ""), (ORDERS, "amount"), (JOB, "")}

    def test_the_newest_word_counts_and_can_be_taken_back(self) -> None:
        said = edit_event(set={"documentation": {"description": "x"}})
        unsaid = edit_event(unset=["documentation"]) | {"eventTime": LATER}
        assert in_any_order(said, unsaid).only("edit_value").digest == NO_CONTENT
        again = edit_event(set={"documentation": {"description": "y"}}) | {"eventTime": LATEST}
        rows = in_any_order(said, unsaid, again)
        assert rows.content(rows.only("edit_value").digest) == b'{"description":"y"}'

    @pytest.mark.parametrize("kind", ["dataset", "job"])
    def test_deleted_and_restored_are_times(self, kind: str) -> None:
        entity = {"type": kind, "namespace": "db", "name": "orders"}
        rows = in_any_order(
            edit_event(entity=entity, set={"deleted": True}),
            edit_event(entity=entity, unset=["deleted"]) | {"eventTime": LATER},
        )
        owner = ORDERS if kind == "dataset" else job_id("db", "orders")
        assert sorted(rows.of("hidden")) == [(owner, NOON, 1), (owner, parse_instant(LATER), 0)]

    def test_deleted_set_to_false_hides_nothing(self) -> None:
        rows = Rows(edit_event(set={"deleted": False}))
        assert [row.is_deleted for row in rows.of("hidden")] == [0]

    def test_a_job_has_no_other_names(self) -> None:
        links = {"identifiers": [{"namespace": "db", "name": "orders", "type": "TABLE"}]}
        entity = {"type": "job", "namespace": "ns", "name": "load"}
        rows = Rows(edit_event(entity=entity, set={"symlinks": links}))
        assert rows.of("alias") == []
        assert rows.only("edit_value").aspect == "symlinks"

    def test_an_edit_alone_names_what_it_is_about(self) -> None:
        rows = Rows(edit_event(set={"deleted": True}))
        assert rows.only("dataset").name == "orders"
        job = {"type": "job", "namespace": "scheduler", "name": "load"}
        row = Rows(edit_event(entity=job, set={"deleted": True})).only("job")
        assert (row.name, row.first_seen, row.last_seen) == ("load", None, None)

    def test_a_persons_join_stands_beside_the_events(self) -> None:
        def links(kind: str) -> Json:
            return {"identifiers": [{"namespace": "hive", "name": "shop.orders", "type": kind}]}

        rows = in_any_order(
            dataset_event(dataset=dataset("orders", symlinks=links("TABLE"))),
            edit_event(set={"symlinks": links("TABLE")}),
            edit_event(set={"symlinks": links("CUT")}) | {"eventTime": LATER},
        )
        joined = {row.voice: row.joined for row in rows.of("alias")}
        assert joined == {Authority.EVENT: Joined.TABLE, Authority.PERSON: Joined.CUT}

    def test_the_edit_itself_is_kept_as_an_event(self) -> None:
        event = edit_event(set={"deleted": True})
        assert Rows(event).only("event").payload == encode(event)


class TestStamps:
    def test_time_decides_before_type(self) -> None:
        assert stamp_of(NOON, EventType.COMPLETE) < stamp_of(NOON + 1, EventType.START)

    def test_at_one_instant_the_more_final_type_is_later(self) -> None:
        order = [EventType.START, EventType.RUNNING, EventType.OTHER, EventType.COMPLETE]
        stamps = [stamp_of(NOON, kind) for kind in order]
        assert stamps == sorted(set(stamps))
        terminals = {stamp_of(NOON, EventType[name]) for name in ("COMPLETE", "ABORT", "FAIL")}
        assert len(terminals) == 1

    @pytest.mark.parametrize("at", [0, NOON, -1, parse_instant("0001-01-01T00:00:00Z")])
    def test_the_time_comes_out_again(self, at: int) -> None:
        assert {time_of(stamp_of(at, kind)) for kind in EventType} == {at}

    def test_the_last_instant_fits_a_database_integer(self) -> None:
        last = parse_instant("9999-12-31T23:59:59.999999Z")
        assert stamp_of(last, EventType.FAIL) < 2**63
