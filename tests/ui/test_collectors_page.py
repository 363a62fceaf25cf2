"""The page of collectors: how each fares, and a run on request."""

import pytest
from playwright.sync_api import expect

from testing.api import Api
from testing.operations import report_collector
from testing.site import Site
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration


def test_it_says_how_it_went_and_runs_on_request(own: tuple[Site, Api]) -> None:
    site, api = own
    report_collector(api, "shop", "hold")
    report_collector(api, "shop", "ended", stored=3, refused=1, nextSeconds=90)
    site.open("/settings")
    expect(site.page.get_by_text("1 collector", exact=True)).to_be_visible()
    site.page.get_by_role("link", name="Show collectors").click()
    card = site.page.locator(".card", has_text="shop")
    expect(card).to_contain_text("3 events stored, 1 refused")
    expect(card).to_contain_text("every 1 min 30 s")
    card.get_by_role("button", name="Run now: shop").click()
    expect(card.get_by_role("button", name="Run now: shop")).to_be_disabled()
    expect(card).to_contain_text("requested")
    # Whoever runs it is told so.
    assert report_collector(api, "shop", "hold")["isRequested"] is True
    report_collector(api, "shop", "started")
    report_collector(
        api, "shop", "ended", isFailed=True, problem="connection refused", nextSeconds=90
    )
    expect(card).to_contain_text("connection refused")
    expect(card.locator(".state")).to_have_text("failing")
    assert site.violations() == []


def test_one_that_nobody_runs(own: tuple[Site, Api]) -> None:
    site, api = own
    report_collector(api, "shop", "hold")
    report_collector(api, "shop", "released")
    site.open("/collectors")
    card = site.page.locator(".card", has_text="shop")
    expect(card).to_contain_text("nobody runs it")
    expect(card.get_by_role("button", name="Run now: shop")).to_be_disabled()


@pytest.mark.parametrize("kind", ["script", "image", "right to left", "long"])
def test_hostile_texts_are_text(own: tuple[Site, Api], kind: str) -> None:
    site, api = own
    text = NAMES[kind][:200]
    more = {"holder": text, "type": text[:100]}
    report_collector(api, "shop", "hold", **more)
    report_collector(api, "shop", "ended", isFailed=True, problem=text, **more)
    site.page.set_viewport_size({"width": 360, "height": 740})
    site.open("/collectors")
    expect(site.page.get_by_role("note")).to_have_text(text)
    assert site.too_wide() == []
    assert site.violations() == []
    site.page.get_by_role("button", name="Switch to dark").click()
    assert site.violations() == []
    assert not is_hit(site.page)
