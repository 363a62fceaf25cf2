"""The paths of LineageBridge's API: which are open, which take large bodies, and their errors.

Clients of LineageBridge read why a request was refused from `detail`; it has the same text as
`message` in the one shape of errors.
"""

import re

import msgspec

from headwater.server.http.body import MAX_ROUTE_BODY_BYTES, Message, Scope, Send

_PATH = re.compile(
    rb"/api/v1/(?:lineage/(?:events|datasets|jobs)|graphs|tasks|push|catalogs|version"
    rb"|openapi\.yaml)(?:/|$)|/api/v1/health$"
)
# Open without a key, as in LineageBridge; they say nothing of what is stored.
PUBLIC_PATHS = frozenset(
    (b"/api/v1/health", b"/api/v1/version", b"/api/v1/catalogs", b"/api/v1/openapi.yaml")
)
_EVENTS = b"/api/v1/lineage/events"
_IMPORT = re.compile(rb"/api/v1/graphs/[^/]+/import")
# A hundred thousand nodes with their edges.
MAX_IMPORT_BYTES = 100_000_000


def is_bridge_path(path: bytes) -> bool:
    """Whether a path, as it was sent, is one of LineageBridge's API."""
    return _PATH.match(path) is not None


def largest_body(scope: Scope, largest_events: int) -> int:
    """The size of the largest body that a route takes."""
    path = scope["raw_path"]
    if path == _EVENTS:
        return largest_events
    return MAX_IMPORT_BYTES if _IMPORT.fullmatch(path) else MAX_ROUTE_BODY_BYTES


def with_detail(scope: Scope, send: Send) -> Send:
    """Add `detail` to the errors of these paths."""
    if not is_bridge_path(scope["raw_path"]):
        return send
    begun: list[Message] = []

    async def detailed(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            begun.append(message)
            return
        if begun:
            start, body = begun.pop(), _detailed(message.get("body", b""))
            length = (b"content-length", str(len(body)).encode())
            headers = [field for field in start["headers"] if field[0] != length[0]]
            await send({**start, "headers": [*headers, length]})
            message = {**message, "body": body}
        await send(message)

    return detailed


def _detailed(body: bytes) -> bytes:
    try:
        error = msgspec.json.decode(body, type=dict[str, object])
    except msgspec.MsgspecError:
        return body
    return msgspec.json.encode({**error, "detail": error.get("detail", error.get("message"))})
