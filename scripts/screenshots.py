"""Takes a picture of each page of the web UI, with the example in it, in light and dark.

Run as `python -m scripts.screenshots [FOLDER] [--only NAME]`; docs and README show what it makes.
"""

import argparse
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from headwater.cli.demo.folder import DemoStore
from headwater.model.values.instant import DAY, format_instant, now
from testing.api import no_lake, open_api, serve
from testing.operations import fill_operations
from testing.services.chromium import open_browser
from testing.site import DASHBOARD, FACT, RAW, SUMMARY_JOB, dataset_id, field_id, wait_until_read

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
WIDE = (1240, 740)
LOW = (1240, 560)
GRAPH = (1440, 720)
PHONE = (360, 900)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Picture(NamedTuple):
    """A page, what to wait for on it, and whether all of a graph is to be in view.

    `pasted` goes into its text box, and is sent. What the example has nothing of is `is_operated`.
    """

    path: str
    search: dict[str, str]
    ready: str
    size: tuple[int, int] = WIDE
    is_fitted: bool = False
    pasted: str = ""
    is_operated: bool = False


class Servers(NamedTuple):
    """One with the example, one with collectors, an ingestion, findings and drift."""

    example: str
    operated: str


def _named(names: tuple[str, str], **more: str) -> dict[str, str]:
    return {"namespace": names[0], "name": names[1], **more}


STREAM = ("flink://shop-streams:8081", "order-enrichment")
_WHOLE = {"node": dataset_id(FACT), "up": "3", "down": "2", "nojobs": "1"}
_SQL = """\
CREATE TABLE orders (id BIGINT, email STRING, currency STRING, price DECIMAL(10, 2),
  ordered_at TIMESTAMP(3), WATERMARK FOR ordered_at AS ordered_at)
  WITH ('connector' = 'kafka', 'topic' = 'shop.orders',
    'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE rates (currency STRING, rate DECIMAL(10, 4), valid_from TIMESTAMP(3),
  WATERMARK FOR valid_from AS valid_from, PRIMARY KEY (currency) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'shop.rates',
    'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE hourly_revenue (hour_start TIMESTAMP(3), currency STRING, revenue DECIMAL(20, 2))
  WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db:5432/shop',
    'table-name' = 'hourly_revenue');
CREATE TABLE orders_eur (id BIGINT, email_hash STRING, amount DECIMAL(20, 2))
  WITH ('connector' = 'kafka', 'topic' = 'shop.orders_eur',
    'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');

EXECUTE STATEMENT SET BEGIN
INSERT INTO hourly_revenue
SELECT window_start, currency, SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ordered_at), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, currency;

INSERT INTO orders_eur
SELECT o.id, SHA256(o.email), o.price * r.rate
FROM orders AS o
JOIN rates FOR SYSTEM_TIME AS OF o.ordered_at AS r ON o.currency = r.currency;
END;"""
_REVENUE = field_id(DASHBOARD, "revenue_last_7_days")
# Home is last: it tells what was looked at before.
PICTURES = {
    "lineage": Picture("/lineage", {"node": dataset_id(FACT)}, ".node.focus", GRAPH),
    "columns": Picture(
        "/lineage", {**_WHOLE, "columns": dataset_id(FACT)}, ".wire.column", GRAPH, is_fitted=True
    ),
    "path": Picture(
        "/lineage",
        {"node": dataset_id(DASHBOARD), "column": _REVENUE},
        ".wire.column",
        GRAPH,
        is_fitted=True,
    ),
    "dataset": Picture("/dataset", _named(FACT), ".bars"),
    "column": Picture("/column", _named(FACT, field="revenue"), ".edge-row"),
    "job": Picture("/job", _named(SUMMARY_JOB), ".timeline"),
    "stream": Picture("/job", _named(STREAM), ".beat"),
    "job-sql": Picture("/job", _named(SUMMARY_JOB), ".source-list"),
    "sql": Picture("/sql", {}, ".wire.column", (1440, 900), pasted=_SQL),
    "events": Picture("/events", {}, "table", LOW),
    "browse": Picture("/browse", {"namespace": "kafka://broker:9092"}, ".browse-row", LOW),
    "problems": Picture("/problems", {}, ".problem-rows", LOW),
    "changes": Picture("/changes", {"last": "7d"}, ".problem-rows", LOW),
    "tag": Picture("/tag", {"name": "pii"}, ".impact-table tr", LOW),
    "owner": Picture("/owner", {"name": "team:analytics"}, ".impact-table tr", LOW),
    "settings": Picture("/settings", {}, ".impact-table tr"),
    "discovery": Picture("/discovery", {}, ".problem-rows", LOW, is_operated=True),
    "drift": Picture("/drift", {}, ".problem-rows", LOW, is_operated=True),
    "collectors": Picture("/collectors", {}, ".facts", LOW, is_operated=True),
    "ingestions": Picture("/ingestions", {}, ".facts", LOW, is_operated=True),
    "impact": Picture("/impact", {"node": dataset_id(RAW)}, ".impact-table tr", LOW),
    "past": Picture("/dataset", _named(FACT, asof="3 days ago"), ".schema-row"),
    "compare-runs": Picture("/compare", _named(SUMMARY_JOB), ".compare-table"),
    "compared": Picture(
        "/lineage",
        {"node": dataset_id(FACT), "up": "3", "down": "2", "since": "3 days ago"},
        ".node.is-changed",
        GRAPH,
        is_fitted=True,
    ),
    "phone": Picture("/job", _named(SUMMARY_JOB), ".timeline", PHONE),
    "home": Picture("/", {}, "text=fraud-screening"),
}


def take(page: Page, url: str, picture: Picture, file: Path) -> None:
    page.set_viewport_size({"width": picture.size[0], "height": picture.size[1]})
    page.goto(f"{url}{picture.path}?{urlencode(_timed(picture.search))}")
    if picture.pasted:
        box = page.get_by_role("textbox", name="SQL", exact=True)
        box.fill(picture.pasted)
        box.press("Control+Enter")
    page.locator(picture.ready).first.wait_for(state="attached")
    if picture.is_fitted:
        page.get_by_role("button", name="Fit to screen", exact=True).click()
    _shoot(page, file)


def _timed(search: dict[str, str]) -> dict[str, str]:
    """The same with a time in the place of words: the example ends when it is made."""
    ago = format_instant(now() - 3 * DAY)
    return {key: ago if value == "3 days ago" else value for key, value in search.items()}


def take_run(page: Page, url: str, file: Path) -> None:
    """The run that failed has a new id in each example: it is reached as people reach it."""
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    page.goto(f"{url}/job?{urlencode(_named(SUMMARY_JOB))}")
    page.get_by_role("row", name="failed").get_by_role("link").click()
    page.locator(".error-box").wait_for()
    _shoot(page, file)


def _shoot(page: Page, file: Path) -> None:
    wait_until_read(page)
    # A moment for what moves into its place.
    page.wait_for_timeout(400)
    page.screenshot(path=file)


def take_job_sql(page: Page, url: str, picture: Picture, file: Path) -> None:
    """The part of a job's page with its SQL, while somebody points at a column."""
    page.set_viewport_size({"width": WIDE[0], "height": 1400})
    page.goto(f"{url}{picture.path}?{urlencode(picture.search)}")
    page.locator(picture.ready).wait_for()
    wait_until_read(page)
    page.locator(".sql .mark", has_text="revenue").last.hover()
    page.locator("section.card", has=page.locator(".sql")).screenshot(path=file)


def take_all(browser: Browser, servers: Servers, folder: Path, only: Collection[str]) -> None:
    for theme in THEMES:
        context = browser.new_context(color_scheme=theme)
        page = context.new_page()
        if "run" in only:
            take_run(page, servers.example, folder / f"run-{theme}.png")
        for name, picture in PICTURES.items():
            if name in only:
                how = take_job_sql if name == "job-sql" else take
                url = servers.operated if picture.is_operated else servers.example
                how(page, url, picture, folder / f"{name}-{theme}.png")
        context.close()


@contextmanager
def serve_both() -> Iterator[Servers]:
    with tempfile.TemporaryDirectory() as folder:
        store = DemoStore(Path(folder))
        store.load()
        with (
            serve(no_lake(store.url)) as url,
            open_api(f"sqlite:///{Path(folder) / 'operated.db'}") as api,
        ):
            fill_operations(api)
            yield Servers(url, api.url)


def main() -> None:
    names = ("run", *PICTURES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--only", action="append", choices=names, help="a page; may be repeated")
    given = parser.parse_args()
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    with serve_both() as servers, open_browser() as browser:
        take_all(browser, servers, folder, given.only or names)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main()
