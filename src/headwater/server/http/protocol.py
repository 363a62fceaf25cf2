"""uvicorn's HTTP protocol with an end to how long a request's head may be.

The application sees a request once its head is whole, and refuses one that is too large. Before
that nothing would stop a head without an end, or many large ones, from filling the memory. What
never becomes a request is answered here, in the same shape as all errors.
"""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from headwater.errors import HeadwaterError, InvalidRequest
from headwater.server.http.auth import (
    MAX_HEADER_BYTES,
    MAX_URL_BYTES,
    headers_too_large,
    url_too_long,
)
from headwater.server.http.errors import error_body, status_of
from headwater.server.http.responses import SECURITY_HEADERS

# Both limits, and room for what stands between names and values.
_MAX_HEAD_BYTES = 2 * (MAX_URL_BYTES + MAX_HEADER_BYTES)
# Stands for a longer one, of which nothing else is kept: the application refuses it.
_TOO_LONG = b"/" + b"-" * MAX_URL_BYTES


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
    """Keeps no more of a head than is needed to refuse it."""

    _is_in_head = False
    _head_bytes = 0

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > 2 * MAX_URL_BYTES:
            self.url = _TOO_LONG

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _MAX_HEAD_BYTES and not self.transport.is_closing():
                is_url = len(self.url) > MAX_URL_BYTES
                self._refuse(url_too_long() if is_url else headers_too_large())

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the one error shape, too."""
        self._refuse(InvalidRequest("request", "not a valid HTTP/1.1 request"))

    def _refuse(self, error: HeadwaterError) -> None:
        # While an earlier request of this connection is answered, nothing may be sent in between.
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_refusal(error))
        self.transport.close()
