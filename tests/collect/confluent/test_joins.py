"""What is read of an account meets what others report of the same topics."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.collect.confluent import extract
from testing.api import Api, open_api
from testing.events.minimal import run_event
from testing.stand_ins.confluent import open_cloud

pytestmark = pytest.mark.slow

KAFKA = "kafka://pkc-123.us-east-1.aws.confluent.cloud:9092"
TOPIC = "dataset:confluent://env-abc/lkc-123:orders"
UNITY = (
    "dataset:databricks://https://dbc-7c6e0c41-4172.cloud.databricks.com:"
    "lb_uc_75083e95.lkc-mjnq51.lineage_bridge_enriched_orders"
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder: Path = tmp_path_factory.mktemp("joins")
    with open_cloud(folder / "cloud") as opened:
        events = [each.data for each in extract(opened.settings())]
    with open_api(f"sqlite:///{folder / 'headwater.db'}") as api:
        api.store(*events)
        yield api


def names(api: Api, node: str) -> set[str]:
    graph = api.read("/lineage", nodeId=node, depth=20)["graph"]
    return {each["data"]["name"] for each in graph}


def test_spark_reads_the_topic_by_its_kafka_name(api: Api) -> None:
    event = run_event(job="spark-job")
    event["inputs"] = [{"namespace": KAFKA, "name": "orders"}]
    api.store(event)
    found = names(api, TOPIC)
    assert {"spark-job", "postgres-cdc-source", "orders.public.orders"} <= found
    assert found == names(api, f"dataset:{KAFKA}:orders")


def test_from_the_catalog_back_to_the_generator(api: Api) -> None:
    found = names(api, UNITY)
    assert {"DatagenSource", "enrich-orders", "lineage_bridge.orders_v2"} <= found


def test_columns_reach_from_the_topic_to_delta(api: Api) -> None:
    node = "datasetField:confluent://env-abc/lkc-123:orders:amount"
    graph = api.read("/column-lineage", nodeId=node, withDownstream="true")["graph"]
    fields = {(each["data"]["dataset"], each["data"]["field"]) for each in graph}
    assert ("enriched_orders", "AMOUNT") in fields
    assert ("sales.enriched_orders", "AMOUNT") in fields


def test_dbt_reads_the_table_by_the_host_of_its_workspace(api: Api) -> None:
    _, _, name = UNITY.rpartition(":")
    for number, system in enumerate(("databricks", "unitycatalog")):
        event = run_event(job=f"model-{number}")
        event["inputs"] = [
            {"namespace": f"{system}://dbc-7c6e0c41-4172.cloud.databricks.com", "name": name}
        ]
        api.store(event)
    assert {"model-0", "model-1", "enrich-orders"} <= names(api, UNITY)
