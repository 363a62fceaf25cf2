"""Schemas collected from a real registry, Apicurio, by Confluent's API, to a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.commands import run_program
from testing.services.connect_apicurio import Apicurio
from testing.services.headwater import Headwater

pytestmark = pytest.mark.integration

Json = dict[str, Any]
PRICE = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
ORDER: Json = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "doc": "An order",
    "fields": [
        {"name": "id", "type": "string", "confluent:tags": ["PII"]},
        {"name": "price", "type": PRICE, "doc": "In euros"},
    ],
}
BID = 'syntax = "proto3"; package shop; message Bid { string who = 1; repeated Lot lots = 2; '
BID += "message Lot { int64 n = 1; } }"
CART = {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}}


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    with Apicurio.start() as service:
        yield service


class RegistryClient:
    """Confluent's API of a registry, and the command that collects from it."""

    def __init__(self, registry: Apicurio, server: Headwater, folder: Path) -> None:
        self._url = f"http://127.0.0.1:{registry.port}/apis/ccompat/v7"
        self._server = server.url
        self._options = ["--url", self._url, "--bootstrap", "registry-test:9092"]
        self._options += ["--server", server.url, "--state", str(folder), "-o", "json"]

    def register(self, subject: str, schema: str | Json, **more: Any) -> None:
        text = schema if isinstance(schema, str) else json.dumps(schema)
        address = f"{self._url}/subjects/{subject}/versions"
        body = {"schema": text, **more}
        httpx2.post(address, json=body, timeout=30, trust_env=False).raise_for_status()

    def delete(self, path: str) -> None:
        httpx2.delete(self._url + path, timeout=30, trust_env=False).raise_for_status()

    def collect(self) -> int:
        outcome = run_program("collect", "schema-registry", *self._options)
        assert (outcome.status, outcome.err) == (0, ""), outcome
        return int(json.loads(outcome.out)["stored"])

    def topic(self, name: str, path: str = "") -> Json:
        address = f"{self._server}/api/v1/namespaces/kafka%3A%2F%2Fregistry-test%3A9092"
        answer = httpx2.get(f"{address}/datasets/{name}{path}", trust_env=False)
        found: Json = answer.raise_for_status().json()
        return found


def test_schemas_are_those_of_their_topics(
    registry: Apicurio, headwater_server: Headwater, tmp_path: Path
) -> None:
    client = RegistryClient(registry, headwater_server, tmp_path)
    client.register("orders-value", ORDER)
    client.register("orders-key", '"string"')
    client.register("bids-value", BID, schemaType="PROTOBUF")
    client.register("carts-value", CART, schemaType="JSON")
    used = {"name": "shop.Order", "subject": "orders-value", "version": 1}
    pair = {"type": "record", "name": "Pair", "fields": [{"name": "o", "type": "shop.Order"}]}
    client.register("pairs-Pair", pair, references=[used])
    assert client.collect() == 4
    orders = client.topic("orders")
    fields = {each["name"]: (each["type"], each["tags"]) for each in orders["fields"]}
    assert fields == {"id": ("string", ["PII"]), "price": ("decimal(10,2)", [])}
    assert orders["facets"]["kafka_key"]["fields"] == [{"name": "key", "type": "string"}]
    assert orders["description"] == "An order"
    assert [each["name"] for each in client.topic("bids")["fields"]] == ["who", "lots"]
    assert client.topic("carts")["fields"][0]["type"] == "timestamp"
    assert [each["name"] for each in client.topic("pairs")["fields"]] == ["o"]

    assert client.collect() == 0
    client.register("orders-value", {**ORDER, "fields": [*ORDER["fields"], NOTE]})
    assert client.collect() == 1
    assert [each["name"] for each in client.topic("orders")["fields"]] == ["id", "price", "note"]
    versions = client.topic("orders", "/versions")["versions"]
    assert [len(each["fields"]) for each in versions] == [3, 2]
    subjects = client.topic("orders")["facets"]["schema_registry"]["subjects"]
    assert {each["subject"]: each["version"] for each in subjects}["orders-value"] == 2

    client.delete("/subjects/orders-value/versions/2")
    assert client.collect() == 1
    assert [each["name"] for each in client.topic("orders")["fields"]] == ["id", "price"]
    client.delete("/subjects/bids-value")
    assert client.collect() == 1
    assert client.topic("bids")["fields"] == []
    assert client.collect() == 0


NOTE = {"name": "note", "type": ["null", "string"], "default": None}


def test_declared_outranks_observed(
    registry: Apicurio, headwater_server: Headwater, tmp_path: Path
) -> None:
    client = RegistryClient(registry, headwater_server, tmp_path)
    client.register("seen-value", ORDER)
    client.collect()
    event = {
        "eventType": "RUNNING",
        "eventTime": "2026-11-18T23:00:00Z",
        "run": {"runId": "0199b6a5-0000-7000-8000-00000000ab01"},
        "job": {"namespace": "registry", "name": "writer"},
        "outputs": [
            {
                "namespace": "kafka://registry-test:9092",
                "name": "seen",
                "facets": {
                    "schema": {
                        "_producer": "https://example.com",
                        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
                        "fields": [{"name": "projected"}],
                    }
                },
            }
        ],
        "producer": "https://example.com",
    }
    answer = httpx2.post(f"{headwater_server.url}/api/v1/lineage", json=event, trust_env=False)
    assert answer.status_code == 201
    assert [each["name"] for each in client.topic("seen")["fields"]] == ["id", "price"]


def test_check(registry: Apicurio, headwater_server: Headwater, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{registry.port}"
    options = ["--bootstrap", "k:9092", "--server", headwater_server.url, "--state", str(tmp_path)]
    good = ["--url", f"{url}/apis/ccompat/v7"]
    outcome = run_program("collect", "schema-registry", *good, *options, "--check")
    assert outcome.status == 0, outcome
    outcome = run_program("collect", "schema-registry", "--url", url, *options, "--check")
    assert outcome.status == 1 and "ccompat" in outcome.out + outcome.err
