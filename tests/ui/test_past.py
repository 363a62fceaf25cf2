"""Pages as of a time: a dataset, a column, a job and an impact as they were."""

import re

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import DAY, MINUTE, format_instant, now
from testing.api import Api
from testing.site import Site
from tests.ui.events import event, facet, run_id, table
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration

HOUR = 60 * MINUTE
ORDERS = {"namespace": "db://host", "name": "orders"}
WEEK_AGO = "7 days ago"


def copied(name: str, source: str, column: str) -> dict[str, object]:
    """A table with a column that is copied from another."""
    of = {"namespace": "db://host", "name": source, "field": column}
    fields = {column: {"inputFields": [of]}}
    lineage = {**facet("ColumnLineageDatasetFacet"), "fields": fields}
    return table(name, [column], columnLineage=lineage)


def fill(api: Api, name: str = "price") -> None:
    """Ten days ago `old_load` copied a column from `shop`; since an hour `load` copies another."""
    for number, (job, source, column, ago) in enumerate(
        (("old_load", "shop", name, 10 * DAY), ("load", "store", "amount", HOUR))
    ):
        told = event(job, [table(source, [column])], [copied("orders", source, column)], number)
        told["job"]["facets"] = {"sql": {**facet("SQLJobFacet"), "query": f"-- {job}"}}
        api.store(told | {"eventTime": format_instant(now() - ago)})
    api.store(
        event("report", [table("orders")], [table("revenue")], 3)
        | {"eventTime": format_instant(now() - 9 * DAY)}
    )


@pytest.fixture
def shop(own: tuple[Site, Api]) -> Site:
    fill(own[1])
    return own[0]


def choose_last_week(page: Page) -> None:
    page.locator("summary", has_text="As of").click()
    page.get_by_role("button", name=WEEK_AGO).click()


def test_a_dataset_and_what_it_leads_to_are_of_the_same_time(shop: Site, page: Page) -> None:
    shop.open("/dataset", **ORDERS)
    expect(page.locator(".schema-row", has_text="amount")).to_be_visible()
    choose_last_week(page)
    expect(page.get_by_role("note")).to_contain_text("what runs had reported until then")
    row = page.locator(".schema-row", has_text="price")
    expect(row).to_contain_text("shop.price")
    expect(page.locator(".schema-row", has_text="amount")).to_have_count(0)
    written = page.locator(".card", has=page.get_by_role("heading", name="Written by"))
    expect(written.get_by_role("listitem")).to_have_count(1)
    read = page.locator(".card", has=page.get_by_role("heading", name="Read by"))
    expect(read.get_by_role("link", name="report")).to_be_visible()
    expect(page.locator(".card", has_text="Schema changes").get_by_role("listitem")).to_have_count(
        1
    )
    # What is of now alone cannot be changed here.
    for name in ("Edit", "Delete"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    assert shop.violations() == []
    assert shop.small_targets() == []
    # The same from its link alone; and what it leads to is as of then.
    page.reload()
    written.get_by_role("link", name="old_load").click()
    expect(page).to_have_url(re.compile("/job.*asof="))
    expect(page.get_by_label("Details").get_by_role("link", name=run_id(0)[:13])).to_be_visible()
    expect(page.locator(".card", has_text="Reads").first).to_contain_text("shop")
    expect(page.locator(".sql")).to_contain_text("-- old_load")
    assert shop.violations() == []
    page.get_by_role("link", name="Lineage", exact=True).last.click()
    expect(page).to_have_url(re.compile("/lineage.*asof="))
    page.go_back()
    page.locator("summary", has_text="As of").click()
    page.get_by_role("button", name="now", exact=True).click()
    expect(page).not_to_have_url(re.compile("asof"))
    expect(page.get_by_role("heading", name="Edits", exact=True)).to_be_visible()


def test_a_column_and_an_impact(shop: Site, page: Page) -> None:
    shop.open("/column", **ORDERS, field="price")
    choose_last_week(page)
    sources = page.get_by_role("group", name="Comes from")
    expect(sources).to_contain_text("shop")
    expect(sources).to_contain_text("old_load")
    assert shop.violations() == []
    shop.open("/impact", node="dataset:db://host:shop")
    choose_last_week(page)
    rows = page.locator(".impact-table tbody tr")
    expect(rows.filter(has_text="orders")).to_be_visible()
    assert shop.violations() == []
    rows.get_by_role("link", name="orders", exact=True).click()
    expect(page).to_have_url(re.compile("/dataset.*asof="))


def test_by_the_keyboard(shop: Site, page: Page) -> None:
    shop.open("/dataset", **ORDERS)
    expect(page.locator(".schema-row", has_text="amount")).to_be_visible()
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="now", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("summary", has_text="As of")).to_be_focused()
    page.keyboard.press("t")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".schema-row", has_text="price")).to_be_visible()


def test_before_it_was_known_it_says_so(shop: Site, page: Page) -> None:
    shop.open("/dataset", **ORDERS, asof=format_instant(now() - 100 * DAY))
    expect(page.get_by_text("No run had reported it by")).to_be_visible()
    assert shop.violations() == []
    shop.open("/job", namespace="jobs", name="load", asof=format_instant(now() - 7 * DAY))
    expect(page.get_by_text("No run had reported it by")).to_be_visible()
    shop.open("/dataset", **ORDERS, asof="<script>")
    expect(page.locator(".schema-row", has_text="amount")).to_be_visible()


@pytest.mark.parametrize("kind", ["script", "commas", "right to left", "long"])
def test_hostile_names(own: tuple[Site, Api], page: Page, kind: str) -> None:
    site, api = own
    fill(api, NAMES[kind])
    page.set_viewport_size({"width": 360, "height": 740})
    site.open("/dataset", **ORDERS, asof=format_instant(now() - 7 * DAY))
    expect(page.locator(".schema-row").nth(1)).to_contain_text(NAMES[kind][:6].strip())
    assert site.too_wide() == []
    assert site.violations() == []
    assert not is_hit(page)
