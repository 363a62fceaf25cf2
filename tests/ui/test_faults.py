"""Hostile names, missing parts, and servers that are down, slow, locked or broken."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.model.values.instant import MINUTE, format_instant, now
from testing.api import Api, no_lake, serve
from testing.site import FACT, Site, dataset_id, job_id, wait_until_read
from tests.ui.events import event, facet, run_id, table

pytestmark = pytest.mark.integration

NAMES = {
    "script": "<script>window.hit = 1</script>",
    "image": "<img src=x onerror='window.hit = 1'>",
    "quotes": """a"b'c`d\\e${window.hit = 1}""",
    "commas": "a,b~c,~.d%2C&x=1#y?z",
    "emoji": "orders 🦆👩‍👩‍👧",
    "right to left": "\u202eسجل الطلبات\u202c",
    "long": "very_long_" * 100,
    "dots": "...",
    "spaces": "  a   b  ",
}
SECRET = "a-long-secret-to-read"


def is_hit(page: Page) -> bool:
    return bool(page.evaluate("window.hit !== undefined"))


class TestNames:
    @pytest.mark.parametrize("kind", NAMES)
    def test_are_names_and_nothing_else(self, own: tuple[Site, Api], kind: str) -> None:
        site, api = own
        name = NAMES[kind]
        api.store(event(name, [table(name, [name, "plain"])], [table("target")]))
        site.open_graph(node=f"dataset:db://host:{name}")
        expect(site.nodes()).to_have_count(3)
        site.page.get_by_role("button", name="Show columns").click()
        column = site.page.locator(".node-column").first
        expect(column).to_be_visible()
        box = site.page.locator(".node.dataset").first.bounding_box()
        inside = column.bounding_box()
        assert box is not None and inside is not None
        assert inside["width"] <= box["width"]
        # The same view from its link alone.
        site.page.reload()
        expect(site.page.locator(".node-column").first).to_be_visible()
        column.click()
        expect(site.page.get_by_role("button", name="Back to the whole graph")).to_be_visible()
        for path, search in (
            ("/dataset", {"namespace": "db://host", "name": name}),
            ("/column", {"namespace": "db://host", "name": name, "field": name}),
            ("/job", {"namespace": "jobs", "name": name}),
        ):
            site.open(path, **search)
            expect(site.page.get_by_role("heading", level=1)).to_have_text(name)
            wait_until_read(site.page)
            expect(site.page.get_by_role("alert")).to_have_count(0)
            site.page.set_viewport_size({"width": 360, "height": 740})
            assert site.too_wide() == []
            assert not is_hit(site.page)

    def test_are_safe_in_search_and_on_home(self, own: tuple[Site, Api]) -> None:
        site, api = own
        for run, name in enumerate(NAMES.values()):
            told = {"eventType": "FAIL", "eventTime": format_instant(now() - MINUTE)}
            api.store(event(name, [], [table(name)], run, **told))
        site.open("/")
        changes = site.page.locator(".card", has_text="Changed in the last day").locator("li")
        expect(changes.first).to_be_visible()
        expect(site.page.locator(".card", has_text="Needs attention")).to_contain_text("very_long")
        for width in (1280, 360):
            site.page.set_viewport_size({"width": width, "height": 740})
            assert site.too_wide() == []
            tallest = "rows => Math.max(...rows.map(row => row.clientHeight))"
            assert site.page.locator(".rows > li").evaluate_all(tallest) < 250
        expect(site.search("window").first).to_contain_text("window.hit")
        wait_until_read(site.page)
        assert not is_hit(site.page)

    def test_are_safe_in_lists_of_events_runs_and_places(self, own: tuple[Site, Api]) -> None:
        site, api = own
        for number, name in enumerate(NAMES.values()):
            error = {"message": name, "programmingLanguage": name, "stackTrace": name}
            facets = {"errorMessage": error}
            failed = event(name, [], [table(name)], number, run_facets=facets)
            api.store({**failed, "eventType": "FAIL"})
        api.post(b"<script>window.hit = 1</script>")
        for path, search in (
            ("/events", {}),
            ("/events", {"kind": "rejected"}),
            ("/browse", {"namespace": "db://host"}),
            ("/run", {"id": run_id(0)}),
            ("/run", {"id": run_id(6)}),
        ):
            for width in (1280, 360):
                site.page.set_viewport_size({"width": width, "height": 740})
                site.open(path, **search)
                wait_until_read(site.page)
                expect(site.page.get_by_role("alert")).to_have_count(0)
                assert site.too_wide() == []
            assert not is_hit(site.page)

    def test_facets_of_wrong_shapes_are_shown_raw(self, own: tuple[Site, Api]) -> None:
        site, api = own
        odd: dict[str, Any] = {
            "ownership": {"owners": "x"},
            "symlinks": [],
            "dataQualityAssertions": 3,
        }
        api.store(event("odd", [], [table("odd", **odd)]))
        site.open("/dataset", namespace="db://host", name="odd")
        expect(site.page.get_by_text("No schema reported").first).to_be_visible()
        expect(site.page.get_by_role("heading", name="Facets")).to_be_visible()


class TestGraphs:
    def test_a_cycle_is_drawn(self, own: tuple[Site, Api]) -> None:
        site, api = own
        api.store(
            event("forth", [table("a")], [table("b")], 1),
            event("back", [table("b")], [table("a")], 2),
        )
        site.open_graph(node="dataset:db://host:a", up=5, down=5)
        expect(site.nodes()).to_have_count(4)
        expect(site.page.locator(".wire")).to_have_count(4)

    def test_a_wide_table_opens_a_page_at_a_time(self, own: tuple[Site, Api]) -> None:
        site, api = own
        columns = [f"column_{number:04d}" for number in range(2000)]
        api.store(event("wide", [table("wide", columns)], [table("target")]))
        site.open_graph(node="dataset:db://host:wide")
        site.page.get_by_role("button", name="Show columns").click()
        expect(site.page.locator(".node-column")).to_have_count(10)
        site.page.get_by_label("Find a column").fill("1999")
        expect(site.page.locator(".node-column")).to_have_text(["column_1999int"])
        site.open("/dataset", namespace="db://host", name="wide")
        expect(site.page.get_by_role("link", name="column_0000")).to_be_visible()
        assert site.page.locator(".virtual-row").count() < 100

    def test_a_column_in_500_edges(self, own: tuple[Site, Api]) -> None:
        site, api = own
        columns = [f"column_{number:03d}" for number in range(500)]
        source = {"namespace": "db://host", "name": "source", "field": "key"}
        lineage = {"fields": {column: {"inputFields": [source]} for column in columns}}
        told = {**facet("ColumnLineageDatasetFacet"), **lineage}
        output = table("target", columns, columnLineage=told)
        api.store(event("fan", [table("source", ["key"])], [output]))
        site.open_graph(node="dataset:db://host:source", column="datasetField:db://host:source:key")
        expect(site.nodes()).to_have_count(2)
        site.page.get_by_role("tab", name="Table").click()
        expect(site.page.get_by_text("Column edges: 500")).to_be_visible()
        site.open("/column", namespace="db://host", name="source", field="key")
        expect(site.page.get_by_role("link", name="column_000")).to_be_visible()
        assert site.page.locator(".edge-row").count() < 100
        ends = site.page.get_by_role("group", name="Goes to")
        ends.evaluate("list => list.scrollTo(0, list.scrollHeight)")
        expect(site.page.get_by_role("link", name="column_499")).to_be_visible()

    def test_more_than_can_be_drawn_is_stated(self, own: tuple[Site, Api]) -> None:
        site, api = own
        outputs = [table(f"target_{number:04d}") for number in range(1000)]
        api.store(event("fan", [table("source")], outputs))
        site.open_graph(node="dataset:db://host:source")
        expect(site.page.get_by_text("Too large to draw")).to_be_visible()
        expect(site.node("job:jobs:fan").locator(".side-button.down")).to_contain_text("+5")


class TestLists:
    def test_100_000_datasets_are_scrolled_and_found(self, own: tuple[Site, Api]) -> None:
        site, api = own
        for part in range(20):
            numbers = range(part * 5_000, (part + 1) * 5_000)
            outputs = [table(f"table_{number:06d}") for number in numbers]
            api.store(event(f"fill_{part}", [], outputs, part))
        site.open("/browse", namespace="db://host")
        rows = site.page.get_by_role("group", name="Datasets")
        expect(rows.get_by_role("link", name="table_000000")).to_be_visible()
        expect(site.page.get_by_text("100,000 datasets")).to_be_visible()
        for place, name in ((0.5, "table_050000"), (1, "table_099999"), (0, "table_000000")):
            rows.evaluate("(list, place) => list.scrollTo(0, list.scrollHeight * place)", place)
            expect(rows.get_by_role("link", name=name)).to_be_visible()
            # What is out of view is not made: that is what would freeze the tab.
            assert rows.locator(".virtual-row").count() < 50
        find = site.page.get_by_label("Find a dataset")
        find.fill("table_0777")
        expect(site.page.get_by_text("100 datasets", exact=True)).to_be_visible()
        expect(rows.get_by_role("link", name="table_077700")).to_be_visible()
        find.fill("nothing like it")
        expect(site.page.get_by_text("Nothing in this namespace matches.")).to_be_visible()


class TestServers:
    def test_an_empty_one_says_how_to_begin(self, own: tuple[Site, Api]) -> None:
        site, _ = own
        site.open("/")
        expect(site.page.get_by_text("No events received yet")).to_be_visible()

    def test_one_that_is_down_is_stated_and_tried_again(self, site: Site, page: Page) -> None:
        site.open("/")
        page.route("**/api/**", lambda route: route.abort())
        page.get_by_role("link", name="Events").click()
        # After the tries that a passing fault is given.
        expect(page.get_by_text("The server does not answer")).to_be_visible()
        page.unroute("**/api/**")
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("button", name="Open").first).to_be_visible()

    def test_what_is_old_is_stated_until_it_is_read_again(self, site: Site, page: Page) -> None:
        page.clock.install()
        site.open("/problems")
        expect(page.get_by_text("fraud-screening").first).to_be_visible()
        page.route("**/api/**", lambda route: route.abort())
        page.clock.run_for(70_000)
        banner = page.get_by_text("No answer from the server")
        expect(banner).to_be_visible()
        expect(page.get_by_text("fraud-screening").first).to_be_visible()
        assert site.violations() == []
        page.unroute("**/api/**")
        page.clock.run_for(70_000)
        expect(banner).to_have_count(0)

    def test_a_500_is_stated(self, site: Site, page: Page) -> None:
        body = '{"code": 500, "message": "it broke"}'
        page.route("**/api/v1/lineage*", lambda route: route.fulfill(status=500, body=body))
        site.open("/lineage", node=dataset_id(FACT))
        expect(page.get_by_text("it broke")).to_be_visible()

    def test_a_slow_one_shows_that_it_is_waited_for(self, site: Site, page: Page) -> None:
        held: list[Route] = []
        page.route("**/api/v1/lineage*", lambda route: held.append(route))
        site.open("/lineage", node=dataset_id(FACT))
        expect(page.get_by_role("status", name="Loading")).to_be_visible()
        for route in held:
            route.continue_()
        page.unroute("**/api/v1/lineage*")
        expect(site.node(dataset_id(FACT))).to_be_visible()

    def test_a_deleted_node_is_stated(self, own: tuple[Site, Api]) -> None:
        site, api = own
        api.store(event("job", [table("source")], [table("target")]))
        link = {"node": "dataset:db://host:target"}
        site.open_graph(**link)
        api.client.delete("/api/v1/namespaces/db%3A%2F%2Fhost/datasets/target")
        site.open("/lineage", **link)
        expect(site.page.get_by_text("Not found", exact=True)).to_be_visible()

    def test_a_node_that_never_was_names_those_near(self, site: Site) -> None:
        site.open("/lineage", node=job_id(("dbt://shop-analytics", "shop_analytics.orders_fakt")))
        expect(site.page.get_by_text("Did you mean", exact=True)).to_be_visible()
        site.page.get_by_role("link", name="shop_analytics.orders_fact").first.click()
        site.nodes().first.wait_for()

    def test_one_that_asks_for_a_key_gets_it(self, page: Page, tmp_path: Path) -> None:
        auth = AuthSettings(keys=SecretStr(f"me:{SECRET}:read"))
        with serve(no_lake(f"sqlite:///{tmp_path / 'store.db'}", auth=auth)) as url:
            site = Site(page, url)
            site.open("/")
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            assert site.violations() == []
            page.get_by_role("textbox", name="API key").fill("wrong-key-of-some-length")
            page.get_by_role("button", name="Use key").click()
            expect(dialog).to_contain_text("not accepted")
            page.get_by_role("textbox", name="API key").fill(SECRET)
            page.get_by_role("button", name="Use key").click()
            expect(dialog).to_be_hidden()
            expect(page.get_by_text("No events received yet")).to_be_visible()
