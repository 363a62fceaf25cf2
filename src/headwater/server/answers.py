"""Answers of raw ASGI, and the headers that every answer has."""

from headwater.errors import HeadwaterError
from headwater.server.body import Message, Send
from headwater.server.errors import error_body, error_headers, status_of

# Made once: every answer carries them. A browser takes an answer for what it says it is, shows it
# in no one's frame, and tells no other site where it came from.
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
)


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
            message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
        await send(message)

    return secured
