"""Small things that hurt every day: alignment, focus, history, filters, addresses, keys."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from testing.api import Api, no_lake, serve
from testing.site import DASHBOARD, FACT, RAW, Site, dataset_id, field_id, wait_until_read
from tests.ui.events import event, facet, table
from tests.ui.test_every_page import PAGES

pytestmark = pytest.mark.integration

HISTORY = "history.length"
READER, WRITER = "a-long-secret-to-read", "a-long-secret-to-write"


def test_the_text_of_an_event_begins_at_the_left(site: Site, page: Page) -> None:
    site.open("/events")
    page.get_by_role("button", name="Open").first.click()
    expect(page.locator("td.event-open")).to_have_css("text-align", "left")


def test_a_group_is_one_box_and_opened_by_the_keyboard(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT), up="9", down="9", group="system")
    group = page.locator(".react-flow__node", has=page.locator(".node.group")).first
    expect(group).to_have_css("border-top-width", "0px")
    page.locator(".react-flow").focus()
    for _ in range(8):
        if page.locator(".node.group.selected").count():
            break
        page.keyboard.press("ArrowLeft")
    before = len(site.shown())
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("ungrouped="))
    expect(site.nodes()).not_to_have_count(before)


def test_only_the_selected_node_has_tab_stops(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT))
    stops = page.locator('.react-flow__node button:not([tabindex="-1"])')
    own = site.node(dataset_id(FACT)).locator('button:not([tabindex="-1"])')
    assert stops.count() == own.count() > 0


def test_arrow_keys_leave_the_history_alone(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT))
    before = page.evaluate(HISTORY)
    page.get_by_label("Hops upstream").focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    expect(page).to_have_url(re.compile("up=4"))
    page.locator(".react-flow").focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("at="))
    assert page.evaluate(HISTORY) == before


def test_path_to_takes_what_is_typed(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT))
    page.locator("summary", has_text="Path to").click()
    expect(page.get_by_role("combobox", name="Path to another node")).to_be_focused()


def test_columns_beside_the_path_are_listed_too(site: Site, page: Page) -> None:
    site.open_graph(
        node=dataset_id(DASHBOARD),
        column=field_id(DASHBOARD, "revenue_last_7_days"),
        at=dataset_id(RAW),
    )
    panel = page.get_by_role("complementary")
    expect(panel.get_by_role("button", name="customer_email")).to_be_attached()
    site.open_graph(node=dataset_id(RAW), to=dataset_id(DASHBOARD))
    expect(panel.get_by_role("button", name="customer_email")).to_be_attached()


def test_filters_know_tags_of_columns_and_what_is_wrong(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    tags = {"tags": {**facet("TagsDatasetFacet"), "tags": [{"key": "pii", "field": "email"}]}}
    streaming = {"jobType": {"processingType": "STREAMING", "integration": "FLINK"}}
    targets = {"load": table("people", ["email"], **tags), "copy": table("plain")}
    for number, (job, target) in enumerate(targets.items()):
        told = event(job, [table("source")], [target], number, eventType="RUNNING")
        told["job"]["facets"] = streaming
        api.store(told)
    site.open_graph(node="dataset:db://host:source", down="2")
    page.locator("summary", has_text="Filter").click()
    menu = page.locator(".menu-body")
    menu.get_by_label("Tag").select_option("pii")
    expect(site.nodes()).to_have_count(2)
    menu.get_by_label("Tag").select_option("")
    menu.get_by_label("State").select_option("silent")
    expect(site.nodes()).to_have_count(3)


def test_a_namespace_of_jobs_alone_opens_on_them(site: Site) -> None:
    site.open("/browse", namespace="flink://shop-streams:8081")
    expect(site.page.locator(".segments [aria-current]")).to_have_text(["Jobs"])
    expect(site.page.get_by_role("link", name="order-enrichment")).to_be_visible()


def test_last_written_is_the_same_everywhere(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("read", [table("source")], []))
    site.open_graph(node="dataset:db://host:source")
    panel = site.page.get_by_role("complementary").locator(".facts > div", has_text="Last written")
    expect(panel).to_contain_text("never")
    site.open("/dataset", namespace="db://host", name="source")
    about = site.page.get_by_label("Details").locator(".facts > div", has_text="Last written")
    expect(about).to_contain_text("never")


def test_figures_of_a_plot_can_be_read_without_pointing(site: Site) -> None:
    site.open("/")
    card = site.page.locator(".card", has_text="The last 24 hours")
    card.locator("summary", has_text="Figures").first.click()
    expect(card.locator(".figures li").first).to_contain_text("UTC")
    card.locator(".bars g").last.hover()
    expect(card.locator(".plot-told").first).to_contain_text("UTC")
    assert site.violations() == []


@pytest.mark.parametrize("name", ["dataset", "home", "problems", "tag", "owner", "settings"])
def test_what_is_clicked_on_a_page_is_large_enough(site: Site, name: str) -> None:
    path, search, words = PAGES[name]
    site.open(path, **search)
    expect(site.page.get_by_text(words).first).to_be_visible()
    wait_until_read(site.page)
    assert site.small_targets() == []


@pytest.mark.parametrize("width", [1360, 360])
def test_what_is_clicked_is_large_enough(site: Site, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 860})
    columns = {"columns": dataset_id(FACT)}
    views: list[dict[str, str]] = [{}, {"table": "1"}, columns, {"rates": "1", "find": "orders"}]
    for view in views:
        site.open_graph(node=dataset_id(FACT), **view)
        page.locator(".panel .rows, .panel button").first.wait_for()
        assert site.small_targets() == []
    for name in ("order-enrichment", "fraud-screening"):
        site.open("/job", namespace="flink://shop-streams:8081", name=name)
        page.get_by_role("heading", name="Activity").wait_for()
        assert site.small_targets() == []
    site.open("/job", namespace="dbt://shop-analytics", name="shop_analytics.orders_fact")
    page.locator(".timeline").wait_for()
    assert site.small_targets() == []


def test_an_address_that_is_nobodys_says_so_on_a_page(site: Site) -> None:
    site.open("/nowhere")
    expect(site.page.get_by_role("heading", name="Not found")).to_be_visible()
    site.page.get_by_role("link", name="Go to the home page").click()
    expect(site.page.get_by_text("fraud-screening").first).to_be_visible()


def test_a_key_that_may_not_read_can_be_changed(page: Page, tmp_path: Path) -> None:
    keys = SecretStr(f"reader:{READER}:read,writer:{WRITER}:write")
    settings = no_lake(f"sqlite:///{tmp_path / 'store.db'}", auth=AuthSettings(keys=keys))
    with serve(settings) as url:
        Site(page, url).open("/browse")
        page.get_by_label("API key", exact=True).fill(WRITER)
        page.get_by_role("button", name="Use key").click()
        page.get_by_role("button", name="Use another key").first.click()
        # Nothing is lost by looking, and going back.
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Use another key").first.click()
        page.get_by_label("API key", exact=True).fill(READER)
        page.get_by_label("Keep it in this browser").check()
        page.get_by_role("button", name="Use key").click()
        expect(page.get_by_text("OPENLINEAGE_URL").first).to_be_visible()
        # A tab that is opened later has it.
        other = page.context.new_page()
        Site(other, url).open("/browse")
        expect(other.get_by_text("OPENLINEAGE_URL").first).to_be_visible()
