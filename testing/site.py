"""What tests do on the web UI, in the words of who uses it."""

from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, Request

AXE = Path(__file__).parents[1] / "ui" / "node_modules" / "axe-core" / "axe.min.js"

DASHBOARD = ("superset://bi:8088", "dashboards.executive_revenue")
FACT = ("snowflake://acme-shop", "analytics.marts.orders_fact")
RAW = ("snowflake://acme-shop", "analytics.raw.orders_enriched")
SUMMARY_JOB = ("dbt://shop-analytics", "shop_analytics.daily_revenue_summary")

Names = tuple[str, str]

# Elements that reach over the right edge, if that makes the page scroll.
_TOO_WIDE = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120));
}"""


_TARGETS = """() => axe.run({exclude: [[".react-flow__viewport"]]}, {runOnly: ["target-size"]})"""
_SMALL_IN_GRAPH = """() => [...document.querySelectorAll(".react-flow__viewport button")]
  .filter((button) => button.offsetWidth < 24 || button.offsetHeight < 24)
  .map((button) => button.outerHTML.slice(0, 160))"""

# How many stops of the Tab key are looked at: a list may have thousands.
_STOPS = 60
# What has the focus: who it is, and what is wrong with it; nothing at the end of the page.
_FOCUSED = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  window.stops ??= new Map();
  if (!window.stops.has(at)) window.stops.set(at, window.stops.size);
  const style = getComputedStyle(at), box = at.getBoundingClientRect();
  const faults = [];
  if (style.outlineStyle === "none" && style.boxShadow === "none") faults.push("shows no focus");
  if (box.width === 0 || box.height === 0) faults.push("has no size");
  if (box.bottom < 0 || box.top > innerHeight) faults.push("is out of view");
  // A date is entered in parts, each a stop of its own.
  const hasParts = at.matches("input[type^=date], input[type=time]");
  return { stop: window.stops.get(at), faults, hasParts, html: at.outerHTML.slice(0, 120) };
}"""

# The network is never idle: pages follow what happens.
_IS_READ = """() => document.querySelector("#content")?.childElementCount > 0
  && !document.querySelector(".loading, .waiting")"""


def wait_until_read(page: Page) -> None:
    """Wait until a page shows all that it has asked for."""
    page.wait_for_function(_IS_READ)


def dataset_id(names: Names) -> str:
    return f"dataset:{names[0]}:{names[1]}"


def job_id(names: Names) -> str:
    return f"job:{names[0]}:{names[1]}"


def field_id(names: Names, field: str) -> str:
    return f"datasetField:{names[0]}:{names[1]}:{field}"


def watch(page: Page) -> list[str]:
    """Note what must not be: errors of scripts, refusals of the policy, requests to others."""
    faults: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        # What the server refuses is shown on the page, and told here by the browser itself.
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def on_request(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            faults.append(f"asked {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", on_request)
    return faults


class Site(NamedTuple):
    """The UI of a server, on a page."""

    page: Page
    url: str

    def open(self, path: str, **search: Any) -> None:
        query = f"?{urlencode(search)}" if search else ""
        self.page.goto(f"{self.url}{path}{query}")

    def open_graph(self, **view: Any) -> None:
        """Open a lineage view and wait until it is drawn."""
        self.open("/lineage", **view)
        self.nodes().first.wait_for()

    def search(self, text: str) -> Locator:
        """Type into the search box; gives what is found."""
        self.page.get_by_role("combobox").first.wait_for()
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        found = self.page.get_by_role("option")
        found.first.wait_for()
        return found

    def nodes(self) -> Locator:
        return self.page.locator(".react-flow__node")

    def node(self, identity: str) -> Locator:
        return self.page.locator(f'.react-flow__node[data-id="{identity}"]')

    def shown(self) -> set[str]:
        """Ids of the nodes that are drawn."""
        ids = self.nodes().evaluate_all("nodes => nodes.map(node => node.dataset.id)")
        return set(ids)

    def violations(self) -> list[str]:
        """What axe finds wrong on the page, by the rules of WCAG 2.1 AA."""
        self.page.evaluate(AXE.read_text())
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
        found = self.page.evaluate("tags => axe.run({runOnly: tags})", tags)
        return [
            f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    def small_targets(self) -> list[str]:
        """What can be clicked and is smaller than 24 by 24 pixels, with nothing around it.

        In the graph, which is zoomed, it counts as large as it is at its own size.
        """
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate(_TARGETS)
        small = [node["html"][:160] for rule in found["violations"] for node in rule["nodes"]]
        return small + list(self.page.evaluate(_SMALL_IN_GRAPH))

    def keyboard_faults(self) -> list[str]:
        """What is wrong for who goes through the page by the Tab key: unseen, or a trap."""
        self.page.evaluate("document.activeElement?.blur(); window.scrollTo(0, 0)")
        faults, before = [], -1
        for _ in range(_STOPS):
            self.page.keyboard.press("Tab")
            focused = self.page.evaluate(_FOCUSED)
            if focused is None:
                break
            faults += [f"{fault}: {focused['html']}" for fault in focused["faults"]]
            if focused["stop"] == before and not focused["hasParts"]:
                faults.append(f"keeps the focus: {focused['html']}")
            before = focused["stop"]
        return faults

    def too_wide(self) -> list[str]:
        """What makes the page scroll sideways."""
        return list(self.page.evaluate(_TOO_WIDE))
