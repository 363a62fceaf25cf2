"""The page of ingestions: a form to add and change one, a test of it, and how each fares."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from headwater.model.values.instant import SECOND, now
from headwater.store.ingestions import StoredIngestionRun, end_run, start_run, take_ingestion
from testing.api import Api
from testing.events.full import encode, run_event
from testing.site import Site

pytestmark = pytest.mark.integration


def test_one_is_added_tested_run_and_changed(own: tuple[Site, Api], tmp_path: Path) -> None:
    site, api = own
    page = site.page
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / "events.ndjson").write_bytes(encode(run_event()) + b"\n")
    site.open("/ingestions")
    page.get_by_role("button", name="Add an ingestion").click()
    page.get_by_label("Name", exact=True).fill("shop")
    page.get_by_label("Display name").fill("The shop")
    page.get_by_label("Source").select_option("files")
    page.get_by_label("Folder").fill(str(tmp_path / "nowhere"))
    page.get_by_label("Exclude jobs").fill("test_.*, tmp{1,2}")
    page.get_by_label("Include lineage").uncheck()
    page.get_by_label("Mark deleted").check()
    page.get_by_label("Interval").select_option("cron")
    page.get_by_label("Cron expression").fill("30 2 * * *")
    page.get_by_label("Start date").fill("2026-01-01")
    page.get_by_text("Review", exact=True).click()
    expect(page.locator("pre")).to_contain_text('"includeLineage": false')
    page.get_by_role("button", name="Test connection").click()
    steps = page.get_by_label("Result of the test")
    expect(steps).to_contain_text("nothing at")
    page.get_by_label("Folder").fill(str(folder))
    page.get_by_role("button", name="Test connection").click()
    expect(steps).to_contain_text("is an event")
    assert site.violations() == []
    page.get_by_role("button", name="Save", exact=True).click()
    card = page.locator(".card", has_text="The shop")
    expect(card).to_contain_text("nobody runs it")
    stored = api.read("/ingestions/shop")
    assert stored["schedule"] == {"interval": "30 2 * * *", "startDate": "2026-01-01"}
    assert stored["sourceConfig"]["config"]["pipelineFilterPattern"] == {
        "excludes": "test_.*, tmp{1,2}"
    }
    _run_it(api)
    card.get_by_role("button", name="Run now: shop").click()
    expect(card).to_contain_text("requested")
    expect(card).to_contain_text("1 file is damaged")
    card.get_by_role("button", name="Change: shop").click()
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("readonly", "")
    expect(page.get_by_label("Interval")).to_have_value("cron")
    page.get_by_label("Interval").select_option("continuous")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Add an ingestion")).to_be_visible()
    assert api.read("/ingestions/shop")["schedule"]["interval"] == "continuous"
    card.get_by_role("button", name="Pause: shop").click()
    expect(card.locator(".state")).to_have_text("paused")
    assert site.violations() == []


def _run_it(api: Api) -> None:
    """What a supervisor notes of a run that failed."""
    at = now()
    with api.engine.begin() as connection:
        assert take_ingestion(connection, "shop", "laptop:1", at, at + 60 * SECOND)
        assert start_run(connection, "shop", "laptop:1", at)
        run = StoredIngestionRun("shop", at, at + 1, stored=7, problem="1 file is damaged")
        end_run(connection, run, 1, at + 60 * SECOND, is_failed=True)


def test_what_cannot_be_used_is_shown_with_its_place(own: tuple[Site, Api]) -> None:
    site, _ = own
    page = site.page
    site.open("/ingestions")
    page.get_by_role("button", name="Add an ingestion").click()
    page.get_by_label("Name", exact=True).fill("shop")
    page.get_by_label("Brokers").fill("kafka:9092")
    page.get_by_label("Topic").fill("lineage")
    page.get_by_label("Security protocol").select_option("SASL_SSL")
    page.get_by_label("SASL mechanism").select_option("PLAIN")
    page.get_by_label("Password").fill("hunter2")
    page.get_by_role("button", name="Save", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("saslConfig.saslPassword: only a reference to the secret")
    expect(alert).not_to_contain_text("hunter2")
