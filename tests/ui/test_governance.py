"""Who owns what, and where personal data is: pages of owners, tags, systems and namespaces."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from testing.api import Api
from testing.site import FACT, RAW, Site
from tests.ui.events import event, facet, table
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration

PEOPLE = {"namespace": "db://host", "name": "people"}


def made(name: str, source: str, *, is_masked: bool = False, **facets: Any) -> dict[str, Any]:
    """A table with a column that comes from the same column of another."""
    how = [{"type": "DIRECT", "subtype": "", "masking": is_masked}]
    of = {"namespace": "db://host", "name": source, "field": "email", "transformations": how}
    lineage = {**facet("ColumnLineageDatasetFacet"), "fields": {"email": {"inputFields": [of]}}}
    return table(name, ["email"], columnLineage=lineage, **facets)


def tags(name: str, field: str = "email") -> dict[str, Any]:
    listed = [{"key": name, "value": "true", "source": "TEST", "field": field}]
    return {"tags": {**facet("TagsDatasetFacet"), "tags": listed}}


def owned(name: str) -> dict[str, Any]:
    return {"ownership": {**facet("OwnershipDatasetFacet"), "owners": [{"name": name}]}}


def fill(api: Api, tag: str = "pii", owner: str = "team:crm", name: str = "copies") -> None:
    """people.email has the tag and is copied as it is, and masked."""
    people = table("people", ["email", "city"], **tags(tag), **owned(owner))
    api.store(event("copy", [people], [made(name, "people")], 1))
    api.store(event("hash", [people], [made("hashes", "people", is_masked=True)], 2))


class Clicks:
    """Clicks that are counted."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        self.count += 1
        target.click()


def rows(page: Page) -> Locator:
    return page.locator(".impact-table tbody tr")


class TestTags:
    def test_where_personal_data_flows_without_its_tag_in_two_clicks(
        self, own: tuple[Site, Api], page: Page
    ) -> None:
        site, api = own
        fill(api)
        clicks = Clicks()
        site.open("/dataset", **PEOPLE)
        clicks.on(page.get_by_role("link", name="pii").first)
        expect(rows(page)).to_have_count(3)
        clicks.on(page.get_by_role("link", name="1 untagged"))
        expect(rows(page)).to_have_count(1)
        expect(rows(page)).to_contain_text("copies")
        expect(rows(page)).to_contain_text("db://host:people:email")
        assert clicks.count == 2
        with page.expect_download() as downloading:
            page.get_by_role("button", name="CSV").click()
        (row,) = csv.DictReader(Path(downloading.value.path()).read_text().splitlines())
        assert (row["state"], row["name"], row["column"]) == ("untagged", "copies", "email")
        assert row["jobs"] == "job:jobs:copy"
        # Its column is tagged from here, and it is none of these any more.
        page.get_by_role("link", name="email", exact=True).click()
        page.get_by_role("button", name="Edit", exact=True).first.click()
        page.get_by_role("dialog").get_by_label("Tags").fill("pii")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("link", name="pii").first.click()
        expect(page.get_by_role("link", name="0 untagged")).to_be_visible()
        expect(page.get_by_role("link", name="2 tagged")).to_be_visible()
        expect(page.get_by_role("link", name="1 masked")).to_be_visible()

    def test_all_are_listed_and_found(self, site: Site, page: Page) -> None:
        site.open("/tag")
        page.get_by_label("Find a tag").fill("pi")
        page.get_by_role("link", name="pii", exact=True).click()
        expect(rows(page).first).to_be_visible()
        expect(page).to_have_url(re.compile("name=pii"))

    def test_one_that_nothing_has(self, own: tuple[Site, Api], page: Page) -> None:
        own[0].open("/tag", name="none")
        expect(page.get_by_text("Nothing has this tag.")).to_be_visible()


class TestOwners:
    def test_a_dataset_leads_to_its_owner_and_what_else_they_have(
        self, site: Site, page: Page
    ) -> None:
        site.open("/dataset", namespace=FACT[0], name=FACT[1])
        page.get_by_label("Details").get_by_role("link", name=re.compile("^team:")).first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("team:")
        expect(rows(page).filter(has_text=FACT[1])).to_be_visible()
        page.get_by_role("link", name="All owners").click()
        page.get_by_label("Find an owner").fill("team:")
        expect(page.locator(".names .owner").first).to_be_visible()

    def test_what_needs_attention_comes_first(self, own: tuple[Site, Api], page: Page) -> None:
        site, api = own
        ownership = {"ownership": owned("team:crm")["ownership"]}
        told = event("load", [], [table("a")], eventType="FAIL")
        told["job"]["facets"] = ownership
        api.store(told)
        site.open("/owner", name="team:crm")
        expect(page.locator(".problem-rows")).to_contain_text("load")
        page.get_by_role("link", name="Show in Problems").click()
        expect(page).to_have_url(re.compile("/problems.owner=team"))


def test_systems_and_namespaces_are_links(site: Site, page: Page) -> None:
    site.open("/dataset", namespace=RAW[0], name=RAW[1])
    page.get_by_label("Details").get_by_role("link", name="Snowflake").click()
    expect(page).to_have_url(re.compile(r"/browse\?system=snowflake"))
    expect(page.get_by_role("link", name=RAW[0]).first).to_be_visible()
    site.open("/job", namespace="dbt://shop-analytics", name="shop_analytics.orders_fact")
    page.locator(".page-title").get_by_role("link", name="dbt://shop-analytics").click()
    expect(page.get_by_role("link", name="shop_analytics.orders_fact", exact=True)).to_be_visible()


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_names_are_names(own: tuple[Site, Api], kind: str) -> None:
    site, api = own
    # A tag or an owner is what is between spaces.
    name = NAMES[kind].strip()
    fill(api, name, name, name)
    site.page.set_viewport_size({"width": 360, "height": 740})
    for path, words in (("/tag", 3), ("/owner", 1)):
        site.open(path)
        site.page.locator(".names a").filter(has_text=name).first.click()
        expect(site.page.get_by_role("heading", level=1)).to_have_text(name)
        expect(rows(site.page)).to_have_count(words)
        assert site.too_wide() == []
        assert site.violations() == []
    assert not is_hit(site.page)
