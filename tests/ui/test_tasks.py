"""Tasks of every day, with the clicks they may take."""

import re

import pytest
from playwright.sync_api import expect

from headwater.model.values.instant import DAY, MINUTE, format_instant, now
from testing.api import Api
from testing.site import Site
from tests.ui.clicks import Clicks
from tests.ui.events import event, facet, run_id, table

pytestmark = pytest.mark.integration

HOUR = 60 * MINUTE
DASHBOARD = "dataset:db://host:dashboards.revenue"
ORDERS = "dataset:db://host:orders"


def ago(span: int) -> dict[str, str]:
    return {"eventTime": format_instant(now() - span)}


@pytest.fixture
def shop(own: tuple[Site, Api]) -> Site:
    """Ten days ago all was well; an hour ago a load dropped a column, and the summary failed."""
    site, api = own
    owners = {**facet("OwnershipJobFacet"), "owners": [{"name": "team:finance"}]}
    summary = table("summary", ["day", "revenue"])

    def load(run: int, columns: list[str], span: int) -> None:
        api.store(event("load", [table("shop")], [table("orders", columns)], run, **ago(span)))

    def sum_up(run: int, columns: list[str], span: int, **rest: object) -> None:
        told = event("sum_up", [table("orders", columns)], [summary], run, **ago(span), **rest)
        told["job"]["facets"] = {"ownership": owners}
        api.store(told)

    load(1, ["id", "price"], 10 * DAY)
    sum_up(2, ["id", "price"], 10 * DAY - HOUR)
    shown = [table("dashboards.revenue", ["revenue"])]
    api.store(event("refresh", [summary], shown, 3, **ago(10 * DAY - 2 * HOUR)))
    load(4, ["id", "amount"], HOUR)
    error = {**facet("ErrorMessageRunFacet"), "message": "no column price"}
    error["programmingLanguage"] = "SQL"
    sum_up(5, ["id", "amount"], HOUR // 2, eventType="FAIL", run_facets={"errorMessage": error})
    return site


def test_a_dashboard_is_wrong_to_the_run_the_change_and_the_owner(shop: Site) -> None:
    page = shop.page
    shop.open("/")
    clicks = Clicks(page)
    clicks.on(shop.search("dashboards.revenue").first)
    # What is wrong upstream, and whose it is.
    problems = page.get_by_role("region", name="Problems upstream")
    expect(problems).to_contain_text("sum_up")
    expect(problems).to_contain_text("team:finance")
    # What changed before.
    clicks.on(problems.get_by_role("link", name="What changed upstream"))
    expect(page.locator(".problem-rows")).to_contain_text("price")
    expect(page.locator(".problem-rows")).to_contain_text("load")
    clicks.back()
    # Which run failed, and why.
    clicks.on(problems.get_by_role("link", name="Run", exact=True))
    expect(page).to_have_url(re.compile(run_id(5)))
    expect(page.get_by_text("no column price").first).to_be_visible()
    assert clicks.count <= 4


def test_last_tuesday_and_what_changed_since(shop: Site) -> None:
    page = shop.page
    shop.open_graph(node=DASHBOARD, up="3")
    columns = shop.node(ORDERS)
    expect(columns).to_be_visible()
    clicks = Clicks(page)
    clicks.on(page.locator("summary", has_text="As of"))
    # Tuesday of the week before today, at noon: always between the two loads.
    day = now() // DAY
    tuesday = day - (day + 4 - 2) % 7 - (7 if (day + 4 - 2) % 7 == 0 else 0)
    page.locator("details[open]").get_by_label("A time (UTC)").fill(
        format_instant(tuesday * DAY + 12 * HOUR)[:16]
    )
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("asof="))
    # Then: the table with the column that is gone now.
    clicks.on(columns.get_by_role("button", name="Show columns"))
    expect(columns.get_by_role("button", name="price")).to_be_visible()
    # What changed since.
    clicks.on(page.get_by_role("complementary").get_by_role("link", name="List the changes"))
    expect(page.locator(".problem-rows")).to_contain_text("price")
    expect(page.locator(".problem-rows")).to_contain_text("load")
    assert clicks.count <= 3


def test_a_column_is_to_be_dropped_what_breaks_and_whom_to_ask(site: Site) -> None:
    page = site.page
    site.open("/")
    clicks = Clicks(page)
    # Found by its column, the graph is of that column alone.
    clicks.on(site.search("coupon_code").first)
    clicks.on(page.get_by_role("complementary").get_by_role("link", name="Impact"))
    rows = page.locator(".impact-table tbody tr")
    expect(rows.first).to_be_visible()
    clicks.on(page.get_by_role("button", name="Group by owner"))
    owners = page.get_by_role("heading", level=3)
    expect(owners.filter(has_text="team:data-platform")).to_have_count(1)
    expect(owners.filter(has_text="team:analytics")).to_have_count(1)
    assert clicks.count <= 3


def test_one_of_3300_jobs_its_owner_and_what_is_wrong_with_it(own: tuple[Site, Api]) -> None:
    site, api = own
    owners = {**facet("OwnershipJobFacet"), "owners": [{"name": "team:one"}]}
    jobs = [
        event(f"team_{number % 33:02}.job_{number:04}", [], [table(f"out_{number:04}")], number)
        | ago(HOUR)
        for number in range(3_300)
    ]
    for start in range(0, len(jobs), 100):
        answer = api.post(jobs[start : start + 100], "/api/v1/lineage/batch")
        assert answer.status_code == 204, answer.text
    broken = event("team_07.job_0733", [], [table("out_0733")], 9_999, eventType="FAIL", **ago(1))
    broken["job"]["facets"] = {"ownership": owners}
    api.store(broken)
    page = site.page
    site.open("/")
    clicks = Clicks(page)
    # From Home it is one click, whatever else there is.
    clicks.on(page.locator(".problem-rows").get_by_role("link", name="team_07.job_0733"))
    expect(page.get_by_label("Details")).to_contain_text("team:one")
    # By name, in a list that is scrolled.
    clicks.on(page.get_by_role("link", name="jobs", exact=True))
    page.get_by_label("Find a job").fill("job_0733")
    expect(page.get_by_text("1 job", exact=True)).to_be_visible()
    clicks.on(page.get_by_role("link", name="team_07.job_0733"))
    expect(page.get_by_label("Details")).to_contain_text("team:one")
    assert clicks.count <= 3


def test_the_incident_by_the_keyboard_alone(shop: Site) -> None:
    page = shop.page
    shop.open("/")
    shop.search("dashboards.revenue")
    page.keyboard.press("Enter")
    problems = page.get_by_role("region", name="Problems upstream")
    expect(problems).to_contain_text("sum_up")
    # From what is selected in the drawing on to what is told of it.
    run = problems.get_by_role("link", name="Run", exact=True)
    for _ in range(60):
        page.keyboard.press("Tab")
        if run.evaluate("link => link === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(run_id(5)))
    expect(page.get_by_text("no column price").first).to_be_visible()


def test_how_it_goes_with_a_run_and_the_one_before(shop: Site) -> None:
    page = shop.page
    shop.open("/")
    clicks = Clicks(page)
    clicks.on(page.locator(".problem-rows").get_by_role("link", name="Run", exact=True).first)
    expect(page.get_by_text("What went wrong")).to_be_visible()
    clicks.on(page.get_by_role("link", name="Compare with the run before"))
    expect(page.get_by_role("heading", name="Rows and bytes")).to_be_visible()
    assert clicks.count == 2
