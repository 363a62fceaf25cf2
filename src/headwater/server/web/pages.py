"""The web UI at `/`: the built files of this package, and one page for each of its addresses.

A wheel has them; in a clone `make ui` builds them. Without them a page explains how to build them.
"""

import gzip
import mimetypes
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import APIRouter, Request, Response

from headwater.errors import NotFound
from headwater.server.http.body import Scope
from headwater.server.http.compression import accepts_gzip

BUILT = Path(__file__).parent / "built"

# The addresses of the UI; what is shown there is in their query. `ui/src/routes.tsx` has the same.
PAGES = (
    "/",
    "/problems",
    "/discovery",
    "/drift",
    "/changes",
    "/lineage",
    "/browse",
    "/dataset",
    "/column",
    "/job",
    "/run",
    "/events",
    "/impact",
    "/compare",
    "/owner",
    "/tag",
    "/settings",
    "/collectors",
    "/ingestions",
    "/sql",
    "/docs",
)
ICON = "/icon.svg"
# Where its scripts, styles and fonts are; their names change with their content.
ASSETS = "/assets/"
# Any other address that a browser opens shows the same page, which tells that nothing is there.
LOST = "/lost"
_NO_PAGES = ("/api/", "/metrics", "/openapi.json", "/healthz", "/readyz", ASSETS, ICON)

# The pages run what this server gives them and ask no other; pictures are made on the page.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; "
    "connect-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FOREVER = "public, max-age=31536000, immutable"
_ABSENT = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Headwater</title>
<h1>The web UI is not built</h1>
<p>Run <code>make ui</code> in the clone this server runs from, then load this page again.
The API works without it: see <a href="/openapi.json">/openapi.json</a>.</p></html>"""


class File(NamedTuple):
    """A file as it is sent, plain and compressed."""

    body: bytes
    gzipped: bytes
    media_type: str


def is_web_path(path: bytes) -> bool:
    """Whether a path is of the UI, whose files contain nothing of the store."""
    text = path.decode("latin-1")
    return text in PAGES or text == ICON or text.startswith(ASSETS)


def is_lost_page(scope: Scope) -> bool:
    """Whether somebody opens an address in a browser that is neither of the UI nor of the API."""
    path = scope["raw_path"].decode("latin-1")
    if scope["method"] not in ("GET", "HEAD") or path in PAGES or path.startswith(_NO_PAGES):
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def create_web_router(folder: Path) -> APIRouter:
    """The routes of the UI that was built into a folder."""
    # Not of the API itself, and so not in its document.
    router = APIRouter(include_in_schema=False)

    def get_page(request: Request) -> Response:
        # Read again if it was rebuilt: it lists the files that a page needs.
        page = folder / "index.html"
        if not page.is_file():
            return Response(_ABSENT, 503, media_type="text/html")
        return _answer(request, _read(page, page.stat().st_mtime_ns), "no-cache")

    def get_lost(request: Request) -> Response:
        answer = get_page(request)
        answer.status_code = max(404, answer.status_code)
        return answer

    def get_asset(request: Request, name: str) -> Response:
        # One segment of the path as it was sent: a slash cannot be in it, written either way.
        return _get(request, folder / "assets" / name, _FOREVER)

    def get_icon(request: Request) -> Response:
        return _get(request, folder / ICON[1:], "max-age=86400")

    for page in PAGES:
        router.add_api_route(page, get_page)
    router.add_api_route(LOST, get_lost)
    router.add_api_route(ASSETS + "{name}", get_asset)
    router.add_api_route(ICON, get_icon)
    return router


def _get(request: Request, path: Path, caching: str) -> Response:
    if not path.is_file():
        raise NotFound("path", request.url.path)
    return _answer(request, _read(path, path.stat().st_mtime_ns), caching)


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> File:
    """A built file; read and compressed once."""
    body = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return File(body, gzip.compress(body, 6), media_type)


def _answer(request: Request, file: File, caching: str) -> Response:
    headers = {
        "Content-Security-Policy": _POLICY,
        "Cache-Control": caching,
        "Vary": "Accept-Encoding",
    }
    body = file.body
    accepted = request.headers.get("accept-encoding", "")
    if accepts_gzip(accepted) and len(file.gzipped) < len(body):
        body = file.gzipped
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.media_type)
