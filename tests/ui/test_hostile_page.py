"""A page of somebody else, in a real browser beside an open server: it reads and writes nothing."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from testing.api import Api, open_api
from testing.events.minimal import RUN, run_event

pytestmark = pytest.mark.integration

WRITE = """async ([url, event]) => {
  const tries = [
    // No type at all, which needs no permission of the server.
    ["POST", "/api/v1/lineage", new Blob([event])],
    ["POST", "/api/v1/lineage", new Blob([event], {type: "text/plain"})],
    ["POST", "/api/v1/lineage", event],
    ["POST", "/api/v1/namespaces/scheduler/jobs/load/tags/hit", undefined],
    ["POST", "/api/v1/jobs/runs/RUN/fail", undefined],
  ];
  for (const [method, path, body] of tries) {
    try {
      await fetch(url + path, {method, body, mode: "no-cors"});
    } catch {
      // The page may not see the answer. The request has been made.
    }
  }
}""".replace("RUN", RUN)
READ = """async () => {
  const read = await fetch("/api/v1/namespaces");
  const deleted = await fetch("/api/v1/namespaces/scheduler", {method: "DELETE"});
  return [read.status, deleted.status];
}"""


class _Page(BaseHTTPRequestHandler):
    """An empty page at every address."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>A page of somebody else</title>")

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serve_pages() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as pages:
        thread = threading.Thread(target=pages.serve_forever)
        thread.start()
        try:
            yield int(pages.server_address[1])
        finally:
            pages.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('hostile') / 'store.db'}") as api:
        yield api


@pytest.fixture(scope="module")
def pages() -> Iterator[int]:
    with serve_pages() as port:
        yield port


def count_refused(api: Api) -> float:
    metrics = api.client.get("/metrics").text
    found = re.search(r'^headwater_refused_requests_total{code="403"} (\S+)', metrics, re.M)
    return float(found[1]) if found else 0.0


@pytest.mark.parametrize("name", ["evil.example", "localhost"])
def test_a_foreign_page_writes_nothing(browser: Browser, api: Api, pages: int, name: str) -> None:
    """Of another site, and of this machine at another port."""
    api.empty()
    api.store(run_event())
    before = [sorted(api.rows(relation)) for relation in ("event", "rejected", "edit_value")]
    with closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"http://{name}:{pages}/")
        event = json.dumps(run_event(job="hit"))
        refused = count_refused(api)
        page.evaluate(WRITE, [api.url, event])
    # The browser has sent all of them: it is the server that refuses.
    assert count_refused(api) - refused == 5
    after = [sorted(api.rows(relation)) for relation in ("event", "rejected", "edit_value")]
    assert after == before


def test_a_name_that_was_made_to_resolve_to_this_machine(browser: Browser, api: Api) -> None:
    api.empty()
    api.store(run_event())
    # The hostile page came from elsewhere while its name was there, with no policy of ours.
    with closing(browser.new_context(bypass_csp=True)) as context:
        page = context.new_page()
        page.goto(f"http://rebound.example:{urlsplit(api.url).port}/")
        assert page.evaluate(READ) == [403, 403]
        # Its own name is no such.
        page.goto(api.url)
        assert page.evaluate("async () => (await fetch('/api/v1/namespaces')).status") == 200
    assert api.rows("edit_value") == []
