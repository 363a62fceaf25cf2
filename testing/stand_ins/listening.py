"""A server of the standard library on a free port of the loopback address, in a thread."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # As many as connect at once.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client may hang up, or not like the certificate."""


@contextmanager
def listen(
    handler: type[BaseHTTPRequestHandler],
    begin: Callable[[str], None],
    tls: ssl.SSLContext | None = None,
) -> Iterator[None]:
    """Serve within; `begin` is told the URL before the first request can come."""
    server = _Server(("127.0.0.1", 0), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    begin(f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
