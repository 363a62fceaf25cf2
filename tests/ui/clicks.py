"""Clicks that are counted: what a task takes of who does it; typing is none."""

from playwright.sync_api import Locator, Page


class Clicks:
    """Somebody at a page, with how often they clicked; going back counts as well."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.count = 0

    def on(self, target: Locator) -> None:
        self.count += 1
        target.click()

    def back(self) -> None:
        self.count += 1
        self._page.go_back()
