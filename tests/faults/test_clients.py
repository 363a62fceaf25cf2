"""Clients that are slow, many, or gone before their body is whole: the others do not notice."""

import asyncio
import re
import resource
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import httpx2
import pytest

from headwater.server.http.body import Body, Budget, Disconnected
from testing import load
from testing.services.headwater import Headwater
from testing.wait import wait_until
from tests.faults.load import JSON, PATH, new_client
from tests.faults.stored import check_quiet, check_stores_more, events_in, events_read

pytestmark = pytest.mark.integration

SLOW_CLIENTS = 1_000
MOST_MB = 200
PROMPT_SECONDS = 1.0
HEAD = (
    f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    "content-length: {}\r\n\r\n"
)
CHUNKED_HEAD = (
    f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    "transfer-encoding: chunked\r\n\r\n"
)
PIECES = 20


@pytest.fixture(autouse=True, scope="module")
def many_files() -> Iterator[None]:
    """Let this process, and the servers it starts, hold a socket for each client."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * SLOW_CLIENTS
    most = before[1] if before[1] != resource.RLIM_INFINITY else wanted
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(before[0], wanted), most), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def server() -> Iterator[Headwater]:
    with Headwater.start() as service:
        yield service


def megabytes(server: Headwater, name: str) -> float:
    """A figure of the server's memory: VmRSS now, VmHWM at its highest."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def connect(server: Headwater) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def post(client: httpx2.Client, event: bytes) -> float:
    """Post an event that must be stored; the seconds it took."""
    started = time.monotonic()
    answer = client.post(PATH, content=event, headers=JSON)
    assert answer.status_code == 201, answer.text
    return time.monotonic() - started


def check_prompt(waits: list[float]) -> None:
    """All but the few that met a disk or a processor which others had for themselves."""
    waits = sorted(waits)
    assert waits[int(0.95 * len(waits))] < PROMPT_SECONDS, waits[-10:]


class SlowClients(threading.Thread):
    """Sends the body of every client a piece at a time, all of them at once, to the end."""

    def __init__(self, clients: list[socket.socket], events: list[bytes]) -> None:
        super().__init__()
        self._clients = clients
        self._events = events

    def run(self) -> None:
        longest = max(map(len, self._events))
        size = longest // PIECES + 1
        for client, event in zip(self._clients, self._events, strict=True):
            client.sendall(HEAD.format(len(event)).encode())
        for start in range(0, longest, size):
            for client, event in zip(self._clients, self._events, strict=True):
                client.sendall(event[start : start + size])
            time.sleep(0.1)


@contextmanager
def connections(server: Headwater, number: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(connect(server)) for _ in range(number)]


def test_a_thousand_slow_clients(server: Headwater) -> None:
    """Others are answered promptly, memory stays bounded, and the slow get their answer, too."""
    others = load.events(5_000, start_run=100_000)
    events = list(load.events(SLOW_CLIENTS))
    waits = []
    with new_client(server.url) as client, connections(server, SLOW_CLIENTS) as clients:
        post(client, next(others))
        before = megabytes(server, "VmRSS")
        slow = SlowClients(clients, events)
        slow.start()
        while slow.is_alive():
            waits.append(post(client, next(others)))
            time.sleep(0.01)
        assert {one.recv(65536)[:12] for one in clients} == {b"HTTP/1.1 201"}
        assert megabytes(server, "VmHWM") - before < MOST_MB
        assert set(events) <= events_read(client)
    assert len(waits) > 20
    check_prompt(waits)
    check_quiet(server)


def test_clients_that_stall_for_good(server: Headwater) -> None:
    """They hold a connection each, and keep nobody else from being answered."""
    with new_client(server.url) as client, connections(server, SLOW_CLIENTS) as clients:
        for one in clients:
            one.sendall(HEAD.format(10_000).encode() + b"{")
        check_prompt([post(client, event) for event in load.events(50)])
        assert client.get("/readyz").status_code == 200
    check_stores_more(server)
    check_quiet(server)


def test_many_small_pieces_weigh_what_they_are() -> None:
    """Bodies held at once are counted by their bytes, so pieces must not cost far more."""
    pieces = 200_000
    body = Body(20_000_000, Budget(256_000_000))

    async def receive() -> dict[str, object]:
        if body.size == 2 * pieces:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"%02d" % (body.size % 89), "more_body": True}

    tracemalloc.start()
    try:
        with pytest.raises(Disconnected):
            asyncio.run(body.read(receive))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 4 * body.size + 100_000


def test_more_clients_than_the_server_may_have_files(server: Headwater) -> None:
    """The ones beyond its limit wait or are turned away; when others go it goes on."""
    _, most = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (200, most))
    with new_client(server.url) as client:
        early = next(events := load.events(100))
        post(client, early)
        with connections(server, 400) as clients:
            for one in clients:
                with suppress(OSError):
                    one.sendall(HEAD.format(10_000).encode() + b"{")
            # Who has a connection keeps it.
            for event in events:
                post(client, event)
        wait_until(lambda: is_alive(server))
    check_stores_more(server)
    check_quiet(server)
    assert len(server.log()) < 100_000


def is_alive(server: Headwater) -> bool:
    try:
        return httpx2.get(f"{server.url}/healthz", trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


def close(connection: socket.socket) -> None:
    connection.close()


def reset(connection: socket.socket) -> None:
    """Go without a word: the server's next read or write fails."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_read(server: Headwater, connection: socket.socket) -> bool:
    """Tell whether the server has taken in all that was sent, by what its kernel holds for it."""
    ends = f"0100007F:{server.port:04X} 0100007F:{connection.getsockname()[1]:04X} "
    (line,) = (line for line in Path("/proc/net/tcp").read_text().splitlines() if ends in line)
    _, _, _, _, queues, *_ = line.split()
    return queues.endswith(":00000000")


def half_a_body(event: bytes) -> bytes:
    return HEAD.format(len(event)).encode() + event[: len(event) // 2]


def half_of_the_chunks(event: bytes) -> bytes:
    half = event[: len(event) // 2]
    return CHUNKED_HEAD.encode() + b"%x\r\n%b\r\n" % (len(half), half)


def half_a_chunk(event: bytes) -> bytes:
    return CHUNKED_HEAD.encode() + b"%x\r\n%b" % (len(event), event[: len(event) // 2])


def a_head_only(event: bytes) -> bytes:
    return HEAD.format(len(event)).encode()


def half_a_head(event: bytes) -> bytes:
    return HEAD.format(len(event)).encode()[:30]


@pytest.mark.parametrize("leave", [close, reset])
@pytest.mark.parametrize(
    "part", [half_a_body, half_of_the_chunks, half_a_chunk, a_head_only, half_a_head]
)
def test_gone_in_the_middle(
    shared: Headwater, part: Callable[[bytes], bytes], leave: Callable[[socket.socket], None]
) -> None:
    """Nothing of it is stored, as an event or as rejected, and nothing is complained of."""
    (event,) = load.events(1, start_run=700_000)
    for pause in (0.0, 0.05):
        connection = connect(shared)
        connection.sendall(part(event))
        time.sleep(pause)
        leave(connection)
    array = b"[" + b",".join(load.events(50, start_run=700_000)) + b"]"
    connection = connect(shared)
    connection.sendall(part(array))
    leave(connection)
    check_stores_more(shared)
    assert len(events_in(shared.store)) == 2
    with new_client(shared.url) as client:
        assert client.get("/api/v1/events/rejected").json()["totalCount"] == 0
        assert "headwater_" in client.get("/metrics").text
    check_quiet(shared)


def test_gone_before_the_answer(server: Headwater) -> None:
    """A whole body was taken: it is stored, though nobody hears of it."""
    events = list(load.events(20))
    for number, event in enumerate(events):
        connection = connect(server)
        connection.sendall(HEAD.format(len(event)).encode() + event)
        # A reset overtakes what the server has not read yet.
        wait_until(partial(is_read, server, connection))
        (close if number % 2 else reset)(connection)
    wait_until(lambda: events_in(server.store) == set(events))
    check_quiet(server)


@pytest.fixture(scope="module")
def shared() -> Iterator[Headwater]:
    """One server for the tests that leave nothing behind but two known events."""
    with Headwater.start() as service:
        yield service
