"""Pages that follow what happens, without a reload and without moving under who reads them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from testing.api import Api
from testing.site import Site
from tests.ui.events import event, run_id, table

pytestmark = pytest.mark.integration

_PLACES = """() => Object.fromEntries([...document.querySelectorAll(".react-flow__node")]
  .map((node) => [node.dataset.id, node.style.transform]))"""
_HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def streams(page: Page) -> Iterator[list[str]]:
    """The last event ids of each stream that the page opened."""
    opened: list[str] = []
    page.on(
        "request",
        lambda request: (
            opened.append(request.headers.get("last-event-id", ""))
            if request.url.endswith("/api/v1/live")
            else None
        ),
    )
    yield opened


def is_following(page: Page) -> None:
    expect(page.locator(".live-status.live")).to_be_visible()


def test_a_job_shows_a_new_run_by_itself(own: tuple[Site, Api], streams: list[str]) -> None:
    site, api = own
    api.store(event("load", [table("a")], [table("b")], 1))
    site.open("/job", namespace="jobs", name="load")
    is_following(site.page)
    expect(site.page.locator(f'a[href*="{run_id(1)}"]').first).to_be_visible()
    api.store(event("load", [table("a")], [table("b")], 2, eventType="FAIL"))
    expect(site.page.locator(f'a[href*="{run_id(2)}"]').first).to_be_visible()
    expect(site.page.locator(".live-status")).to_contain_text("Updated")
    assert len(streams) == 1


def test_a_node_changes_its_state_where_it_stands(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("load", [table("a")], [table("b")], 1))
    api.store(event("report", [table("b")], [table("c")], 2))
    site.open_graph(node="dataset:db://host:b")
    is_following(site.page)
    load = site.node("job:jobs:load")
    expect(load).to_be_visible()
    before = site.page.evaluate(_PLACES)
    later = {"eventType": "FAIL", "eventTime": "2026-01-06T10:00:00Z"}
    api.store(event("load", [table("a")], [table("b")], 3, **later))
    expect(load).to_contain_text("failed")
    assert site.page.evaluate(_PLACES) == before


def test_events_are_followed_and_paused(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("first", [], [table("a")], 1))
    site.open("/events")
    is_following(site.page)
    rows = site.page.locator(".events-table tbody tr")
    expect(rows).to_have_count(1)
    # A list does not move under who reads it, unless that is asked for.
    api.store(event("second", [], [table("a")], 2))
    site.page.get_by_role("button", name="Show 1 new event").click()
    expect(rows).to_have_count(2)
    site.page.get_by_role("button", name="Follow new events").click()
    api.store(event("third", [], [table("a")], 3))
    expect(rows).to_have_count(3)
    site.page.get_by_role("button", name="Pause").click()
    api.store(event("fourth", [], [table("a")], 4))
    expect(site.page.get_by_role("button", name="Show 1 new event")).to_be_visible()
    expect(rows).to_have_count(3)


def test_a_hidden_tab_follows_nothing_and_resumes(
    own: tuple[Site, Api], streams: list[str]
) -> None:
    site, api = own
    site.open("/browse", namespace="jobs", kind="job")
    is_following(site.page)
    api.store(event("before", [], [table("a")], 1))
    expect(site.page.get_by_role("link", name="before")).to_be_visible()
    site.page.evaluate(_HIDE, "hidden")
    api.store(event("meanwhile", [], [table("a")], 2))
    assert len(streams) == 1
    site.page.evaluate(_HIDE, "visible")
    expect(site.page.get_by_role("link", name="meanwhile")).to_be_visible()
    assert len(streams) == 2 and streams[0] == "" and streams[1].count(".") == 3
