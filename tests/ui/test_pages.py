"""Each page shows what it is for."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import MINUTE, format_instant, now
from testing.api import Api
from testing.site import (
    FACT,
    SUMMARY_JOB,
    Site,
)
from tests.ui.events import event, facet, run_id, table
from tests.ui.test_every_page import named

pytestmark = pytest.mark.integration


def test_search_is_first_and_by_keys(site: Site) -> None:
    site.open("/")
    found = site.search("executive_rev")
    expect(found.first).to_contain_text("executive")
    site.page.keyboard.press("Escape")
    site.page.keyboard.press("Control+k")
    expect(site.page.get_by_role("combobox")).to_be_focused()


def test_search_finds_columns_owners_and_tags(site: Site) -> None:
    for words, place in (("revenue_last", "column"), ("team:analytics", "owner"), ("pii", "tag")):
        site.open("/")
        expect(site.search(words).first).to_contain_text(place)


def test_search_that_finds_nothing_says_what_to_try(site: Site) -> None:
    site.open("/")
    site.page.get_by_role("combobox").fill("qqqqzzzz")
    expect(site.page.get_by_text("Try part of a name")).to_be_visible()


def test_home_remembers_what_was_viewed(site: Site) -> None:
    site.open("/dataset", **named(FACT))
    expect(site.page.get_by_text("One row an order").first).to_be_visible()
    site.open("/")
    recent = site.page.locator(".card", has_text="Recently viewed")
    expect(recent.get_by_role("link", name=FACT[1])).to_be_visible()


def test_dataset_tells_versions_volume_and_users(site: Site) -> None:
    site.open("/dataset", **named(FACT))
    versions = site.page.locator(".card", has_text="Schema changes")
    expect(versions.get_by_text("is_discounted")).to_be_visible()
    usage = site.page.locator(".card", has_text="Producers and consumers")
    expect(usage.get_by_role("link", name="shop_analytics.orders_fact", exact=True)).to_be_visible()
    expect(site.page.get_by_role("img", name="rows written")).to_be_visible()
    site.page.get_by_role("link", name="Day", exact=True).click()
    expect(site.page).to_have_url(re.compile("by=day"))


def test_dataset_tells_its_runs_and_what_was_checked(site: Site) -> None:
    site.open("/dataset", **named(FACT))
    written = site.page.locator(".card", has_text="Runs that wrote it").get_by_role("row")
    expect(written.nth(1)).to_contain_text("shop_analytics.orders_fact")
    expect(written.nth(1)).to_contain_text("kB")
    quality = site.page.locator(".card", has_text="Quality")
    expect(quality.get_by_role("listitem")).to_have_count(4)
    expect(quality.get_by_role("link", name="shop_analytics.orders_fact.tests")).to_be_visible()


def test_dataset_tells_which_check_failed(own: tuple[Site, Api]) -> None:
    site, api = own
    checks = [
        {"assertion": "unique", "column": "id", "success": True},
        {"assertion": "not_null", "column": "email", "success": False},
    ]
    checked = {**facet("DataQualityAssertionsDatasetFacet"), "assertions": checks}
    orders = {**table("orders", ["id"]), "inputFacets": {"dataQualityAssertions": checked}}
    api.store(event("check", [orders], [], eventTime=format_instant(now())))
    site.open("/dataset", namespace="db://host", name="orders")
    quality = site.page.locator(".card", has_text="Quality").get_by_role("listitem")
    expect(quality.filter(has_text="email")).to_contain_text("failed")
    expect(quality.filter(has_text="unique")).to_contain_text("passed")


def test_dataset_shows_nested_fields_tags_and_other_names(own: tuple[Site, Api]) -> None:
    site, api = own
    inside = {"name": "city", "type": "text", "description": "Where it goes."}
    fields = [{"name": "address", "type": "struct", "fields": [inside]}]
    tags = [{"key": "pii", "field": "address.city"}, {"key": "gold"}]
    alias = {"namespace": "hive://h", "name": "shop.orders", "type": "TABLE"}
    facets: dict[str, Any] = {
        "schema": {**facet("SchemaDatasetFacet"), "fields": fields},
        "tags": {**facet("TagsDatasetFacet"), "tags": tags},
        "symlinks": {**facet("SymlinksDatasetFacet"), "identifiers": [alias]},
    }
    api.store(event("load", [], [table("orders", **facets)]))
    for namespace, name in (("db://host", "orders"), ("hive://h", "shop.orders")):
        site.open("/dataset", namespace=namespace, name=name)
        row = site.page.locator(".schema-row", has_text="address.city")
        expect(row).to_contain_text("pii")
        expect(row).to_contain_text("Where it goes.")
        about = site.page.get_by_label("Details")
        expect(about).to_contain_text("gold")
        expect(about.get_by_role("link", name="shop.orders")).to_be_visible()
    expect(site.page.get_by_text("This is another name of")).to_be_visible()


def test_job_tells_what_it_is_part_of_and_how_much_it_writes(site: Site) -> None:
    site.open("/job", **named(SUMMARY_JOB))
    expect(site.page.locator(".card", has_text="Writes").last).to_contain_text("rows")
    site.page.get_by_text("Stack trace").first.click()
    expect(site.page.locator("td pre")).to_contain_text("Traceback")
    site.page.get_by_role("link", name="shop_analytics.nightly").click()
    children = site.page.locator(".card", has_text="Jobs in it")
    expect(children.get_by_role("link", name=SUMMARY_JOB[1])).to_be_visible()
    assert site.violations() == []


def test_runs_of_a_stream_lead_to_their_restarts_and_events(own: tuple[Site, Api]) -> None:
    site, api = own
    stream = {"spark_stream": {"queryId": "one checkpoint"}}
    for number, kind in ((1, "START"), (1, "ABORT"), (2, "START"), (2, "RUNNING")):
        time = f"2026-01-05T1{number}:0{len(kind)}:00Z"
        told = {"eventType": kind, "eventTime": time, "run_facets": stream}
        api.store(event("stream", [], [table("target")], number, **told))
    site.open("/run", id=run_id(2))
    expect(site.page.locator(".card", has_text="Its events").locator("summary")).to_have_count(2)
    about = site.page.get_by_label("Details")
    expect(about).to_contain_text("Restart of")
    about.get_by_role("link", name=run_id(1)[:13]).click()
    expect(about).to_contain_text("Restarted as")
    expect(about).to_contain_text("aborted")
    site.page.get_by_role("link", name="Show in Events").click()
    expect(site.page.get_by_text("1–2 of 2")).to_be_visible()


def test_a_stream_that_was_stopped_needs_no_attention(own: tuple[Site, Api]) -> None:
    site, api = own
    for kind in ("START", "ABORT"):
        time = format_instant(now())
        api.store(event("stream", [], [], eventType=kind, eventTime=time))
    site.open("/")
    expect(site.page.get_by_text("Nothing needs attention")).to_be_visible()
    expect(site.page.locator(".counts li", has_text="stopped")).to_contain_text("1")
    expect(site.page.get_by_role("img", name="2 events")).to_be_visible()
    expect(site.page.locator(".legend")).to_contain_text("1 aborted")
    site.open("/job", namespace="jobs", name="stream")
    expect(site.page.get_by_label("Details")).to_contain_text("stopped")


def test_a_connector_that_was_deleted_is_shown_as_such(own: tuple[Site, Api]) -> None:
    site, api = own
    sent = now()
    kinds = {"processingType": "STREAMING", "integration": "KAFKA_CONNECT", "jobType": "SINK"}
    connector = {**facet("JobTypeJobFacet"), **kinds}
    for number, (job, reason) in enumerate((("sink", "deleted"), ("other-sink", "stopped"))):
        ends = {"kafka_connect": {"reason": reason}}
        for kind, facets, ago in (("START", {}, 3), ("ABORT", ends, 2)):
            time = format_instant(sent - ago * 60 * MINUTE)
            told = {"eventType": kind, "eventTime": time, "run_facets": facets}
            made = event(job, [table("orders")], [table(f"{job}-copy")], number, **told)
            made["job"]["facets"] = {"jobType": connector}
            api.store(made)
    site.open("/")
    expect(site.page.get_by_text("Nothing needs attention")).to_be_visible()
    for state in ("deleted", "stopped"):
        counted = site.page.locator(".counts li", has=site.page.get_by_text(state, exact=True))
        expect(counted).to_contain_text("1")
    site.open("/browse", namespace="jobs")
    row = site.page.locator(".browse-row", has=site.page.get_by_text("sink", exact=True))
    expect(row).to_contain_text("deleted")
    expect(row).to_contain_text("2 h ago")
    expect(site.page.locator(".browse-row", has_text="other-sink")).to_contain_text("aborted")
    site.open("/job", namespace="jobs", name="sink")
    about = site.page.get_by_label("Details")
    expect(about.locator(".notice")).to_contain_text("Deleted 2 hours ago")
    site.open("/lineage", node="dataset:db://host:orders")
    node = site.page.locator(".node.job", has=site.page.get_by_text("sink", exact=True))
    expect(node).to_contain_text("deleted")
    expect(node).to_contain_text("2 h ago")
    expect(site.page.locator(".node.job", has_text="other-sink")).to_contain_text("aborted")
    assert site.violations() == []


def test_job_leads_to_its_failed_run_and_events(site: Site) -> None:
    site.open("/job", **named(SUMMARY_JOB))
    row = site.page.get_by_role("row", name="failed")
    row.get_by_role("link").click()
    expect(site.page.get_by_text("What went wrong")).to_be_visible()
    expect(site.page.locator(".error-box pre")).to_contain_text("Traceback (most recent")
    expect(
        site.page.locator(".card", has_text="Its events").locator("summary").first
    ).to_be_visible()
    assert site.violations() == []


def test_an_event_is_readable_and_raw_and_a_file(site: Site, page: Page) -> None:
    site.open("/events")
    page.get_by_role("button", name="Open").first.click()
    expect(page.locator(".tree")).to_contain_text("eventTime")
    page.get_by_role("button", name="Raw").click()
    expect(page.locator("td pre")).to_contain_text('"eventTime"')
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename.endswith(".json")


def test_only_the_list_that_is_shown_is_marked(own: tuple[Site, Api]) -> None:
    site, api = own
    api.post({"eventTime": 7})
    site.open("/events", kind="rejected")
    expect(site.page.get_by_text("$.eventTime")).to_be_visible()
    expect(site.page.locator(".segments [aria-current]")).to_have_text(["Rejected"])
    site.open("/browse", namespace="jobs", kind="job")
    expect(site.page.locator(".segments [aria-current]")).to_have_text(["Jobs"])


def test_events_are_turned_page_by_page(site: Site) -> None:
    site.open("/events")
    site.page.get_by_role("link", name="Older").click()
    expect(site.page.get_by_text("51–100 of")).to_be_visible()
