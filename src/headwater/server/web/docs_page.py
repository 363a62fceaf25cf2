"""The page at `/docs`: the API document for people to read and try, from files of this package."""

from importlib.resources import files

from fastapi import APIRouter, Response

# The page runs what this server gives it and asks no other; nothing in it is made from text.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES = {
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/docs/docs.js": ("docs.js", "text/javascript; charset=utf-8"),
    "/docs/docs.css": ("docs.css", "text/css; charset=utf-8"),
}

# Not of the API itself, and so not in its document.
router = APIRouter(include_in_schema=False)


def _serve(path: str, name: str, media_type: str) -> None:
    body = (files("headwater.server.web") / "docs" / name).read_bytes()
    headers = {"Content-Security-Policy": _POLICY}

    async def get_file() -> Response:
        return Response(body, headers=headers, media_type=media_type)

    router.add_api_route(path, get_file)


for _path, (_name, _media_type) in _FILES.items():
    _serve(_path, _name, _media_type)
