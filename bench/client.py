"""The load client: keep-alive connections in a process of its own, so its CPU is not counted."""

import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from multiprocessing import get_context
from statistics import quantiles
from threading import Lock
from time import perf_counter
from types import TracebackType

CONNECTIONS = 8

# A picklable maker of bodies (functools.partial): the client makes them, they never cross a pipe.
Bodies = Callable[[], Iterable[bytes]]

HEAD = (
    b"POST /api/v1/lineage HTTP/1.1\r\n"
    b"host: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
)


@dataclass(frozen=True)
class Sent:
    requests: int
    seconds: float
    p50: float  # milliseconds
    p95: float


class Client:
    """A process that sends bodies, one call at a time."""

    def __init__(self) -> None:
        # Spawned, not forked: the parent's threads and memory stay out of it.
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    def send(self, port: int, bodies: Bodies, connections: int = CONNECTIONS) -> Sent:
        """Post every body; raise RuntimeError at the first answer that is not 201."""
        return self._pool.submit(send, port, bodies, connections).result()

    def read(self, port: int, paths: Sequence[str], connections: int, seconds: float) -> Sent:
        """Get paths in turn for so long; raise RuntimeError at the first answer that is not 200."""
        return self._pool.submit(read, port, paths, connections, seconds).result()


def send(port: int, bodies: Bodies, connections: int = CONNECTIONS) -> Sent:
    """Post every body over a number of connections, in this process."""
    queue = _Queue(iter(bodies()))
    with ThreadPoolExecutor(connections) as threads:
        started = perf_counter()
        work = [threads.submit(_post_all, port, queue) for _ in range(connections)]
        waits = [wait for future in work for wait in future.result()]
        seconds = perf_counter() - started
    return _sent(waits, seconds)


def read(port: int, paths: Sequence[str], connections: int, seconds: float) -> Sent:
    """Get paths over a number of connections, each beginning with another, in this process."""
    end = perf_counter() + seconds
    with ThreadPoolExecutor(connections) as threads:
        work = [
            threads.submit(_get_until, port, [*paths[first % len(paths) :], *paths], end)
            for first in range(connections)
        ]
        waits = [wait for future in work for wait in future.result()]
    return _sent(waits, seconds)


def _sent(waits: list[float], seconds: float) -> Sent:
    cuts = quantiles(waits, n=20, method="inclusive") if len(waits) > 1 else waits * 19
    return Sent(len(waits), seconds, cuts[9] * 1000, cuts[18] * 1000)


def _get_until(port: int, paths: Sequence[str], end: float) -> list[float]:
    waits = []
    with _connected(port) as connection:
        for path in cycle(paths):
            started = perf_counter()
            if started > end:
                break
            connection.sendall(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode())
            _expect(connection, 200)
            waits.append(perf_counter() - started)
    return waits


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield connection
    except OSError as error:
        raise RuntimeError(f"the connection to the server failed: {error}") from error


class _Queue:
    """Hands bodies to the connections until there are none, or one connection has failed."""

    def __init__(self, bodies: Iterator[bytes]) -> None:
        self._bodies = bodies
        self._lock = Lock()
        self.closed = False

    def take(self) -> bytes | None:
        with self._lock:
            return None if self.closed else next(self._bodies, None)


def _post_all(port: int, queue: _Queue) -> list[float]:
    waits = []
    try:
        with _connected(port) as connection:
            while (body := queue.take()) is not None:
                started = perf_counter()
                connection.sendall(HEAD % len(body) + body)
                _expect(connection, 201)
                waits.append(perf_counter() - started)
    finally:
        # Ended early: the other connections are to stop as well. Ended well: nothing is left.
        queue.closed = True
    return waits


def _expect(connection: socket.socket, status: int) -> None:
    head, rest = _read_head(connection)
    missing = _body_length(head) - len(rest)
    while missing > 0:
        data = _receive(connection)
        missing -= len(data)
        rest += data
    if not head.startswith(b"HTTP/1.1 %d " % status):
        raise RuntimeError(f"the server answered {head[:40]!r} {rest[:300]!r}, not {status}")


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    data = _receive(connection)
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _receive(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise RuntimeError("the server closed the connection without an answer")
    return data


def _body_length(head: bytes) -> int:
    _, found, value = head.lower().partition(b"\r\ncontent-length:")
    if not found:
        raise RuntimeError(f"an answer without content-length: {head[:300]!r}")
    return int(value.partition(b"\r\n")[0])
