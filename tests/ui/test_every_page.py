"""Every page, in both themes, on a phone, enlarged, and by the keyboard alone: for everybody."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import DAY, format_instant, now
from testing.api import open_api
from testing.operations import fill_operations
from testing.site import (
    DASHBOARD,
    FACT,
    RAW,
    SUMMARY_JOB,
    Site,
    dataset_id,
    field_id,
    wait_until_read,
)

pytestmark = pytest.mark.integration

PAST = format_instant(now() - 3 * DAY)
# Stands for the id of the newest run of a job, which each example has another of.
NEWEST = "the newest run"


def named(names: tuple[str, str], **more: str) -> dict[str, str]:
    return {"namespace": names[0], "name": names[1], **more}


# Each page: its address, its search, and words that are there once it is complete.
PAGES: dict[str, tuple[str, dict[str, Any], str]] = {
    "impact": ("/impact", {"node": dataset_id(RAW)}, "dashboards.executive_revenue"),
    "impact by owner": (
        "/impact",
        {"node": dataset_id(RAW), "grouped": "1"},
        "executive-revenue-dashboard",
    ),
    "home": ("/", {}, "fraud-screening"),
    "problems": ("/problems", {}, "fraud-screening"),
    "changes": ("/changes", {"last": "7d"}, "daily_revenue_summary"),
    "pick": ("/lineage", {}, "Pick where to start"),
    "lineage": ("/lineage", {"node": dataset_id(FACT)}, "customer_email_hash"),
    "columns": (
        "/lineage",
        {"node": dataset_id(FACT), "columns": dataset_id(FACT), "table": "1"},
        "What is shown",
    ),
    "path": (
        "/lineage",
        {"node": dataset_id(DASHBOARD), "column": field_id(DASHBOARD, "revenue_last_7_days")},
        "revenue_last_7_days",
    ),
    "dataset": ("/dataset", named(FACT), "SHA-256 of the address of who ordered."),
    "column": ("/column", named(FACT, field="revenue"), "quantity * price"),
    "job": ("/job", named(SUMMARY_JOB), "reached the credit quota"),
    "events": ("/events", {}, "warehouse-orders-sink"),
    "rejected": ("/events", {"kind": "rejected"}, "Nothing was rejected"),
    "sql": ("/sql", {}, "Paste SQL to see"),
    "browse": ("/browse", {"namespace": "kafka://broker:9092"}, "cdc.commerce.orders"),
    "browse a system": ("/browse", {"system": "dbt"}, "shop_analytics"),
    "owners": ("/owner", {}, "team:analytics"),
    "owner": ("/owner", {"name": "team:analytics"}, "orders_fact"),
    "tags": ("/tag", {}, "pii"),
    "tag": ("/tag", {"name": "pii"}, "customer_email"),
    "compare": ("/compare", named(SUMMARY_JOB), "Rows and bytes"),
    "settings": ("/settings", {}, "Who sends events"),
    "past dataset": ("/dataset", named(FACT, asof=PAST), "what runs had reported"),
    "past column": ("/column", named(FACT, field="revenue", asof=PAST), "quantity * price"),
    "past job": ("/job", named(SUMMARY_JOB, asof=PAST), "what runs had reported"),
    "past graph": ("/lineage", {"node": dataset_id(FACT), "since": PAST}, "Compared with"),
    "run": ("/run", {"id": NEWEST}, "Its events"),
    "no collectors": ("/collectors", {}, "No collectors yet"),
    "no ingestions": ("/ingestions", {}, "No ingestions yet"),
    "nobody's": ("/nowhere", {}, "Not found"),
}
# Pages of what the example has nothing of.
OPERATED: dict[str, tuple[str, dict[str, Any], str]] = {
    "discovery": ("/discovery", {}, "shadow"),
    "drift": ("/drift", {}, "observed, not declared"),
    "collectors": ("/collectors", {}, "refuses the key"),
    "ingestions": ("/ingestions", {}, "Orders of the shop"),
    "settings with collectors": ("/settings", {}, "2 collectors"),
}
EVERY = (*PAGES, *OPERATED)


@pytest.fixture(scope="session")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with collectors, an ingestion, findings and drift."""
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('operated') / 'store.db'}") as api:
        fill_operations(api)
        yield api.url


@pytest.fixture
def shown(page: Page, example: str, operated: str, name: str) -> Site:
    """The page of a name, once it is complete."""
    site = Site(page, operated if name in OPERATED else example)
    path, search, words = (PAGES | OPERATED)[name]
    if search.get("id") == NEWEST:
        search = {"id": _newest_run(site)}
    site.open(path, **search)
    expect(page.get_by_text(words).first).to_be_attached()
    wait_until_read(page)
    return site


def _newest_run(site: Site) -> str:
    namespace, job = (part.replace("/", "%2F") for part in SUMMARY_JOB)
    answer = site.page.request.get(f"{site.url}/api/v1/namespaces/{namespace}/jobs/{job}/runs")
    return str(answer.json()["runs"][0]["id"])


@pytest.mark.parametrize("name", EVERY)
def test_it_is_for_everybody_and_by_the_keyboard(shown: Site) -> None:
    assert shown.violations() == []
    shown.page.get_by_role("button", name="Switch to dark").click()
    assert shown.violations() == []
    assert shown.keyboard_faults() == []


@pytest.mark.parametrize("name", EVERY)
def test_it_fits_a_phone_and_twice_its_size(shown: Site) -> None:
    # A window of 1280 by 860 in which everything is enlarged to 200 %.
    shown.page.set_viewport_size({"width": 640, "height": 430})
    assert shown.too_wide() == []
    shown.page.set_viewport_size({"width": 360, "height": 740})
    assert shown.too_wide() == []
    assert shown.violations() == []
    shown.page.get_by_role("button", name="Switch to dark").click()
    assert shown.violations() == []
