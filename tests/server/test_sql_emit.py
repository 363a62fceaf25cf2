"""`headwater sql --emit`: what a script would read and write, in the graph before it has run."""

import json
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.config import SqlSettings
from headwater.server.background.sql_columns import SqlColumns
from testing.api import Api, open_api

RUN = CliRunner()
KAFKA = "kafka://broker:9092"
SCRIPT = """\
CREATE TABLE orders (id BIGINT, currency STRING, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092');
CREATE TABLE rates (currency STRING, rate DECIMAL(10, 4), since TIMESTAMP(3),
  PRIMARY KEY (currency) NOT ENFORCED, WATERMARK FOR since AS since)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'rates',
        'properties.bootstrap.servers' = 'broker:9092');
CREATE TABLE converted (id BIGINT, amount DECIMAL(20, 2))
  WITH ('connector' = 'kafka', 'topic' = 'converted',
        'properties.bootstrap.servers' = 'broker:9092');
CREATE TABLE totals (hour_start TIMESTAMP(3), amount DECIMAL(20, 2))
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db:5432/shop', 'table-name' = 'totals');
EXECUTE STATEMENT SET BEGIN
INSERT INTO converted SELECT o.id, o.price * r.rate FROM orders AS o
  JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency;
INSERT INTO totals SELECT window_start, SUM(price)
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start;
END;
"""


def sources(api: Api, namespace: str, name: str, column: str) -> dict[str, set[str]]:
    node = f"datasetField:{namespace}:{name}:{column}"
    answer = api.read("/column-lineage", nodeId=node, depth=1)
    found = next(each for each in answer["graph"] if each["id"] == node)
    return {
        f"{each['dataset']}.{each['field']}": {way["subtype"] for way in each["transformations"]}
        for each in found["data"]["inputFields"]
    }


def test_a_script_of_flink_is_in_the_graph(api: Api, tmp_path: Path) -> None:
    """A temporal join, a window and a statement set: datasets, columns, types, transformations."""
    path = tmp_path / "conversion.sql"
    path.write_text(SCRIPT)
    options = ["--dialect", "flink", "--emit", "--job-namespace", "jobs", "--server", api.url]
    found = RUN.invoke(app, ["sql", str(path), *options])
    assert found.exit_code == 0, found.output
    assert "problem" not in found.output
    job = api.job("jobs", "conversion")
    assert {each["name"] for each in job["inputs"]} == {"orders", "rates"}
    assert {each["name"] for each in job["outputs"]} == {"converted", "shop.public.totals"}
    fields = api.dataset(KAFKA, "converted")["fields"]
    assert [(each["name"], each["type"]) for each in fields] == [
        ("id", "BIGINT"),
        ("amount", "DECIMAL(20, 2)"),
    ]
    assert sources(api, KAFKA, "converted", "amount") == {
        "orders.price": {"TRANSFORMATION"},
        "rates.rate": {"TRANSFORMATION"},
        "orders.currency": {"JOIN"},
        "rates.currency": {"JOIN"},
        "orders.ts": {"JOIN"},
    }
    assert sources(api, "postgres://db:5432", "shop.public.totals", "amount") == {
        "orders.price": {"AGGREGATION"},
        "orders.ts": {"GROUP_BY"},
    }
    # The graph is the catalog of another file.
    other = tmp_path / "other.sql"
    other.write_text("INSERT INTO copied SELECT * FROM converted")
    shown = RUN.invoke(app, ["sql", str(other), "--catalog", api.url, "-o", "json"])
    assert shown.exit_code == 0, shown.output
    columns = json.loads(shown.output)["statements"][0]["schema"]
    assert [(each["name"], each["type"]) for each in columns] == [
        ("id", "BIGINT"),
        ("amount", "DECIMAL(20, 2)"),
    ]


@pytest.mark.parametrize("is_on", [True, False])
def test_deriving_can_be_switched_off(tmp_path: Path, is_on: bool) -> None:
    settings = SqlSettings(infer_columns=is_on)
    store = f"sqlite:///{tmp_path / 'store.db'}"
    with open_api(store, sql=settings):
        names = [thread.name for thread in threading.enumerate()]
    assert (f"headwater-{SqlColumns.name}" in names) is is_on
