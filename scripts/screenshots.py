"""Takes a picture of each page of the web UI, with the example in it, in light and dark.

Run as `python -m scripts.screenshots [FOLDER]`; docs and README show what it makes.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from headwater.cli.demo.folder import DemoStore
from testing.api import no_lake, serve
from testing.services.chromium import open_browser
from testing.site import DASHBOARD, FACT, SUMMARY_JOB, dataset_id, field_id

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
WIDE = (1240, 740)
LOW = (1240, 560)
GRAPH = (1440, 720)
PHONE = (360, 900)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Picture(NamedTuple):
    """A page, what to wait for on it, and whether all of a graph is to be in view."""

    path: str
    search: dict[str, str]
    ready: str
    size: tuple[int, int] = WIDE
    is_fitted: bool = False


def _named(names: tuple[str, str], **more: str) -> dict[str, str]:
    return {"namespace": names[0], "name": names[1], **more}


_WHOLE = {"node": dataset_id(FACT), "up": "3", "down": "2", "nojobs": "1"}
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
    "events": Picture("/events", {}, "table", LOW),
    "browse": Picture("/browse", {"namespace": "kafka://broker:9092"}, ".browse-row", LOW),
    "phone": Picture("/job", _named(SUMMARY_JOB), ".timeline", PHONE),
    "home": Picture("/", {}, "text=fraud-screening"),
}


def take(page: Page, url: str, picture: Picture, file: Path) -> None:
    page.set_viewport_size({"width": picture.size[0], "height": picture.size[1]})
    page.goto(f"{url}{picture.path}?{urlencode(picture.search)}")
    page.locator(picture.ready).first.wait_for(state="attached")
    if picture.is_fitted:
        page.get_by_role("button", name="Fit to screen", exact=True).click()
    _shoot(page, file)


def take_run(page: Page, url: str, file: Path) -> None:
    """The run that failed has a new id in each example: it is reached as people reach it."""
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    page.goto(f"{url}/job?{urlencode(_named(SUMMARY_JOB))}")
    page.get_by_role("row", name="failed").get_by_role("link").click()
    page.locator(".error-box").wait_for()
    _shoot(page, file)


def _shoot(page: Page, file: Path) -> None:
    page.wait_for_load_state("networkidle")
    # A moment for what moves into its place.
    page.wait_for_timeout(400)
    page.screenshot(path=file)


def take_all(browser: Browser, url: str, folder: Path) -> None:
    for theme in THEMES:
        context = browser.new_context(color_scheme=theme)
        page = context.new_page()
        take_run(page, url, folder / f"run-{theme}.png")
        for name, picture in PICTURES.items():
            take(page, url, picture, folder / f"{name}-{theme}.png")
        context.close()


@contextmanager
def serve_example() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        store = DemoStore(Path(folder))
        store.load()
        with serve(no_lake(store.url)) as url:
            yield url


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with serve_example() as url, open_browser() as browser:
        take_all(browser, url, folder)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main()
