"""The inventory: every dataset with what it is made of, every job with what it uses."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import DatasetRef
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.uses import Name
from headwater.store.engine import Engine
from headwater.store.write.writer import open_writer
from testing.events.bridge import KAFKA, column_lineage, estate
from testing.events.minimal import dataset, run_event
from testing.stores import open_prepared


@pytest.fixture
def store(tmp_path: Path) -> Engine:
    return open_prepared(f"sqlite:///{tmp_path / 'store.db'}")


def fill(store: Engine, *events: bytes) -> Inventory:
    with closing(open_writer(store)) as writer:
        writer.write([project(decode_event(event)) for event in events])
    return Inventory(store)


def test_datasets_with_what_they_are_made_of(store: Engine) -> None:
    inventory = fill(store, *estate())
    found = {entry.dataset.name.name: entry for entry in inventory.datasets()}
    assert len(found) == 6
    entry = found["orders.enriched"]
    assert [column.name for column in entry.columns] == ["order_id", "customer", "amount"]
    (upstream,) = entry.upstreams
    assert upstream.dataset.name == Name(KAFKA, "orders")
    assert upstream.jobs == (Name("scheduler", "enrich"),)
    assert {(link.source, link.target) for link in upstream.columns} == {
        (name, name) for name in ("order_id", "customer", "amount")
    }
    assert all(not entry.upstreams for entry in inventory.datasets(with_upstreams=False))


def test_jobs_with_their_flows(store: Engine) -> None:
    inventory = fill(store, *estate())
    (job,) = (each for each in inventory.jobs() if each.name.name == "enrich")
    (flow,) = job.flows
    assert flow.output == DatasetRef(Name(KAFKA, "orders.enriched"))
    assert flow.inputs == (DatasetRef(Name(KAFKA, "orders")),)
    assert len(flow.columns) == 3
    assert (job.integration, job.processing) == ("FLINK", "STREAMING")
    assert all(not flow.columns for job in inventory.jobs(with_columns=False) for flow in job.flows)


def test_a_dataset_with_two_names_is_one(store: Engine) -> None:
    symlinks = {"identifiers": [{"namespace": "glue", "name": "sales.orders", "type": "TABLE"}]}
    files = dataset("orders", "s3://lake", symlinks=symlinks)
    event = run_event("COMPLETE", inputs=[dataset("t", KAFKA)], outputs=[files])
    inventory = fill(store, msgspec.json.encode(event))
    found = [entry.dataset for entry in inventory.datasets()]
    assert DatasetRef(Name("s3://lake", "orders"), (Name("glue", "sales.orders"),)) in found
    assert len(found) == 2


def test_gaps_are_told(store: Engine) -> None:
    gaps = {"headwater_gaps": {"gaps": [{"name": "LogicalRDD", "kind": "input"}]}}
    event = run_event("COMPLETE", run_facets=gaps, outputs=[dataset("out")])
    inventory = fill(store, msgspec.json.encode(event))
    (job,) = inventory.jobs()
    (entry,) = inventory.datasets()
    assert "LogicalRDD" in job.gaps and entry.gaps == job.gaps


def test_a_source_that_only_decides_is_marked(store: Engine) -> None:
    source = dataset("in", KAFKA)
    lineage = column_lineage(source, "id")
    ways = [{"type": "INDIRECT", "subtype": "FILTER"}]
    lineage["fields"]["id"]["inputFields"].append(
        {**source, "field": "day", "transformations": ways}
    )
    target = dataset("out", KAFKA, columnLineage=lineage)
    event = run_event("COMPLETE", inputs=[source], outputs=[target])
    inventory = fill(store, msgspec.json.encode(event))
    (upstream,) = (each for entry in inventory.datasets() for each in entry.upstreams)
    assert {(link.source, link.is_indirect) for link in upstream.columns} == {
        ("day", True), ("id", False),
    }  # fmt: skip
