"""`collect flink`: jobs of a cluster from outside; only changes are sent, whatever it answers."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import ValidationError

from headwater.collect.flink import FlinkCollector, FlinkSettings
from headwater.collect.flink.fetch import FlinkApi
from headwater.errors import BadConfig, SourceUnavailable
from headwater.model.values.instant import SECOND, format_instant, now
from testing.stand_ins.flink_rest import FlinkStandIn
from testing.stand_ins.serving import StandInAnswer, serve

Json = dict[str, Any]

JOB, OTHER = "fcfe5fccdcf18ea9ead2722a6c31d3a2", "59718837b2e59e45efcfb8d59ae33a21"
RUN, OTHER_RUN = "fcfe5fcc-dcf1-8ea9-ead2-722a6c31d3a2", "59718837-b2e5-9e45-efcf-b8d59ae33a21"
STARTED = 1_700_000_000_000
READ, WRITTEN = "Source__orders[1].numRecordsOut", "stats[4]__Writer.numRecordsIn"
SCRIPT = """
SET 'pipeline.name' = 'shop-stats';
CREATE TABLE orders (id INT, price DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'orders.v1',
  'properties.bootstrap.servers' = 'kafka:9092');
CREATE TABLE stats (id INT, total DOUBLE) WITH ('connector' = 'jdbc',
  'url' = 'jdbc:postgresql://db:5432/shop', 'table-name' = 'stats', 'password' = 'hunter2hunter2');
INSERT INTO stats SELECT id, SUM(price) FROM orders GROUP BY id;
"""


@pytest.fixture
def cluster() -> Iterator[FlinkStandIn]:
    with serve(FlinkStandIn()) as stand_in:
        yield stand_in


class Passes:
    """Passes over a cluster, each by a collector that is made anew, as a new process has it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.folder = folder
        self._settings = {"url": url, "state": folder / "state", "namespace": "shop"}

    def collector(self, **more: Any) -> FlinkCollector:
        return FlinkCollector(FlinkSettings(**{**self._settings, **more}), "http://server")

    def run(self, **more: Any) -> list[Json]:
        """The events of one pass, all of them delivered."""
        collector = self.collector(**more)
        found = list(collector.collect())
        assert all(each.error is None for each in found)
        collector.acknowledge(found)
        return [json.loads(each.data) for each in found]

    def steps(self, **more: Any) -> list[str]:
        return [step(event) for event in self.run(**more)]

    def let_pass(self, seconds: int) -> None:
        """Have what was reported be older than it is."""
        (file,) = (self.folder / "state").iterdir()
        kept = json.loads(file.read_bytes())
        for known in kept["jobs"].values():
            known["sent_at"] -= seconds * SECOND
        file.write_text(json.dumps(kept))

    def with_sql(self, *texts: str) -> list[Json]:
        """The events of one pass with some files of SQL."""
        for number, text in enumerate(texts):
            (self.folder / f"script-{number}.sql").write_text(text)
        return self.run(sql=(str(self.folder),))


@pytest.fixture
def passes(cluster: FlinkStandIn, tmp_path: Path) -> Passes:
    return Passes(cluster.url, tmp_path)


def step(event: Json) -> str:
    return f"{event['eventType']} {event['run']['facets']['flink_rest']['reason']}"


def names(datasets: list[Json]) -> list[tuple[str, str]]:
    return [(each["namespace"], each["name"]) for each in datasets]


def gaps(event: Json) -> list[tuple[str, str]]:
    facet = event["run"]["facets"].get("headwater_gaps", {"gaps": []})
    return [(each["kind"], each["name"]) for each in facet["gaps"]]


def rows(event: Json) -> list[int | None]:
    """The rows of each input, then of each output."""
    read = [each.get("inputFacets", {}).get("inputStatistics", {}) for each in event["inputs"]]
    written = [
        each.get("outputFacets", {}).get("outputStatistics", {}) for each in event["outputs"]
    ]
    return [each.get("rowCount") for each in (*read, *written)]


class TestLife:
    def test_a_job_begins_when_it_was_started_and_counts(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 300)
        cluster.count(JOB, WRITTEN, 5)
        start, running = passes.run()
        assert (step(start), step(running)) == ("START started", "RUNNING counted")
        assert start["eventTime"] == format_instant(STARTED * 1_000)
        assert start["run"]["runId"] == running["run"]["runId"] == RUN
        assert (start["job"]["namespace"], start["job"]["name"]) == ("shop", "shop-stats")
        assert start["run"]["facets"]["flink_job"]["jobId"] == JOB
        assert start["run"]["facets"]["processing_engine"]["version"] == "2.1.0"
        assert rows(start) == [None, None]
        assert rows(running) == [300, 5]
        kind = start["job"]["facets"]["jobType"]
        assert (kind["processingType"], kind["integration"]) == ("STREAMING", "FLINK")
        assert kind["emissionPattern"]["eventContentMode"] == "COMPLETE_SNAPSHOT"

    def test_one_that_does_not_run_yet(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.jobs[JOB]["state"] = "INITIALIZING"
        assert passes.steps() == ["START started"]
        cluster.jobs[JOB]["state"] = "RUNNING"
        assert passes.steps() == ["RUNNING another state"]

    def test_only_changes_are_sent(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        assert passes.steps() == ["START started", "RUNNING counted"]
        assert passes.steps() == []
        cluster.count(JOB, READ, 7)
        assert passes.steps() == ["RUNNING counted"]
        passes.let_pass(200)
        assert passes.steps() == []
        passes.let_pass(100)
        assert passes.steps() == ["RUNNING heartbeat"]

    @pytest.mark.parametrize(
        ("state", "expected"),
        [
            ("FINISHED", "COMPLETE finished"),
            ("CANCELED", "ABORT canceled"),
            ("FAILED", "FAIL failed"),
        ],
    )
    def test_ends(self, cluster: FlinkStandIn, passes: Passes, state: str, expected: str) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 3)
        passes.run()
        ended = now() // 1_000 + 50
        cluster.end(JOB, state, ended)
        (event,) = passes.run()
        assert step(event) == expected
        # What was counted last, as there are no metrics any more.
        assert rows(event) == [3, 0]
        assert passes.steps() == []
        del cluster.jobs[JOB]
        assert passes.steps() == []

    def test_one_that_has_ended_before_it_was_seen(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.end(JOB, "CANCELED", STARTED + 60_000)
        start, end = passes.run()
        assert (step(start), step(end)) == ("START started", "ABORT canceled")
        assert end["eventTime"] == format_instant((STARTED + 60_000) * 1_000)
        assert passes.run() == []

    def test_the_root_of_a_failure(self, cluster: FlinkStandIn, passes: Passes) -> None:
        trace = (
            "org.apache.flink.runtime.JobException: Recovery is suppressed\n\tat a.B\n"
            "Caused by: java.io.IOException: Failed to deserialize\n\tat c.D\n"
            "Caused by: x.JsonParseException: jdbc://user:hunter2hunter2@db is no JSON\n\tat e.F"
        )
        cluster.add(JOB, "shop-stats")
        cluster.end(JOB, "FAILED", STARTED + 60_000, trace)
        _, end = passes.run()
        error = end["run"]["facets"]["errorMessage"]
        assert error["message"] == "x.JsonParseException: jdbc://***@db is no JSON"
        assert "hunter2hunter2" not in json.dumps(end)
        assert error["stackTrace"].startswith("org.apache.flink")

    def test_a_failure_without_a_trace(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.end(JOB, "FAILED", STARTED + 60_000)
        _, end = passes.run()
        assert "no trace" in end["run"]["facets"]["errorMessage"]["message"]

    def test_other_states_between(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        passes.run()
        for state, expected in (
            ("RESTARTING", "RUNNING another state"),
            ("RUNNING", "RUNNING another state"),
            ("SUSPENDED", "OTHER suspended"),
            ("RUNNING", "RUNNING another state"),
        ):
            cluster.jobs[JOB]["state"] = state
            (event,) = passes.run()
            assert (step(event), event["run"]["facets"]["flink_rest"]["state"]) == (expected, state)

    def test_a_cluster_that_began_anew_without_its_jobs(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        passes.run()
        kept = cluster.jobs.pop(JOB)
        (event,) = passes.run()
        assert (step(event), event["run"]["runId"]) == ("ABORT gone", RUN)
        assert passes.steps() == []
        # One with high availability takes them up again.
        cluster.jobs[JOB] = kept
        assert passes.steps() == ["START found again"]

    def test_a_job_of_an_application_cluster_has_no_id_of_its_own(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        nobody = "0" * 32
        cluster.add(nobody, "app")
        first = {event["run"]["runId"] for event in passes.run()}
        del cluster.jobs[nobody]
        cluster.add(nobody, "app", started_at=STARTED + 5_000)
        events = passes.run()
        assert [step(each) for each in events] == ["ABORT gone", "START started", "RUNNING counted"]
        assert {events[0]["run"]["runId"]} == first
        assert events[1]["run"]["runId"] not in first

    def test_times_only_go_on(self, cluster: FlinkStandIn, passes: Passes) -> None:
        ahead = now() // 1_000 + 3_600_000
        cluster.add(JOB, "shop-stats", started_at=ahead)
        events = passes.run()
        cluster.count(JOB, READ, 1)
        events += passes.run()
        times = [each["eventTime"] for each in events]
        assert times == sorted(set(times))
        assert times[-1] < format_instant(ahead * 1_000)


class TestCounts:
    def test_a_task_that_was_restarted_counts_from_zero(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 100)
        passes.run()
        cluster.jobs[JOB]["attempt"] += 60_000
        cluster.count(JOB, READ, 20)
        (event,) = passes.run()
        assert rows(event) == [120, 0]

    def test_the_numbers_of_operators_change_with_each_submission(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 300)
        _, event = passes.with_sql(SCRIPT)
        assert rows(event) == [300, 0]
        cluster.end(JOB, "CANCELED", STARTED + 1)
        cluster.add(OTHER, "shop-stats")
        renumbered = json.dumps(cluster.jobs[OTHER]).replace("[1]", "[17]").replace("[4]", "[21]")
        cluster.jobs[OTHER] = {**json.loads(renumbered), "metrics": {}}
        cluster.count(OTHER, READ.replace("[1]", "[17]"), 20)
        cluster.count(OTHER, WRITTEN.replace("[4]", "[21]"), 5)
        *_, event = [e for e in passes.with_sql(SCRIPT) if e["run"]["runId"] == OTHER_RUN]
        assert rows(event) == [20, 5]
        assert gaps(event) == []

    def test_what_is_not_complete_yet_takes_nothing_back(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 100)
        passes.run()
        cluster.count(JOB, READ, 40)
        assert passes.run() == []
        cluster.count(JOB, READ, 110)
        (event,) = passes.run()
        assert rows(event) == [110, 0]

    @pytest.mark.parametrize("value", ["NaN", float("nan"), None])
    def test_no_number(self, cluster: FlinkStandIn, passes: Passes, value: Any) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, value)
        _, event = passes.run()
        assert rows(event) == [None, 0]

    def test_before_the_first_look_there_are_none(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.jobs[JOB]["metrics"] = {}
        _, event = passes.run()
        assert rows(event) == [None, None]

    def test_bytes_and_lag(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, "Source__orders[1].numBytesIn", 5_580)
        cluster.count(JOB, "Source__orders[1].pendingRecords", 12)
        cluster.count(JOB, "stats[4]__Writer.numBytesSend", 80)
        _, event = passes.run()
        read = event["inputs"][0]["inputFacets"]["inputStatistics"]
        assert (read["size"], read["lag"]) == (5_580, 12)
        assert event["outputs"][0]["outputFacets"]["outputStatistics"]["size"] == 80

    def test_what_a_finished_job_still_tells(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 100)
        passes.run()
        read, written = cluster.jobs[JOB]["vertices"]
        cluster.jobs[JOB]["final"] = {read: {"read-records": 150}, written: {"write-records": 9}}
        cluster.end(JOB, "FINISHED", now() // 1_000)
        (event,) = passes.run()
        assert rows(event) == [150, 9]


class TestDatasets:
    def test_by_the_sql_of_the_job(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.count(JOB, READ, 300)
        _, event = passes.with_sql(SCRIPT)
        assert names(event["inputs"]) == [("kafka://kafka:9092", "orders.v1")]
        assert names(event["outputs"]) == [("postgres://db:5432", "shop.public.stats")]
        assert rows(event) == [300, 0]
        (source,) = event["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
        assert (source["name"], source["field"]) == ("orders.v1", "price")
        assert gaps(event) == []
        assert event["job"]["facets"]["sql"]["query"].startswith("INSERT INTO stats")
        assert "hunter2" not in json.dumps(event)

    def test_sql_that_is_changed_is_reported(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        passes.with_sql(SCRIPT)
        (event,) = passes.with_sql(SCRIPT.replace("orders.v1", "orders.v2"))
        assert step(event) == "RUNNING described otherwise"
        assert names(event["inputs"]) == [("kafka://kafka:9092", "orders.v2")]

    def test_without_sql_they_are_guessed_and_said_to_be(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        _, event = passes.run()
        place = "unknown://shop/shop-stats"
        read, written = (f"default_catalog.default_database.{each}" for each in ("orders", "stats"))
        assert names(event["inputs"]) == [(place, read)]
        assert names(event["outputs"]) == [(place, written)]
        assert gaps(event) == [("input", read), ("output", written)]

    def test_a_table_without_data_outside_is_no_gap(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "insert-into_default_catalog.default_database.stats")
        text = (
            "CREATE TABLE orders (id INT) WITH ('connector' = 'datagen');"
            "CREATE TABLE stats (id INT) WITH ('connector' = 'strange');"
            "INSERT INTO stats SELECT id FROM orders;"
        )
        _, event = passes.with_sql(text)
        assert gaps(event) == [("output", "default_catalog.default_database.stats")]
        assert [name for _, name in names(event["inputs"])] == [
            "default_catalog.default_database.orders"
        ]

    def test_a_view_is_what_it_reads(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        view = "CREATE VIEW dear AS SELECT id, price FROM orders WHERE price > 9;\nINSERT"
        _, event = passes.with_sql(
            SCRIPT.replace("INSERT", view).replace("orders GROUP", "dear GROUP")
        )
        assert names(event["inputs"]) == [("kafka://kafka:9092", "orders.v1")]
        (source,) = event["outputs"][0]["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
        assert (source["name"], source["field"]) == ("orders.v1", "price")
        assert gaps(event) == []

    def test_sql_that_is_not_that_of_the_job(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats", source="returns")
        _, event = passes.with_sql(SCRIPT)
        assert names(event["inputs"])[1][1] == "default_catalog.default_database.returns"
        assert gaps(event) == [("input", "default_catalog.default_database.returns")]

    def test_sql_that_cannot_be_parsed(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        _, event = passes.with_sql(SCRIPT.replace("GROUP BY id", "GROUP GROUP id"))
        assert any(kind == "expression" and "script-0.sql" in name for kind, name in gaps(event))
        # Where the tables are is known all the same.
        assert names(event["outputs"]) == [("postgres://db:5432", "shop.public.stats")]

    def test_one_statement_of_a_set_that_cannot_be_parsed(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        begin, broken = (
            "BEGIN STATEMENT SET;\nINSERT",
            "INSERT INTO stats SELEC 1 FRM orders;\nEND;",
        )
        _, event = passes.with_sql(SCRIPT.replace("INSERT", begin) + broken)
        assert [kind for kind, _ in gaps(event)] == ["expression"]
        assert event["outputs"][0]["facets"]["columnLineage"]["fields"]

    def test_of_two_scripts_of_one_name_the_one_that_fits(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        other = SCRIPT.replace("orders (", "returns (").replace("FROM orders", "FROM returns")
        cluster.add(JOB, "shop-stats", source="returns")
        _, event = passes.with_sql(SCRIPT, other)
        assert gaps(event) == []

    def test_two_scripts_that_both_fit(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        _, event = passes.with_sql(SCRIPT, SCRIPT)
        assert ("other", "shop-stats") in gaps(event)

    def test_a_program_has_operators_and_no_tables(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "program")
        read, written = cluster.jobs[JOB]["vertices"]
        cluster.jobs[JOB]["vertices"] = {
            read: ("Source: Clicks, eu -> Map", "Source: Clicks, eu<br/>+- Map<br/>"),
            written: (
                "Sink: Writer -> Sink: Committer",
                "Kafka Sink: Writer<br/>+- Kafka Sink: Committer<br/>",
            ),
        }
        cluster.count(JOB, "Source__Clicks__eu.numRecordsOut", 4)
        cluster.count(JOB, "Kafka_Sink__Writer.numRecordsIn", 2)
        _, event = passes.run()
        assert [name for _, name in names(event["inputs"] + event["outputs"])] == [
            "Clicks, eu",
            "Kafka Sink",
        ]
        assert rows(event) == [4, 2]
        assert gaps(event) == [("input", "Clicks, eu"), ("output", "Kafka Sink")]

    @pytest.mark.parametrize(
        "line", ["Sink: IcebergSink lake.db.orders", "IcebergSink lake.db.orders: Writer"]
    )
    def test_a_sink_of_iceberg_is_counted_where_it_is_written(
        self, cluster: FlinkStandIn, passes: Passes, line: str
    ) -> None:
        cluster.add(JOB, "ingestion")
        read, written = cluster.jobs[JOB]["vertices"]
        cluster.jobs[JOB]["vertices"][written] = ("IcebergStreamWriter", "IcebergStreamWriter<br/>")
        cluster.jobs[JOB]["vertices"]["committer"] = ("IcebergFilesCommitter", line)
        cluster.count(JOB, "IcebergStreamWriter.numRecordsIn", 300)
        _, event = passes.run()
        assert [name for _, name in names(event["outputs"])] == ["lake.db.orders"]
        assert rows(event) == [0, 300]

    def test_the_only_sink_without_a_name_is_the_only_table_left(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        read, written = cluster.jobs[JOB]["vertices"]
        cluster.jobs[JOB]["vertices"][written] = (
            "streaming-writer -> Sink: end",
            "streaming-writer<br/>+- Sink: end<br/>",
        )
        cluster.count(JOB, "streaming-writer.numRecordsIn", 8)
        _, event = passes.with_sql(SCRIPT)
        assert names(event["outputs"]) == [("postgres://db:5432", "shop.public.stats")]
        assert gaps(event) == []
        assert rows(event) == [0, 8]

    def test_a_job_of_which_nothing_is_understood(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "program")
        cluster.jobs[JOB]["vertices"] = {"v": ("Map", "Map<br/>"), "w": ("Map", "Map<br/>")}
        cluster.jobs[JOB]["edges"] = {}
        _, event = passes.run()
        assert gaps(event) == [("other", "program")]


class TestNames:
    def test_the_namespace_is_that_of_the_listener(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        host = cluster.url.removeprefix("http://")
        assert passes.run(namespace="")[0]["job"]["namespace"] == f"flink://{host}"
        key = "execution.job-status-changed-listeners"
        cluster.settings = {key: "io.openlineage.flink.listener.Factory"}
        cluster.jobs[OTHER] = cluster.jobs.pop(JOB)
        assert passes.run(namespace="")[0]["job"]["namespace"] == "default"
        cluster.settings["openlineage.job.namespace"] = "streams"
        cluster.jobs[JOB] = cluster.jobs.pop(OTHER)
        found = {each["job"]["namespace"] for each in passes.run(namespace="")}
        assert "streams" in found

    def test_a_table_that_the_listener_has_no_namespace_for(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        key = "execution.job-status-changed-listeners"
        cluster.settings = {key: "io.openlineage.flink.listener.Factory"}
        start, _ = passes.with_sql(SCRIPT)
        (link,) = start["outputs"][0]["facets"]["symlinks"]["identifiers"]
        name = "default_catalog.default_database.stats"
        assert link == {"namespace": "unknown://shop/shop-stats", "name": name, "type": "TABLE"}
        assert "symlinks" not in start["inputs"][0]["facets"]

    def test_two_jobs_of_one_name_at_once(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.add(OTHER, "shop-stats", started_at=STARTED + 1)
        events = passes.run()
        assert {each["run"]["runId"] for each in events} == {RUN, OTHER_RUN}
        assert all(("other", "shop-stats") in gaps(each) for each in events)
        cluster.end(JOB, "CANCELED", now() // 1_000)
        after = {each["run"]["runId"]: each for each in passes.run()}
        assert ("other", "shop-stats") not in gaps(after[OTHER_RUN])

    @pytest.mark.parametrize(
        "path", ["s3://sp/savepoint-fcfe5f-115dc282e6b0", f"file:/cp/{JOB}/chk-12"]
    )
    def test_a_job_that_goes_on_under_another_name(
        self, cluster: FlinkStandIn, passes: Passes, path: str
    ) -> None:
        cluster.add(JOB, "shop-stats")
        passes.run()
        cluster.end(JOB, "FINISHED", now() // 1_000)
        cluster.add(OTHER, "shop-statistics", started_at=STARTED + 60_000)
        cluster.restore(OTHER, path)
        events = {each["job"]["name"]: each for each in passes.run()}
        facet = events["shop-statistics"]["run"]["facets"]["flink_rest"]
        assert (facet["restoredFrom"], facet["restartOf"]) == (path, RUN)

    def test_a_savepoint_of_nobody_known(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.restore(JOB, "s3://sp/savepoint-abcdef-115dc282e6b0")
        start, _ = passes.run()
        facet = start["run"]["facets"]["flink_rest"]
        assert "restoredFrom" in facet and "restartOf" not in facet


class TestFaults:
    @pytest.mark.parametrize(
        "answer",
        [
            StandInAnswer(401),
            StandInAnswer(404),
            StandInAnswer(500, b"no"),
            StandInAnswer(200, b"<html>login</html>"),
            StandInAnswer(200, b'{"jobs": [{"jid"'),
            StandInAnswer(200, b'{"jobs": [{"jid": 3}]}'),
            StandInAnswer(200, b"[]"),
            StandInAnswer(200, b'{"jobs": []}', sent=5),
        ],
    )
    def test_no_list_of_jobs_ends_none(
        self, cluster: FlinkStandIn, passes: Passes, answer: StandInAnswer
    ) -> None:
        cluster.add(JOB, "shop-stats")
        passes.run()
        cluster.faults["/jobs/overview"] = [answer]
        with pytest.raises(SourceUnavailable):
            passes.run()
        del cluster.faults["/jobs/overview"]
        assert passes.run() == []

    def test_one_that_is_too_slow(self) -> None:
        def answer_late(request: httpx2.Request) -> httpx2.Response:
            raise httpx2.ReadTimeout("timed out", request=request)

        settings = FlinkSettings(url="http://flink:8081")
        transport = httpx2.MockTransport(answer_late)
        late = pytest.raises(SourceUnavailable, match="no answer: timed out")
        with closing(FlinkApi(settings, transport)) as api, late:
            api.read_jobs()

    @pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"flink-version": 2}', b"<html>"])
    def test_it_is_another_service(
        self, cluster: FlinkStandIn, passes: Passes, body: bytes
    ) -> None:
        cluster.faults["/config"] = [StandInAnswer(200, body)]
        with pytest.raises(SourceUnavailable):
            passes.run()

    def test_a_job_that_cannot_be_read_keeps_none_from_it(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "broken")
        cluster.add(OTHER, "well", started_at=STARTED + 1)
        cluster.faults[f"/jobs/{JOB}"] = [StandInAnswer(500, b"")]
        found = passes.collector().collect()
        assert [next(found).source, next(found).source] == ["well", "well"]
        with pytest.raises(SourceUnavailable):
            next(found)

    def test_a_job_that_is_gone_between_two_requests(
        self, cluster: FlinkStandIn, passes: Passes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.faults[f"/jobs/{JOB}"] = [StandInAnswer(404)]
        assert passes.run() == []

    @pytest.mark.parametrize("body", [b'{"vertices": [{}, 3], "plan": 7}', b'{"vertices": []}'])
    def test_details_without_much_in_them(
        self, cluster: FlinkStandIn, passes: Passes, body: bytes
    ) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.faults[f"/jobs/{JOB}"] = [StandInAnswer(200, body)]
        start, _ = passes.run()
        assert gaps(start) == [("other", "shop-stats")]

    def test_settings_that_nobody_may_see(self, cluster: FlinkStandIn, passes: Passes) -> None:
        cluster.add(JOB, "shop-stats")
        cluster.faults["/jobmanager/config"] = [StandInAnswer(403)]
        assert passes.run()

    def test_a_file_of_sql_that_is_not_there(self, cluster: FlinkStandIn, passes: Passes) -> None:
        with pytest.raises(BadConfig, match="cannot be read: No such file"):
            passes.run(sql=(str(passes.folder / "nowhere.sql"),))

    def test_settings(self) -> None:
        with pytest.raises(ValidationError, match="heartbeat"):
            FlinkSettings(url="http://flink:8081", heartbeat="soon")

    def test_the_check_names_what_fails(self, cluster: FlinkStandIn, passes: Passes) -> None:
        steps = passes.collector().check()
        assert [each.name for each in steps] == [
            "address",
            "port",
            "cluster",
            "jobs",
            "sql",
            "state",
        ]
        assert all(each.is_ok for each in steps)
        cluster.faults["/jobs/overview"] = [StandInAnswer(403)]
        failed = passes.collector().check()[-1]
        assert (failed.name, failed.is_ok) == ("jobs", False)

    def test_a_version(self, cluster: FlinkStandIn) -> None:
        with closing(FlinkApi(FlinkSettings(url=cluster.url))) as api:
            assert api.read_version() == "2.1.0"
