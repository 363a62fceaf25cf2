"""Answers of raw ASGI, and the headers that every answer has."""

from collections.abc import Awaitable
from hashlib import sha256

from headwater.errors import HeadwaterError
from headwater.server.http.body import Message, Scope, Send, header
from headwater.server.http.errors import error_body, error_headers, status_of

# Made once: every answer carries them. A browser does not guess the type of a response, shows it
# in no frame and on no page of another site, and sends no referrer to other sites.
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_POLICY = b"content-security-policy"
# What is no page loads and runs nothing, should a browser show it as one. Pages have policies of
# their own (server/web), which stand in the place of this one.
SECURITY_HEADERS = (*_ALWAYS, (_POLICY, b"default-src 'none'; frame-ancestors 'none'"))


class Noted:
    """Passes an answer on, and knows whether one was begun."""

    __slots__ = ("_send", "is_begun")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_begun = False

    def __call__(self, message: Message) -> Awaitable[None]:
        self.is_begun = True
        return self._send(message)


async def respond(send: Send, status: int, body: bytes = b"", **headers: str) -> None:
    fields = [*SECURITY_HEADERS]
    for name, value in headers.items():
        fields.append((name.encode(), value.encode()))
    if body:
        fields.append((b"content-type", b"application/json"))
    if status != 204:
        fields.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def respond_error(send: Send, error: HeadwaterError) -> None:
    status = status_of(error)
    await respond(send, status, error_body(error, status), **error_headers(error, status))


def with_security_headers(send: Send) -> Send:
    """Add the headers to what a route answers."""

    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", ())
            has_policy = any(name == _POLICY for name, _ in headers)
            message["headers"] = [*headers, *(_ALWAYS if has_policy else SECURITY_HEADERS)]
        await send(message)

    return secured


def with_etag(scope: Scope, send: Send) -> Send:
    """Name what a read answers by its content, and leave it out for who has it already."""
    known = header(scope, b"if-none-match")
    begun: list[Message] = []

    async def tagged(message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == 200:
                begun.append(message)
            else:
                await send(message)
            return
        if not begun:
            await send(message)
            return
        start = begun.pop()
        if message.get("more_body"):
            # Answers in parts are not held back only to be named.
            await send(start)
            await send(message)
            return
        tag = f'"{sha256(message.get("body", b"")).hexdigest()[:32]}"'
        # A weak one: it names the content, sent compressed or not.
        start["headers"] = [*start.get("headers", ()), (b"etag", f"W/{tag}".encode())]
        if _is_among(tag, known):
            start["status"] = 304
            start["headers"] = [
                (name, value)
                for name, value in start["headers"]
                if name not in (b"content-length", b"content-type")
            ]
            message = {"type": "http.response.body", "body": b""}
        await send(start)
        await send(message)

    return tagged


def _is_among(tag: str, known: str) -> bool:
    """Whether If-None-Match names a tag; a proxy may have made it a weak one."""
    tags = {part.strip().removeprefix("W/") for part in known.split(",")}
    return tag in tags or "*" in tags
