"""`collect ksqldb`: what streams and queries become, and servers that misbehave."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.ksqldb import KsqldbCollector, KsqldbSettings
from headwater.collect.ksqldb.answers import KsqldbQuery, KsqldbServer
from headwater.collect.ksqldb.queries import KsqldbCluster
from headwater.collect.ksqldb.sources import KsqldbSources
from headwater.collect.ksqldb.translate import translate
from headwater.collect.rest import RestUnavailable
from testing.stand_ins.ksqldb import KsqldbStandIn
from testing.stand_ins.schema_registry import RegistryStandIn
from testing.stand_ins.serving import StandInAnswer, serve

Json = dict[str, Any]
Make = Callable[..., KsqldbCollector]

ENRICHED = """CREATE STREAM ENRICHED WITH (KAFKA_TOPIC='enriched') AS
SELECT O.ID ID, U.NAME NAME, O.AMOUNT * 2 TWICE FROM ORDERS O
LEFT JOIN USERS U ON O.USER_ID = U.USER_ID WHERE O.AMOUNT > 0 EMIT CHANGES;"""


@pytest.fixture
def server() -> Iterator[KsqldbStandIn]:
    with serve(KsqldbStandIn()) as found:
        fill(found)
        yield found


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def collector(server: KsqldbStandIn, **settings: Any) -> KsqldbCollector:
        given = {"url": server.url, "bootstrap": "SASL_SSL://kafka:9093,b:9093", **settings}
        return KsqldbCollector(KsqldbSettings(state=tmp_path / "state", **given), "http://server")

    return collector


def fill(server: KsqldbStandIn) -> None:
    orders = {"ID KEY": "INTEGER", "USER_ID": "STRING", "AMOUNT": "DOUBLE"}
    server.add_source("ORDERS", "orders", orders)
    server.add_source("USERS", "users", {"USER_ID KEY": "STRING", "NAME": "STRING"}, "TABLE")
    enriched = {"ID KEY": "INTEGER", "NAME": "STRING", "TWICE": "DOUBLE"}
    server.add_source("ENRICHED", "enriched", enriched)
    server.add_query("CSAS_ENRICHED_5", ENRICHED, ["ORDERS", "USERS"], ["ENRICHED"])


def take(collector: KsqldbCollector) -> list[Json]:
    found = list(collector.collect())
    collector.acknowledge(found)
    return [json.loads(each.data) for each in found]


def runs(events: list[Json]) -> list[tuple[str, str]]:
    return [
        (each["eventType"], each["run"]["facets"]["ksqldb_query"]["reason"])
        for each in events
        if "run" in each
    ]


def query_event(events: list[Json]) -> Json:
    (found,) = (each for each in events if "run" in each)
    return found


def gaps(event: Json) -> list[Json]:
    return list(event["run"]["facets"].get("headwater_gaps", {}).get("gaps", []))


def sources_of(event: Json) -> Json:
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    return {
        name: [(each["name"], each["field"]) for each in field["inputFields"]]
        for name, field in fields.items()
    }


def test_a_query_is_a_streaming_job_between_topics(server: KsqldbStandIn, make: Make) -> None:
    server.set_offsets("CSAS_ENRICHED_5", orders=(40, 100))
    event = query_event(take(make(server)))
    assert event["eventType"] == "START"
    assert event["job"]["namespace"] == "ksqldb://kafka:9093/default_"
    assert event["job"]["name"] == "CSAS_ENRICHED_5"
    assert event["job"]["facets"]["jobType"]["processingType"] == "STREAMING"
    assert event["job"]["facets"]["sql"]["dialect"] == "ksqldb"
    names = [(each["namespace"], each["name"]) for each in (*event["inputs"], *event["outputs"])]
    assert names == [("kafka://kafka:9093", name) for name in ("orders", "users", "enriched")]
    group = event["run"]["facets"]["ksqldb_query"]["consumerGroup"]
    assert group == "_confluent-ksql-default_query_CSAS_ENRICHED_5"
    assert event["inputs"][0]["inputFacets"]["inputStatistics"]["lag"] == 60
    assert gaps(event) == []


def test_columns_come_from_its_statement(server: KsqldbStandIn, make: Make) -> None:
    event = query_event(take(make(server)))
    assert sources_of(event) == {
        "ID": [("orders", "ID")],
        "NAME": [("users", "NAME")],
        "TWICE": [("orders", "AMOUNT")],
    }
    rows = event["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert {each["field"] for each in rows} == {"USER_ID", "AMOUNT"}
    schema = event["outputs"][0]["facets"]["schema"]["fields"]
    assert schema[0] == {"name": "ID", "type": "INTEGER"}


def test_with_a_registry_columns_are_spelled_as_messages_have_them(
    server: KsqldbStandIn, make: Make
) -> None:
    fields = [{"name": name, "type": "string"} for name in ("id", "user_id", "amount")]
    schema = {"type": "record", "name": "Order", "fields": fields}
    with serve(RegistryStandIn()) as registry:
        registry.add("orders-value", json.dumps(schema))
        event = query_event(take(make(server, registry=registry.url)))
    assert sources_of(event)["TWICE"] == [("orders", "amount")]
    names = [each["name"] for each in event["inputs"][0]["facets"]["schema"]["fields"]]
    assert names == ["id", "user_id", "amount"]


def test_a_registry_that_does_not_answer_is_a_gap(server: KsqldbStandIn, make: Make) -> None:
    event = query_event(take(make(server, registry="http://127.0.0.1:1")))
    assert [gap["name"] for gap in gaps(event)] == ["registry"]
    assert sources_of(event)["ID"] == [("orders", "ID")]


def test_streams_are_topics_with_their_names(server: KsqldbStandIn, make: Make) -> None:
    server.add_source("ALL_ORDERS", "orders", {"ID": "INTEGER"})
    datasets = [each["dataset"] for each in take(make(server)) if "dataset" in each]
    assert [each["name"] for each in datasets] == ["enriched", "orders", "users"]
    links = datasets[1]["facets"]["symlinks"]["identifiers"]
    assert [each["name"] for each in links] == ["ALL_ORDERS", "ORDERS"]
    kinds = datasets[2]["facets"]["ksqldb_sources"]["sources"]
    assert [each["type"] for each in kinds] == ["TABLE"]


def test_only_changes_are_sent(server: KsqldbStandIn, make: Make) -> None:
    server.set_offsets("CSAS_ENRICHED_5", orders=(40, 100))
    collector = make(server)
    assert len(take(collector)) == 4
    assert (take(collector), collector.skipped) == ([], 4)
    server.set_offsets("CSAS_ENRICHED_5", orders=(70, 100))
    (event,) = take(make(server))
    assert runs([event]) == [("RUNNING", "records")]
    assert event["inputs"][0]["inputFacets"]["inputStatistics"]["rowCount"] == 30


def test_states_are_followed(server: KsqldbStandIn, make: Make) -> None:
    collector = make(server)
    first = query_event(take(collector))
    server.set_state("CSAS_ENRICHED_5", "PAUSED")
    assert runs(take(collector)) == [("OTHER", "paused")]
    server.set_state("CSAS_ENRICHED_5", "RUNNING")
    assert runs(take(collector)) == [("OTHER", "resumed")]
    server.set_state("CSAS_ENRICHED_5", "ERROR", "Topic 'users' is missing\n  at ...")
    (failed,) = take(collector)
    assert runs([failed]) == [("FAIL", "failed")]
    assert failed["run"]["facets"]["errorMessage"]["message"] == "Topic 'users' is missing"
    server.set_state("CSAS_ENRICHED_5", "RUNNING")
    assert runs(take(collector)) == [("START", "restarted")]
    del server.queries["CSAS_ENRICHED_5"]
    (ended,) = take(collector)
    assert runs([ended]) == [("ABORT", "terminated")]
    assert ended["run"]["runId"] == first["run"]["runId"]


def test_one_that_is_found_paused_or_failed_was_started(server: KsqldbStandIn, make: Make) -> None:
    server.set_state("CSAS_ENRICHED_5", "ERROR", "no")
    assert runs(take(make(server))) == [("START", "started"), ("FAIL", "failed")]
    del server.queries["CSAS_ENRICHED_5"]
    assert runs(take(make(server))) == [("OTHER", "terminated")]


def test_a_replaced_query_is_another_run(server: KsqldbStandIn, make: Make) -> None:
    collector = make(server)
    first = query_event(take(collector))
    server.queries["CSAS_ENRICHED_5"]["statementText"] = ENRICHED.replace("* 2", "* 3")
    events = take(collector)
    assert runs(events) == [("COMPLETE", "replaced"), ("START", "started")]
    assert events[0]["run"]["runId"] == first["run"]["runId"] != events[1]["run"]["runId"]


def test_a_dropped_stream_is_no_name_of_its_topic_any_more(
    server: KsqldbStandIn, make: Make
) -> None:
    collector = make(server)
    take(collector)
    del server.sources["USERS"]
    (event,) = (each for each in take(collector) if "dataset" in each)
    assert event["dataset"]["facets"]["symlinks"]["identifiers"] == []
    assert [each for each in take(collector) if "dataset" in each] == []


def test_a_heartbeat_says_that_it_lives() -> None:
    cluster = KsqldbCluster(KsqldbServer("7.6.0", "lkc-1", "default_"), "ksqldb", "kafka:9092", 300)
    query = KsqldbQuery("CSAS_1", "CREATE STREAM A AS SELECT X FROM B;", state="RUNNING")
    sources = KsqldbSources([], "kafka:9092", "ksqldb")
    known = translate(cluster, sources, query, None, 0).known
    assert translate(cluster, sources, query, known, 299_000_000).events == []
    assert runs(translate(cluster, sources, query, known, 301_000_000).events) == [
        ("RUNNING", "heartbeat")
    ]


def test_a_server_without_extended_lists_is_asked_for_each_query(
    server: KsqldbStandIn, make: Make
) -> None:
    server.has_extended = False
    assert sources_of(query_event(take(make(server))))["NAME"] == [("users", "NAME")]
    assert "EXPLAIN CSAS_ENRICHED_5;" in server.statements


def test_push_queries_are_no_jobs(server: KsqldbStandIn, make: Make) -> None:
    server.add_query("transient_1", "SELECT 1;", ["ORDERS"], [], queryType="PUSH")
    assert len(runs(take(make(server)))) == 1


@pytest.mark.parametrize(
    ("statement", "sources", "kind"),
    [
        ("CREATE STREAM ENRICHED AS SELECT ((;", ["ORDERS"], "expression"),
        ("CREATE STREAM ENRICHED AS SELECT * FROM GONE EMIT CHANGES;", ["GONE"], "input"),
        ("", ["ORDERS"], "expression"),
    ],
)
def test_what_is_not_understood_is_a_gap(
    server: KsqldbStandIn, make: Make, statement: str, sources: list[str], kind: str
) -> None:
    server.add_query("CSAS_ENRICHED_5", statement, sources, ["ENRICHED"])
    event = query_event(take(make(server)))
    assert kind in [gap["kind"] for gap in gaps(event)]
    assert [each["name"] for each in event["outputs"]] == ["enriched"]


def test_windows_inserts_and_structures(server: KsqldbStandIn, make: Make) -> None:
    statement = (
        "CREATE TABLE ENRICHED AS SELECT ID, SUM(AMOUNT) TWICE, WINDOWSTART NAME FROM ORDERS "
        "WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY ID EMIT CHANGES;"
    )
    server.add_query("CTAS_5", statement, ["ORDERS"], ["ENRICHED"])
    server.add_query(
        "INSERTQUERY_6",
        "INSERT INTO ENRICHED SELECT ID, 'x' NAME, AMOUNT TWICE FROM ORDERS;",
        ["ORDERS"],
        ["ENRICHED"],
    )
    events = {e["job"]["name"]: e for e in take(make(server)) if "job" in e}
    for name in ("CTAS_5", "INSERTQUERY_6"):
        assert sources_of(events[name])["TWICE"] == [("orders", "AMOUNT")], name
        assert gaps(events[name]) == []
    assert sources_of(events["CTAS_5"])["NAME"] == []


def test_who_may_not_read_is_told(tmp_path: Path, make: Make, monkeypatch: Any) -> None:
    monkeypatch.setenv("KSQL_PASSWORD", "secret")
    with serve(KsqldbStandIn("lineage", "secret")) as server:
        with pytest.raises(RestUnavailable, match="401"):
            take(make(server))
        assert take(make(server, user="lineage", password="env:KSQL_PASSWORD")) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (StandInAnswer(200, b"<html>"), "not JSON"),
        (StandInAnswer(200, b'[{"@type": "query_descr', sent=12), "no answer"),
        (StandInAnswer(200, b'{"@type": "queries"}'), "no list of entities"),
        (
            StandInAnswer(200, b'[{"@type": "query_descriptions", "queryDescriptions": [1]}]'),
            "not ksqlDB's",
        ),
        (StandInAnswer(500, b'{"message": "oh"}'), "answered 500"),
        (StandInAnswer(404, b"nothing"), "answered 404"),
    ],
)
def test_servers_that_misbehave_delete_nothing(
    server: KsqldbStandIn, make: Make, answer: StandInAnswer, reason: str
) -> None:
    collector = make(server)
    take(collector)
    server.faults["/ksql"] = [answer]
    with pytest.raises(RestUnavailable, match=reason):
        take(collector)
    server.faults.clear()
    assert take(collector) == []
