"""Reading a request's body within bounds: its size as sent, and once unpacked."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

from headwater.errors import BodyTooLarge, InvalidRequest, StoreUnavailable, WrongContentType

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# Each stream copies what follows it; honest senders make one.
_MAX_MEMBERS = 100
# So much is unpacked at a time.
_PIECE_BYTES = 1_000_000
_GZIP_WINDOW = 16 + zlib.MAX_WBITS

# Methods that change nothing.
READING = frozenset(("GET", "HEAD"))

# For all but events: what a route reads is a few fields.
MAX_ROUTE_BODY_BYTES = 1_000_000


class Disconnected(Exception):
    """The client went away before its body was whole."""


class Budget:
    """Bytes of bodies held at once, over all requests."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0

    def take(self, size: int) -> None:
        if self._held + size > self._limit:
            raise StoreUnavailable("too many events at once; send again later")
        self._held += size

    def give_back(self, size: int) -> None:
        self._held -= size


class Body:
    """A body on its way in; `head` is what there is of it, also when it is refused."""

    def __init__(self, max_bytes: int, budget: Budget) -> None:
        self._max = max_bytes
        self._budget = budget
        # The first piece as it came; the whole, once there are more.
        self._data: bytes | bytearray = b""
        self._held = 0
        self.size = 0

    @property
    def head(self) -> bytes:
        return bytes(self._data)

    async def read(self, receive: Receive) -> bytes:
        """Read to the end; raises once it is longer than allowed."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            if chunk := message.get("body", b""):
                self._add(chunk)
            if not message.get("more_body"):
                return self.head

    def _add(self, chunk: bytes) -> None:
        self._budget.take(len(chunk))
        self._held += len(chunk)
        self.size += len(chunk)
        if not self._data:
            self._data = chunk
        else:
            # Pieces of a few bytes each must not weigh more than they are.
            if isinstance(self._data, bytes):
                self._data = bytearray(self._data)
            self._data += chunk
        if self.size > self._max:
            raise BodyTooLarge("body", f"larger than {self._max:,} bytes; send fewer events")

    def hold(self, size: int) -> None:
        """Count what a body has become once unpacked."""
        if size > self._held:
            self._budget.take(size - self._held)
            self._held = size

    def release(self) -> None:
        self._budget.give_back(self._held)


def has_body(scope: Scope) -> bool:
    """Whether a body is announced; one of unknown length is."""
    return header(scope, b"content-length") not in ("", "0") or bool(
        header(scope, b"transfer-encoding")
    )


async def read_route_body(
    scope: Scope, body: Body, receive: Receive, largest: int = MAX_ROUTE_BODY_BYTES
) -> Receive:
    """Read what a route is sent before it runs; gives what the route receives it by.

    Refused here and not while the route reads, where the framework would take it for bad input.
    """
    length = header(scope, b"content-length")
    if length.isdecimal() and int(length) > largest:
        raise _route_body_too_large(largest)
    try:
        data = await body.read(receive)
    except BodyTooLarge:
        raise _route_body_too_large(largest) from None
    messages = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


def _route_body_too_large(largest: int) -> BodyTooLarge:
    return BodyTooLarge("body", f"larger than {largest:,} bytes")


def header(scope: Scope, name: bytes) -> str:
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return ""


def check_content_type(scope: Scope) -> None:
    """Refuse a body that does not claim to be JSON.

    A body without a type is refused as well: a page of any site can make a browser send one.
    """
    content_type = header(scope, b"content-type").partition(";")[0].strip().lower()
    if content_type != "application/json" and not content_type.endswith("+json"):
        found = f"'{content_type[:100]}'" if content_type else "missing"
        advice = "send 'Content-Type: application/json' (curl: -H 'Content-Type: application/json')"
        raise WrongContentType("Content-Type", f"{found}; {advice}")


async def unpack(data: bytes, encoding: str, max_bytes: int, body: Body) -> bytes:
    """Undo a content encoding, never making more than `max_bytes` of it.

    What it becomes counts as the body's while it is made: little that is sent can become much.
    """
    match encoding.strip().lower():
        case "" | "identity":
            return data
        case "gzip" | "x-gzip":
            return await _gunzip(data, max_bytes, body)
        case other:
            raise WrongContentType("Content-Encoding", f"'{other[:64]}'; only gzip is supported")


async def _gunzip(data: bytes, max_bytes: int, body: Body) -> bytes:
    pieces: list[bytes] = []
    size = 0
    for piece in _pieces(data):
        size += len(piece)
        if size > max_bytes:
            raise BodyTooLarge("body", f"unpacks to more than {max_bytes:,} bytes")
        if pieces:
            # A long one: others have their turn between its pieces.
            await asyncio.sleep(0)
        body.hold(len(data) + size)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _pieces(data: bytes) -> Iterator[bytes]:
    """What gzip streams unpack to, some of it at a time."""
    for _ in range(_MAX_MEMBERS):
        if not data:
            return
        member = zlib.decompressobj(_GZIP_WINDOW)
        while not member.eof:
            try:
                piece = member.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                raise InvalidRequest(
                    "body", f"not gzip, although its header says so: {error}"
                ) from None
            data = member.unconsumed_tail
            if not piece and not member.eof and not data:
                raise InvalidRequest("body", "its gzip stream is truncated")
            yield piece
        data = member.unused_data
    raise InvalidRequest("body", f"more than {_MAX_MEMBERS} gzip streams in a row")
