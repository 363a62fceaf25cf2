"""`collect kafka` and `discover` with real brokers: what was made behind our back is found."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from headwater.collect.kafka import NOT_REQUESTED, KafkaCollector, KafkaSettings
from testing.api import Api, open_api
from testing.commands import run_program
from testing.events.minimal import run_event
from testing.services.kafka import Kafka
from testing.services.kafka_guarded import GuardedKafka
from testing.services.kafka_secured import PASSWORD, USER
from testing.wait import wait_until

pytestmark = pytest.mark.integration
Json = dict[str, Any]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


@contextmanager
def reading(bootstrap: str, group: str, topic: str, **settings: str) -> Iterator[Consumer]:
    """A member of a group that has read something and committed it."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **settings,
        }
    )
    consumer.subscribe([topic])
    try:
        wait_until(lambda: consumer.poll(0.5) is not None)
        consumer.commit(asynchronous=False)
        yield consumer
    finally:
        consumer.close()


def collect(api: Api, bootstrap: str, state: Path, **more: Any) -> list[Json]:
    """The events of one pass, stored and acknowledged."""
    collector = KafkaCollector(KafkaSettings(bootstrap=bootstrap, state=state, **more), api.url)
    found = list(collector.collect())
    api.store(*(each.data for each in found))
    collector.acknowledge(found)
    return [json.loads(each.data) for each in found]


class _Hook(BaseHTTPRequestHandler):
    texts: list[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert set(body) == {"text"} and self.headers["Content-Type"] == "application/json"
        self.texts.append(body["text"])
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def webhook() -> Iterator[tuple[str, list[str]]]:
    texts: list[str] = []
    handler = type("Hook", (_Hook,), {"texts": texts})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/services/T0/B0/secret", texts
        finally:
            server.shutdown()
            thread.join()


def test_a_topic_and_a_consumer_made_behind_our_back(
    kafka: Kafka, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = f"kafka://{kafka.bootstrap}"
    kafka.create_topic("shadow.copies", 2)
    kafka.create_topic("shadow.orders", 1)
    kafka.produce("shadow.copies", [b"1", b"2", b"3"])
    topic = {"namespace": cluster, "name": "shadow.orders"}
    api.store(run_event(job="shop", outputs=[topic]), run_event(job="report", inputs=[topic]))
    command = ["discover", "--bootstrap", kafka.bootstrap, "--include", "shadow.*"]
    command += ["--state", str(tmp_path / "state"), "--server", api.url]
    with reading(kafka.bootstrap, "shadow.readers", "shadow.copies"), webhook() as (url, texts):
        monkeypatch.setenv("HOOK", url)
        first = run_program(*command, "--webhook", "env:HOOK", "-o", "json")
        assert (first.status, first.err) == (1, "")
        findings = {each["kind"]: each for each in json.loads(first.out)["findings"]}
        assert findings.keys() == {"unknownTopic", "unknownGroup"}
        assert findings["unknownTopic"]["name"] == "shadow.copies"
        assert "groups read it" in findings["unknownTopic"]["reason"]
        assert findings["unknownGroup"]["name"] == "shadow.readers"
        assert len(texts) == 1 and "shadow.copies" in texts[0] and url not in first.out
        for kind, each in findings.items():
            known = ["acknowledge", each["id"], kind, "--reason", "the data team's"]
            assert run_program(*known, "--server", api.url).status == 0
        quiet = run_program(*command, "--webhook", "env:HOOK")
        assert (quiet.status, quiet.err) == (0, ""), quiet.out
        assert "0 findings, 2 acknowledged" in quiet.out and len(texts) == 1
        lineage = api.read("/lineage", nodeId=f"dataset:{cluster}:shadow.copies", depth=1)
        assert f"job:kafka-groups://{kafka.bootstrap}:shadow.readers" in json.dumps(lineage)
        streams = api.job(f"kafka-groups://{kafka.bootstrap}", "shadow.readers")
        assert streams["latestRun"]["state"] == "RUNNING"


def test_groups_of_both_protocols_and_what_changes(kafka: Kafka, api: Api, tmp_path: Path) -> None:
    state = tmp_path / "state"
    only = {"topics": "estate.*", "groups": "estate.*"}
    kafka.create_topic("estate.orders", 3, retention_ms=3_600_000)
    kafka.produce("estate.orders", [b"1", b"2"], partition=0)
    with (
        reading(kafka.bootstrap, "estate.classic", "estate.orders"),
        reading(kafka.bootstrap, "estate.new", "estate.orders", **{"group.protocol": "consumer"}),
    ):
        events = collect(api, kafka.bootstrap, state, **only)
        (topic,) = [each["dataset"] for each in events if "dataset" in each]
        facet = topic["facets"]["kafka_topic"]
        assert (facet["partitions"], facet["replicationFactor"]) == (3, 1)
        assert facet["config"]["retention.ms"] == "3600000"
        (gap,) = [each["run"]["facets"] for each in events if "collect kafka" in str(each)]
        assert [each["name"] for each in gap["headwater_gaps"]["gaps"]] == [NOT_REQUESTED.what]
        groups = {each["job"]["name"]: each for each in events if each.get("inputs")}
        assert groups.keys() == {"estate.classic", "estate.new"}
        for name, kind in (("estate.classic", "classic"), ("estate.new", "consumer")):
            group = groups[name]["run"]["facets"]["kafka_consumer_group"]
            assert (group["type"], group["memberCount"]) == (kind, 1)
            assert groups[name]["inputs"][0]["inputFacets"]["inputStatistics"]["lag"] == 1
        assert collect(api, kafka.bootstrap, state, **only) == []
        kafka.produce("estate.orders", [b"3"], partition=0)
        lags = [
            each["inputs"][0]["inputFacets"]["inputStatistics"]["lag"]
            for each in collect(api, kafka.bootstrap, state, **only)
        ]
        assert lags == [2, 2]
    kafka.delete_topic("estate.orders")
    (deleted, *_) = collect(api, kafka.bootstrap, state, **only)
    change = deleted["dataset"]["facets"]["lifecycleStateChange"]["lifecycleStateChange"]
    assert change == "DROP"


def test_what_may_not_be_read_is_a_gap(api: Api, tmp_path: Path) -> None:
    with GuardedKafka.start() as kafka:
        for topic in ("orders", "secrets"):
            kafka.create_topic(topic)
        kafka.produce("orders", [b"1"])
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
        kafka.allow(ResourceType.TOPIC, "orders", AclOperation.DESCRIBE)
        kafka.allow(ResourceType.GROUP, "readers", AclOperation.DESCRIBE)
        secured: Json = {
            "bootstrap": kafka.address("SASL_PLAINTEXT"),
            "security_protocol": "SASL_PLAINTEXT",
            "user": USER,
            "password": f"file:{tmp_path / 'password'}",
            "state": tmp_path / "state",
        }
        (tmp_path / "password").write_text(PASSWORD)
        check_connections(kafka, tmp_path)
        with reading(kafka.bootstrap, "readers", "orders"):
            collector = KafkaCollector(KafkaSettings(**secured), api.url)
            steps = collector.check()
            assert all(step.is_ok for step in steps)
            assert any("becomes a gap" in step.detail for step in steps)
            found = list(collector.collect())
        api.store(*(each.data for each in found))
        collector.acknowledge(found)
        texts = b"\n".join(each.data for each in found).decode()
        assert PASSWORD not in texts and '"name":"orders"' in texts and "secrets" not in texts
        (cluster,) = api.read("/discovery")["clusters"]
        gaps = {each["name"]: each["description"] for each in cluster["gaps"]}
        assert {"topics and groups", "access rules", "settings of orders"} <= gaps.keys()
        # Once it may not be described any more, it is hidden, and not deleted.
        admin.delete_acls([acl_filter(ResourceType.TOPIC, "orders")])
        wait_until(lambda: "orders" not in names_seen(secured))
        again = list(KafkaCollector(KafkaSettings(**secured), api.url).collect())
        assert not any(b"DROP" in each.data for each in again)
        # With rights, the rules themselves are reported, and what was missing is not missing.
        kafka.allow(ResourceType.BROKER, "kafka-cluster", AclOperation.DESCRIBE)
        kafka.allow(ResourceType.TOPIC, "*", AclOperation.DESCRIBE)
        kafka.allow(ResourceType.TOPIC, "*", AclOperation.DESCRIBE_CONFIGS)
        wait_until(lambda: "secrets" in names_seen(secured))
        collector = KafkaCollector(KafkaSettings(**secured), api.url)
        found = list(collector.collect())
        api.store(*(each.data for each in found))
        facets = api.dataset(f"kafka://{kafka.address('SASL_PLAINTEXT')}", "secrets")["facets"]
        grants = facets["kafka_access"]["grants"]
        assert {each["principal"] for each in grants} == {f"User:{USER}"}
        assert {each["operation"] for each in grants} == {"describe", "describe_configs"}
        gaps = api.read("/discovery")["clusters"][0]["gaps"]
        assert [each["name"] for each in gaps] == [NOT_REQUESTED.what]


def check_connections(kafka: GuardedKafka, folder: Path) -> None:
    """Each protocol is spoken, and a certificate that has expired is named as what is wrong."""
    certificate, key = map(str, kafka.client)
    ca = str(kafka.ca)
    password = {"user": USER, "password": f"file:{folder / 'password'}"}
    ways: list[Json] = [
        {"bootstrap": kafka.address("SSL"), "certificate": certificate, "key": key},
        {"bootstrap": kafka.address("SASL_SSL"), "sasl_mechanism": "SCRAM-SHA-512", **password},
    ]
    for way in ways:
        settings = KafkaSettings(ca=ca, state=folder / "ways", **way)
        steps = KafkaCollector(settings, "http://server").check()
        assert all(step.is_ok for step in steps), steps
    expired = KafkaSettings(
        bootstrap=kafka.address("EXPIRED"), ca=ca, timeout="3s", state=folder / "ways"
    )
    failed = KafkaCollector(expired, "http://server").check()[-1]
    assert not failed.is_ok and "certificate" in failed.detail, failed


def acl_filter(kind: Any, name: str) -> Any:
    every: Any = (None, None, AclOperation.ANY, AclPermissionType.ANY)
    return AclBindingFilter(kind, name, ResourcePatternType.LITERAL, *every)


def names_seen(secured: Json) -> set[str]:
    client = AdminClient({**KafkaSettings(**secured).client(), "log_level": 0})
    return set(client.list_topics(timeout=30).topics)
