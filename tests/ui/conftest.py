"""A browser, a server with the example, and a page that tells of all that goes wrong on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from headwater.cli.demo.folder import DemoStore
from testing.api import Api, no_lake, open_api, serve
from testing.services.chromium import open_browser
from testing.site import Site, watch

PATIENCE_MILLISECONDS = 60_000
# Five seconds by themselves, whatever a context says.
expect.set_options(timeout=PATIENCE_MILLISECONDS)


# Not of the session: while it is open, Playwright's event loop counts as running in this thread,
# and tests of other folders that come after it could run none.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for the tests of this folder that come one after another."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with the example in it."""
    store = DemoStore(tmp_path_factory.mktemp("example"))
    store.load()
    with serve(no_lake(store.url)) as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser that nobody used before; faults on it fail the test."""
    # What moves is clicked where it is no longer, on a machine with much to do.
    context = browser.new_context(viewport={"width": 1360, "height": 860}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    faults = watch(page)
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def site(page: Page, example: str) -> Site:
    """The example's UI."""
    return Site(page, example)


@pytest.fixture
def own(page: Page, tmp_path: Path) -> Iterator[tuple[Site, Api]]:
    """The UI of a server with an empty store, and a way to fill it."""
    with open_api(f"sqlite:///{tmp_path / 'store.db'}") as api:
        yield Site(page, api.url), api
