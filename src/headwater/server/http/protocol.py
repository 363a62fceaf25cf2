"""uvicorn's HTTP protocol with an end to how long a request may be, and how long it may take.

The application sees a request once its head is whole, and refuses one that is too large. Before
that nothing would stop a head without an end, or many large ones, from filling the memory. Nor
would anything end a request that is begun and not finished: its connection would be held for good.
What never becomes a request is answered here, in the same shape as all errors.
"""

from asyncio import TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from headwater.errors import HeadwaterError, InvalidRequest, TooSlow
from headwater.server.http.auth import (
    MAX_HEADER_BYTES,
    MAX_URL_BYTES,
    headers_too_large,
    url_too_long,
)
from headwater.server.http.body import Scope
from headwater.server.http.errors import error_body, status_of
from headwater.server.http.responses import SECURITY_HEADERS

# A head comes at once: browsers and clients send it in one piece.
HEAD_SECONDS = 10
# A body may take this long, and longer while it comes at this rate on average.
BODY_SECONDS = 20
BODY_BYTES_A_SECOND = 1_000
# A connection without a request is closed; longer than proxies keep theirs, so that they do it.
IDLE_SECONDS = 75
# How often a connection is looked at. One timer for each connection, none for each request.
WATCH_SECONDS = 2.0

# Notes of a request that its answer has no end by itself.
_ENDLESS = "is_endless"

# Both limits, and room for what stands between names and values.
_MAX_HEAD_BYTES = 2 * (MAX_URL_BYTES + MAX_HEADER_BYTES)
# Stands for a longer one, of which nothing else is kept: the application refuses it.
_TOO_LONG = b"/" + b"-" * MAX_URL_BYTES


def note_endless(scope: Scope) -> None:
    """Say that a request is answered until its reader leaves, or the server stops."""
    scope["state"][_ENDLESS] = True


def _refusal(error: HeadwaterError) -> bytes:
    status = status_of(error)
    body = error_body(error, status)
    fields = [
        *SECURITY_HEADERS,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    lines = b"".join(b"%b: %b\r\n" % field for field in fields)
    return STATUS_LINE[status] + lines + b"\r\n" + body


class BoundedProtocol(HttpToolsProtocol):
    """Keeps no more of a head than is needed to refuse it, and waits for no request without end."""

    _is_in_head = False
    _is_in_body = False
    _head_bytes = 0
    _body_bytes = 0
    # When the head or the body that is not whole began; before any, the connection.
    _begun_at = 0.0
    _watch: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begun_at = self.loop.time()
        self._watch = self.loop.call_later(WATCH_SECONDS, self._check_pace)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Let requests be answered, but for those whose answer would never end."""
        if self._is_endless():
            self.transport.close()
        super().shutdown()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Who has sent all, and says so, still waits for the answer: the connection stays."""
        if self._is_in_head or self._is_in_body:
            self._refuse(InvalidRequest("request", "ended before it was whole"))
        elif not self._is_answered() and not self._is_endless() and not self.pipeline:
            self.cycle.keep_alive = False
            return True
        return False

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True
        self._head_bytes = 0
        self._begun_at = self.loop.time()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > 2 * MAX_URL_BYTES:
            self.url = _TOO_LONG

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._body_bytes = 0
        super().on_headers_complete()
        # Not before: what names no path, as CONNECT, is no request, and nothing will answer it.
        self._is_in_body = True

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_body = False
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _MAX_HEAD_BYTES and not self.transport.is_closing():
                is_url = len(self.url) > MAX_URL_BYTES
                self._refuse(url_too_long() if is_url else headers_too_large())

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the one error shape, too."""
        what = "body is not sent as its head announced"
        self._refuse(
            InvalidRequest("request", what if self._is_in_body else "not a valid HTTP/1.1 request")
        )

    def _check_pace(self) -> None:
        """End what was begun and does not go on."""
        if self.transport.is_closing():
            return
        now = self.loop.time()
        took = now - self._begun_at
        if self._is_in_body:
            if self.flow.read_paused:
                # It is the server that does not read on.
                self._begun_at = now
            elif self._is_answered() and took > BODY_SECONDS:
                self.transport.close()
            elif self._body_bytes < (took - BODY_SECONDS) * BODY_BYTES_A_SECOND:
                self._refuse(TooSlow("body", f"slower than {BODY_BYTES_A_SECOND:,} bytes a second"))
        elif self._is_answered():
            if self._is_in_head and took > HEAD_SECONDS:
                self._refuse(TooSlow("request", f"its head took longer than {HEAD_SECONDS} s"))
            elif self.cycle is None and took > IDLE_SECONDS:
                self.transport.close()
        self._watch = self.loop.call_later(WATCH_SECONDS, self._check_pace)

    def _is_answered(self) -> bool:
        """Whether no request of this connection waits for its answer."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _is_endless(self) -> bool:
        """Whether the request that is being answered has an answer without an end."""
        cycle: Any = self.cycle
        return not self._is_answered() and bool(cycle.scope.get("state", {}).get(_ENDLESS))

    def _refuse(self, error: HeadwaterError) -> None:
        # While an earlier request of this connection is answered, nothing may be sent in between.
        # The one whose body is not whole can be answered as long as the application has not.
        is_unanswered = self._is_in_body and not self.cycle.response_started and not self.pipeline
        if self._is_answered() or is_unanswered:
            self.transport.write(_refusal(error))
        if is_unanswered:
            # The application learns that nothing more will come, and sends nothing either.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
