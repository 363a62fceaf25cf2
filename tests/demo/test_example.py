"""The bundled example: it is accepted, hangs together, and tells what it is meant to tell."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest

from headwater.demo.build import HOUR, count_orders
from headwater.demo.example import clock_at, make_events, make_next_events
from headwater.demo.streams import CAPTURE, ENRICHMENT, SCREENING, SILENT_FOR, SINK
from headwater.demo.tables import (
    CUSTOMER_CHANGES,
    CUSTOMERS,
    DASHBOARD,
    ENRICHED,
    FACT,
    ORDER_CHANGES,
    ORDERS,
    RAW,
    SUMMARY,
    Table,
)
from headwater.demo.warehouse import FAILURE, NIGHTLY, SUMMARY_MODEL, last_night
from headwater.model.column_map import read_column_map
from headwater.model.intake import take_in
from headwater.model.merge import Merged
from headwater.model.relations import Direction, JobDataset, Sample
from headwater.model.values.ids import UNREPORTED, is_uuid
from headwater.model.values.instant import DAY, MINUTE, parse_instant

Json = dict[str, Any]

NOW = parse_instant("2026-03-14T15:09:26Z")
CHAIN = (ORDERS, ORDER_CHANGES, ENRICHED, RAW, FACT, SUMMARY, DASHBOARD)


@pytest.fixture(scope="module")
def raw_events() -> list[bytes]:
    return make_events(NOW)


@pytest.fixture(scope="module")
def events(raw_events: list[bytes]) -> list[Json]:
    return [msgspec.json.decode(event) for event in raw_events]


def merge(events: Iterable[bytes]) -> Merged:
    """The state that events lead to."""
    merged = Merged()
    for event in events:
        merged.add(take_in(event, NOW, 0, "test").facts.all_rows())
    return merged


def datasets(events: Iterable[Json]) -> Iterator[Json]:
    for event in events:
        yield from (*event["inputs"], *event["outputs"])


def said(events: Iterable[Json], table: Table, facet: str) -> list[tuple[int, Json]]:
    """What was said of a dataset, in the order it was said."""
    return [
        (parse_instant(event["eventTime"]), dataset["facets"][facet])
        for event in events
        for dataset in (*event["inputs"], *event["outputs"])
        if (dataset["namespace"], dataset["name"]) == table.at
        and facet in dataset.get("facets", {})
    ]


def of_job(events: Iterable[Json], name: str) -> list[Json]:
    return [event for event in events if event["job"]["name"] == name]


def column_sources(events: Iterable[Json]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Direct sources of each column, by dataset name and column."""
    sources = defaultdict(set)
    for dataset in datasets(events):
        fields = dataset.get("facets", {}).get("columnLineage", {}).get("fields", {})
        for column, field in fields.items():
            for source in field["inputFields"]:
                if any(how["type"] == "DIRECT" for how in source["transformations"]):
                    sources[dataset["name"], column].add((source["name"], source["field"]))
    return sources


def origins(
    sources: dict[tuple[str, str], set[tuple[str, str]]], column: tuple[str, str]
) -> set[tuple[str, str]]:
    """The columns at the very start that a column is made of."""
    if not sources.get(column):
        return {column}
    return {origin for source in sources[column] for origin in origins(sources, source)}


class TestEvents:
    @pytest.mark.parametrize(
        "now",
        [
            "2026-03-14T15:09:26Z",
            "2026-03-14T00:00:00Z",
            "2026-03-14T02:10:00Z",
            "2026-01-01T03:00:00.000001Z",
            "2028-02-29T23:59:59Z",
        ],
    )
    @pytest.mark.slow
    def test_all_are_accepted_at_any_time_of_the_day(self, now: str) -> None:
        at = parse_instant(now)
        events = make_events(at)
        assert 1_000 < len(events) <= 6_000
        refused = [intake.error for event in events if (intake := take_in(event, at, 0, "")).error]
        assert refused == []
        types = {msgspec.json.decode(event)["eventType"] for event in events}
        assert types == {"START", "RUNNING", "COMPLETE", "FAIL"}

    def test_the_same_now_gives_the_same_events(self, raw_events: list[bytes]) -> None:
        assert make_events(NOW) == raw_events
        assert make_events(NOW + MINUTE) != raw_events
        assert len(set(raw_events)) == len(raw_events)

    def test_they_end_now(self, events: list[Json]) -> None:
        times = [parse_instant(event["eventTime"]) for event in events]
        assert times == sorted(times)
        assert NOW - times[0] >= 5 * DAY
        assert 0 <= NOW - times[-1] < 2 * MINUTE

    @pytest.mark.slow
    def test_the_order_of_arrival_makes_no_difference(self, raw_events: list[bytes]) -> None:
        shuffled = raw_events * 2
        random.Random(4).shuffle(shuffled)
        in_order, in_disorder = merge(raw_events), merge(shuffled)
        for relation in in_order.rows:
            assert in_disorder.sorted_rows(relation) == in_order.sorted_rows(relation), relation

    def test_run_ids_are_unique_uuids_of_version_7(self, events: list[Json]) -> None:
        jobs = defaultdict(set)
        for event in events:
            jobs[event["run"]["runId"]].add(event["job"]["name"])
        assert all(is_uuid(run) and run[14] == "7" and run[19] in "89ab" for run in jobs)
        assert all(len(names) == 1 for names in jobs.values())


class TestChain:
    def test_the_orders_reach_the_dashboard(self, events: list[Json]) -> None:
        steps = {
            (source["name"], target["name"])
            for event in events
            for source in event["inputs"]
            for target in event["outputs"]
        }
        for source, target in zip(CHAIN, CHAIN[1:], strict=False):
            assert (source.at.name, target.at.name) in steps
        assert (CUSTOMERS.at.name, CUSTOMER_CHANGES.at.name) in steps
        assert (CUSTOMER_CHANGES.at.name, ENRICHED.at.name) in steps

    def test_revenue_is_made_of_quantity_and_price(self, events: list[Json]) -> None:
        sources = column_sources(events)
        wanted = {(ORDERS.at.name, "quantity"), (ORDERS.at.name, "price")}
        assert origins(sources, (SUMMARY.at.name, "revenue")) == wanted
        assert origins(sources, (DASHBOARD.at.name, "revenue_last_7_days")) == wanted

    def test_an_address_is_masked_on_its_way_to_the_fact(self, events: list[Json]) -> None:
        hashed = (FACT.at.name, "customer_email_hash")
        assert origins(column_sources(events), hashed) == {(CUSTOMERS.at.name, "email")}
        (_, lineage) = said(events, FACT, "columnLineage")[-1]
        (source,) = lineage["fields"]["customer_email_hash"]["inputFields"]
        assert source["transformations"][0]["masking"] is True

    def test_every_derived_column_has_a_source_that_exists(self, events: list[Json]) -> None:
        columns = {
            (dataset["name"], field["name"])
            for dataset in datasets(events)
            if "schema" in dataset.get("facets", {})
            for field in dataset["facets"]["schema"]["fields"]
        }
        for target, found in column_sources(events).items():
            assert {target, *found} <= columns

    def test_there_are_indirect_sources(self, events: list[Json]) -> None:
        subtypes = {
            how["subtype"]
            for dataset in datasets(events)
            for source in dataset.get("facets", {}).get("columnLineage", {}).get("dataset", ())
            for how in source["transformations"]
            if how["type"] == "INDIRECT"
        }
        assert subtypes == {"JOIN", "FILTER", "GROUP_BY"}

    def test_the_store_has_the_column_maps(self, raw_events: list[bytes]) -> None:
        merged = merge(raw_events)
        uses = [JobDataset._make(row) for row in merged.sorted_rows("job_dataset")]
        bodies: dict[Any, Any] = dict(merged.sorted_rows("content"))
        stated = {use.columns for use in uses} - {UNREPORTED}
        sources = [
            source
            for columns in stated
            for some in read_column_map(bodies[columns]).outputs.values()
            for source in some
        ]
        assert len(sources) > 50


class TestStory:
    def test_a_column_was_added_and_flows_on(self, events: list[Json]) -> None:
        change = clock_at(NOW).change
        assert change // HOUR == (NOW - 2 * DAY) // HOUR
        reached = []
        for table in (ORDERS, ORDER_CHANGES, ENRICHED, RAW, FACT, SUMMARY):
            (added,) = (column.name for column in table.columns if column.is_added)
            has = {
                at: added in {field["name"] for field in schema["fields"]}
                for at, schema in said(events, table, "schema")
            }
            assert not all(has.values())
            first = min(at for at in has if has[at])
            assert all(has[at] == (at >= first) for at in has), table
            reached.append(first)
        assert reached[0] == change
        assert reached == sorted(reached)
        (mark,) = said(events, ORDERS, "lifecycleStateChange")
        assert mark[1]["lifecycleStateChange"] == "ALTER"

    def test_a_run_failed_last_night_and_its_retry_did_not(self, events: list[Json]) -> None:
        runs = [
            event for event in of_job(events, SUMMARY_MODEL.name) if event["eventType"] != "START"
        ]
        (failed,) = (event for event in runs if event["eventType"] == "FAIL")
        error = failed["run"]["facets"]["errorMessage"]
        assert error["message"] == FAILURE
        assert error["stackTrace"].startswith("Traceback")
        assert 0 < parse_instant(failed["eventTime"]) - last_night(NOW) < HOUR
        retried = runs[runs.index(failed) + 1]
        assert retried["eventType"] == "COMPLETE"
        assert parse_instant(retried["eventTime"]) - last_night(NOW) < HOUR
        assert NOW - last_night(NOW) < DAY + 3 * HOUR
        assert failed["run"]["facets"]["parent"]["job"]["name"] == NIGHTLY.name

    def test_models_run_within_a_run_of_the_project(self, events: list[Json]) -> None:
        runs = {event["run"]["runId"]: event["job"] for event in events}
        parents = [
            event["run"]["facets"]["parent"]
            for event in events
            if "parent" in event["run"].get("facets", {})
        ]
        assert parents
        for parent in parents:
            assert runs[parent["run"]["runId"]]["name"] == parent["job"]["name"]

    def test_one_stream_has_gone_silent_and_the_others_have_not(self, events: list[Json]) -> None:
        last = {event["job"]["name"]: event for event in events}
        silent = last[SCREENING.name.name]
        assert silent["eventType"] == "RUNNING"
        silence = NOW - parse_instant(silent["eventTime"])
        assert SILENT_FOR <= silence < SILENT_FOR + 2 * MINUTE
        for stream in (CAPTURE, ENRICHMENT, SINK):
            beat = last[stream.name.name]
            assert beat["eventType"] == "RUNNING"
            assert NOW - parse_instant(beat["eventTime"]) <= 2 * MINUTE

    def test_streams_count_by_the_minute(self, raw_events: list[bytes]) -> None:
        series: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
        lags = set()
        for row in merge(raw_events).sorted_rows("sample"):
            sample = Sample._make(row)
            if sample.direction == Direction.INPUT:
                lags.add(sample.lag)
            assert sample.rows is not None
            series[sample[:3]].append((sample.minute, sample.rows))
        for counted in series.values():
            assert [rows for _, rows in counted] == sorted(rows for _, rows in counted)
        assert sum(len(counted) > 300 for counted in series.values()) >= 7
        assert len(lags) > 10

    def test_orders_are_fewer_at_night(self) -> None:
        day = NOW - NOW % DAY
        assert count_orders(day + 4 * HOUR, day + 8 * HOUR) < count_orders(
            day + 16 * HOUR, day + 20 * HOUR
        )

    def test_owners_words_and_queries(self, events: list[Json]) -> None:
        jobs: dict[str, set[str]] = defaultdict(set)
        tables: dict[str, set[str]] = defaultdict(set)
        for event in events:
            jobs[event["job"]["name"]].update(event["job"].get("facets", ()))
            for dataset in (*event["inputs"], *event["outputs"]):
                tables[dataset["name"]].update(dataset.get("facets", ()))
        assert all({"ownership", "documentation", "jobType"} <= facets for facets in jobs.values())
        assert all({"ownership", "documentation", "schema"} <= had for had in tables.values())
        assert "sql" in jobs[SUMMARY_MODEL.name]

    @pytest.mark.parametrize(
        ("table", "fields"),
        [
            (CUSTOMERS, {"email", "full_name"}),
            (CUSTOMER_CHANGES, {"email", "full_name"}),
            (ENRICHED, {"customer_email"}),
            (RAW, {"customer_email"}),
            (FACT, set()),
        ],
    )
    def test_personal_data_is_tagged(
        self, events: list[Json], table: Table, fields: set[str]
    ) -> None:
        tagged = {tag["field"] for _, facet in said(events, table, "tags") for tag in facet["tags"]}
        assert tagged == fields

    def test_the_fact_is_tested(self, events: list[Json]) -> None:
        results = [
            assertion["success"]
            for dataset in datasets(events)
            if "dataQualityAssertions" in dataset.get("inputFacets", {})
            for assertion in dataset["inputFacets"]["dataQualityAssertions"]["assertions"]
        ]
        assert 0 < results.count(False) < 10 < results.count(True)


class TestGoingOn:
    """While the demo runs its streams go on, but for the one that is meant to be silent."""

    def test_streams_send_heartbeats_by_the_minute(self) -> None:
        coming = list(map(msgspec.json.decode, make_next_events(NOW, NOW, NOW + 11 * MINUTE)))
        beats = [event["job"]["name"] for event in coming if event["eventType"] == "RUNNING"]
        for stream in (CAPTURE, ENRICHMENT, SINK):
            assert beats.count(stream.name.name) >= 10
        assert SCREENING.name.name not in beats

    def test_the_runs_are_those_of_the_example(self, events: list[Json]) -> None:
        known = {event["run"]["runId"] for event in events if event["eventType"] == "RUNNING"}
        coming = list(map(msgspec.json.decode, make_next_events(NOW, NOW, NOW + 5 * MINUTE)))
        assert {event["run"]["runId"] for event in coming} <= known

    def test_nothing_is_sent_twice_or_left_out(self) -> None:
        whole = make_next_events(NOW, NOW, NOW + 2 * HOUR)
        parts = [
            *make_next_events(NOW, NOW, NOW + HOUR),
            *make_next_events(NOW, NOW + HOUR, NOW + 2 * HOUR),
        ]
        assert parts == whole
        assert len(set(parts)) == len(parts)

    def test_the_silent_one_stays_silent_for_hours(self) -> None:
        coming = list(map(msgspec.json.decode, make_next_events(NOW, NOW, NOW + 2 * SILENT_FOR)))
        assert SCREENING.name.name not in {event["job"]["name"] for event in coming}
