"""`publish datazone`, against a stand-in of its one call."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from headwater.errors import TargetUnavailable
from headwater.publish.datazone import DataZonePublisher, DataZoneSettings
from headwater.store.engine import Engine
from testing.events.bridge import KAFKA
from testing.events.minimal import dataset, run_event, schema
from testing.stand_ins.datazone import DataZoneStandIn
from testing.stand_ins.recording import serve_written
from tests.publish.conftest import Fill, run

DOMAIN = "dzd_abc123"


@pytest.fixture
def datazone(monkeypatch: pytest.MonkeyPatch) -> Iterator[DataZoneStandIn]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    with serve_written(DataZoneStandIn(DOMAIN, "AKIATEST")) as stand_in:
        yield stand_in


def publisher(datazone: DataZoneStandIn, store: Engine, **more: Any) -> DataZonePublisher:
    given = {"domain": DOMAIN, "region": "eu-west-1", "endpoint_url": datazone.url, **more}
    return DataZonePublisher(DataZoneSettings.model_validate(given), store)


def test_a_job_is_an_event(datazone: DataZoneStandIn, shop: Engine) -> None:
    done = run(publisher(datazone, shop))
    assert (done.created, done.refused, done.skipped) == (5, 0, 0)
    (event,) = (each for each in datazone.events.values() if each["job"]["name"] == "enrich")
    assert [each["name"] for each in event["inputs"]] == ["orders"]
    facets = event["outputs"][0]["facets"]
    assert [field["name"] for field in facets["schema"]["fields"]] == [
        "order_id",
        "customer",
        "amount",
    ]
    assert facets["columnLineage"]["fields"]["amount"]["inputFields"][0]["field"] == "amount"
    assert run(publisher(datazone, shop)).sent == 0
    assert len(datazone.writes) == 5


def test_a_large_job_is_split(datazone: DataZoneStandIn, store: Engine, fill: Fill) -> None:
    fields = schema(**{f"column_{number}_{'x' * 60}": "string" for number in range(900)})
    outputs = [dataset(f"out-{number}", KAFKA, schema=fields) for number in range(4)]
    event = run_event("COMPLETE", inputs=[dataset("in", KAFKA)], outputs=outputs)
    fill([msgspec.json.encode(event)])
    done = run(publisher(datazone, store))
    assert (done.created, done.refused) == (4, 0)


def test_outputs_of_other_inputs_are_events_of_their_own(
    datazone: DataZoneStandIn, store: Engine, fill: Fill
) -> None:
    inputs = [dataset(name, KAFKA) for name in ("a", "b")]
    outputs = [
        dataset(f"of-{each['name']}", KAFKA, lineage={"inputs": [{**each, "type": "DATASET"}]})
        for each in inputs
    ]
    fill([msgspec.json.encode(run_event("COMPLETE", inputs=inputs, outputs=outputs))])
    assert run(publisher(datazone, store)).created == 2
    links = {
        (source["name"], target["name"])
        for event in datazone.events.values()
        for source in event["inputs"]
        for target in event["outputs"]
    }
    assert links == {("a", "of-a"), ("b", "of-b")}


def test_an_answer_that_is_lost(datazone: DataZoneStandIn, shop: Engine) -> None:
    datazone.loses_answers = 1
    assert run(publisher(datazone, shop)).refused == 0
    assert len(datazone.events) == 5


def test_prune_and_verify(datazone: DataZoneStandIn, shop: Engine) -> None:
    run(publisher(datazone, shop))
    datazone.events.popitem()
    assert run(publisher(datazone, shop, verify=True)).created == 1
    with shop.begin() as connection:
        connection.exec_driver_sql("DELETE FROM job_dataset")
    assert run(publisher(datazone, shop, prune=True)).removed == 5


def test_another_key(
    datazone: DataZoneStandIn, shop: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "OTHER")
    with pytest.raises(TargetUnavailable, match="not signed"):
        run(publisher(datazone, shop))
    assert not all(step.is_ok for step in publisher(datazone, shop).check())
