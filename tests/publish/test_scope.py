"""What `--exclude` leaves out is named by nothing that is published."""

from collections.abc import Iterable

import msgspec
import pytest

from headwater.model.uses import Name
from headwater.publish.catalog import CatalogItem, CatalogSettings, Skipped
from headwater.publish.catalog.events import EventLimits, job_events
from headwater.publish.catalog.scope import ScopedInventory
from headwater.publish.glue.items import glue_items
from headwater.publish.unity_catalog.items import UnityItems, UnityOptions
from headwater.store.engine import Engine
from testing.events.bridge import GLUE, KAFKA, UNITY

REGION, ACCOUNT = GLUE.split(":")[3:5]


def scoped(store: Engine, *patterns: str) -> ScopedInventory:
    return ScopedInventory(store, CatalogSettings(exclude=patterns))


def text(items: Iterable[CatalogItem | Skipped]) -> str:
    return msgspec.json.encode(list(items)).decode()


def events(inventory: ScopedInventory) -> Iterable[CatalogItem | Skipped]:
    for job in inventory.jobs():
        yield from job_events(job, lambda dataset: dataset.name, EventLimits(100, 100_000))


@pytest.mark.parametrize("pattern", ["orders.enriched", f"{KAFKA}/orders.*"])
def test_a_dataset(shop: Engine, pattern: str) -> None:
    every, some = scoped(shop), scoped(shop, pattern)
    options = UnityOptions((UNITY,), has_all=True, has_properties=True)
    for items in (
        lambda inventory: UnityItems(inventory, options),
        lambda inventory: glue_items(inventory, REGION, ACCOUNT, "headwater"),
        events,
    ):
        assert "enriched" in text(items(every))
        assert "enriched" not in text(items(some))


def test_a_job(shop: Engine) -> None:
    inventory = scoped(shop, "enrich")
    assert "enrich" not in {job.name.name for job in inventory.jobs()}
    made = {entry.dataset.name: entry.upstreams for entry in inventory.datasets()}
    # The one job that makes it is not there, so nothing is known of what it is made of.
    assert made[Name(KAFKA, "orders.enriched")] == ()
    assert made[Name(KAFKA, "orders")] != ()


def test_what_a_job_reads_stays(shop: Engine) -> None:
    jobs = {job.name.name: job for job in scoped(shop, "orders.enriched").jobs()}
    assert [each.name.name for each in jobs["enrich"].inputs] == ["orders"]
    assert jobs["enrich"].outputs == []
