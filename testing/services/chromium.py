"""Debian's Chromium, driven by Playwright; what that would fetch itself is not needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from headwater.server.web.pages import BUILT

PROGRAM = "/usr/bin/chromium"


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser, where there is one and pages to show in it."""
    if not (BUILT / "index.html").exists():
        raise RuntimeError("the web UI is not built; run make ui")
    if not Path(PROGRAM).exists():
        raise RuntimeError("there is no Chromium; run make services")
    with sync_playwright() as playwright:
        arguments = [
            # A sandbox needs a user of its own, which machines for tests have not.
            "--no-sandbox",
            # Sites of others: names that nobody can own, all of them on this machine.
            "--host-resolver-rules=MAP *.example 127.0.0.1",
        ]
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=arguments)
        try:
            yield browser
        finally:
            browser.close()
