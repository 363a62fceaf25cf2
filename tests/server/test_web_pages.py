"""The web UI's files: where they are, how long they are kept, and who may have them."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.server.app import Application
from headwater.server.http.errors import add_error_handlers
from headwater.server.web.pages import PAGES, create_web_router, is_lost_page
from scripts.api_types import TARGET, write_types
from testing.api import no_lake, serve

SCRIPT = b"console.log('a script');" * 40
ROUTES = Path(__file__).parents[2] / "ui" / "src" / "routes.tsx"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder as the build makes it."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Headwater</title>")
    (tmp_path / "icon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (tmp_path / "assets" / "main-1a2b.js").write_bytes(SCRIPT)
    return tmp_path


@pytest.fixture
def web(built: Path) -> Iterator[TestClient]:
    app = FastAPI(docs_url=None)
    add_error_handlers(app)
    app.include_router(create_web_router(built))
    with TestClient(app) as client:
        yield client


class TestFiles:
    def test_every_page_is_the_same_file_and_requested_again(self, web: TestClient) -> None:
        for page in PAGES:
            answer = web.get(page, params={"node": "dataset:a:b"})
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/html")
            assert answer.headers["cache-control"] == "no-cache"
            assert "<title>Headwater" in answer.text

    def test_assets_are_kept_for_good_and_sent_compressed(self, web: TestClient) -> None:
        answer = web.get("/assets/main-1a2b.js", headers={"Accept-Encoding": "gzip"})
        assert answer.content == SCRIPT
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) == len(gzip.compress(SCRIPT, 6))
        assert "immutable" in answer.headers["cache-control"]
        plain = web.get("/assets/main-1a2b.js", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.headers["content-type"].startswith("text/javascript")

    def test_a_page_runs_only_what_this_server_gives_it(self, web: TestClient) -> None:
        policy = web.get("/").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy

    @pytest.mark.parametrize(
        "name", ["none.js", "..", "%2e%2e", "..%2Findex.html", "%2Fetc%2Fpasswd", "."]
    )
    def test_nothing_else_is_given_away(self, web: TestClient, name: str) -> None:
        answer = web.get(f"/assets/{name}", follow_redirects=False)
        # A client makes `..` the page itself before it asks.
        assert answer.status_code == 404 or "<title>Headwater" in answer.text

    def test_without_a_build_a_page_says_how_to_get_one(self, built: Path, web: TestClient) -> None:
        (built / "index.html").unlink()
        answer = web.get("/lineage")
        assert answer.status_code == 503
        assert "make ui" in answer.text


class TestLost:
    """Addresses that are nobody's, as a browser opens them and as a program does."""

    HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

    @pytest.mark.slow
    def test_a_browser_gets_the_page_that_says_so(self, tmp_path: Path) -> None:
        keys = AuthSettings(keys=SecretStr("me:a-long-secret-to-read:read"))
        for name, auth in (("open", AuthSettings()), ("keyed", keys)):
            settings = no_lake(f"sqlite:///{tmp_path / name}.db", auth=auth)
            with serve(settings) as url, httpx2.Client(base_url=url, trust_env=False) as client:
                for path in ("/nowhere", "/dataset/orders", "/lost", "/a%2Fb"):
                    answer = client.get(path, headers=self.HTML)
                    assert answer.status_code in (404, 503), path
                    assert answer.headers["content-type"].startswith("text/html")
                # What is the API's stays so, whoever asks.
                for path in ("/api/v1/nowhere", "/metrics", "/openapi.json", "/assets/none.js"):
                    answer = client.get(path, headers=self.HTML)
                    assert "html" not in answer.headers["content-type"], path
                assert client.get("/nowhere").headers["content-type"] == "application/json"
                assert client.post("/nowhere", headers=self.HTML).status_code in (401, 404)

    def test_no_route_of_the_api_is_taken_for_a_page(self, tmp_path: Path) -> None:
        document = Application(no_lake(f"sqlite:///{tmp_path / 'none.db'}")).document()
        headers = [(b"accept", b"text/html")]
        for path in (*document["paths"], *PAGES, "/openapi.json"):
            scope = {"raw_path": path.encode(), "method": "GET", "headers": headers}
            assert not is_lost_page(scope), path


class TestKeys:
    def test_pages_are_open_and_what_they_show_is_not(self, tmp_path: Path) -> None:
        settings = no_lake(
            f"sqlite:///{tmp_path / 'store.db'}",
            auth=AuthSettings(keys=SecretStr("me:a-long-secret-to-read:read")),
        )
        with serve(settings) as url, httpx2.Client(base_url=url, trust_env=False) as client:
            for page in PAGES:
                assert client.get(page).status_code in (200, 503)
            assert client.get("/assets/none.js").status_code == 404
            assert client.get("/docs/none.js").status_code == 401
            assert client.get("/api/v1/namespaces").status_code == 401
            assert client.get("/openapi.json").status_code == 401


class TestSources:
    def test_types_of_the_api_are_up_to_date(self, tmp_path: Path) -> None:
        document = Application(no_lake(f"sqlite:///{tmp_path / 'none.db'}")).document()
        assert TARGET.read_text() == write_types(document), "run make ui-types"

    def test_the_addresses_of_the_ui_are_those_that_are_served(self) -> None:
        assert set(re.findall(r'path: "(/\w*)"', ROUTES.read_text())) == set(PAGES)
