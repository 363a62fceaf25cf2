"""The Changes page: what changed in a time, by what brought it, each entry a link."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from headwater.model.values.instant import MINUTE, format_instant, now
from testing.api import Api
from testing.site import FACT, Site, dataset_id
from tests.ui.events import event, table
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration


def told(ago: int, **rest: Any) -> dict[str, Any]:
    return {"eventTime": format_instant(now() - ago * MINUTE), **rest}


def test_home_leads_to_what_a_run_changed_in_two_clicks(own: tuple[Site, Api]) -> None:
    site, api = own
    page = site.page
    columns = [f"c{number}" for number in range(6)]
    api.store(event("load", [], [table("orders", columns)], **told(30)))
    site.open("/")
    page.get_by_role("link", name="Show all changes").click()
    rows = page.locator(".problem-rows > li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("added")
    expect(rows).to_contain_text("1 dataset")
    expect(rows).to_contain_text("6 columns")
    assert site.violations() == []
    rows.get_by_role("link", name="load").first.click()
    expect(page.get_by_role("heading", name="load", level=1)).to_be_visible()


def test_by_time_kind_and_node(site: Site) -> None:
    page = site.page
    site.open("/changes", last="7d")
    rows = page.locator(".problem-rows > li")
    expect(rows.first).to_be_visible()
    page.get_by_role("link", name=re.compile("^1 mark$")).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("marked ALTER")
    page.get_by_role("link", name="1 hour").click()
    expect(page.get_by_text("Nothing has changed in this time.")).to_be_visible()
    site.open("/changes", last="7d", node=dataset_id(FACT))
    expect(rows.first).to_be_visible()
    page.get_by_label("Direction").select_option("downstream")
    expect(page).to_have_url(re.compile("direction=downstream"))
    page.get_by_role("link", name="around").click()
    expect(page).not_to_have_url(re.compile("node="))


def test_edits_of_people_are_changes_too(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(event("load", [], [table("orders", ["id"])], **told(30)))
    entity = {"type": "dataset", "namespace": "db://host", "name": "orders"}
    body = {"entity": entity, "set": {"documentation": {"description": "Every <b>order</b>."}}}
    assert api.client.post("/api/v1/edits", json=body).status_code == 201
    site.open("/changes")
    first = site.page.locator(".problem-rows > li").first
    expect(first).to_contain_text("local edited")
    expect(first).to_contain_text("description: Every <b>order</b>.")
    first.get_by_role("link", name="orders").click()
    expect(site.page.get_by_role("heading", name="orders", level=1)).to_be_visible()


def test_hostile_names_are_names(own: tuple[Site, Api]) -> None:
    site, api = own
    for number, name in enumerate(NAMES.values()):
        api.store(event(name, [], [table(name, [name])], number, **told(30)))
    for width in (1280, 360):
        site.page.set_viewport_size({"width": width, "height": 740})
        site.open("/changes")
        expect(site.page.locator(".problem-rows > li")).to_have_count(len(NAMES))
        assert site.too_wide() == []
    assert not is_hit(site.page)
