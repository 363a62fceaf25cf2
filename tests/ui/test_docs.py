"""The API document as a page: it is read and tried, under the policy and without other servers."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from testing.api import no_lake, serve
from testing.site import Site

pytestmark = pytest.mark.integration

KEY = "a-long-secret-to-read"


def open_call(page: Page, path: str) -> None:
    page.locator(".opblock-summary", has_text=path).first.get_by_role("button").first.click()


def try_call(page: Page, path: str) -> None:
    open_call(page, path)
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()


def test_a_call_is_found_and_tried(site: Site) -> None:
    site.open("/docs")
    expect(site.page.get_by_text("List the namespaces by name.")).to_be_visible()
    site.page.get_by_placeholder("Filter by tag").fill("/systems")
    expect(site.page.locator(".opblock")).to_have_count(2)
    try_call(site.page, "/api/v1/systems")
    answer = site.page.locator(".live-responses-table .highlight-code code").last
    expect(answer).to_contain_text("snowflake")
    assert json.loads(answer.inner_text())


def test_its_words_can_be_read_in_light_and_dark_and_on_a_phone(site: Site) -> None:
    site.page.set_viewport_size({"width": 360, "height": 740})
    site.open("/docs")
    expect(site.page.locator(".opblock").first).to_be_visible()
    assert site.too_wide() == []
    for theme in ("dark", "light"):
        # Its elements are Swagger UI's; the colours are ours to choose.
        contrasts = [each for each in site.violations() if each.startswith("color-contrast")]
        assert contrasts == []
        site.page.get_by_role("button", name=f"Switch to {theme}").click()


def test_a_key_given_once_is_used_for_the_document_and_its_calls(
    page: Page, tmp_path: Path
) -> None:
    auth = AuthSettings(keys=SecretStr(f"me:{KEY}:read"))
    with serve(no_lake(f"sqlite:///{tmp_path / 'store.db'}", auth=auth)) as url:
        Site(page, url).open("/docs")
        page.get_by_label("API key", exact=True).fill(KEY)
        page.keyboard.press("Enter")
        try_call(page, "/api/v1/namespaces")
        expect(page.locator(".live-responses-table .response-col_status").last).to_have_text("200")
