"""What a change affects, and what is wrong upstream: on the pages where it is asked."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from testing.api import Api
from testing.site import DASHBOARD, RAW, Site, dataset_id
from tests.ui.events import event, table

pytestmark = pytest.mark.integration


def test_a_column_leads_to_what_it_affects_by_owner(site: Site, page: Page) -> None:
    site.open("/column", namespace=RAW[0], name=RAW[1], field="price")
    page.get_by_role("link", name="Impact").click()
    rows = page.locator(".impact-table tbody tr")
    expect(rows.filter(has_text=DASHBOARD[1])).to_contain_text("direct")
    page.get_by_role("button", name="Group by owner").click()
    expect(page.get_by_role("heading", level=3).first).to_contain_text("team:")
    page.locator("label", has_text="Owner").locator("select").first.select_option("team:finance")
    expect(page.get_by_role("heading", level=3)).to_have_count(1)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="CSV").click()
    text = Path(downloading.value.path()).read_text()
    assert DASHBOARD[1] in text and "team:analytics" not in text


def test_what_failed_upstream_is_named_with_its_path(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("load", [table("a")], [table("b")], 1, eventType="FAIL"))
    api.store(event("report", [table("b")], [table("c")], 2))
    site.open("/dataset", namespace="db://host", name="c")
    notice = site.page.locator(".upstream")
    expect(notice).to_contain_text("1 upstream problem")
    expect(notice.get_by_role("link", name="load")).to_be_visible()
    notice.get_by_role("link", name="Path").click()
    expect(site.node("job:jobs:load")).to_be_visible()
    expect(site.node(dataset_id(("db://host", "c")))).to_be_visible()
