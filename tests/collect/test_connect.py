"""`collect connect`: connectors from outside; only changes are sent, whatever a worker answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from headwater.collect.connect import ConnectCollector, ConnectSettings
from headwater.collect.connect.fetch import ConnectApi
from headwater.errors import BadConfig, BadSecret, SourceUnavailable
from headwater.model.connect.connector_runs import connector_run_id
from headwater.model.connect.connectors import TRANSFORM_CLASS
from headwater.model.values.instant import SECOND, format_instant, now
from testing.stand_ins.connect_rest import VERSION, ConnectStandIn, StandInAnswer, serve_stand_in
from testing.stand_ins.schema_registry import RegistryStandIn
from testing.stand_ins.serving import serve

Json = dict[str, Any]

SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": "jdbc:postgresql://db:5432/dw",
    "connection.password": "hunter2hunter2",
    "table.name.format": "public.${topic}",
    "topics": "orders",
}
SOURCE = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
    "table.include.list": "public.orders",
}


@pytest.fixture
def worker() -> Iterator[ConnectStandIn]:
    with serve_stand_in() as stand_in:
        yield stand_in


class Passes:
    """Passes over a cluster, each by a collector that is made anew, as a new process has it."""

    def __init__(self, url: str, folder: Path) -> None:
        self._settings = {
            "url": url,
            "group": "shop",
            "bootstrap": "kafka:9092",
            "state": folder / "state",
        }

    def collector(self, **more: Any) -> ConnectCollector:
        return ConnectCollector(ConnectSettings(**{**self._settings, **more}), "http://server")

    def run(self, **more: Any) -> list[Json]:
        """The events of one pass, all of them delivered."""
        collector = self.collector(**more)
        found = list(collector.collect())
        assert all(each.error is None for each in found)
        collector.acknowledge(found)
        return [json.loads(each.data) for each in found]

    def steps(self, **more: Any) -> list[str]:
        facets = [
            (e["eventType"], e["run"]["facets"]["kafka_connect_rest"]) for e in self.run(**more)
        ]
        return [f"{kind} {facet['reason']}" for kind, facet in facets]


@pytest.fixture
def passes(worker: ConnectStandIn, tmp_path: Path) -> Passes:
    return Passes(worker.url, tmp_path)


def names(datasets: list[Json]) -> list[tuple[str, str]]:
    return [(each["namespace"], each["name"]) for each in datasets]


class TestLife:
    def test_a_sink_is_a_job_with_what_it_reads_and_writes(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("orders-to-dw", SINK)
        (event,) = passes.run()
        assert event["eventType"] == "START"
        assert (event["job"]["namespace"], event["job"]["name"]) == (
            "kafka-connect://shop",
            "orders-to-dw",
        )
        assert names(event["inputs"]) == [("kafka://kafka:9092", "orders")]
        assert names(event["outputs"]) == [("postgres://db:5432", "dw.public.orders")]
        (pair,) = event["outputs"][0]["facets"]["lineage"]["inputs"]
        assert (pair["namespace"], pair["name"]) == ("kafka://kafka:9092", "orders")
        kind = event["job"]["facets"]["jobType"]
        assert kind["emissionPattern"]["eventContentMode"] == "COMPLETE_SNAPSHOT"
        assert (kind["processingType"], kind["jobType"]) == ("STREAMING", "SINK")

    @pytest.mark.parametrize(
        ("kind", "chosen", "version"),
        [
            ("com.example.OneSinkConnector", "", "1.2"),
            ("OneSink", "", "1.2"),
            ("com.example.TwoSink", "", None),
            ("com.example.TwoSink", "2.0", "2.0"),
            ("com.example.TwoSink", "[1.0,2.0)", None),
            ("com.example.NoneSink", "", None),
        ],
    )
    def test_the_version_of_its_class(
        self, worker: ConnectStandIn, passes: Passes, kind: str, chosen: str, version: str | None
    ) -> None:
        worker.plugins = [
            {"class": "com.example.OneSinkConnector", "type": "sink", "version": "1.2"},
            {"class": "com.example.TwoSink", "type": "sink", "version": "1.0"},
            {"class": "com.example.TwoSink", "type": "sink", "version": "2.0"},
            {"class": 3},
        ]
        config = {"connector.class": kind, "topics": "t", "connector.plugin.version": chosen}
        worker.add("one", config)
        (event,) = passes.run()
        facet = event["run"]["facets"]["kafka_connect_rest"]
        assert facet.get("connectorVersion") == version

    def test_the_run_is_that_of_the_plugin(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("orders-to-dw", SINK)
        (event,) = passes.run()
        config = {"name": "orders-to-dw", **SINK}
        cluster = str(VERSION["kafka_cluster_id"])
        assert event["run"]["runId"] == str(
            connector_run_id(cluster, "shop", "orders-to-dw", config)
        )

    def test_only_changes_are_sent(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("one", SINK)
        assert passes.steps() == ["START started"]
        assert passes.steps() == []
        worker.connectors["one"]["connector"]["state"] = "PAUSED"
        assert passes.steps() == ["OTHER paused"]
        worker.connectors["one"]["connector"]["state"] = "RUNNING"
        assert passes.steps() == ["OTHER resumed"]
        worker.connectors["one"]["connector"]["state"] = "UNASSIGNED"
        assert passes.steps() == []
        worker.connectors["one"]["connector"]["state"] = "STOPPED"
        worker.connectors["one"]["tasks"] = []
        assert passes.steps() == ["ABORT stopped"]
        del worker.connectors["one"]
        assert passes.steps() == ["OTHER deleted"]
        assert passes.steps() == []

    def test_deleted_while_it_runs(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("one", SINK)
        started = passes.run()[0]
        del worker.connectors["one"]
        (ended,) = passes.run()
        assert ended["eventType"] == "ABORT"
        assert ended["run"]["runId"] == started["run"]["runId"]
        assert (ended["inputs"], ended["outputs"]) == ([], [])

    def test_failures_each_once_and_then_fixed(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("one", SINK)
        passes.run()
        cause = "SQLException: no table for hunter2hunter2"
        trace = f"ConnectException: gave up\n\tat x\nCaused by: {cause}"
        worker.fail_task("one", trace)
        (failed,) = passes.run()
        error = failed["run"]["facets"]["errorMessage"]
        assert (failed["eventType"], error["message"]) == ("FAIL", "SQLException: no table for ***")
        assert "hunter2" not in json.dumps(failed)
        assert passes.steps() == []
        worker.fail_task("one", "another", task=1)
        assert passes.steps() == ["FAIL failed"]
        worker.add("one", SINK)
        assert passes.steps() == ["START started"]

    def test_another_configuration_is_another_run(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("one", SINK)
        first = passes.run()[0]
        worker.add("one", {**SINK, "topics": "orders,returns"})
        ended, started = passes.run()
        assert (ended["eventType"], started["eventType"]) == ("COMPLETE", "START")
        assert ended["run"]["runId"] == first["run"]["runId"] != started["run"]["runId"]
        assert ended["eventTime"] < started["eventTime"]
        worker.add("one", {**SINK, "topics": "orders,returns", "connection.password": "another"})
        assert passes.steps() == [], "a new password is no new run"

    def test_a_new_run_that_does_not_run_yet(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("one", SINK)
        passes.run()
        worker.add("one", {**SINK, "topics": "other"}, "UNASSIGNED")
        assert passes.steps() == ["COMPLETE reconfigured"]
        worker.add("one", {**SINK, "topics": "other"})
        assert passes.steps() == ["START started"]

    def test_alive_from_time_to_time_without_datasets(
        self, worker: ConnectStandIn, passes: Passes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        worker.add("one", SINK)
        passes.run()
        later = int(1e15) * 4
        monkeypatch.setattr("headwater.collect.connect.now", lambda: later)
        (event,) = passes.run()
        assert event["run"]["facets"]["kafka_connect_rest"]["reason"] == "heartbeat"
        assert (event["inputs"], event["outputs"]) == ([], [])
        mode = event["job"]["facets"]["jobType"]["emissionPattern"]["eventContentMode"]
        assert mode == "ACCUMULATIVE"
        assert passes.steps() == []

    def test_what_was_not_delivered_is_sent_again(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("one", SINK)
        assert len(list(passes.collector().collect())) == 1
        assert passes.steps() == ["START started"]


class TestDatasets:
    def test_topics_that_a_source_was_seen_to_write(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        config = {key: value for key, value in SOURCE.items() if key != "table.include.list"}
        worker.add("cdc", config)
        assert passes.run()[0]["outputs"] == []
        worker.connectors["cdc"]["topics"] = ["cdc.public.orders", "cdc.public.items"]
        (event,) = passes.run()
        assert event["eventType"] == "RUNNING"
        tables = [name for _, name in names(event["inputs"])]
        assert sorted(tables) == ["shop.public.items", "shop.public.orders"]
        pairs = {
            each["name"]: [source["name"] for source in each["facets"]["lineage"]["inputs"]]
            for each in event["outputs"]
        }
        assert pairs == {
            "cdc.public.items": ["shop.public.items"],
            "cdc.public.orders": ["shop.public.orders"],
        }

    def test_rows_since_the_run_was_first_seen(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        def at(*offsets: int) -> None:
            worker.connectors["one"]["offsets"] = [
                {
                    "partition": {"kafka_topic": "orders", "kafka_partition": number},
                    "offset": {"kafka_offset": offset},
                }
                for number, offset in enumerate(offsets)
            ]

        worker.add("one", SINK)
        at(100, 50)
        assert "inputFacets" not in passes.run()[0]["inputs"][0]
        at(130, 60)
        (event,) = passes.run()
        assert event["run"]["facets"]["kafka_connect_rest"]["reason"] == "records"
        assert event["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 40

    def test_rows_are_counted_once(self, worker: ConnectStandIn, passes: Passes) -> None:
        """Where the plugin is installed, it counts them."""
        worker.plugins = [{"class": TRANSFORM_CLASS, "type": "transformation", "version": "1"}]
        worker.add("one", SINK)
        partition = {"kafka_topic": "orders", "kafka_partition": 0}
        for read in (10, 25):
            offset = {"kafka_offset": read}
            worker.connectors["one"]["offsets"] = [{"partition": partition, "offset": offset}]
            events = passes.run()
            assert "Statistics" not in json.dumps(events)
        assert events == []

    @pytest.mark.parametrize("is_deleted", [False, True])
    def test_an_end_that_only_the_plugin_saw(
        self, worker: ConnectStandIn, passes: Passes, is_deleted: bool
    ) -> None:
        """Such as a failure between two looks: it is later than what is told from outside."""
        worker.plugins = [{"class": TRANSFORM_CLASS, "type": "transformation", "version": "1"}]
        worker.add("one", SINK)
        (started,) = passes.run()
        failed_inside = format_instant(now())
        if is_deleted:
            del worker.connectors["one"]
        else:
            worker.add("one", {**SINK, "topics": "other"})
        ended, *others = passes.run()
        assert ended["eventType"] == ("ABORT" if is_deleted else "COMPLETE")
        assert started["eventTime"] < ended["eventTime"] < failed_inside
        assert all(failed_inside < each["eventTime"] for each in others)

    def test_offsets_of_a_source_are_its_own(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("cdc", SOURCE)
        odd = [{"partition": {"server": "cdc"}, "offset": {"lsn": 1}}, "x", {"partition": None}]
        worker.connectors["cdc"]["offsets"] = odd
        assert passes.steps() == ["START started"]

    def test_dead_letters_and_guesses_are_marked(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("one", {**SINK, "errors.deadletterqueue.topic.name": "dead"})
        worker.add("two", {"connector.class": "com.example.OddSink", "topics": "t", "table": "x"})
        one, two = passes.run()
        assert one["outputs"][-1]["name"] == "dead"
        assert one["outputs"][-1]["facets"]["kafka_connect"]["isDeadLetterQueue"]
        for output in two["outputs"]:
            assert output["facets"]["kafka_connect"]["isGuessed"]

    def test_what_only_workers_know_is_a_gap(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.add("one", {**SINK, "connection.url": "jdbc:postgresql://${file:/x:host}/dw"})
        (event,) = passes.run()
        assert event["outputs"] == []
        assert "${file" not in json.dumps([event["inputs"], event["outputs"]])
        (gap,) = event["run"]["facets"]["headwater_gaps"]["gaps"]
        assert (gap["kind"], gap["name"]) == ("other", "connection.url")

    def test_the_plugin_inside_knows_better(self, worker: ConnectStandIn, passes: Passes) -> None:
        ours = {
            "transforms": "lineage",
            "transforms.lineage.type": TRANSFORM_CLASS,
            "transforms.lineage.connector.name": "renamed",
        }
        worker.add("one", {**SINK, **ours})
        (event,) = passes.run()
        assert event["job"]["name"] == "renamed"
        assert (event["inputs"], event["outputs"]) == ([], [])
        assert event["job"]["facets"]["jobType"]["emissionPattern"]["eventContentMode"] == (
            "ACCUMULATIVE"
        )
        worker.connectors["one"]["topics"] = ["orders", "more"]
        assert passes.steps() == []
        del worker.connectors["one"]
        assert passes.run()[0]["job"]["name"] == "renamed"

    def test_rows_of_a_user(self, worker: ConnectStandIn, passes: Passes, tmp_path: Path) -> None:
        row = {
            "classes": ["com.example.Odd"],
            "role": "sink",
            "namespace": "odd://x",
            "name": "{@topic}",
        }
        file = tmp_path / "rows.json"
        file.write_text(json.dumps({"connectors": [row]}))
        worker.add("one", {"connector.class": "com.example.Odd", "topics": "t"})
        (event,) = passes.run(rows=file)
        assert names(event["outputs"]) == [("odd://x", "t")]

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("{", "is not JSON"),
            ("[]", "has no list under 'connectors'"),
            ('{"connectors": [3]}', "connectors[0]: not an object"),
            ('{"connectors": [{"role": "sink"}]}', "connectors[0]: 'classes'"),
            ('{"connectors": [{"classes": ["a"], "role": "x"}]}', "connectors[0]: 'role'"),
            (
                '{"connectors": [{"classes": ["a"], "role": "sink", "columns": [{"do": "x"}]}]}',
                "connectors[0]: columns[0]: 'do' is none of change, collapse",
            ),
            (
                '{"connectors": [{"classes": ["a"], "role": "sink", "columns": [{"do": "copy"}]}]}',
                "connectors[0]: columns[0]: 'fields' is missing",
            ),
            (
                '{"connectors": [{"classes": ["a"], "role": "sink", "columns": "x"}]}',
                "connectors[0]: 'columns' is not a list of steps",
            ),
        ],
    )
    def test_rows_with_mistakes(
        self, passes: Passes, tmp_path: Path, text: str, place: str
    ) -> None:
        (tmp_path / "rows.json").write_text(text)
        with pytest.raises(BadConfig) as found:
            passes.collector(rows=tmp_path / "rows.json")
        assert place in found.value.message


RECORD = {
    "type": "record",
    "name": "row",
    "fields": [{"name": name, "type": "string"} for name in ("id", "email", "ssn")],
}
MASKED = {
    "transforms": "rename,mask",
    "transforms.rename.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
    "transforms.rename.renames": "email:mail",
    "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
    "transforms.mask.fields": "ssn",
}


def gaps_of(event: Json) -> list[Json]:
    """The gaps that an event states, which takes back those of the run before."""
    found: list[Json] = event["run"]["facets"]["headwater_gaps"]["gaps"]
    return found


def column_edges(dataset: Json) -> dict[str, list[tuple[str, str, str, bool]]]:
    """Of each column: the dataset and the column it comes from, how, and whether it is masked."""
    fields = dataset["facets"].get("columnLineage", {"fields": {}})["fields"]
    return {
        name: [
            (each["name"], each["field"], way["subtype"], way["masking"])
            for each in field["inputFields"]
            for way in each["transformations"]
        ]
        for name, field in fields.items()
    }


class TestColumns:
    """By the schemas of a registry: a worker's REST API has none."""

    @pytest.fixture
    def registry(self) -> Iterator[RegistryStandIn]:
        with serve(RegistryStandIn()) as stand_in:
            stand_in.add("orders-value", json.dumps(RECORD))
            stand_in.add("orders-key", '"long"')
            stand_in.add("cdc.public.orders-value", json.dumps(RECORD))
            yield stand_in

    def test_of_a_sink(
        self, worker: ConnectStandIn, passes: Passes, registry: RegistryStandIn
    ) -> None:
        key = {"pk.mode": "record_key", "pk.fields": "order_id"}
        worker.add("orders-sink", {**SINK, **MASKED, **key})
        (event,) = passes.run(registry=registry.url)
        assert column_edges(event["outputs"][0]) == {
            "id": [("orders", "id", "IDENTITY", False)],
            "mail": [("orders", "email", "IDENTITY", False)],
            "order_id": [("orders", "key", "IDENTITY", False)],
            "ssn": [("orders", "ssn", "TRANSFORMATION", True)],
        }

    def test_of_a_source(
        self, worker: ConnectStandIn, passes: Passes, registry: RegistryStandIn
    ) -> None:
        unwrap = {
            **MASKED,
            "transforms": "unwrap,mask",
            "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        }
        worker.add("cdc", {**SOURCE, **unwrap})
        (event,) = passes.run(registry=registry.url)
        assert column_edges(event["outputs"][0]) == {
            "id": [("shop.public.orders", "id", "IDENTITY", False)],
            "email": [("shop.public.orders", "email", "IDENTITY", False)],
            "ssn": [("shop.public.orders", "ssn", "TRANSFORMATION", True)],
        }

    def test_of_a_transform_that_is_not_known(
        self, worker: ConnectStandIn, passes: Passes, registry: RegistryStandIn
    ) -> None:
        kind = "com.example.Scramble"
        worker.add("orders-sink", {**SINK, "transforms": "x", "transforms.x.type": kind})
        (event,) = passes.run(registry=registry.url)
        assert column_edges(event["outputs"][0]) == {}
        # What it does to topics is not known either, which is reported already.
        gaps = event["run"]["facets"]["headwater_gaps"]["gaps"]
        assert [(gap["kind"], gap["name"]) for gap in gaps] == [("operator", kind)]

    def test_without_a_registry_or_without_a_schema_there_are_none(
        self, worker: ConnectStandIn, passes: Passes, registry: RegistryStandIn
    ) -> None:
        worker.add("orders-sink", SINK)
        (event,) = passes.run()
        assert column_edges(event["outputs"][0]) == {}
        worker.add("bids-sink", {**SINK, "topics": "bids"})
        (event,) = passes.run(registry=registry.url)
        assert column_edges(event["outputs"][0]) == {}
        assert gaps_of(event) == []

    def test_a_registry_that_does_not_answer_is_a_gap(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("orders-sink", SINK)
        (event,) = passes.run(registry="http://127.0.0.1:9", timeout="1s")
        assert names(event["outputs"]) == [("postgres://db:5432", "dw.public.orders")]
        assert [gap["name"] for gap in gaps_of(event)] == ["schema registry"]
        # Once it answers, nothing is missing any more.
        with serve(RegistryStandIn()) as registry:
            worker.connectors["orders-sink"]["connector"]["state"] = "PAUSED"
            (event,) = passes.run(registry=registry.url)
            assert gaps_of(event) == []

    def test_a_heartbeat_takes_no_gap_back(
        self, worker: ConnectStandIn, passes: Passes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        away = {"registry": "http://127.0.0.1:9", "timeout": "1s"}
        worker.add("orders-sink", SINK)
        (event,) = passes.run(**away)
        later = now() + 3_600 * SECOND
        monkeypatch.setattr("headwater.collect.connect.now", lambda: later)
        (beat,) = passes.run(**away)
        assert gaps_of(event) and "headwater_gaps" not in beat["run"]["facets"]

    def test_tables_that_nothing_lists_are_a_gap_until_they_show(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        unlisted = {key: value for key, value in SOURCE.items() if key != "table.include.list"}
        worker.add("cdc", unlisted)
        (event,) = passes.run()
        assert event["inputs"] == []
        assert [gap["kind"] for gap in gaps_of(event)] == ["input"]
        worker.connectors["cdc"]["topics"] = ["cdc.public.orders"]
        (event,) = passes.run()
        assert names(event["inputs"]) == [("postgres://db:5432", "shop.public.orders")]
        assert gaps_of(event) == []


class TestSecrets:
    def test_none_is_in_an_event(self, worker: ConnectStandIn, passes: Passes) -> None:
        """By its key, by the type that the class defines, by its form, and by being unknown."""
        worker.definitions[SINK["connector.class"]] = [
            {"name": "connection.url", "type": "STRING"},
            {"name": "magic", "type": "PASSWORD"},
        ]
        secrets = {
            "connection.password": "planted-1",
            "magic": "planted-2",
            "connection.url": "jdbc:postgresql://u:planted-3@db:5432/dw?password=planted-4",
            "unheard.of": "planted-5 words",
        }
        worker.add("one", {**SINK, **secrets})
        (event,) = passes.run()
        assert "planted" not in json.dumps(event)
        shown = event["run"]["facets"]["kafka_connect_rest"]["config"]
        assert shown["topics"] == "orders" and shown["magic"] == "***"

    @pytest.mark.parametrize("kind", ["env", "file"])
    def test_the_password_is_a_reference(
        self,
        worker: ConnectStandIn,
        passes: Passes,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        kind: str,
    ) -> None:
        (tmp_path / "secret").write_text("pass word\n")
        monkeypatch.setenv("CONNECT_PASSWORD", "pass word")
        place = "CONNECT_PASSWORD" if kind == "env" else str(tmp_path / "secret")
        passes.run(user="me", password=f"{kind}:{place}")
        assert set(worker.authorizations) == {"Basic bWU6cGFzcyB3b3Jk"}

    def test_not_the_password_itself(self, passes: Passes) -> None:
        with pytest.raises(ValidationError) as found:
            passes.collector(password="hunter2")
        assert "env:VARIABLE or file:PATH" in str(found.value)

    def test_a_reference_to_nothing(self, passes: Passes, tmp_path: Path) -> None:
        with pytest.raises(BadSecret, match="NOT_SET_AT_ALL is not set"):
            passes.run(user="me", password="env:NOT_SET_AT_ALL")
        with pytest.raises(BadConfig, match="cannot be read"):
            passes.run(user="me", password=f"file:{tmp_path / 'none'}")

    @pytest.mark.parametrize("key", ["url", "registry"])
    @pytest.mark.parametrize("url", ["connect:8083", "http://", "http://u:p@host", "ftp://x"])
    def test_what_is_no_address(self, passes: Passes, url: str, key: str) -> None:
        with pytest.raises(ValidationError) as found:
            passes.collector(**{key: url})
        assert "u:p" not in str(found.value).partition("[type=")[0]


HTML = StandInAnswer(200, b"<html>sign in</html>")


class TestFaults:
    @pytest.mark.parametrize(
        ("path", "answer", "reason"),
        [
            ("/", HTML, "not JSON"),
            ("/", StandInAnswer(200, b'{"version": "1"}'), "not as a worker"),
            ("/", StandInAnswer(401), "answered 401: check --user"),
            ("/connectors", StandInAnswer(403), "answered 403: check --user"),
            ("/connectors", StandInAnswer(404, b"{}"), "answered 404"),
            ("/connectors", StandInAnswer(500, b"boom"), "answered 500: boom"),
            ("/connectors", StandInAnswer(200, b'{"a": '), "not JSON"),
            ("/connectors", StandInAnswer(200, b"[]"), "no object"),
        ],
    )
    def test_answers_that_end_a_pass(
        self,
        worker: ConnectStandIn,
        passes: Passes,
        path: str,
        answer: StandInAnswer,
        reason: str,
    ) -> None:
        """Nothing is reported as deleted because a list could not be read."""
        worker.add("one", SINK)
        passes.run()
        worker.faults[path] = [answer]
        with pytest.raises(SourceUnavailable) as found:
            passes.run()
        assert reason in found.value.message
        (failed,) = [step for step in passes.collector().check() if not step.is_ok]
        assert reason in failed.detail and failed.next_step
        worker.faults.clear()
        assert passes.steps() == []

    @pytest.mark.parametrize("status", [400, 403, 404, 500])
    def test_topics_and_offsets_may_not_be_there(
        self, worker: ConnectStandIn, passes: Passes, status: int
    ) -> None:
        worker.add("one", SINK)
        for part in ("topics", "offsets"):
            worker.faults[f"/connectors/one/{part}"] = [StandInAnswer(status, b"{}")]
        assert passes.steps() == ["START started"]

    def test_only_what_says_something_is_requested(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("sink", SINK)
        worker.add("pattern", {**SINK, "topics.regex": "o.*", "topics": ""})
        worker.add("source", SOURCE)
        passes.run()
        details = [each for each in worker.requests if each.count("/") == 3]
        assert sorted(each for each in details if each.startswith("/connectors/")) == [
            "/connectors/pattern/offsets",
            "/connectors/pattern/topics",
            "/connectors/sink/offsets",
            "/connectors/source/topics",
        ]

    def test_deleted_between_the_list_and_its_details(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        """It is reported as the list has it, and as deleted by the next pass."""
        worker.add("gone", SOURCE)
        listed = worker.answer("/connectors?expand=info&expand=status")
        del worker.connectors["gone"]
        worker.add("here", SOURCE)
        worker.faults["/connectors"] = [listed]
        assert passes.steps() == ["START started"]
        assert "/connectors/gone/topics" in worker.requests
        worker.faults.clear()
        assert sorted(passes.steps()) == ["ABORT deleted", "START started"]

    def test_a_clock_that_is_set_back(
        self, worker: ConnectStandIn, passes: Passes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What is sent later counts, whatever the clock says."""
        worker.add("one", SINK)
        ahead = now() + 3_600 * SECOND
        monkeypatch.setattr("headwater.collect.connect.now", lambda: ahead)
        (first,) = passes.run()
        monkeypatch.undo()
        worker.connectors["one"]["connector"]["state"] = "PAUSED"
        (second,) = passes.run()
        del worker.connectors["one"]
        (third,) = passes.run()
        times = [each["eventTime"] for each in (first, second, third)]
        assert times == sorted(times) and len(set(times)) == 3

    def test_while_workers_rebalance(
        self, worker: ConnectStandIn, passes: Passes, tmp_path: Path
    ) -> None:
        settings = ConnectSettings(url=worker.url, group="g", bootstrap="b", state=tmp_path)
        waits: list[float] = []
        api = ConnectApi(settings, sleep=waits.append)
        worker.faults["/"] = [StandInAnswer(409), StandInAnswer(409), StandInAnswer(200, b"{}")]
        with pytest.raises(SourceUnavailable, match="not as a worker"):
            api.read_cluster()
        assert len(waits) == 2 and waits == sorted(waits)
        worker.faults["/"] = [StandInAnswer(409)]
        with pytest.raises(SourceUnavailable, match="rebalancing"):
            api.read_cluster()
        api.close()

    def test_one_with_odd_entries(self, worker: ConnectStandIn, passes: Passes) -> None:
        entries: Json = {
            "a": None,
            "b": {"info": {}},
            "c": {"info": {"config": {"x": 1}}, "status": 3},
        }
        worker.faults["/connectors"] = [StandInAnswer(200, json.dumps(entries).encode())]
        assert passes.run() == []

    def test_nobody_listens(self, worker: ConnectStandIn, passes: Passes) -> None:
        with pytest.raises(SourceUnavailable, match="no answer"):
            passes.run(url="http://127.0.0.1:1")

    def test_it_hangs(self, worker: ConnectStandIn, passes: Passes) -> None:
        worker.latency = 1.5
        with pytest.raises(SourceUnavailable, match="no answer"):
            passes.run(timeout="1s")

    def test_another_kafka_cluster_deletes_nothing(
        self, worker: ConnectStandIn, passes: Passes
    ) -> None:
        worker.add("one", SINK)
        passes.run()
        del worker.connectors["one"]
        other = json.dumps({**VERSION, "kafka_cluster_id": "other"}).encode()
        worker.faults["/"] = [StandInAnswer(200, other)]
        assert passes.run() == []

    def test_a_broken_state_begins_anew(
        self, worker: ConnectStandIn, passes: Passes, tmp_path: Path
    ) -> None:
        worker.add("one", SINK)
        passes.run()
        (file,) = (tmp_path / "state").iterdir()
        file.write_text("{")
        assert passes.steps() == ["START started"]

    def test_a_state_that_cannot_be_written(
        self, worker: ConnectStandIn, passes: Passes, tmp_path: Path
    ) -> None:
        (tmp_path / "state").write_text("a file")
        *_, last = passes.collector().check()
        assert (last.name, last.is_ok) == ("state", False)
        assert "--state" in last.next_step
