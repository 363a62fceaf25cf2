"""A tab of a real browser, and the CPU its process took, thread by thread.

Counted is the tab's own process with all its threads: scripts, style, layout, paint, rastering,
workers, the collection of garbage. Not counted are the browser around it and the server.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

WINDOW: ViewportSize = {"width": 1360, "height": 860}
# Done is what costs less than this in so many seconds, so many times.
STILL_SECONDS, STILL_CPU, STILL_TIMES = 0.1, 0.004, 3
STILL_TRIES = 300
MARK_SECONDS, MARK_TRIES = 0.02, 250
TASK = "ThreadControllerImpl::RunTask"
WORKER = "DedicatedWorker"


@dataclass
class Tab:
    """A page, with nothing in its cache, and what came to it over the network."""

    page: Page
    pid: int
    received: dict[str, int] = field(default_factory=dict)

    def cpu(self) -> float:
        """Seconds of all threads so far."""
        return sum(self._threads().values())

    def main_thread_cpu(self) -> float:
        return self._threads()[self.pid]

    def worker_cpu(self) -> float:
        """Seconds of the threads that run workers."""
        names = _thread_names(self.pid)
        return sum(cpu for thread, cpu in self._threads().items() if names.get(thread) == WORKER)

    def settle(self) -> None:
        """Wait until nothing is done any more."""
        calm, before = 0, self.cpu()
        for _ in range(STILL_TRIES):
            sleep(STILL_SECONDS)
            now = self.cpu()
            calm = calm + 1 if now - before < STILL_CPU else 0
            before = now
            if calm == STILL_TIMES:
                return
        raise RuntimeError(f"the page at {self.page.url[:80]} does not come to rest")

    def _threads(self) -> dict[int, float]:
        """CPU seconds by thread, which the kernel has to the nanosecond here."""
        found = {}
        for folder in Path(f"/proc/{self.pid}/task").iterdir():
            with suppress(OSError):
                found[int(folder.name)] = int((folder / "schedstat").read_text().split()[0]) / 1e9
        return found


@dataclass
class Longest:
    """The longest task of the main thread inside a `longest_task` block; filled in at its end."""

    milliseconds: float = 0.0  # of CPU


@contextmanager
def longest_task(tab: Tab) -> Iterator[Longest]:
    """Trace the tasks of a tab over a block: what takes long holds up all else."""
    longest = Longest()
    browser = tab.page.context.browser
    assert browser is not None
    session = browser.new_browser_cdp_session()
    events: list[Any] = []
    ended: list[Any] = []
    session.on("Tracing.dataCollected", lambda some: events.extend(some["value"]))
    session.on("Tracing.tracingComplete", lambda end: ended.append(end))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["toplevel"]}})
    yield longest
    session.send("Tracing.end")
    while not ended:
        tab.page.wait_for_timeout(50)
    session.detach()
    longest.milliseconds = max(
        event.get("tdur", 0) / 1000
        for event in events
        if event["name"] == TASK and event["pid"] == event["tid"] == tab.pid
    )


@contextmanager
def open_tab(browser: Browser, url: str) -> Iterator[Tab]:
    """A tab of a profile of its own, at an answer of the server that has no script."""
    # The policy of answers would refuse the worker by which the process is found.
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", bypass_csp=True)
    try:
        page = context.new_page()
        # The process is the site's from here on: what follows is counted in it.
        page.goto(f"{url}/readyz")
        tab = Tab(page, _find_process(browser, page))
        _count_received(context.new_cdp_session(page), tab.received)
        tab.settle()
        yield tab
    finally:
        context.close()


def _find_process(browser: Browser, page: Page) -> int:
    """The process that a worker of the page runs in: the browser tells of no other way."""
    page.evaluate("() => { window.mark = new Worker(URL.createObjectURL(new Blob())); }")
    session = browser.new_browser_cdp_session()
    found: list[int] = []
    for _ in range(MARK_TRIES):
        processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
        found = [one["id"] for one in processes if WORKER in _thread_names(one["id"]).values()]
        if found:
            break
        sleep(MARK_SECONDS)
    session.detach()
    page.evaluate("() => window.mark.terminate()")
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} processes of the browser run a worker, not one")
    return found[0]


def _thread_names(pid: int) -> dict[int, str]:
    names = {}
    for folder in Path(f"/proc/{pid}/task").iterdir():
        # A thread may end while it is read.
        with suppress(OSError):
            names[int(folder.name)] = (folder / "comm").read_text().strip()
    return names


def _count_received(session: CDPSession, received: dict[str, int]) -> None:
    """Note the bytes of every answer as they were sent, heads included."""
    urls: dict[str, str] = {}

    def on_request(event: Any) -> None:
        urls[event["requestId"]] = event["request"]["url"]

    def on_finished(event: Any) -> None:
        if url := urls.get(event["requestId"]):
            received[url] = received.get(url, 0) + int(event["encodedDataLength"])

    session.on("Network.requestWillBeSent", on_request)
    session.on("Network.loadingFinished", on_finished)
    session.send("Network.enable")
