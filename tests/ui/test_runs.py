"""Runs: two compared, trends, found by their id; and streams that are silent."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import MINUTE, format_instant, now
from testing.api import Api
from testing.site import Site
from tests.ui.events import event, facet, run_id, table
from tests.ui.test_faults import NAMES, is_hit

pytestmark = pytest.mark.integration

LOAD = {"namespace": "jobs", "name": "load"}


def ran(api: Api, number: int, minutes: int, rows: int, columns: list[str], sql: str) -> None:
    """A run that took so long and wrote so many rows."""
    began = now() - (20 - number) * 60 * MINUTE
    output = table("b", columns)
    output["outputFacets"] = {
        "outputStatistics": {**facet("OutputStatisticsOutputDatasetFacet"), "rowCount": rows}
    }
    for kind, at in (("START", began), ("COMPLETE", began + minutes * MINUTE)):
        told = event(
            "load", [table("a")], [output], number, eventType=kind, eventTime=format_instant(at)
        )
        told["job"]["facets"] = {"sql": {**facet("SQLJobFacet"), "query": sql}}
        api.store(told)


def fill(api: Api, sql: str = "select 2", column: str = "price") -> None:
    for number in (1, 2, 3):
        ran(api, number, 10, 1_000, ["id"], "select 1")
    ran(api, 4, 25, 400, ["id", column], sql)


def test_two_runs_are_compared_in_one_click(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    fill(api)
    site.open("/run", id=run_id(4))
    page.get_by_role("link", name="Compare with the run before").click()
    content = page.locator("#content")
    expect(content).to_contain_text("15 min longer")
    expect(page.locator(".card", has_text="Rows and bytes")).to_contain_text("1,000 rows")
    expect(page.locator(".card", has_text="Rows and bytes")).to_contain_text("400 rows")
    expect(page.locator(".card", has_text="Columns").filter(has_text="price")).to_be_visible()
    expect(content).to_contain_text("select 1 → select 2")
    # Any other two.
    page.get_by_label("Before").select_option(run_id(1))
    page.get_by_label("After").select_option(run_id(2))
    expect(page).to_have_url(re.compile(f"[?&]a={run_id(1)}"))
    expect(page).to_have_url(re.compile(f"[?&]b={run_id(2)}"))
    expect(page.get_by_text("No difference.")).to_be_visible()
    page.get_by_role("button", name="Swap").click()
    expect(page.get_by_label("Before")).to_have_value(run_id(2))
    assert site.violations() == []


def test_a_job_with_one_run_says_so(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    ran(api, 1, 1, 1, ["id"], "select 1")
    site.open("/compare", **LOAD)
    expect(page.get_by_role("alert")).to_contain_text("pair of ended runs")


def test_trends_of_duration_and_rows(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    fill(api)
    site.open("/job", **LOAD)
    card = page.locator(".card", has=page.get_by_role("heading", name="Trends"))
    for title in ("Duration", "Rows written"):
        expect(card.get_by_role("img", name=title).locator("g")).to_have_count(4)
    card.locator("summary", has_text="Figures").first.click()
    expect(card.locator(".figures li").first).to_contain_text("25 min")
    assert site.violations() == []


@pytest.mark.parametrize("id", [run_id(4), "manual__2026-01-05"])
def test_a_run_is_found_by_its_id(own: tuple[Site, Api], page: Page, id: str) -> None:
    site, api = own
    fill(api)
    named = event("hand", [], [table("c")])
    named["run"]["runId"] = "manual__2026-01-05"
    api.store(named)
    site.open("/")
    found = site.search(id)
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Run")
    assert site.violations() == []
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/run.id={id}"))


def test_home_leads_to_a_silent_stream_its_owner_and_last_event_in_two_clicks(
    own: tuple[Site, Api], page: Page
) -> None:
    site, api = own
    facets: dict[str, Any] = {
        "jobType": {"processingType": "STREAMING", "integration": "FLINK"},
        "ownership": {"owners": [{"name": "team:streams"}]},
    }
    for number, ago in enumerate((60, 40)):
        at = format_instant(now() - ago * MINUTE)
        kind = "RUNNING" if number else "START"
        told = event("enrich", [table("a")], [table("b")], 1, eventType=kind, eventTime=at)
        told["job"]["facets"] = facets
        api.store(told)
    site.open("/")
    problem = page.locator(".problem-rows li", has_text="enrich")
    expect(problem).to_contain_text("silent")
    problem.get_by_role("link", name="enrich").click()
    about = page.get_by_label("Details")
    expect(about).to_contain_text("40 min ago")
    about.get_by_role("link", name="team:streams").click()
    expect(page.locator(".problem-rows")).to_contain_text("silent")


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_values_are_text(own: tuple[Site, Api], page: Page, kind: str) -> None:
    site, api = own
    fill(api, sql=NAMES[kind], column=NAMES[kind])
    page.set_viewport_size({"width": 360, "height": 740})
    site.open("/compare", **LOAD)
    expect(page.locator(".card", has_text="Code and SQL")).to_be_visible()
    assert site.too_wide() == []
    assert site.violations() == []
    assert not is_hit(page)
