"""Reading a large graph: folded, found, listed, from afar; with tags, masking and throughput."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from headwater.model.values.instant import SECOND, format_instant, now
from testing.api import Api
from testing.site import DASHBOARD, FACT, RAW, SUMMARY_JOB, Site, dataset_id, job_id
from tests.ui.events import event, facet, table
from tests.ui.test_graph import crowd

pytestmark = pytest.mark.integration

MIDDLE = "dataset:db://host:middle"
CONSUMERS = f"fan:>{MIDDLE}"
HOSTILE = "\u202ex\"><img src=x onerror=alert(1)>,~'\n"


@pytest.fixture
def crowded(own: tuple[Site, Api]) -> Site:
    """Sixty jobs that each write a table in the middle, and sixty that read it."""
    site, api = own
    api.store(*crowd(60))
    site.open_graph(node=MIDDLE)
    return site


def test_a_large_fan_is_one_node_until_it_is_opened(crowded: Site, page: Page) -> None:
    assert len(crowded.shown()) == 3
    fan = crowded.node(CONSUMERS)
    expect(fan).to_contain_text("60 consumers")
    expect(fan).to_contain_text("60 nodes behind them")
    fan.get_by_role("button").click()
    page.get_by_role("button", name="Show all in the graph").click()
    expect(page).to_have_url(re.compile("unfold="))
    expect(crowded.node(CONSUMERS)).to_have_count(0)
    page.keyboard.press("f")
    expect(crowded.nodes()).to_have_count(122)
    # And again one node.
    page.get_by_role("button", name="Fold neighbours").click()
    expect(crowded.node(CONSUMERS)).to_be_visible()


def test_one_of_a_fan_is_searched_and_drawn_by_itself(crowded: Site, page: Page) -> None:
    crowded.node(CONSUMERS).get_by_role("button").click()
    page.get_by_label("Search what is folded").fill("target_37")
    members = page.locator(".fan-member")
    expect(members.first).to_contain_text("middle_to_target_37")
    assert crowded.violations() == []
    members.first.click()
    expect(crowded.node("job:jobs:middle_to_target_37").locator(".node.selected")).to_be_visible()
    expect(crowded.node("dataset:db://host:target_37")).to_be_visible()
    expect(crowded.node(CONSUMERS)).to_contain_text("59 consumers")


def test_a_fan_is_opened_by_the_keyboard(crowded: Site, page: Page) -> None:
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    expect(crowded.node(CONSUMERS).locator(".node.selected")).to_be_visible()
    page.keyboard.press("Enter")
    expect(crowded.node(CONSUMERS)).to_have_count(0)


def test_what_failed_in_a_fan_shows_on_it(own: tuple[Site, Api]) -> None:
    site, api = own
    api.store(*crowd(30))
    failed = event("middle_to_target_3", [table("middle")], [table("target_3")], 999)
    api.store(failed | {"eventType": "FAIL", "eventTime": format_instant(now())})
    site.open_graph(node=MIDDLE)
    expect(site.node(CONSUMERS)).to_contain_text("1 problem")
    expect(site.node(CONSUMERS).locator(".node.is-bad")).to_be_visible()


def test_find_goes_through_the_graph_and_into_fans(crowded: Site, page: Page) -> None:
    box = page.get_by_role("searchbox", name="Find in the graph")
    box.fill("target_12")
    # The job and the table, both folded.
    expect(page.locator(".find-box")).to_contain_text("2 found")
    expect(crowded.node(CONSUMERS).locator(".node.is-found")).to_be_visible()
    box.press("Enter")
    expect(crowded.node("job:jobs:middle_to_target_12").locator(".node.selected")).to_be_visible()
    expect(page.locator(".find-box")).to_contain_text("1 of 2")
    box.press("Enter")
    expect(crowded.node("dataset:db://host:target_12").locator(".node.selected")).to_be_visible()
    box.press("Shift+Enter")
    expect(page.locator(".find-box")).to_contain_text("1 of 2")
    box.press("Escape")
    expect(page).not_to_have_url(re.compile("find="))


def test_the_table_is_in_path_order_with_owners_hops_and_directions(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT), up="9", down="9", table="1")
    rows = page.locator(".impact tbody tr")
    expect(rows.filter(has_text=DASHBOARD[1])).to_be_visible()
    names = page.locator(".impact .node-row > .name:first-child").all_text_contents()
    order = [names.index(name) for name in ("shop.commerce.orders", RAW[1], FACT[1], DASHBOARD[1])]
    assert order == sorted(order)
    row = rows.filter(has=page.get_by_role("button", name=RAW[1], exact=False)).first
    expect(row).to_contain_text("team:data-platform")
    expect(row).to_contain_text("upstream")
    page.get_by_role("button", name="Owner").click()
    expect(page).to_have_url(re.compile("order=owner"))
    expect(page.locator(".impact th[aria-sort=ascending]")).to_contain_text("Owner")
    owners = page.locator(".impact .owners").all_text_contents()
    known = [owner for owner in owners if owner]
    assert known == sorted(known) and owners[: len(known)] == known
    page.get_by_role("searchbox", name="Find in the graph").fill("streaming")
    expect(page.get_by_text(re.compile(r"^\d+ of \d+ nodes found$"))).to_be_visible()
    for found in rows.all_text_contents():
        assert "streaming" in found
    rows.first.locator(".node-row").click()
    expect(page.locator(".impact tr.is-selected")).to_have_count(1)
    expect(page.locator(".node.selected")).to_be_visible()
    assert site.violations() == []


def test_from_afar_nodes_show_name_and_state_alone(site: Site, page: Page) -> None:
    site.open_graph(node=job_id(SUMMARY_JOB))
    node = site.node(job_id(SUMMARY_JOB))
    expect(node.locator(".node-place")).to_be_visible()
    viewport = page.locator(".react-flow__viewport")
    while page.locator(".canvas.far").count() == 0:
        before = viewport.get_attribute("style")
        page.get_by_role("button", name="Zoom out").click()
        expect(viewport).not_to_have_attribute("style", str(before))
    expect(node.locator(".node-name")).to_be_visible()
    expect(node.locator(".node-state")).to_be_visible()
    expect(node.locator(".node-place")).to_be_hidden()
    expect(node.locator(".side-button")).to_have_count(2)
    expect(node.locator(".side-button").first).to_be_hidden()
    assert site.violations() == []


def test_a_long_chain_stands_in_rows_and_arrows_follow_it(own: tuple[Site, Api]) -> None:
    site, api = own
    names = [f"step_{number:02}" for number in range(24)]
    for number, (source, target) in enumerate(pairwise(names)):
        api.store(event(f"job_{number}", [table(source)], [table(target)], number))
    site.open_graph(node="dataset:db://host:step_00", up="0", down="20", nojobs="1")
    site.page.keyboard.press("f")
    expect(site.nodes()).to_have_count(21)
    tops = site.nodes().evaluate_all("nodes => nodes.map(n => n.getBoundingClientRect().top)")
    assert len({round(top / 20) for top in tops}) >= 3
    site.page.get_by_role("application").focus()
    for _ in range(12):
        site.page.keyboard.press("ArrowRight")
    expect(site.node("dataset:db://host:step_12").locator(".node.selected")).to_be_visible()


def test_other_hops_are_fitted_to_the_screen(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(DASHBOARD))
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
    page.get_by_label("Hops upstream").fill("9")
    expect(site.node("dataset:postgres://commerce-db:5432:shop.commerce.orders")).to_be_visible()
    expect(page.locator(".beyond")).to_have_count(0)
    for node in site.nodes().all():
        expect(node).to_be_in_viewport()


def test_the_map_covers_nothing_and_shows_states(site: Site, page: Page) -> None:
    screening = "job:flink://shop-streams:8081:fraud-screening"
    site.open_graph(node=screening, up="2", down="2")
    box, room = page.locator(".graph-map").bounding_box(), page.locator(".canvas").bounding_box()
    assert box is not None and room is not None
    assert box["x"] >= room["x"] + room["width"]
    expect(page.locator(".map-node.warn").first).to_be_attached()
    legend = page.locator(".graph-legend")
    legend.locator("summary").click()
    expect(legend).to_contain_text("silent, late, stale or unusual volume")
    expect(legend).to_contain_text("masked")
    assert site.violations() == []


def test_long_names_keep_their_ends(own: tuple[Site, Api]) -> None:
    site, api = own
    name = "warehouse.sales.customer_orders_enriched_by_country_and_day_v2"
    api.store(event("load", [table("source")], [table(name)]))
    site.open_graph(node=f"dataset:db://host:{name}")
    node = site.node(f"dataset:db://host:{name}")
    expect(node.locator(".node-place")).to_have_text("warehouse.sales")
    expect(node.locator(".node-name")).to_have_text(name.rsplit(".", 1)[1])
    end, box = node.locator(".node-name > bdi").nth(1), node.locator(".node-text").bounding_box()
    expect(end).to_have_text("d_day_v2")
    tail = end.bounding_box()
    assert tail is not None and box is not None
    assert tail["x"] + tail["width"] <= box["x"] + box["width"] + 1


def test_tags_and_masking_are_in_the_graph(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    tags = {"tags": {**facet("TagsDatasetFacet"), "tags": [{"key": "pii", "field": "email"}]}}
    masking = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
    source = {"namespace": "db://host", "name": "people", "field": "email"}
    columns = {"digest": {"inputFields": [source | {"transformations": [masking]}]}}
    lineage = {**facet("ColumnLineageDatasetFacet"), "fields": columns}
    people, safe = table("people", ["email"], **tags), table("safe", ["digest"])
    safe["facets"]["columnLineage"] = lineage
    api.store(event("mask", [people], [safe]))
    ids = [f"dataset:db://host:{name}" for name in ("people", "safe")]
    site.open_graph(node=ids[1], columns=",".join(ids))
    expect(site.node(ids[0]).locator(".node-tag")).to_have_text("pii")
    expect(site.node(ids[0]).locator(".column-notes")).to_have_text("pii")
    expect(site.node(ids[1]).locator(".column-notes")).to_have_text("masked")
    expect(page.locator(".wire.column.masked")).to_have_count(1)
    expect(page.locator(".lines-legend")).to_contain_text("masked")
    assert site.violations() == []


def test_throughput_and_lag_are_on_nodes_on_demand(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    for ago, rows in ((1_200, 1_000), (90, 7_000)):
        source, target = table("topic"), table("copy")
        counts = {**facet("InputStatisticsInputDatasetFacet"), "rowCount": rows, "lag": 42}
        source["inputFacets"] = {"inputStatistics": counts}
        counts = {**facet("OutputStatisticsOutputDatasetFacet"), "rowCount": rows}
        target["outputFacets"] = {"outputStatistics": counts}
        told = event("stream", [source], [target], 1, eventType="RUNNING")
        api.store(told | {"eventTime": format_instant(now() - ago * SECOND)})
    site.open_graph(node="job:jobs:stream")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    node = site.node("job:jobs:stream")
    expect(node.locator(".node-rate")).to_have_count(0)
    page.get_by_role("switch", name="Throughput").check()
    expect(node.locator(".node-rate")).to_have_text("↓10/s ↑10/s lag 42")
    expect(site.node("dataset:db://host:copy").locator(".node-rate")).to_have_text("↓10/s")
    assert sum("/throughput?" in url for url in asked) == 1
    assert site.violations() == []


def test_hostile_names_in_fans_tables_and_what_is_sought(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    owned = {**facet("OwnershipDatasetFacet"), "owners": [{"name": HOSTILE}]}
    tagged = {**facet("TagsDatasetFacet"), "tags": [{"key": HOSTILE, "value": "true"}]}
    middle = table(f"middle{HOSTILE}", ["id"], ownership=owned, tags=tagged)
    for number in range(25):
        api.store(event(f"job{number}{HOSTILE}", [middle], [table(f"t{number}")], number))
    node = f"dataset:db://host:middle{HOSTILE}"
    site.open_graph(node=node, table="1", find=HOSTILE.strip())
    expect(page.locator(".react-flow .node.group")).to_contain_text("25 consumers")
    expect(page.locator(".impact tbody tr")).to_have_count(2)
    expect(page.locator(".impact .owners").first).to_contain_text("onerror")
    page.locator(".react-flow .node.group button").click()
    page.get_by_role("tab", name="Details").click()
    page.locator(".fan-member").first.click()
    expect(page.locator(".react-flow .node.group")).to_contain_text("24 consumers")
    assert page.locator("img[onerror]").count() == 0


def test_all_of_it_on_a_phone(crowded: Site, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for view in ({}, {"table": "1"}, {"at": CONSUMERS}, {"find": "target"}):
        crowded.open_graph(node=MIDDLE, **view)
        assert crowded.too_wide() == []
        assert crowded.violations() == []
