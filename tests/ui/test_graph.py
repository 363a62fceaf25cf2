"""The lineage graph: small at first, grown by hand, the same for whoever opens its link."""

import csv
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from testing.api import Api
from testing.site import DASHBOARD, FACT, RAW, SUMMARY_JOB, Site, dataset_id, field_id, job_id
from tests.ui.events import event, facet, table

pytestmark = pytest.mark.integration

ORDERS = ("postgres://commerce-db:5432", "shop.commerce.orders")
FACT_JOB = ("dbt://shop-analytics", "shop_analytics.orders_fact")


def wait_for(site: Site, names: str, is_there: bool = True) -> None:
    expect(site.node(names)).to_have_count(1 if is_there else 0)


def test_begins_with_one_hop_and_says_that_there_is_more(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT))
    wait_for(site, dataset_id(RAW))
    assert len(site.shown()) == 6
    expect(site.node(dataset_id(RAW)).locator(".side-button.up")).to_have_text("+1")


def test_a_side_is_expanded_and_collapsed_and_in_the_link(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT))
    site.node(dataset_id(RAW)).locator(".side-button.up").click()
    sink = "job:kafka-connect://connect:8083:warehouse-orders-sink"
    wait_for(site, sink)
    before = site.shown()
    site.page.reload()
    wait_for(site, sink)
    assert site.shown() == before
    site.node(dataset_id(RAW)).locator(".side-button.up").click()
    wait_for(site, sink, is_there=False)
    site.node(dataset_id(RAW)).locator(".side-button.up").click()
    wait_for(site, sink)


def test_more_hops_reach_the_source(site: Site) -> None:
    site.open_graph(node=dataset_id(DASHBOARD))
    site.page.get_by_label("Hops upstream").fill("9")
    wait_for(site, dataset_id(ORDERS))


def test_without_jobs_datasets_are_joined_directly(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT))
    site.page.get_by_role("switch", name="Jobs").uncheck()
    wait_for(site, job_id(FACT_JOB), is_there=False)
    wait_for(site, dataset_id(RAW))
    expect(site.page.locator(".wire.through")).to_have_count(2)


def test_columns_open_on_demand_and_one_shows_its_path_alone(site: Site) -> None:
    site.open_graph(node=dataset_id(DASHBOARD))
    node = site.node(dataset_id(DASHBOARD))
    node.get_by_role("button", name="Show columns").click()
    node.get_by_role("button", name="revenue_last_7_days").click()
    wait_for(site, dataset_id(ORDERS))
    assert all(name.startswith("dataset:") for name in site.shown())
    origin = site.node(dataset_id(ORDERS))
    expect(origin.get_by_role("button", name="price")).to_be_attached()
    expect(origin.get_by_role("button", name="coupon_code")).to_have_count(0)
    expect(site.page.locator(".wire.column.direct").first).to_be_attached()
    expect(site.page.locator(".wire.column.indirect").first).to_be_attached()
    site.page.get_by_role("switch", name="Indirect columns").uncheck()
    expect(site.page.locator(".wire.column.indirect")).to_have_count(0)
    site.page.get_by_role("button", name="Back to the whole graph").click()
    wait_for(site, "job:superset://bi:8088:executive-revenue-dashboard")


def test_a_line_between_columns_tells_what_is_done(site: Site) -> None:
    site.open_graph(node=dataset_id(DASHBOARD), column=field_id(DASHBOARD, "revenue_last_7_days"))
    told = site.page.locator(".wire.column title").all_text_contents()
    assert any("AGGREGATION: sum(revenue)" in text and "direct" in text for text in told)
    assert any("shop_analytics.orders_fact" in text for text in told)


def test_a_line_is_under_the_pointer(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT))
    x, y = site.page.locator(".wire-hit").first.evaluate(
        """line => {
          const middle = line.getPointAtLength(line.getTotalLength() / 2);
          const { x, y } = middle.matrixTransform(line.getScreenCTM());
          return [x, y];
        }"""
    )
    # Beside the line itself, which is thin.
    site.page.mouse.move(x, y + 4)
    expect(site.page.locator(".wire:hover")).to_have_count(1)


def test_the_table_has_what_the_drawing_has(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT), up="3", nojobs="1", table="1")
    wait_for(site, dataset_id(RAW))
    names = site.page.locator(".impact tbody .node-row > .name:first-child").all_text_contents()
    assert len(names) == len(site.shown())
    assert all(any(identity.endswith(f":{name}") for identity in site.shown()) for name in names)


def test_filters_leave_the_focus_and_what_matches(site: Site) -> None:
    site.open_graph(node=dataset_id(FACT), up="9", system="kafka")
    wait_for(site, "dataset:kafka://broker:9092:orders-enriched")
    shown = site.shown()
    assert shown - {dataset_id(FACT)} == {name for name in shown if "kafka://broker" in name}
    expect(site.page.locator(".menu summary.is-set")).to_be_visible()


def test_groups_are_one_node_until_opened(site: Site) -> None:
    site.open_graph(node=dataset_id(DASHBOARD), up="9", group="system")
    group = site.node("group:kafka")
    expect(group).to_contain_text("3 nodes")
    group.get_by_role("button").click()
    wait_for(site, "dataset:kafka://broker:9092:orders-enriched")


def test_the_way_between_two_nodes(site: Site) -> None:
    site.open_graph(node=dataset_id(ORDERS), to=dataset_id(DASHBOARD))
    wait_for(site, dataset_id(DASHBOARD))
    assert site.shown() >= {dataset_id(RAW), job_id(FACT_JOB), dataset_id(FACT)}
    # What is no part of a way between the two is left out.
    assert "job:dbt://shop-analytics:shop_analytics.orders_fact.tests" not in site.shown()


def test_keys_move_open_and_expand(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT))
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowLeft")
    expect(site.node(job_id(FACT_JOB)).locator(".node.selected")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(site.node(dataset_id(RAW)).locator(".node.selected")).to_be_visible()
    page.keyboard.press("e")
    wait_for(site, "job:kafka-connect://connect:8083:warehouse-orders-sink")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(RAW[1])


def test_what_is_wrong_is_on_the_node(site: Site) -> None:
    screening = "job:flink://shop-streams:8081:fraud-screening"
    site.open_graph(node=screening)
    expect(site.node(screening)).to_contain_text("silent")
    expect(site.page.get_by_text("though it should be running").first).to_be_visible()


def test_a_jobs_runs_are_beside_it(site: Site) -> None:
    site.open_graph(node=job_id(SUMMARY_JOB))
    panel = site.page.get_by_role("complementary")
    expect(panel.get_by_text("failed")).to_be_visible()


@pytest.mark.parametrize("label", ["PNG picture", "SVG picture", "CSV of edges", "Mermaid"])
def test_exports(site: Site, page: Page, tmp_path: Path, label: str) -> None:
    site.open_graph(node=dataset_id(FACT))
    page.locator("summary", has_text="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=label).click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    content = file.read_bytes()
    match label:
        case "PNG picture":
            assert content.startswith(b"\x89PNG")
            width, height = struct.unpack(">II", content[16:24])
            assert width > height > 100
        case "SVG picture":
            assert "orders_fact" in "".join(ElementTree.fromstring(content).itertext())
        case "CSV of edges":
            rows = list(csv.DictReader(content.decode().splitlines()))
            assert {row["from_name"] for row in rows} >= {RAW[1], FACT[1]}
            assert len(rows) == 5
        case _:
            assert content.decode().startswith("flowchart LR")


def test_column_edges_as_csv(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(DASHBOARD), column=field_id(DASHBOARD, "revenue_last_7_days"))
    page.locator("summary", has_text="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of column edges").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert ("price", "revenue", "DIRECT") in {
        (row["from_column"], row["to_column"], row["type"]) for row in rows
    }


def test_layout_is_done_off_the_main_thread(site: Site, page: Page) -> None:
    site.open_graph(node=dataset_id(FACT))
    assert any("elk-worker" in worker.url for worker in page.workers)


def crowd(count: int) -> list[dict[str, Any]]:
    """Events of jobs that each write, or read, one table in the middle."""
    tables = [
        pair
        for number in range(count)
        for pair in ((f"source_{number}", "middle"), ("middle", f"target_{number}"))
    ]
    return [
        event(f"{source}_to_{target}", [table(source)], [table(target)], run)
        for run, (source, target) in enumerate(tables)
    ]


def test_a_crowd_opens_with_the_focus_in_the_middle_and_the_rest_a_key_away(
    own: tuple[Site, Api],
) -> None:
    site, api = own
    api.store(*crowd(60))
    focus = "dataset:db://host:middle"
    site.open_graph(node=focus, unfold=f"<{focus},>{focus}")
    beyond = site.page.get_by_role("button", name="more out of view")
    expect(beyond).to_be_visible()
    box, room = site.node(focus).bounding_box(), site.page.locator(".canvas").bounding_box()
    assert box is not None and room is not None
    assert abs(box["x"] + box["width"] / 2 - room["x"] - room["width"] / 2) < 5
    assert abs(box["y"] + box["height"] / 2 - room["y"] - room["height"] / 2) < 5
    # Large enough to be read; and around it all four layers.
    assert box["width"] > 0.6 * 230
    seen = [name for name in site.shown() if name != focus]
    assert min(sum(part in name for name in seen) for part in (":source", ":target")) > 10
    assert beyond.inner_text().startswith(f"{241 - len(seen) - 1} more")
    site.page.keyboard.press("f")
    expect(beyond).to_be_hidden()
    assert len(site.shown()) == 241


def test_columns_of_many_datasets_are_one_question(own: tuple[Site, Api], page: Page) -> None:
    site, api = own
    names = [f"step_{number}" for number in range(6)]
    for number, (before, after) in enumerate(pairwise(names)):
        field = {"namespace": "db://host", "name": before, "field": "key"}
        told = {**facet("ColumnLineageDatasetFacet"), "fields": {"key": {"inputFields": [field]}}}
        output = table(after, ["key"], columnLineage=told)
        api.store(event(f"job_{number}", [table(before, ["key"])], [output], number))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened = ",".join(f"dataset:db://host:{name}" for name in names)
    site.open_graph(node="dataset:db://host:step_0", down=9, columns=opened)
    expect(page.locator(".wire.column.direct")).to_have_count(5)
    assert sum("/column-lineage?" in url for url in asked) == 1
