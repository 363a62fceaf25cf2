"""Discovery and drift on their pages: found, acknowledged, taken back; what differs."""

import re

import pytest
from playwright.sync_api import expect

from headwater.collect.kafka.reports import Denied
from headwater.collect.kafka.translate import translate_gaps
from headwater.model.values.instant import now
from testing.api import Api
from testing.events import full
from testing.operations import CLUSTER, add_topics
from testing.site import Site

pytestmark = pytest.mark.integration


def test_a_finding_is_acknowledged_and_taken_back(own: tuple[Site, Api]) -> None:
    site, api = own
    page = site.page
    add_topics(api, "<b>shadow</b>")
    api.store(translate_gaps(CLUSTER, [Denied("access rules", "not allowed")], now()).event)
    site.open("/problems")
    page.get_by_role("link", name="Discovery").click()
    rows = page.locator(".problem-rows > li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("<b>shadow</b>")
    expect(page.get_by_text("Findings may be missing: access rules.")).to_be_visible()
    page.get_by_role("button", name="Acknowledge").click()
    assert site.violations() == []
    page.get_by_label("Reason").fill("of the data team")
    page.get_by_role("dialog").get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("Everything in these clusters is known")).to_be_visible()
    page.get_by_role("link", name="Show 1 acknowledged finding").click()
    expect(rows).to_contain_text("of the data team")
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("No finding matches.")).to_be_visible()


def test_kinds_and_clusters_filter(own: tuple[Site, Api]) -> None:
    site, api = own
    add_topics(api, "shadow", "written")
    orders = {"namespace": CLUSTER.namespace, "name": "written"}
    api.store(full.run_event("COMPLETE", outputs=[orders]))
    site.open("/discovery")
    rows = site.page.locator(".problem-rows > li")
    expect(rows).to_have_count(2)
    site.page.locator(".counts").get_by_role("link", name="no reader").click()
    expect(site.page).to_have_url(re.compile("kind=noReader"))
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("written")
    assert site.violations() == []


def test_drift_names_the_edges_of_a_job(own: tuple[Site, Api]) -> None:
    site, api = own
    site.open("/drift")
    expect(site.page.get_by_text("No job is declared.")).to_be_visible()
    returns = {"namespace": "db", "name": "returns"}
    api.store(full.job_event(), full.run_event("COMPLETE", inputs=[returns]))
    site.open("/drift")
    expect(site.page.get_by_text("1 of 1 declared job differ")).to_be_visible()
    rows = site.page.locator(".problem-rows > li")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="returns")).to_contain_text("observed, not declared")
    expect(rows.filter(has_text="orders")).to_contain_text("declared, not observed")
    assert site.violations() == []
