"""`collect flink --gateway`: definitions of tables by a SQL gateway; what it has not is a gap."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from headwater.collect.flink import FlinkCollector, FlinkSettings
from headwater.errors import SourceUnavailable
from testing.stand_ins.flink_gateway import FlinkGatewayStandIn
from testing.stand_ins.flink_rest import FlinkStandIn
from testing.stand_ins.serving import StandInAnswer, serve

Json = dict[str, Any]

JOB = "fcfe5fccdcf18ea9ead2722a6c31d3a2"
SESSION = "d9befa48-8b52-42f4-93a0-b8b948552452"
HOME = "default_catalog.default_database"
ORDERS = """CREATE TABLE `default_catalog`.`default_database`.`orders` (
  `id` INT,
  `price` DOUBLE,
  `at` TIMESTAMP(3),
  WATERMARK FOR `at` AS `at` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders.v1',
  'properties.bootstrap.servers' = 'kafka:9092',
  'properties.sasl.jaas.config' = 'x required password="hunter2hunter2";'
)
"""
STATS = """CREATE TABLE `default_catalog`.`default_database`.`stats` (
  `id` INT,
  `total` DOUBLE
) WITH (
  'connector' = 'jdbc',
  'url' = 'jdbc:postgresql://db:5432/shop',
  'table-name' = 'stats'
)
"""
INSERT = "SET 'pipeline.name' = 'shop-stats';\nINSERT INTO stats SELECT id, price FROM orders"


@pytest.fixture
def cluster() -> Iterator[FlinkStandIn]:
    with serve(FlinkStandIn()) as stand_in:
        stand_in.add(JOB, "shop-stats")
        yield stand_in


@pytest.fixture
def gateway() -> Iterator[FlinkGatewayStandIn]:
    with serve(FlinkGatewayStandIn()) as stand_in:
        stand_in.define(SESSION, "TABLE", f"{HOME}.orders", ORDERS)
        stand_in.define(SESSION, "TABLE", f"{HOME}.stats", STATS)
        yield stand_in


class Passes:
    """Passes over a cluster with a gateway, by one collector."""

    def __init__(self, cluster: FlinkStandIn, gateway: FlinkGatewayStandIn, folder: Path) -> None:
        self._folder = folder
        self._given = {
            "url": cluster.url,
            "gateway": gateway.url,
            "state": folder / "state",
            "namespace": "shop",
        }

    def collector(self, sql: str = "", **more: Any) -> FlinkCollector:
        if sql:
            (self._folder / "job.sql").write_text(sql)
            more["sql"] = (str(self._folder / "job.sql"),)
        return FlinkCollector(FlinkSettings(**{**self._given, **more}), "http://server")

    def last(self, sql: str = "", **more: Any) -> Json:
        """The last event of one pass."""
        found = list(self.collector(sql, **more).collect())
        return dict(json.loads(found[-1].data))


@pytest.fixture
def passes(cluster: FlinkStandIn, gateway: FlinkGatewayStandIn, tmp_path: Path) -> Passes:
    return Passes(cluster, gateway, tmp_path)


def names(event: Json) -> list[str]:
    return [f"{e['namespace']} {e['name']}" for e in (*event["inputs"], *event["outputs"])]


def gaps(event: Json) -> dict[str, str]:
    facet = event["run"]["facets"].get("headwater_gaps", {"gaps": []})
    return {each["name"]: each["description"] for each in facet["gaps"]}


def sources(event: Json) -> dict[str, list[str]]:
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    return {
        name: [f"{each['name']}.{each['field']}" for each in field["inputFields"]]
        for name, field in fields.items()
    }


ITS_SESSION: Json = {"gateway_session": (f"shop-stats={SESSION}",)}
BOTH = ["kafka://kafka:9092 orders.v1", "postgres://db:5432 shop.public.stats"]


def test_sql_without_definitions_has_those_of_its_session(
    passes: Passes, gateway: FlinkGatewayStandIn
) -> None:
    event = passes.last(INSERT, **ITS_SESSION)
    assert names(event) == BOTH
    assert sources(event)["total"] == ["orders.v1.price"]
    assert gaps(event) == {}
    # Definitions may have passwords: only what the job does is sent.
    query = event["job"]["facets"]["sql"]["query"]
    assert query == "INSERT INTO stats SELECT id, price FROM orders"
    assert "hunter2" not in json.dumps(event)
    # The session is not ours, and what was asked in it is closed.
    assert (gateway.closed, gateway.open_operations, gateway.opened) == ([], [], 0)


def test_without_sql_tables_are_known_and_columns_are_a_gap(passes: Passes) -> None:
    event = passes.last(**ITS_SESSION)
    assert names(event) == BOTH
    fields = event["inputs"][0]["facets"]["schema"]["fields"]
    assert [(each["name"], each["type"]) for each in fields][:2] == [
        ("id", "INT"),
        ("price", "DOUBLE"),
    ]
    assert set(gaps(event)) == {"orders.v1", "shop.public.stats"}
    assert all("does not keep the statement" in text for text in gaps(event).values())
    assert "hunter2" not in json.dumps(event)


def test_tables_of_a_session_are_of_that_session_alone(
    passes: Passes, gateway: FlinkGatewayStandIn
) -> None:
    event = passes.last(INSERT)
    assert all(each.startswith("unknown://shop/shop-stats") for each in names(event))
    assert all("--gateway-session" in text for text in gaps(event).values())
    # None of its own was needed for that.
    assert gateway.opened == 0


def test_tables_of_a_shared_catalog_are_asked_in_a_session_of_its_own(
    passes: Passes, gateway: FlinkGatewayStandIn
) -> None:
    catalog = (
        "CREATE CATALOG `lake` WITH (\n  'type' = 'iceberg',\n  'warehouse' = 's3://lake/wh'\n)"
    )
    gateway.shared["CATALOG", "`lake`"] = catalog
    table = "CREATE TABLE `lake`.`db`.`stats` (\n  `id` INT,\n  `total` DOUBLE\n)"
    gateway.shared["TABLE", "`lake`.`db`.`stats`"] = table
    sql = INSERT.replace("INTO stats", "INTO lake.db.stats")
    event = passes.last(sql, **ITS_SESSION)
    assert names(event) == [BOTH[0], "s3://lake wh/db/stats"]
    event = passes.last(sql.replace("FROM orders", "FROM lake.db.stats"))
    assert gateway.opened == 1 and len(gateway.closed) == 1


def test_views_are_followed_to_their_tables(passes: Passes, gateway: FlinkGatewayStandIn) -> None:
    view = (
        "CREATE VIEW `default_catalog`.`default_database`.`dear` (`id`, `price`) AS\n"
        "SELECT `id`, `price` * 2 FROM `default_catalog`.`default_database`.`orders`"
    )
    gateway.define(SESSION, "VIEW", f"{HOME}.dear", view)
    event = passes.last(INSERT.replace("FROM orders", "FROM dear"), **ITS_SESSION)
    assert names(event) == BOTH
    assert sources(event)["total"] == ["orders.v1.price"]
    assert gaps(event) == {}


def test_what_the_gateway_does_not_have_is_a_gap_with_its_words(
    passes: Passes, gateway: FlinkGatewayStandIn
) -> None:
    del gateway.sessions[SESSION]["TABLE", "`default_catalog`.`default_database`.`stats`"]
    event = passes.last(INSERT, **ITS_SESSION)
    assert names(event)[0] == BOTH[0]
    (text,) = gaps(event).values()
    assert "The SQL gateway does not say" in text and text.endswith("does not exist.")


def test_a_session_that_is_over_is_a_gap(passes: Passes, gateway: FlinkGatewayStandIn) -> None:
    gateway.sessions.clear()
    event = passes.last(INSERT, **ITS_SESSION)
    assert all(f"Session '{SESSION}' does not exist" in text for text in gaps(event).values())


def test_lines_of_gaps_are_those_of_the_script(passes: Passes) -> None:
    event = passes.last(INSERT.replace("id, price", "id, GROUP"), **ITS_SESSION)
    assert [name for name in gaps(event) if name.endswith("job.sql, line 2")]


def test_a_job_goes_on_with_its_tables_as_they_were(
    passes: Passes, gateway: FlinkGatewayStandIn, cluster: FlinkStandIn
) -> None:
    collector = passes.collector(INSERT, **ITS_SESSION)
    found = list(collector.collect())
    collector.acknowledge(found)
    asked = len(gateway.requests)
    gateway.sessions.clear()
    assert list(collector.collect()) == []
    assert len(gateway.requests) == asked


@pytest.mark.parametrize(
    "answer",
    [
        StandInAnswer(401),
        StandInAnswer(200, b"<html>sign in</html>"),
        StandInAnswer(200, b'{"operationHandle": 7}'),
        StandInAnswer(200, b'{"operationHan', sent=8),
        StandInAnswer(500, b"oops"),
    ],
)
def test_a_gateway_that_does_not_answer_fails_the_pass_and_reports_no_guess(
    passes: Passes, gateway: FlinkGatewayStandIn, answer: StandInAnswer
) -> None:
    gateway.faults[f"/v1/sessions/{SESSION}/statements"] = [answer]
    with pytest.raises(SourceUnavailable) as raised:
        passes.last(INSERT, **ITS_SESSION)
    assert gateway.url in str(raised.value)
    gateway.faults.clear()
    assert names(passes.last(INSERT, **ITS_SESSION)) == BOTH


def test_a_gateway_that_has_failed_is_not_asked_for_each_job(
    passes: Passes, gateway: FlinkGatewayStandIn, cluster: FlinkStandIn
) -> None:
    cluster.add("5" * 32, "shop-stats")
    gateway.faults[f"/v1/sessions/{SESSION}/statements"] = [StandInAnswer(401)]
    with pytest.raises(SourceUnavailable):
        passes.last(INSERT, **ITS_SESSION)
    assert len(gateway.requests) == 1


def test_the_check_names_a_session_that_is_over(
    passes: Passes, gateway: FlinkGatewayStandIn
) -> None:
    steps = {each.name: each for each in passes.collector(**ITS_SESSION).check()}
    assert steps["gateway"].detail == f"Flink 2.1.0 at {gateway.url}"
    gateway.sessions.clear()
    steps = {each.name: each for each in passes.collector(**ITS_SESSION).check()}
    assert not steps["gateway"].is_ok
    assert "session of job 'shop-stats': Session" in steps["gateway"].detail


@pytest.mark.parametrize(
    "more",
    [
        {"gateway": "flink:8083"},
        {"gateway_session": (SESSION,), "gateway": "http://flink:8083"},
        {"gateway_session": (f"shop-stats={SESSION}",)},
    ],
)
def test_settings_that_are_not_right(more: Json) -> None:
    with pytest.raises(ValidationError):
        FlinkSettings(url="http://flink:8081", **more)
