"""Problems: found, filtered, acknowledged and taken back; on their page and on Home."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.model.values.instant import MINUTE, format_instant, now
from testing.api import Api, no_lake, serve
from testing.site import Site
from tests.ui.events import event, run_id, table
from tests.ui.test_faults import NAMES, SECRET, is_hit

pytestmark = pytest.mark.integration


def fail(api: Api, name: str, number: int, owner: str = "team:one") -> None:
    """A run that failed a minute ago."""
    told = {"eventType": "FAIL", "eventTime": format_instant(now() - MINUTE)}
    failed = event(name, [], [table("target")], number, **told)
    failed["job"]["facets"] = {"ownership": {"owners": [{"name": owner}]}}
    error = {"message": f"Reason of {name}", "programmingLanguage": "SQL"}
    failed["run"]["facets"] = {"errorMessage": error}
    api.store(failed)


def test_home_leads_to_the_owner_and_the_failed_run_in_two_clicks(own: tuple[Site, Api]) -> None:
    site, api = own
    fail(api, "load", 1)
    site.open("/")
    card = site.page.locator(".card", has_text="Needs attention")
    expect(card).to_contain_text("Reason of load")
    expect(card.get_by_role("link", name="team:one")).to_be_visible()
    card.get_by_role("link", name="Run", exact=True).click()
    expect(site.page.get_by_text("What went wrong")).to_be_visible()
    expect(site.page).to_have_url(re.compile(run_id(1)))


def test_counts_lead_to_what_they_count(own: tuple[Site, Api]) -> None:
    site, api = own
    fail(api, "load", 1)
    site.open("/")
    site.page.locator(".counts").get_by_role("link", name="failed").click()
    expect(site.page).to_have_url(re.compile("/problems.*problem=failed"))
    expect(site.page.get_by_role("link", name="load")).to_be_visible()
    site.open("/")
    site.page.locator(".bar-link").last.click()
    expect(site.page).to_have_url(re.compile("/events.*after="))


def test_by_owner(own: tuple[Site, Api]) -> None:
    site, api = own
    fail(api, "first", 1, "team:one")
    fail(api, "second", 2, "team:two")
    site.open("/problems")
    rows = site.page.locator(".problem-rows > li")
    expect(rows).to_have_count(2)
    site.page.locator(".form-row").get_by_label("Owner").select_option("team:two")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("second")
    expect(site.page).to_have_url(re.compile("owner=team"))
    site.page.get_by_role("link", name="Clear").click()
    expect(rows).to_have_count(2)


def test_a_problem_is_acknowledged_and_taken_back(own: tuple[Site, Api]) -> None:
    site, api = own
    page = site.page
    fail(api, "load", 1)
    site.open("/problems")
    page.get_by_role("button", name="Acknowledge").click()
    assert site.violations() == []
    page.get_by_label("Reason").fill("The disk is being replaced <b>now</b>")
    page.get_by_role("dialog").get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("Nothing needs attention")).to_be_visible()
    page.get_by_role("link", name="Show 1 acknowledged problem").click()
    row = page.locator(".problem-rows > li")
    expect(row).to_contain_text("Acknowledged by local")
    expect(row).to_contain_text("The disk is being replaced <b>now</b>")
    assert site.violations() == []
    row.get_by_role("button", name="Take back").click()
    expect(row).to_have_count(0)
    site.open("/problems")
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible()


def test_by_the_keyboard_alone(own: tuple[Site, Api]) -> None:
    site, api = own
    page = site.page
    fail(api, "load", 1)
    site.open("/problems")
    page.get_by_role("button", name="Acknowledge").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.type("Known")
    # Past for how long, and who.
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing needs attention")).to_be_visible()


def test_two_people_at_once(own: tuple[Site, Api]) -> None:
    """Both are in the log, and the later one counts."""
    site, api = own
    fail(api, "load", 1)
    other = site.page.context.new_page()
    for page in (site.page, other):
        Site(page, site.url).open("/problems")
        page.get_by_role("button", name="Acknowledge").click()
        page.get_by_label("Reason").fill("Mine")
    for page in (site.page, other):
        page.get_by_role("dialog").get_by_role("button", name="Acknowledge").click()
        expect(page.get_by_text("Nothing needs attention")).to_be_visible()
    assert len(api.read("/edits")["edits"]) == 2
    other.close()


def test_rejected_events_are_a_problem_that_leads_to_them(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("load", [], []))
    api.post({"eventTime": 7})
    site.open("/problems")
    site.page.get_by_role("link", name="Events from").click()
    expect(site.page.get_by_text("$.eventTime")).to_be_visible()


def test_hostile_names_are_names(own: tuple[Site, Api]) -> None:
    site, api = own
    for number, name in enumerate(NAMES.values()):
        fail(api, name, number, owner=name)
    # And the table that all of them should write.
    for width in (1280, 360):
        site.page.set_viewport_size({"width": width, "height": 740})
        site.open("/problems")
        expect(site.page.locator(".problem-rows > li")).to_have_count(len(NAMES) + 1)
        assert site.too_wide() == []
    assert not is_hit(site.page)


def test_who_may_only_read_is_told_so(page: Page, tmp_path: Path) -> None:
    settings = no_lake(
        f"sqlite:///{tmp_path / 'store.db'}",
        auth=AuthSettings(keys=SecretStr(f"me:{SECRET}:read,you:{SECRET}-2:write+read")),
    )
    with serve(settings) as url:
        headers = {"Authorization": f"Bearer {SECRET}-2"}
        failed = event("load", [], [], eventType="FAIL", eventTime=format_instant(now() - MINUTE))
        sent = page.request.post(f"{url}/api/v1/lineage", data=failed, headers=headers)
        assert sent.ok
        Site(page, url).open("/problems")
        page.get_by_label("API key", exact=True).fill(SECRET)
        page.get_by_role("button", name="Use key").click()
        button = page.get_by_role("button", name="Acknowledge")
        expect(button).to_be_disabled()
        expect(button).to_have_attribute("title", re.compile("may read only"))
