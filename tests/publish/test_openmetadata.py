"""`publish openmetadata`, against a stand-in that takes what its published schemas allow."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from headwater.answers.inventory.entries import DatasetRef
from headwater.errors import TargetUnavailable
from headwater.model.uses import Name
from headwater.publish.openmetadata import OpenMetadataPublisher, OpenMetadataSettings
from headwater.publish.openmetadata.names import EntityNames, pipeline_name, read_service
from headwater.store.engine import Engine
from testing.events.bridge import DATABASE, GLUE, KAFKA
from testing.events.minimal import dataset, run_event
from testing.stand_ins.openmetadata import OpenMetadataStandIn
from testing.stand_ins.recording import Call, Reply, serve_written
from tests.publish.conftest import Fill, run

TOKEN = "jwt-very-secret"
SERVICES = (f"{KAFKA}=kafka", "postgres://=pg", f"{GLUE}=glue.acme", "bigquery=bq")
COLUMNS = ("order_id", "customer", "amount")
TOPIC = 'kafka."orders.enriched"'
TABLE = "bq.acme.sales.orders"


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenMetadataStandIn]:
    monkeypatch.setenv("OM_TOKEN", TOKEN)
    with serve_written(OpenMetadataStandIn(TOKEN, "streams")) as stand_in:
        stand_in.add("table", "pg.shop.public.orders", *COLUMNS)
        stand_in.add("topic", "kafka.orders", *COLUMNS)
        stand_in.add("topic", TOPIC, *COLUMNS)
        stand_in.add("table", "glue.acme.sales.orders", *COLUMNS)
        stand_in.add("table", TABLE, *COLUMNS)
        yield stand_in


def publisher(catalog: OpenMetadataStandIn, store: Engine, **more: Any) -> OpenMetadataPublisher:
    given = {"url": catalog.url, "token": "env:OM_TOKEN", "service": SERVICES, **more}
    return OpenMetadataPublisher(OpenMetadataSettings.model_validate(given), store)


def test_topics_tables_and_columns(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    """Unity Catalog is no service here: what is made of it is skipped, with the reason."""
    done = run(publisher(catalog, shop))
    assert (done.created, done.refused, done.skipped) == (4, 0, 1)
    assert "unitycatalog://workspace-1" in done.problems[0]
    link = catalog.link(TOPIC, TABLE)
    assert link is not None and link["source"] == "OpenLineage"
    assert link["description"] == "Headwater: by scheduler/sink-5"
    assert {
        "fromColumns": [f"{TOPIC}.Value.amount"],
        "toColumn": f"{TABLE}.amount",
    } in link["columnsLineage"]
    assert catalog.link(TOPIC, "glue.acme.sales.orders") is not None
    assert catalog.dropped_columns == []
    calls = len(catalog.calls)
    assert run(publisher(catalog, shop)).sent == 0
    assert len(catalog.calls) == calls


def test_jobs_as_pipelines(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    done = run(publisher(catalog, shop, pipeline_service="streams"))
    assert (done.created, done.refused) == (9, 0)
    link = catalog.link("kafka.orders", TOPIC)
    pipeline = catalog.entities["pipeline", "streams.scheduler-enrich"]
    assert link is not None and link["pipeline"] == {"id": pipeline["id"], "type": "pipeline"}
    assert pipeline["displayName"] == "enrich"
    assert run(publisher(catalog, shop, pipeline_service="streams", verify=True)).sent == 0


def test_what_is_not_there_yet(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    """And a column that it does not know is counted, and comes with the next --verify."""
    del catalog.entities["table", TABLE]
    done = run(publisher(catalog, shop))
    assert (done.created, done.skipped) == (3, 2)
    assert any(f"has no table {TABLE}" in line for line in done.problems)
    catalog.add("table", TABLE, "amount")
    assert run(publisher(catalog, shop)).created == 1
    link = catalog.link(TOPIC, TABLE)
    assert link is not None and "left out: 2 links" in link["description"]
    catalog.add("table", TABLE, *COLUMNS)
    assert run(publisher(catalog, shop)).sent == 0
    assert run(publisher(catalog, shop, verify=True)).updated == 1


def test_a_link_of_somebody_else(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    ends = [catalog.entities["topic", TOPIC]["id"], catalog.entities["table", TABLE]["id"]]
    theirs = {"source": "Manual", "description": "by hand"}
    catalog.links[ends[0], ends[1]] = dict(theirs)
    done = run(publisher(catalog, shop))
    assert (done.created, done.skipped) == (3, 2)
    assert catalog.link(TOPIC, TABLE) == theirs


def test_change_verify_and_prune(catalog: OpenMetadataStandIn, shop: Engine, fill: Fill) -> None:
    run(publisher(catalog, shop, pipeline_service="streams"))
    event = run_event(
        "COMPLETE", at="2024-05-02T10:00:00Z", job="enrich",
        run="01890000-0000-7000-8000-000000000077",
        inputs=[dataset("shop.public.orders", DATABASE)],
        outputs=[dataset("orders.enriched", KAFKA, columnLineage={"fields": {}})],
    )  # fmt: skip
    fill([msgspec.json.encode(event)])
    done = run(publisher(catalog, shop, pipeline_service="streams", prune=True))
    assert (done.created, done.updated, done.removed) == (1, 0, 1)
    assert catalog.link("kafka.orders", TOPIC) is None
    catalog.links.popitem()
    done = run(publisher(catalog, shop, pipeline_service="streams", verify=True))
    assert (done.created, done.updated) == (1, 0)
    with shop.begin() as connection:
        connection.exec_driver_sql("DELETE FROM job_dataset")
        connection.exec_driver_sql("DELETE FROM job")
    done = run(publisher(catalog, shop, pipeline_service="streams", prune=True))
    assert (done.removed, catalog.links) == (9, {})
    assert all(kind != "pipeline" for kind, _ in catalog.entities)


def test_faults(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    def is_link(call: Call) -> bool:
        return call.method == "PUT"

    catalog.fail(Reply(403, {"message": "EditLineage"}), when=is_link)
    catalog.fail(Reply(429, {}, {"Retry-After": "1"}), times=2, when=is_link)
    catalog.fail(Reply(500, {"message": "oh"}), when=is_link)
    catalog.loses_answers = 1
    done = run(publisher(catalog, shop))
    assert (done.created, done.refused) == (2, 2)
    catalog.fail(Reply(401, {"message": f"bad {TOKEN}"}), times=2, when=lambda call: True)
    with pytest.raises(TargetUnavailable, match="401") as caught:
        run(publisher(catalog, shop))
    assert TOKEN not in str(caught.value)
    assert run(publisher(catalog, shop)).created == 2
    assert len(catalog.links) == 4


def test_names() -> None:
    names = EntityNames(tuple(map(read_service, ("s3://=s3", "s3://b=deep", "m://=my.db"))), True)

    def fqn(namespace: str, name: str, *others: Name) -> str | None:
        found = names.find(DatasetRef(Name(namespace, name), others))
        return found and f"{found.type} {found.fqn}"

    assert fqn("s3://a", "/K/v.csv") == 'container s3.a."k/v.csv"'
    assert fqn("s3://b", "k") == "container deep.b.k"
    assert fqn("m://h", "S.T") == "table my.db.s.t"
    assert fqn("x://h", "t", Name("m://h", "s.t")) == "table my.db.s.t"
    assert fqn("x://h", "t") is None
    assert pipeline_name(Name("n", "j")) == "n-j"
    odd = [pipeline_name(Name("n", name)) for name in ("a::b", "a>b", "j" * 300, "j" * 301)]
    assert len(set(odd)) == 4 and all(len(name) <= 256 for name in odd)


def test_settings_and_check(catalog: OpenMetadataStandIn, shop: Engine) -> None:
    for wrong in ({"token": TOKEN}, {"url": "x"}, {"service": ["x"]}, {"service": ["=x"]}):
        with pytest.raises(ValidationError):
            publisher(catalog, shop, **wrong)
    assert all(step.is_ok for step in publisher(catalog, shop).check())
    (_, failed) = publisher(catalog, shop, pipeline_service="nothing").check()
    assert not failed.is_ok and failed.next_step
