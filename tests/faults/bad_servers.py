"""Servers that take connections and make something else of them than a server of lineage does."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence

_HEAD = b"HTTP/1.1 %s\r\nContent-Length: 4\r\nConnection: close\r\n%s\r\nno!\n"

# What each answers to a request; None is no answer at all, and nothing an end to the connection.
ANSWERS: dict[str, bytes | None] = {
    "never": None,
    "drops": b"",
    "garbage": b"220 mail.example.com ESMTP\r\n" * 10,
    "broken": _HEAD % (b"500 Internal Server Error", b""),
    "unknown": _HEAD % (b"401 Unauthorized", b""),
    "forbidden": _HEAD % (b"403 Forbidden", b""),
    "moved": _HEAD % (b"301 Moved Permanently", b"Location: /elsewhere\r\n"),
}


@contextlib.contextmanager
def bad_servers(names: Sequence[str]) -> Iterator[list[str]]:
    """Run some of them; gives their addresses."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(_serve(ANSWERS[name])) for name in names]


@contextlib.contextmanager
def _serve(answer: bytes | None) -> Iterator[str]:
    open_ones: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_accept, args=(listener, answer, open_ones))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # Wakes the thread that accepts, which closing alone would not.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    for each in open_ones:
        each.close()


def _accept(listener: socket.socket, answer: bytes | None, open_ones: list[socket.socket]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        if answer is None:
            open_ones.append(connection)
            continue
        with connection, contextlib.suppress(OSError):
            if answer:
                _read_request(connection)
                connection.sendall(answer)


def _read_request(connection: socket.socket) -> None:
    """All of it: one that is closed with something unread is reset, and the answer lost."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = (line.partition(b":") for line in head.lower().splitlines())
    left = next(int(value) for name, _, value in lines if name == b"content-length") - len(body)
    while left > 0:
        left -= len(connection.recv(65536))
