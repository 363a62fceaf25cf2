"""Airflow itself runs a DAG, and its provider sends what it did by HTTP and to Kafka."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from testing.api import open_api
from testing.services.airflow import AirflowShop
from testing.services.kafka import Kafka
from tests.airflow.family import check_family, check_lineage
from tests.faults.stored import events_in

pytestmark = [pytest.mark.integration, pytest.mark.long]


def test_a_dag_by_both_transports(kafka: Kafka, tmp_path: Path) -> None:
    topic = f"lineage-{uuid4().hex[:8]}"
    kafka.create_topic(topic)
    by_http, by_kafka = (f"sqlite:///{tmp_path / name}.db" for name in ("http", "kafka"))
    folder = tmp_path / "airflow"
    folder.mkdir()
    with open_api(by_http) as api:
        to_kafka = {"bootstrap.servers": kafka.bootstrap}
        transports = [
            {"type": "http", "url": api.url},
            {"type": "kafka", "topic": topic, "config": to_kafka, "flush": True},
        ]
        both = {"type": "composite", "transports": transports, "continue_on_failure": False}
        AirflowShop(folder, both).run_dag()
        check_family(api)
        check_lineage(api)
    sent = [record.value for record in kafka.consume_all(topic)]
    with open_api(by_kafka) as api:
        api.store(*(value for value in sent if value is not None))
        check_family(api)
        check_lineage(api)
    assert _normal(events_in(by_http)) == _normal(events_in(by_kafka))


def _normal(events: set[bytes]) -> set[str]:
    """Each transport writes JSON with white space of its own."""
    return {json.dumps(json.loads(event), sort_keys=True) for event in events}
