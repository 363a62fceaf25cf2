"""`publish datahub`, against a stand-in that takes what DataHub's published schemas allow."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from headwater.answers.inventory.entries import DatasetRef
from headwater.errors import TargetUnavailable
from headwater.model.uses import Name
from headwater.publish.datahub import DataHubPublisher, DataHubSettings
from headwater.publish.datahub.names import Urns, read_mapping
from headwater.store.engine import Engine
from testing.events.bridge import KAFKA, column_lineage
from testing.events.minimal import dataset, run_event
from testing.stand_ins.datahub import DataHubStandIn
from testing.stand_ins.recording import Call, Reply, serve_written
from tests.publish.conftest import Fill, run

TOKEN = "datahub-very-secret"
LINEAGE = "upstreamLineage"


def urn(platform: str, name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},PROD)"


TABLE = urn("bigquery", "acme.sales.orders")
TOPIC = urn("kafka", "orders.enriched")


@pytest.fixture
def datahub(monkeypatch: pytest.MonkeyPatch) -> Iterator[DataHubStandIn]:
    monkeypatch.setenv("DATAHUB_TOKEN", TOKEN)
    with serve_written(DataHubStandIn(TOKEN)) as stand_in:
        yield stand_in


def publisher(datahub: DataHubStandIn, store: Engine, **more: Any) -> DataHubPublisher:
    given = {"url": datahub.url, "token": "env:DATAHUB_TOKEN", **more}
    return DataHubPublisher(DataHubSettings.model_validate(given), store)


def fields(datahub: DataHubStandIn, of: str, aspect: str = LINEAGE) -> dict[str, list[str]]:
    return {
        each["downstreams"][0]: each["upstreams"]
        for each in datahub.aspect(of, aspect)["fineGrainedLineages"]
    }


def test_topics_tables_columns_and_jobs(datahub: DataHubStandIn, shop: Engine) -> None:
    done = run(publisher(datahub, shop))
    assert (done.created, done.refused, done.skipped) == (12, 0, 0)
    (link,) = datahub.aspect(TABLE, LINEAGE)["upstreams"]
    assert (link["dataset"], link["type"]) == (TOPIC, "TRANSFORMED")
    amount = f"urn:li:schemaField:({TABLE},amount)"
    assert fields(datahub, TABLE)[amount] == [f"urn:li:schemaField:({TOPIC},amount)"]
    flow = "urn:li:dataFlow:(kafka-connect,scheduler,PROD)"
    uses = datahub.aspect(f"urn:li:dataJob:({flow},sink-5)", "dataJobInputOutput")
    assert uses["inputDatasetEdges"] == [{"destinationUrn": TOPIC}]
    assert len(uses["fineGrainedLineages"]) == 3
    assert datahub.aspect(flow, "dataFlowInfo")["name"] == "scheduler"
    assert urn("glue", "sales.orders") in datahub.entities
    assert run(publisher(datahub, shop)).sent == 0
    assert len(datahub.writes) == 12


def test_what_others_state_stays(datahub: DataHubStandIn, shop: Engine) -> None:
    """Another link, and one that is stated here as well: it stays theirs, with its columns."""
    elsewhere = {"dataset": urn("hive", "a.b"), "type": "COPY"}
    same = {"dataset": TOPIC, "type": "VIEW"}
    column = {
        "upstreamType": "FIELD_SET", "downstreamType": "FIELD",
        "upstreams": [f"urn:li:schemaField:({TOPIC},x)"],
        "downstreams": [f"urn:li:schemaField:({TABLE},y)"],
    }  # fmt: skip
    there = {"upstreams": [elsewhere, same], "fineGrainedLineages": [column]}
    datahub.entities[TABLE] = {LINEAGE: there}
    datahub.entities[TOPIC] = {LINEAGE: {"upstreams": [elsewhere], "fineGrainedLineages": []}}
    run(publisher(datahub, shop))
    assert datahub.aspect(TABLE, LINEAGE) == there
    assert [each["dataset"] for each in datahub.aspect(TOPIC, LINEAGE)["upstreams"]] == [
        urn("hive", "a.b"),
        urn("kafka", "orders"),
    ]
    with shop.begin() as connection:
        connection.exec_driver_sql("DELETE FROM job_dataset")
    run(publisher(datahub, shop, prune=True))
    assert datahub.aspect(TABLE, LINEAGE) == there
    assert datahub.aspect(TOPIC, LINEAGE)["upstreams"] == [elsewhere]


def test_change_verify_and_prune(datahub: DataHubStandIn, shop: Engine, fill: Fill) -> None:
    run(publisher(datahub, shop))
    customers = dataset("customers", KAFKA)
    target = dataset("orders.enriched", KAFKA, columnLineage=column_lineage(customers, "name"))
    fill([msgspec.json.encode(run_event(
        "COMPLETE", at="2024-05-02T10:00:00Z", job="enrich",
        run="01890000-0000-7000-8000-000000000077", inputs=[customers], outputs=[target],
    ))])  # fmt: skip
    assert run(publisher(datahub, shop)).updated == 2
    assert [each["dataset"] for each in datahub.aspect(TOPIC, LINEAGE)["upstreams"]] == [
        urn("kafka", "customers")
    ]
    assert list(fields(datahub, TOPIC)) == [f"urn:li:schemaField:({TOPIC},name)"]
    assert run(publisher(datahub, shop, verify=True)).sent == 0
    del datahub.entities[TABLE]
    datahub.aspect(TOPIC, LINEAGE)["upstreams"].append(
        {"dataset": urn("hive", "c"), "type": "COPY"}
    )
    datahub.aspect(TOPIC, LINEAGE)["fineGrainedLineages"] = []
    done = run(publisher(datahub, shop, verify=True))
    assert (done.created, done.updated) == (1, 1)
    with shop.begin() as connection:
        connection.exec_driver_sql("DELETE FROM job_dataset")
        connection.exec_driver_sql("DELETE FROM job")
    assert run(publisher(datahub, shop, prune=True)).removed == 12
    flow = "urn:li:dataFlow:(kafka-connect,scheduler,PROD)"
    job = f"urn:li:dataJob:({flow},sink-5)"
    assert datahub.aspect(flow, "status") == datahub.aspect(job, "status") == {"removed": True}
    assert datahub.aspect(TABLE, LINEAGE)["upstreams"] == []


def test_faults(datahub: DataHubStandIn, shop: Engine) -> None:
    def is_of_jobs(call: Call) -> bool:
        return call.path.endswith("dataJob") and call.method == "POST"

    datahub.fail(Reply(403, {"message": "no policy"}), when=is_of_jobs)
    datahub.fail(Reply(429, {}, {"Retry-After": "1"}), times=2, when=is_of_jobs)
    datahub.fail(Reply(500, {"message": "oh"}), when=is_of_jobs)
    datahub.loses_answers = 1
    done = run(publisher(datahub, shop))
    assert (done.created, done.refused) == (10, 2)
    datahub.fail(Reply(401, {"message": f"bad {TOKEN}"}), times=2)
    with pytest.raises(TargetUnavailable, match="401") as caught:
        run(publisher(datahub, shop))
    assert TOKEN not in str(caught.value)
    assert run(publisher(datahub, shop)).created == 2
    assert len(datahub.entities) == 12


def test_odd_and_long_names(datahub: DataHubStandIn, store: Engine, fill: Fill) -> None:
    odd, long = dataset("a (b), c%2C «€»/d", KAFKA), dataset("x" * 500, KAFKA)
    out = dataset("out", KAFKA, columnLineage=column_lineage(odd, "a,b"))
    fill([msgspec.json.encode(
        run_event("COMPLETE", job="j (1), 2", inputs=[odd, long], outputs=[out])
    )])  # fmt: skip
    done = run(publisher(datahub, store))
    # Of the job and of the dataset.
    assert (done.created, done.refused, done.skipped) == (3, 0, 2)
    (link,) = datahub.aspect(urn("kafka", "out"), LINEAGE)["upstreams"]
    assert link["dataset"] == urn("kafka", "a %28b%29%2C c%2C «€»/d")
    assert run(publisher(datahub, store, verify=True)).sent == 0


def test_urns() -> None:
    mappings = tuple(map(read_mapping, ("hive://m=hive,eu,DEV", "x=y=snowflake")))
    urns = Urns("PROD", mappings, is_lower=True)

    def named(namespace: str, name: str, *others: Name) -> str | None:
        return urns.dataset(DatasetRef(Name(namespace, name), others))

    assert named("hive://m", "DB.T") == "urn:li:dataset:(urn:li:dataPlatform:hive,eu.db.t,DEV)"
    assert named("s3a://b", "/k/v") == urn("s3", "b/k/v")
    assert named("s3://b", "k", Name("x=y", "T")) == urn("snowflake", "t")
    assert named("unitycatalog://h", "a.b.c") == urn("databricks", "a.b.c")
    assert named("confluent://e/lkc", "t") == urn("kafka", "t")


def test_settings(datahub: DataHubStandIn, shop: Engine) -> None:
    for wrong in ({"token": TOKEN}, {"url": "x"}, {"env": "a b"}, {"platform": ["x"]}):
        with pytest.raises(ValidationError):
            publisher(datahub, shop, **wrong)


def test_without_jobs(datahub: DataHubStandIn, shop: Engine) -> None:
    assert run(publisher(datahub, shop, jobs=False, include=("orders.enriched",))).created == 1
    assert list(datahub.entities) == [TOPIC]
