"""From a topic to a dashboard by column: a Flink job, a warehouse's tables, dbt and an exposure."""

import json
from pathlib import Path
from typing import Any

from headwater.collect import Collected
from headwater.collect.dbt import DbtCollector, DbtSettings
from headwater.collect.flink import FlinkCollector, FlinkSettings
from testing.api import Api
from testing.dbt_project import NAMESPACE, small_project
from testing.stand_ins.flink_rest import FlinkStandIn
from testing.stand_ins.serving import serve

SCRIPT = """
SET 'pipeline.name' = 'order-ingestion';
CREATE TABLE orders (id INT, email STRING, price DECIMAL(10, 2), region_id INT,
  placed_at TIMESTAMP(3), WATERMARK FOR placed_at AS placed_at)
  WITH ('connector' = 'kafka', 'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE warehouse_orders (id INT, email STRING, amount DECIMAL(10, 2), region_id INT)
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://warehouse:5432/dw',
  'table-name' = 'raw.orders');
INSERT INTO warehouse_orders SELECT id, email, price * 2, region_id FROM orders;
"""
PRICE = "datasetField:kafka://broker:9092:orders:price"


def test_a_dashboard_is_reached_without_a_name_that_anybody_configures(
    sqlite_api: Api, tmp_path: Path
) -> None:
    sqlite_api.store(*_flink(tmp_path), *_dbt(tmp_path))
    assets = sqlite_api.read("/impact", nodeId=PRICE, limit=100)["assets"]
    found = {each["name"]: each for each in assets}
    assert found["dw.raw.orders"]["columns"] == ["amount"]
    assert found["dw.main.stg_orders"]["columns"] == ["amount"]
    assert found["dw.main.revenue"]["columns"] == ["revenue"]
    assert found["exposure.shop.board"]["owners"] == ["Ann"]
    other = PRICE.replace("price", "email")
    assets = sqlite_api.read("/impact", nodeId=other, limit=100)["assets"]
    columns = {each["name"]: each.get("columns") for each in assets}
    assert columns["dw.main.stg_orders"] == ["email"]
    assert "revenue" not in (columns.get("dw.main.revenue") or [])


def _flink(folder: Path) -> list[Any]:
    with serve(FlinkStandIn()) as cluster:
        cluster.add("1" * 32, "order-ingestion", sink="warehouse_orders")
        (folder / "job.sql").write_text(SCRIPT)
        sql = (str(folder / "job.sql"),)
        settings = FlinkSettings(url=cluster.url, sql=sql, state=folder / "state")
        return _events(FlinkCollector(settings, "x").collect())


def _dbt(folder: Path) -> list[Any]:
    project = small_project()
    project.ran()
    target = project.write(folder / "target")
    settings = DbtSettings(target=target, namespace=NAMESPACE, state=folder / "state")
    return _events(DbtCollector(settings, "x").collect())


def _events(collected: Any) -> list[Any]:
    found: list[Collected] = list(collected)
    assert all(each.error is None for each in found)
    return [json.loads(each.data) for each in found]
