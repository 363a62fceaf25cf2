"""Edits from the pages: described, owned, tagged, joined, deleted; with a log, and undone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from testing.api import Api, no_lake, serve
from testing.site import Site
from tests.ui.events import event, table
from tests.ui.test_faults import NAMES, SECRET, is_hit

pytestmark = pytest.mark.integration

ORDERS = {"namespace": "db://host", "name": "orders"}


@pytest.fixture
def shop(own: tuple[Site, Api]) -> tuple[Site, Api]:
    """A job that writes a table of two columns."""
    api = own[1]
    api.store(event("load", [table("source")], [table("orders", ["id", "email"])]))
    return own


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def save(page: Page, label: str = "Save") -> None:
    dialog(page).get_by_role("button", name=label, exact=True).click()
    expect(dialog(page)).to_have_count(0)


def log_of(page: Page) -> Locator:
    return page.locator("section.card", has=page.get_by_role("heading", name="Edits", exact=True))


def test_document_own_and_tag_in_three_clicks(shop: tuple[Site, Api]) -> None:
    site, api = shop
    page = site.page
    site.open("/dataset", **ORDERS)
    clicks = 0

    def click(target: Locator) -> None:
        nonlocal clicks
        clicks += 1
        target.click()

    click(page.get_by_role("button", name="Edit", exact=True))
    assert site.violations() == []
    dialog(page).get_by_label("Description").fill("Every order of the shop.")
    dialog(page).get_by_label("Owners").fill("team:sales\nann (STEWARD)")
    dialog(page).get_by_label("Tags").fill("gold, pii")
    click(dialog(page).get_by_role("button", name="Save"))
    about = page.get_by_label("Details")
    for text in ("Every order of the shop.", "team:sales", "ann", "(steward)", "gold", "pii"):
        expect(about).to_contain_text(text)
    assert clicks <= 5
    # One edit, with who and when.
    assert len(api.read("/edits")["edits"]) == 1
    expect(log_of(page)).to_contain_text("local")
    expect(log_of(page)).to_contain_text("tag gold added")
    assert site.violations() == []


def test_a_name_is_asked_once_and_in_the_log(shop: tuple[Site, Api]) -> None:
    site, _ = shop
    page = site.page
    name = f"Ann {NAMES['image']}"[:64]
    site.open("/dataset", **ORDERS)
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog(page).get_by_label("Description").fill("Every order.")
    dialog(page).get_by_label("Your name").fill(name)
    save(page)
    expect(log_of(page)).to_contain_text(f"{name} (no key)")
    # Also by those after it, which ask no more.
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(dialog(page).get_by_label("Your name")).to_have_count(0)
    dialog(page).get_by_label("Tags").fill("gold")
    save(page)
    log_of(page).get_by_role("button", name="Undo").first.click()
    expect(log_of(page).get_by_text(name)).to_have_count(3)
    assert not is_hit(page)
    site.open("/settings")
    expect(page.get_by_label("Your name")).to_have_value(name)
    page.get_by_label("Your name").fill("Bo")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("kept in this browser").first).to_be_visible()
    assert page.evaluate("localStorage.getItem('headwater-person')") == "Bo"


def test_a_column_is_described_and_tagged(shop: tuple[Site, Api]) -> None:
    site, api = shop
    page = site.page
    site.open("/dataset", **ORDERS)
    page.get_by_role("button", name="Edit email").click()
    expect(dialog(page).get_by_label("Owners")).to_have_count(0)
    dialog(page).get_by_label("Description").fill("Of who ordered.")
    dialog(page).get_by_label("Tags").fill("pii")
    save(page)
    row = page.locator(".schema-row", has_text="email")
    expect(row).to_contain_text("pii")
    expect(row).to_contain_text("Of who ordered.")
    expect(log_of(page)).to_contain_text("column email")


def test_an_edit_is_undone(shop: tuple[Site, Api]) -> None:
    site, _ = shop
    page = site.page
    site.open("/job", namespace="jobs", name="load")
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog(page).get_by_label("Description").fill("A mistake.")
    save(page)
    about = page.get_by_label("Details")
    expect(about).to_contain_text("A mistake.")
    log_of(page).get_by_role("button", name="Undo").click()
    expect(about).to_contain_text("No description.")
    expect(log_of(page)).to_contain_text("undid an edit")


def test_two_people_with_the_same_form_open(shop: tuple[Site, Api]) -> None:
    site, api = shop
    second = site.page.context.new_page()
    for page in (site.page, second):
        Site(page, site.url).open("/dataset", **ORDERS)
        expect(log_of(page)).to_contain_text("Nobody has edited it")
        page.get_by_role("button", name="Edit", exact=True).click()
        dialog(page).get_by_label("Description").fill(
            f"By {'first' if page is site.page else 'second'}"
        )
    save(site.page)
    dialog(second).get_by_role("button", name="Save").click()
    expect(dialog(second).get_by_role("alert")).to_contain_text("documentation was changed since")
    # What was typed is not lost, and nothing was overwritten.
    expect(dialog(second).get_by_label("Description")).to_have_value("By second")
    assert api.dataset("db://host", "orders")["description"] == "By first"
    second.close()


@pytest.mark.parametrize(
    ("path", "namespace", "name"), [("/dataset", "db://host", "orders"), ("/job", "jobs", "load")]
)
def test_deleted_and_restored(shop: tuple[Site, Api], path: str, namespace: str, name: str) -> None:
    site, _ = shop
    page = site.page
    site.open(path, namespace=namespace, name=name)
    page.get_by_role("button", name="Delete").click()
    save(page, "Delete")
    expect(page.get_by_text("Deleted by local")).to_be_visible()
    assert site.violations() == []
    page.get_by_role("button", name="Restore").click()
    save(page, "Restore")
    expect(page.get_by_label("Details")).to_be_visible()
    expect(log_of(page).get_by_text("deleted", exact=True)).to_be_visible()


def test_names_are_joined_and_cut(shop: tuple[Site, Api]) -> None:
    site, api = shop
    page = site.page
    api.store(event("copy", [table("orders_copy")], [], 2))
    site.open("/dataset", **ORDERS)
    page.get_by_role("button", name="Join a name").click()
    dialog(page).get_by_label("Namespace").fill("db://host")
    dialog(page).get_by_label("Name", exact=True).fill("orders_copy")
    save(page, "Join a name")
    # Shown under the name that was used first, whichever that is.
    about = page.get_by_label("Details")
    cut = about.get_by_role("button", name="Cut")
    expect(cut).to_have_count(1)
    cut.click()
    save(page, "Cut")
    expect(cut).to_have_count(0)
    # The newest, which is the cut.
    expect(log_of(page).get_by_role("listitem")).to_have_count(2)
    log_of(page).get_by_role("button", name="Undo").first.click()
    expect(cut).to_have_count(1)


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_values_are_text(shop: tuple[Site, Api], kind: str) -> None:
    site, _ = shop
    page = site.page
    value = NAMES[kind]
    site.open("/dataset", **ORDERS)
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog(page).get_by_label("Description").fill(value)
    dialog(page).get_by_label("Owners").fill(value)
    dialog(page).get_by_label("Tags").fill(value.replace(",", ";"))
    save(page)
    expect(page.get_by_label("Details")).to_contain_text(value.strip()[:8])
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert site.too_wide() == []
    assert not is_hit(page)


def test_who_may_only_read_sees_why(page: Page, tmp_path: Path) -> None:
    keys = SecretStr(f"me:{SECRET}:read,you:{SECRET}-2:write+read")
    settings = no_lake(f"sqlite:///{tmp_path / 'store.db'}", auth=AuthSettings(keys=keys))
    with serve(settings) as url:
        headers = {"Authorization": f"Bearer {SECRET}-2"}
        told = event("load", [], [table("orders", ["id"])])
        assert page.request.post(f"{url}/api/v1/lineage", data=told, headers=headers).ok
        Site(page, url).open("/dataset", **ORDERS)
        page.get_by_label("API key", exact=True).fill(SECRET)
        page.get_by_role("button", name="Use key").click()
        for name in ("Edit", "Delete", "Edit id", "Join a name"):
            button = page.get_by_role("button", name=name, exact=True)
            expect(button).to_be_disabled()
            expect(button).to_have_attribute("title", re.compile("may read only"))
