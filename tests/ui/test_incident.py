"""The story the product is for: a number on a dashboard is wrong at three in the morning."""

import pytest
from playwright.sync_api import Browser, Page, expect

from testing.site import DASHBOARD, SUMMARY_JOB, Site, dataset_id, job_id

pytestmark = pytest.mark.integration

ORDERS = "dataset:postgres://commerce-db:5432:shop.commerce.orders"


def test_from_the_dashboard_to_the_cause(site: Site, page: Page, browser: Browser) -> None:
    # Search the dashboard.
    site.open("/")
    site.search("executive_revenue").filter(has_text="Dataset").first.click()
    expect(site.node(dataset_id(DASHBOARD))).to_be_visible()

    # Go upstream: what writes the table behind it.
    summary = "dataset:snowflake://acme-shop:analytics.marts.daily_revenue_summary"
    site.node(summary).locator(".side-button.up").click()
    site.node(job_id(SUMMARY_JOB)).locator(".node-head").click()
    expect(site.node(job_id(SUMMARY_JOB)).locator(".node.selected")).to_be_visible()

    # See the failed run and its error.
    panel = page.get_by_role("complementary")
    panel.locator("li", has_text="failed").get_by_role("link").click()
    expect(
        page.get_by_text("reached the credit quota of its resource monitor").first
    ).to_be_visible()

    # Back, and follow the revenue column to its source.
    page.go_back()
    site.node(dataset_id(DASHBOARD)).get_by_role("button", name="Show columns").click()
    site.node(dataset_id(DASHBOARD)).get_by_role("button", name="revenue_last_7_days").click()
    expect(site.node(ORDERS).get_by_role("button", name="price")).to_be_attached()
    before = site.shown()

    # Copy the link, and open it anew, as somebody else.
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    context = browser.new_context(viewport={"width": 1360, "height": 860})
    other = Site(context.new_page(), site.url)
    other.page.goto(link)
    expect(other.node(ORDERS)).to_be_attached()
    assert other.shown() == before
    context.close()
