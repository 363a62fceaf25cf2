"""A real Flink beside its OpenLineage listener: a temporal join, a window, a statement set.

Its jobs are in the graph by column before they run; while they run their counts are those of the
topics; then one is stopped with a savepoint and goes on, one fails, and one is cancelled.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.commands import run_program
from testing.services.flink import LISTENER, Flink
from testing.services.headwater import Headwater
from testing.services.kafka import Kafka
from testing.wait import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.long]

SCRIPT = Path(__file__).with_name("order-stats.sql")
NAMESPACE, JOB = "shop-flink", "order-stats"
TOPICS = ("orders", "rates", "enriched", "stats")
LISTENER_PART, COLLECTOR_PART = "integration/flink", "collect/flink"
ORDERS, RATES = 300, 60
SECONDS = 30


@pytest.fixture(scope="module")
def flink(headwater_server: Headwater) -> Iterator[Flink]:
    """A cluster whose own listener reports to the server as well."""
    settings = {
        "execution.job-status-changed-listeners": LISTENER,
        "openlineage.flink.enableDetachedJobTracking": "true",
        "openlineage.job.namespace": NAMESPACE,
        "openlineage.transport.type": "http",
        "openlineage.transport.url": headwater_server.url,
    }
    with Flink.start(settings) as service:
        yield service


class Shop:
    """The topics, the script that uses them, and the graph."""

    def __init__(self, flink: Flink, kafka: Kafka, server: Headwater, folder: Path) -> None:
        self.flink, self.kafka, self.url = flink, kafka, server.url
        self.script = folder / SCRIPT.name
        self.text = SCRIPT.read_text().replace("BOOTSTRAP", kafka.bootstrap)
        self.script.write_text(self.text)
        for topic in TOPICS:
            kafka.create_topic(topic)
        options = ["--url", flink.url, "--sql", str(folder), "--server", server.url]
        self._options = [*options, "--state", str(folder / "state"), "-o", "json"]

    def collect(self, *more: str) -> int:
        """One pass; how many events the server stored."""
        outcome = run_program("collect", "flink", *self._options, *more)
        assert (outcome.status, outcome.err) == (0, ""), outcome
        return int(json.loads(outcome.out)["stored"])

    def fill_topics(self) -> None:
        for second in range(SECONDS):
            at = f"2026-01-01 00:00:{second:02d}"
            rates = [{"currency": each, "rate": 1.5, "at": f"{at}.000"} for each in ("EUR", "USD")]
            keyed = [(_json({"currency": each["currency"]}), _json(each)) for each in rates]
            self.kafka.produce("rates", keyed)
            orders = [
                {"order_id": f"o{second}-{number}", "price": number + 1, "currency": "EUR"}
                for number in range(ORDERS // SECONDS)
            ]
            self.kafka.produce("orders", [_json({**o, "bid_time": f"{at}.500"}) for o in orders])

    def get(self, path: str) -> Any:
        return httpx2.get(f"{self.url}/api/v1{path}", trust_env=False).raise_for_status().json()

    def runs(self, job: str = JOB) -> list[Any]:
        return list(self.get(f"/namespaces/{NAMESPACE}/jobs/{job}/runs")["runs"])

    def counts(self) -> dict[str, int]:
        """The rows that the newest run has read and written so far, by topic."""
        run = self.get(f"/jobs/runs/{self.runs()[0]['id']}")
        found = {}
        for side, key in (("input", "inputDatasetVersions"), ("output", "outputDatasetVersions")):
            for each in run[key]:
                counted = each["facets"].get(f"{side}Statistics", {}).get("rowCount")
                found[each["datasetVersionId"]["name"]] = counted
        return found

    def columns(self, topic: str) -> dict[str, list[str]]:
        """What the values of a topic's columns are made of, as `TOPIC.COLUMN`."""
        node = f"dataset:kafka://{self.kafka.bootstrap}:{topic}"
        graph = self.get(f"/column-lineage?nodeId={node}&depth=1")["graph"]
        return {
            each["data"]["field"]: sorted(
                f"{way['dataset']}.{way['field']}"
                for way in each["data"]["inputFields"]
                if any(how["type"] == "DIRECT" for how in way["transformations"])
            )
            for each in graph
            if each["data"].get("dataset") == topic
        }


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def shop(
    flink: Flink,
    kafka: Kafka,
    headwater_server: Headwater,
    tmp_path_factory: pytest.TempPathFactory,
) -> Shop:
    return Shop(flink, kafka, headwater_server, tmp_path_factory.mktemp("shop"))


def test_a_job_before_while_and_after_it_runs(shop: Shop, tmp_path: Path) -> None:
    _see_columns_before(shop)
    (job,) = shop.flink.run_sql(shop.text)
    shop.fill_topics()
    _see_counts(shop, job)
    place = shop.flink.stop_with_savepoint(job, tmp_path)
    (second,) = shop.flink.run_sql(shop.text, {"execution.state-recovery.path": place})
    _see_restart(shop, job, second)
    shop.kafka.produce("orders", [b"Dear supplier, please send two chairs."])
    _see_failure(shop, second)


def _see_columns_before(shop: Shop) -> None:
    emitted = run_program(
        "sql", str(shop.script), "--emit", "--job-namespace", NAMESPACE, "--server", shop.url
    )
    assert emitted.status == 0, emitted
    assert shop.columns("enriched")["amount"] == ["orders.price", "rates.rate"]
    assert shop.columns("stats")["total"] == ["orders.price"]
    assert shop.runs() == []


def _see_counts(shop: Shop, job: str) -> None:
    """What is counted is what the topics have; the listener's run is that of the collector."""

    def is_counted() -> bool:
        shop.collect()
        found = shop.counts()
        written = {topic: len(shop.kafka.consume_all(topic)) for topic in ("enriched", "stats")}
        return found == {"orders": ORDERS, "rates": RATES, **written} and written["stats"] == 5

    wait_until(is_counted, lambda: f"{shop.counts()}\n{shop.flink.log()}")
    (run,) = shop.runs()
    assert (run["id"].replace("-", ""), run["state"]) == (job, "RUNNING")
    assert run["facets"]["flink_job"]["jobId"] == job
    assert "headwater_gaps" not in run["facets"]
    assert shop.columns("enriched")["amount"] == ["orders.price", "rates.rate"]
    events = shop.get("/events/lineage?limit=1000")["events"]
    producers = [each["producer"] for each in events]
    assert all(any(part in each for each in producers) for part in (LISTENER_PART, COLLECTOR_PART))


def _see_restart(shop: Shop, job: str, second: str) -> None:
    wait_until(lambda: shop.collect() >= 0 and len(shop.runs()) == 2)
    newest, first = shop.runs()
    assert first["state"] == "COMPLETED"
    assert newest["id"].replace("-", "") == second
    assert newest["restartOf"] == first["id"]


def _see_failure(shop: Shop, second: str) -> None:
    wait_until(lambda: shop.flink.state(second) == "FAILED")
    shop.collect()
    newest = shop.runs()[0]
    assert newest["state"] == "FAILED"
    error = newest["facets"]["errorMessage"]["message"]
    assert "Unrecognized token 'Dear'" in error
    # Nothing is sent again.
    assert shop.collect() == 0


def test_a_job_that_is_cancelled(shop: Shop) -> None:
    script = (
        "SET 'pipeline.name' = 'made-up';"
        "CREATE TABLE a (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5');"
        "CREATE TABLE b (id INT) WITH ('connector' = 'blackhole');"
        "INSERT INTO b SELECT id FROM a"
    )
    (job,) = shop.flink.run_sql(script)
    wait_until(lambda: shop.flink.state(job) == "RUNNING")
    shop.collect()
    (run,) = shop.runs("made-up")
    assert run["state"] == "RUNNING"
    gaps = {each["name"] for each in run["facets"]["headwater_gaps"]["gaps"]}
    assert gaps == {f"default_catalog.default_database.{each}" for each in "ab"}
    shop.flink.cancel(job)
    wait_until(lambda: shop.flink.state(job) == "CANCELED")
    shop.collect()
    assert [each["state"] for each in shop.runs("made-up")] == ["ABORTED"]


def test_a_session_of_the_gateway_has_the_definitions(shop: Shop, tmp_path: Path) -> None:
    """The script of the job has no definitions: those are in the session that it ran in."""
    out = (tmp_path / "dear").as_uri()
    session = shop.flink.open_session()
    lake = f"'type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = '{tmp_path.as_uri()}'"
    defined = (
        "CREATE TABLE bids (order_id STRING, price DOUBLE) WITH ('connector' = 'kafka', "
        f"'topic' = 'orders', 'properties.bootstrap.servers' = '{shop.kafka.bootstrap}', "
        "'scan.startup.mode' = 'latest-offset', 'format' = 'json');"
        "CREATE VIEW dear AS SELECT order_id, price * 2 AS twice FROM bids WHERE price > 9;"
        "CREATE TABLE files (order_id STRING, twice DOUBLE) WITH ('connector' = 'filesystem', "
        f"'path' = '{out}', 'format' = 'json');"
        f"CREATE CATALOG lake WITH ({lake}); CREATE DATABASE lake.db;"
        "CREATE TABLE lake.db.dear (order_id STRING, twice DOUBLE)"
    )
    insert = (
        "SET 'pipeline.name' = 'dear-bids';\nBEGIN STATEMENT SET;\n"
        "INSERT INTO files SELECT order_id, twice FROM dear;\n"
        "INSERT INTO lake.db.dear SELECT order_id, twice FROM dear;\nEND"
    )
    shop.flink.run_in_session(session, defined)
    (job,) = shop.flink.run_in_session(session, insert)
    wait_until(lambda: shop.flink.state(job) == "RUNNING")
    shop.script.with_name("dear.sql").write_text(insert)
    shop.collect("--gateway", shop.flink.gateway, "--gateway-session", f"dear-bids={session}")
    (run,) = shop.runs("dear-bids")
    assert "headwater_gaps" not in run["facets"], run["facets"]["headwater_gaps"]
    found = shop.get(f"/namespaces/{NAMESPACE}/jobs/dear-bids")
    assert [each["name"] for each in found["inputs"]] == ["orders"]
    assert len(found["outputs"]) == 2
    for each in found["outputs"]:
        node = f"dataset:{each['namespace']}:{each['name']}"
        graph = shop.get(f"/column-lineage?nodeId={node}&depth=1")["graph"]
        ways = {
            f"{way['dataset']}.{way['field']}" for n in graph for way in n["data"]["inputFields"]
        }
        assert "orders.price" in ways, each
    shop.flink.cancel(job)
    wait_until(lambda: shop.flink.state(job) == "CANCELED")
