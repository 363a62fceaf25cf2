"""Requests that are begun and not finished, or not sent as they should: none is waited for."""

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from headwater.server.http import protocol
from testing.api import Api, open_api
from testing.events.minimal import run_event

HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
WITH_LENGTH = HEAD + b"content-length: 1000\r\n\r\n"
IN_CHUNKS = HEAD + b"transfer-encoding: chunked\r\n\r\n"


@pytest.fixture
def impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A server that waits for tenths of a second."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "IDLE_SECONDS", "WATCH_SECONDS"):
        monkeypatch.setattr(protocol, name, 0.1)
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


def connect(api: Api) -> socket.socket:
    address = urlsplit(api.url)
    return socket.create_connection((address.hostname, address.port), 60)


def read_to_the_end(connection: socket.socket) -> bytes:
    """All that comes until the server closes; it must do so by itself."""
    received = b""
    while piece := connection.recv(65_536):
        received += piece
    return received


def check_refused(answer: bytes, code: int) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % code), answer
    assert body.startswith(b'{"code":%d,"message":"' % code)
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("part", [b"GET /he", HEAD, HEAD + b"x: "])
def test_a_head_that_does_not_end(impatient: Api, part: bytes) -> None:
    with closing(connect(impatient)) as connection:
        connection.sendall(part)
        check_refused(read_to_the_end(connection), 408)


@pytest.mark.parametrize("part", [WITH_LENGTH, WITH_LENGTH + b"{", IN_CHUNKS, IN_CHUNKS + b"1\r\n"])
def test_a_body_that_does_not_go_on(impatient: Api, part: bytes) -> None:
    with closing(connect(impatient)) as connection:
        connection.sendall(part)
        check_refused(read_to_the_end(connection), 408)
    assert impatient.rejected() == []


def test_a_connection_without_a_request(impatient: Api) -> None:
    with closing(connect(impatient)) as connection:
        assert read_to_the_end(connection) == b""


def test_a_body_that_goes_on_is_waited_for(impatient: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes at the rate that is asked for."""
    monkeypatch.setattr(protocol, "BODY_BYTES_A_SECOND", 10)
    with closing(connect(impatient)) as connection:
        connection.sendall(WITH_LENGTH)
        connection.settimeout(0.1)
        for _ in range(9):
            connection.sendall(b" " * 100)
            # Together longer than a body that does not go on is given.
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(60)
        connection.sendall(b" " * 100)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 ")


@pytest.mark.parametrize("chunk", [b"x\r\n{}\r\n", b"1\r\n{}\r\n0\r\n\r\n", b"-1\r\n"])
def test_a_bad_chunk(sqlite_api: Api, chunk: bytes) -> None:
    with closing(connect(sqlite_api)) as connection:
        connection.sendall(IN_CHUNKS + chunk)
        check_refused(read_to_the_end(connection), 400)
    assert sqlite_api.rejected() == []


@pytest.mark.parametrize("part", [b"GET /he", WITH_LENGTH + b"{}", IN_CHUNKS + b"2\r\n{}\r\n"])
def test_a_request_that_ends_too_early(sqlite_api: Api, part: bytes) -> None:
    with closing(connect(sqlite_api)) as connection:
        connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        check_refused(read_to_the_end(connection), 400)
    assert sqlite_api.rejected() == []


def test_who_has_sent_all_and_says_so_is_answered(tmp_path: Path) -> None:
    """Also if the answer takes its time, here that of a store that another process holds."""
    store = tmp_path / "headwater.db"
    event = msgspec.json.encode(run_event())
    head = HEAD + b"content-length: %d\r\n\r\n" % len(event)
    with (
        open_api(f"sqlite:///{store}") as api,
        closing(sqlite3.connect(store, isolation_level=None)) as other,
        closing(connect(api)) as connection,
    ):
        other.execute("BEGIN IMMEDIATE")
        connection.sendall(head + event)
        connection.shutdown(socket.SHUT_WR)
        # The server answers others, and so has seen the end of this one.
        assert api.client.get("/healthz").status_code == 200
        other.execute("ROLLBACK")
        assert read_to_the_end(connection).startswith(b"HTTP/1.1 201 ")
