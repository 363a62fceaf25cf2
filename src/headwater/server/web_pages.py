"""The web UI at `/`: the built files of this package, and one page for each of its addresses.

A wheel has them; in a clone `make ui` builds them. Without them a page says how to get them.
"""

import gzip
import mimetypes
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

# The addresses of the UI; what is shown there is in their query. `ui/src/routes.tsx` has the same.
PAGES = ("/", "/lineage", "/browse", "/dataset", "/column", "/job", "/run", "/events")
# Where its scripts, styles and fonts are; their names change with their content.
ASSETS = "/assets/"

# The pages run what this server gives them and ask no other; pictures are made on the page.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; "
    "connect-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FOREVER = "public, max-age=31536000, immutable"
_ABSENT = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Headwater</title>
<h1>The web UI is not built</h1>
<p>Run <code>make ui</code> in the clone this server runs from, then start it anew.
The API works without it: see <a href="/docs">/docs</a>.</p></html>"""

# Not of the API itself, and so not in its document.
router = APIRouter(include_in_schema=False)


class File(NamedTuple):
    """A file as it is sent, plain and compressed."""

    body: bytes
    gzipped: bytes
    media_type: str


def is_web_path(path: bytes) -> bool:
    """Whether a path is of the UI, whose files tell nothing of what is stored."""
    return path.decode("latin-1") in PAGES or path.startswith(ASSETS.encode())


def _folder() -> Traversable:
    return files("headwater.server") / "web"


@lru_cache(maxsize=256)
def _read(folder: Traversable, name: str) -> File | None:
    """A built file, by its name without folders; read and compressed once."""
    found = folder / name
    if not found.is_file():
        return None
    body = found.read_bytes()
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return File(body, gzip.compress(body, 6), media_type)


def _answer(request: Request, file: File, caching: str) -> Response:
    headers = {
        "Content-Security-Policy": _POLICY,
        "Cache-Control": caching,
        "Vary": "Accept-Encoding",
    }
    body = file.body
    if "gzip" in request.headers.get("accept-encoding", "") and len(file.gzipped) < len(body):
        body = file.gzipped
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type=file.media_type)


def get_page(request: Request) -> Response:
    page = _read(_folder(), "index.html")
    if page is None:
        return Response(_ABSENT, 503, media_type="text/html")
    return _answer(request, page, "no-cache")


def get_asset(request: Request, name: str) -> Response:
    asset = _read(_folder() / "assets", name)
    if asset is None:
        raise HTTPException(404)
    return _answer(request, asset, _FOREVER)


def get_icon(request: Request) -> Response:
    icon = _read(_folder(), "icon.svg")
    if icon is None:
        raise HTTPException(404)
    return _answer(request, icon, "max-age=86400")


for _page in PAGES:
    router.add_api_route(_page, get_page)
# As one segment of the path: a name with a slash in it, sent as %2F, is no file's name.
router.add_api_route(ASSETS + "{name}", get_asset)
router.add_api_route("/icon.svg", get_icon)
