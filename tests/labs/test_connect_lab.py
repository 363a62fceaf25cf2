"""The lab of Kafka Connect: how its configurations differ, and the whole of it."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from labs.connect.connectors import Place, deployed, differences, seed_configs
from labs.connect.graph import labels
from testing.services.process import free_port
from tests.labs.lab import lab_started

PLACE = Place("http://registry", "http://registry/ccompat", "http://s3", "jdbc:sqlite:/x")
ORDERS = "kafka://kafka-1:19092|orders"
SINKS = {
    "orders-s3-sink": "s3://fh-dev-bucket|orders",
    "orders-iceberg-sink": "s3://warehouse|orders",
}
TITLES = 9


@pytest.mark.parametrize("prefix", ["orders", "multi-topics"])
def test_what_differs_from_the_guide_is_known(prefix: str) -> None:
    """Classes that cannot be had, the stores and the registry; and nothing of the lineage."""
    topics = ("orders",) if prefix == "orders" else ("orders", "bids")
    for name, seed in seed_configs(prefix, topics).items():
        changed = {key for key, _, _ in differences(seed, deployed(seed, PLACE))}
        own = {key for key in changed if key.startswith("transforms.openlineage.")}
        assert own == {"transforms.openlineage.value.converter.schema.registry.url"}
        rest = {
            key
            for key in changed - own
            if not key.startswith(
                ("value.converter", "iceberg.catalog.", "aws.", "transforms.json")
            )
        }
        expected = {
            "source": set(),
            "s3-sink": {"connector.class", "camel.sink.url", "store.url", "transforms"},
            "iceberg-sink": {"connector.class"},
        }
        assert rest == expected[name.removeprefix(f"{prefix}-")]


def test_labels_of_an_answer() -> None:
    nodes = [
        {"type": "DATASET", "data": {"namespace": "s3://warehouse", "name": "orders"}},
        {"type": "JOB", "data": {"namespace": "fh-local", "name": "orders-source"}},
    ]
    assert labels({"graph": nodes}) == {"s3://warehouse|orders", "orders-source"}


@pytest.mark.integration
@pytest.mark.long
def test_the_whole_lab(tmp_path: Path) -> None:
    """Three jobs, joined through the topic, the bucket and the table, as the API has them."""
    port = free_port()
    with lab_started("labs.connect", tmp_path, "--keep", "--port", str(port)) as lab:
        lab.read_until("in a browser; Ctrl-C")
        text = "".join(lab.lines)
        assert [n for n in range(1, TITLES + 1) if f"\n{n}. " not in text] == []
        for sink, dataset in SINKS.items():
            found = labels(_lineage(port, dataset))
            assert found == {"orders-source", ORDERS, sink, dataset}
        events = httpx2.get(
            f"http://127.0.0.1:{port}/api/v1/events/lineage?limit=1000", trust_env=False
        )
        # The store's keys are in the configurations, and nowhere else.
        assert "secretKey=password" not in events.text and "admin:admin" not in events.text
        assert lab.interrupt() == 0
        assert lab.lines[-1].rstrip().splitlines()[-1].startswith("Done in ")


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.parametrize("line", ["Starting", "Headwater listens", "orders-s3-sink:"])
def test_interrupted_at_any_point_nothing_is_left(line: str, tmp_path: Path) -> None:
    with lab_started("labs.connect", tmp_path) as lab:
        lab.read_until(line)
        assert lab.interrupt() == 130


def _lineage(port: int, dataset: str) -> dict[str, Any]:
    namespace, _, name = dataset.partition("|")
    node = quote(f"dataset:{namespace}:{name}", safe="")
    address = f"http://127.0.0.1:{port}/api/v1/lineage?nodeId={node}&direction=upstream&depth=10"
    found: dict[str, Any] = httpx2.get(address, trust_env=False).raise_for_status().json()
    return found
