"""The page of a stream: rate, lag, restarts and silent times on one time line."""

import re

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import SECOND, format_instant, now
from testing.api import Api
from testing.site import Site
from tests.ui.events import event, facet, run_id, table

pytestmark = pytest.mark.integration

NAME = 'stream\u202e"><img src=x onerror=alert(1)>'


def tell(api: Api, ago: int, kind: str, rows: int, lag: int, run: int = 1) -> None:
    source, target = table("topic"), table("copy")
    counts = {**facet("InputStatisticsInputDatasetFacet"), "rowCount": rows, "lag": lag}
    source["inputFacets"] = {"inputStatistics": counts}
    counts = {**facet("OutputStatisticsOutputDatasetFacet"), "rowCount": rows, "size": rows * 100}
    target["outputFacets"] = {"outputStatistics": counts}
    told = event(NAME, [source], [target], run, eventType=kind)
    told["job"]["facets"] = {
        "jobType": {
            **facet("JobTypeJobFacet"),
            "processingType": "STREAMING",
            "integration": "FLINK",
        }
    }
    api.store(told | {"eventTime": format_instant(now() - ago * SECOND)})


@pytest.fixture
def stream(own: tuple[Site, Api]) -> Site:
    """It failed, was started again, was silent for half an hour, and goes on."""
    site, api = own
    tell(api, 7_000, "START", 0, 0)
    tell(api, 6_900, "RUNNING", 6_000, 10)
    tell(api, 6_600, "FAIL", 9_000, 500)
    tell(api, 6_000, "START", 0, 500, run=2)
    tell(api, 5_900, "RUNNING", 30_000, 40, run=2)
    tell(api, 3_000, "RUNNING", 60_000, 7, run=2)
    tell(api, 2_700, "RUNNING", 90_000, 7, run=2)
    tell(api, 2_400, "RUNNING", 90_000, 7, run=2)
    site.open("/job", namespace="jobs", name=NAME)
    return site


def test_rate_lag_gaps_and_restarts_are_on_one_time_line(stream: Site, page: Page) -> None:
    card = page.locator(".card", has=page.get_by_role("heading", name="Activity"))
    for lane in ("Rows per second", "Lag", "Heartbeats"):
        expect(card.locator(".activity-name", has_text=lane)).to_be_visible()
    expect(card.locator(".rate-line.written")).to_have_attribute("d", re.compile("^M"))
    expect(card.locator(".beat-gap")).to_have_count(2)
    expect(card.locator(".activity-lane").first.locator(".activity-mark")).to_have_count(3)
    happened = card.get_by_role("list", name="Restarts and times without heartbeats")
    rows = happened.get_by_role("listitem")
    expect(rows).to_have_count(5)
    expect(rows.nth(0)).to_contain_text(re.compile("No heartbeat for 4. min.* until now"))
    expect(rows.nth(1)).to_contain_text("No heartbeat for 48 min 20 s")
    expect(rows.nth(2)).to_contain_text("restarted")
    expect(rows.nth(3)).to_contain_text("failed")
    # What a run of it took says nothing.
    expect(page.locator(".timeline")).to_have_count(0)
    assert stream.violations() == []
    rows.nth(3).get_by_role("link").click()
    expect(page).to_have_url(re.compile(run_id(1)))


def test_figures_are_read_without_pointing_and_by_pointing(stream: Site, page: Page) -> None:
    card = page.locator(".card", has=page.get_by_role("heading", name="Activity"))
    card.locator("summary", has_text="Figures").click()
    expect(card.locator(".figures li", has_text="written 500/s").last).to_contain_text("lag 40")
    card.locator(".activity-pointer").hover()
    expect(card.locator(".plot-told")).to_contain_text("UTC")
    card.get_by_role("link", name="Hour").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("by=hour"))
    expect(card.get_by_role("link", name="Hour")).to_have_attribute("aria-current", "page")


def test_a_hostile_name_on_a_phone(stream: Site, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    expect(page.locator(".beat-gap")).to_have_count(2)
    assert page.locator("img[onerror]").count() == 0
    assert stream.too_wide() == []
    assert stream.violations() == []


def test_a_batch_job_has_its_runs_by_duration(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    api.store(event("load", [table("source")], [table("target")]))
    site.open("/job", namespace="jobs", name="load")
    expect(page.locator(".timeline")).to_be_visible()
    expect(page.get_by_role("heading", name="Activity")).to_have_count(0)
