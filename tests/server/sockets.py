"""Requests written by hand, sent to a server byte for byte."""

import socket
import time
from contextlib import closing
from urllib.parse import urlsplit

from testing.api import Api
from testing.services.headwater import Headwater


def exchange(
    server: Api | Headwater, head: bytes, again: bytes = b"", *, is_last: bool = False
) -> bytes:
    """Send bytes, then others for as long as they are taken; what comes back.

    That is one answer, or all until the server closes if the request asks it to (`is_last`).
    """
    address = urlsplit(server.url)
    received = b""
    with closing(socket.create_connection((address.hostname, address.port), 60)) as connection:
        try:
            connection.sendall(head)
            for _ in range(100 if again else 0):
                connection.sendall(again)
                time.sleep(0.001)
        except OSError:
            # Closed by the server, which has said why.
            pass
        try:
            while is_last or not (b"\r\n\r\n" in received and received.endswith((b"}", b"]"))):
                if not (piece := connection.recv(65_536)):
                    break
                received += piece
        except ConnectionResetError:
            pass
    return received
