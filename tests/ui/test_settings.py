"""Settings: the key, the time zone, saved views, and who sends events."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from testing.api import Api, no_lake, serve
from testing.site import FACT, Site, watch
from tests.ui.events import event, run_id, table
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration

READER, WRITER = "a-long-secret-to-read", "a-long-secret-to-write"


@pytest.fixture
def abroad(browser: Browser, own: tuple[Site, Api]) -> Iterator[Site]:
    """The UI on a machine that is five hours and a half ahead of UTC."""
    context = browser.new_context(timezone_id="Asia/Kolkata", reduced_motion="reduce")
    page = context.new_page()
    faults = watch(page)
    yield Site(page, own[0].url)
    context.close()
    assert faults == []


def test_times_are_shown_and_entered_in_the_zone_that_was_chosen(
    abroad: Site, own: tuple[Site, Api]
) -> None:
    api, page = own[1], abroad.page
    api.store(event("load", [table("a")], [table("b")], eventTime="2026-01-05T20:00:00Z"))
    abroad.open("/run", id=run_id(1))
    expect(page.get_by_label("Details")).to_contain_text("2026-01-05 20:00:00 UTC")
    abroad.open("/settings")
    expect(page.get_by_text("It is now")).to_contain_text("UTC")
    page.get_by_label("Local time").check()
    expect(page.get_by_text("It is now")).to_contain_text("GMT+5:30")
    # On every page from then on, also of what is opened later.
    abroad.open("/run", id=run_id(1))
    expect(page.get_by_label("Details")).to_contain_text("2026-01-06 01:30:00 GMT+5:30")
    abroad.open("/events", after="2026-01-05T19:30:00Z")
    expect(page.get_by_role("cell", name="2026-01-06 01:30:00")).to_be_visible()
    after = page.get_by_label("From (GMT+5:30)")
    expect(after).to_have_value("2026-01-06T01:00")
    after.fill("2026-01-06T02:00")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page).to_have_url(re.compile("after=2026-01-05T20%3A30%3A00Z"))
    expect(page.get_by_text("No event matches")).to_be_visible()


def test_the_key_says_who_one_is_and_is_changed_and_forgotten(page: Page, tmp_path: Path) -> None:
    keys = SecretStr(f"reader:{READER}:read,writer:{WRITER}:read+write")
    settings = no_lake(f"sqlite:///{tmp_path / 'store.db'}", auth=AuthSettings(keys=keys))
    with serve(settings) as url:
        Site(page, url).open("/settings")
        page.get_by_label("API key", exact=True).fill(READER)
        page.get_by_role("button", name="Use key").click()
        card = page.locator(".card", has=page.get_by_role("heading", name="API key"))
        expect(card).to_contain_text("reader")
        expect(card).to_contain_text("until this tab is closed")
        card.get_by_role("button", name="Use another API key").click()
        page.get_by_label("API key", exact=True).fill(WRITER)
        page.get_by_label("Keep it in this browser").check()
        page.get_by_role("button", name="Use key").click()
        expect(card).to_contain_text("writer")
        expect(card).to_contain_text("edit")
        expect(card).to_contain_text("kept in this browser")
        card.get_by_role("button", name="Forget the key").click()
        expect(page.get_by_label("API key", exact=True)).to_be_visible()
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_view_is_saved_opened_and_removed(site: Site) -> None:
    page = site.page
    site.open("/browse", namespace=FACT[0], kind="dataset")
    page.get_by_role("button", name="Save this view").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_have_value("Browse")
    dialog.get_by_label("Name").fill("Our marts")
    dialog.get_by_role("button", name="Save view").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Our marts").click()
    expect(page).to_have_url(re.compile(r"/browse\?namespace=snowflake.*kind=dataset"))
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Remove Our marts").click()
    expect(page.get_by_text("No saved views")).to_be_visible()


def test_what_is_kept_leads_nowhere_else(site: Site) -> None:
    site.open("/settings")
    kept = """[{"name": "a", "address": "javascript:alert(1)"},
      {"name": "b", "address": "//example.com"}, {"name": "c", "address": "/\\\\\\\\example.com"},
      {"name": 1, "address": "/"}, null, {"name": "fine", "address": "/problems"}]"""
    site.page.evaluate("kept => localStorage.setItem('headwater-views', kept)", kept)
    site.page.reload()
    views = site.page.locator(".card", has_text="Saved views").get_by_role("link")
    expect(views).to_have_text(["fine"])


@pytest.mark.parametrize("kind", NAMES)
def test_senders_and_views_with_hostile_names(own: tuple[Site, Api], kind: str) -> None:
    site, api = own
    name = NAMES[kind]
    told = event("load", [], [table("b")], producer=name)
    told["job"]["namespace"] = name
    api.store(told)
    api.post({**told, "eventTime": name})
    site.page.set_viewport_size({"width": 360, "height": 740})
    site.open("/settings")
    site.page.get_by_role("button", name="Save this view").click()
    site.page.get_by_role("dialog").get_by_label("Name").fill(name[:200])
    site.page.get_by_role("button", name="Save view").click()
    card = site.page.locator(".card", has_text="Who sends events")
    row = card.get_by_role("row").nth(1)
    expect(row).to_contain_text(name.strip()[:60])
    # What was rejected is named with its reason, and leads to it.
    expect(row.get_by_role("link", name="1", exact=True)).to_be_visible()
    assert site.too_wide() == []
    assert site.violations() == []
    assert not is_hit(site.page)
