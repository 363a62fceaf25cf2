"""The graph as of a time, and two times compared: by clicks, by the keyboard, by a link."""

import re

import pytest
from playwright.sync_api import expect

from headwater.model.values.instant import DAY, MINUTE, format_instant, now
from testing.api import Api
from testing.site import Site
from tests.ui.events import event, table

pytestmark = pytest.mark.integration

HOUR = 60 * MINUTE
ORDERS, COPY = "dataset:db://host:orders", "dataset:db://host:copy"


@pytest.fixture
def shop(own: tuple[Site, Api]) -> Site:
    """Ten days ago one job wrote a table from another; since yesterday it reads a third as well."""
    site, api = own
    told = {"eventTime": format_instant(now() - 10 * DAY)}
    api.store(event("load", [table("orders", ["id"])], [table("copy", ["id"])], 1, **told))
    told = {"eventTime": format_instant(now() - DAY + HOUR)}
    inputs = [table("orders", ["id", "coupon"]), table("rates", ["rate"])]
    api.store(event("load", inputs, [table("copy", ["id", "coupon"])], 2, **told))
    return site


def test_last_week_and_what_changed_in_three_clicks(shop: Site) -> None:
    page = shop.page
    shop.open_graph(node=COPY)
    expect(shop.nodes()).to_have_count(4)
    page.locator("summary", has_text="Compare with").click()
    page.get_by_role("button", name="7 days ago").click()
    expect(
        page.get_by_text(re.compile("Compared with .*: 2 added, 0 removed, 2 changed"))
    ).to_be_visible()
    expect(shop.node("dataset:db://host:rates").locator(".node.is-added")).to_be_visible()
    expect(shop.node(ORDERS).locator(".node.is-changed")).to_contain_text("changed")
    expect(page.locator(".wire.is-added")).to_have_count(1)
    assert shop.violations() == []
    page.get_by_role("link", name="List the changes").click()
    expect(page.locator(".problem-rows > li").first).to_contain_text("load")
    expect(page).to_have_url(re.compile(r"/changes\?node=.*from="))


def test_as_of_a_time_is_in_the_link(shop: Site) -> None:
    page = shop.page
    shop.open_graph(node=COPY)
    page.locator("summary", has_text="As of").click()
    page.get_by_role("button", name="7 days ago").click()
    expect(shop.nodes()).to_have_count(3)
    expect(page.get_by_text("Health is not shown of the past")).to_be_visible()
    assert shop.violations() == []
    page.reload()
    expect(shop.nodes()).to_have_count(3)
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("button", name="coupon")).to_have_count(0)
    page.locator("summary", has_text="As of").click()
    page.get_by_role("button", name="now", exact=True).click()
    expect(shop.nodes()).to_have_count(4)
    expect(page).not_to_have_url(re.compile("asof="))


def test_any_time_by_the_keyboard(shop: Site) -> None:
    page = shop.page
    shop.open_graph(node=COPY)
    page.locator("summary", has_text="As of").focus()
    page.keyboard.press("Enter")
    page.locator("details[open]").get_by_label("A time (UTC)").fill(
        format_instant(now() - 5 * DAY)[:16]
    )
    page.keyboard.press("Enter")
    expect(shop.nodes()).to_have_count(3)


def test_what_went_is_still_drawn(own: tuple[Site, Api]) -> None:
    site, api = own
    for run, (source, ago) in enumerate((("old", 10 * DAY), ("new", HOUR))):
        told = {"eventTime": format_instant(now() - ago)}
        api.store(event("load", [table(source)], [table("copy")], run, **told))
    site.open_graph(node=COPY, since=format_instant(now() - 5 * DAY))
    expect(site.node("dataset:db://host:old").locator(".node.is-removed")).to_contain_text(
        "removed"
    )
    expect(site.page.locator(".wire.is-removed")).to_have_count(1)


def test_a_node_that_was_not_there_yet(shop: Site) -> None:
    shop.open_graph(node="dataset:db://host:rates", since=format_instant(now() - 5 * DAY))
    expect(shop.page.get_by_text(re.compile("Compared with .* added"))).to_be_visible()
    expect(shop.node("dataset:db://host:rates").locator(".node.is-added")).to_be_visible()


def test_what_is_no_time_counts_as_none(shop: Site) -> None:
    shop.open_graph(node=COPY, asof="<script>", since="soon")
    expect(shop.nodes()).to_have_count(4)
