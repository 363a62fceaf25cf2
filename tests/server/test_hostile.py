"""Requests that mean harm, against a real server: each is answered below 500, in the one shape.

Every operation of the API document gets them: odd names in its path, odd values in its query, odd
bodies; and the connection itself odd heads, of which two servers in a row would make two requests.
"""

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx2
import pytest

from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from tests.server.sockets import exchange

pytestmark = pytest.mark.integration

FAR = "9999999999999999999999"
# As sent: some are no valid encoding of anything.
PATH_VALUES = (
    *("%00", "a%00b", "%", "%zz", "%ed%a0%80", "%ff%fe", "%c0%af", "%2e%2e%2f%2e%2e", "..", "."),
    *("%252e%252e", "%0d%0aX:%20y", "%e2%80%ae", "job:a:b", "dataset:::", "*", "'%22%3b--"),
    *("x" * 5_000, FAR, "%F0%9F%92%A9", "{}", "__proto__", "%20", "-", "00000000-0000"),
)
QUERY_VALUES = (
    *("%00", "%", "%ed%a0%80", "-1", "-" + FAR, FAR, "1" * 4_400, "1e400", "-1e400", "NaN"),
    *("Infinity", "0x10", "1_000", "%D9%A1", "", "%20", "true", "[]", "[" * 5_000, "{}"),
    *("9999-12-31T23:59:59.999999Z", "10000-01-01", "99999-01-01T00:00:00Z", "0000-00-00"),
    *("0001-01-01T00:00:00Z", "-0001-01-01", "2024-02-30", "9999-12-31T23:59:59-23:59"),
    *("dataset:a:b", "job:a:b", "datasetField:a:b:c", "dataset:", "%2e", "UPDATE_AT", "*" * 300),
    # Cursors that were not given: an odd number, another shape, base64 of neither.
    *("AAAA", "eyJhdCI6MX0=", "0:0:0", "1700000000000000:" + "f" * 64, "W10=", "%FF"),
)
DEEP = b"[" * 60_000 + b"]" * 60_000
BODIES: tuple[bytes, ...] = (
    *(b"", b"null", b"0", b'""', b"[]", b"{}", b"{", b"\xff", b"\0", DEEP, b"1e400", b"[{}]"),
    b'{"description": "\\ud800", "ownerName": "\\ud800", "name": "\\ud800"}',
    b'{"description": "\\u0000", "ownerName": "\\u0000", "type": "DB_TABLE"}',
    b'{"type": "DB_TABLE", "type": "STREAM", "description": 1, "description": "a"}',
    b'{"type": 1e400, "ownerName": 1e400, "value": 1e400, "node": 1e400}',
    b'{"ownerName": "' + b"x" * 300_000 + b'"}',
    b'{"node": "dataset:a:b", "field": "description", "value": ' + b"9" * 4_400 + b"}",
    b'{"sql": "SELECT ' + b"(" * 5_000 + b'1", "dialect": "flink"}',
    b'{"sql": "SELECT \\u0000 FROM \\ud800"}',
    b'{"id": "\\u0000", "runArgs": {"a": "\\ud800"}, "nominalStartTime": "99999-01-01"}',
    b'{"inputs": [' + b'{"namespace":"a","name":"b"},' * 3_000 + b"{}]}",
)
GET = b"GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SECOND = b"GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
HEADS: dict[str, bytes] = {
    "a length and chunks": POST + CHUNKED + b"Content-Length: 4\r\n\r\n0\r\n\r\n" + SECOND,
    "chunks and a length": POST + b"Content-Length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n" + SECOND,
    "two lengths": POST + b"Content-Length: 0\r\nContent-Length: 9\r\n\r\n" + SECOND,
    "a list of lengths": POST + b"Content-Length: 0, 9\r\n\r\n" + SECOND,
    "a length with a sign": POST + b"Content-Length: +0\r\n\r\n" + SECOND,
    "a length of hex digits": POST + b"Content-Length: 0x0\r\n\r\n" + SECOND,
    "a length beyond 64 bits": POST + b"Content-Length: 99999999999999999999\r\n\r\n",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n",
    "an encoding of two": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunked, not last": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SECOND,
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SECOND,
    "a tab in the encoding": POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + SECOND,
    "an encoding twice": POST + CHUNKED + CHUNKED + b"\r\n0\r\n\r\n",
    "a folded line": GET + b"X: a\r\n b\r\n\r\n",
    "bare line feeds": GET.replace(b"\r\n", b"\n") + b"\n",
    "a bare carriage return": GET + b"X: a\rHost: b\r\n\r\n",
    "a chunk beyond 64 bits": POST + CHUNKED + b"\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "a negative chunk": POST + CHUNKED + b"\r\n-1\r\n{}\r\n0\r\n\r\n",
    "an extension of a chunk": POST + CHUNKED + b"\r\n2;" + b"a" * 50_000 + b"\r\n{}\r\n0\r\n\r\n",
    "trailers": POST + CHUNKED + b"\r\n2\r\n{}\r\n0\r\nHost: evil\r\n" * 2 + b"\r\n",
    "a NUL in a path": GET.replace(b"namespaces", b"name\0spaces") + b"\r\n",
    "a NUL in a header": GET + b"X: a\0b\r\n\r\n",
    "10,000 headers": GET + b"".join(b"X%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
    "a large header": GET + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    "a long path": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an absolute address": b"GET http://evil/api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an asterisk": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "CONNECT": b"CONNECT evil:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TRACE": b"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no such method": b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/9.9": b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "two hosts": GET + b"Host: evil\r\n\r\n",
    "a rebinding host": b"GET /api/v1/jobs HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "a host with a user": b"GET /api/v1/jobs HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n",
    "a host of bytes": b"GET /api/v1/jobs HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
    "an upgrade": GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "an expectation": POST + b"Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}",
    "a method by header": POST + b"X-HTTP-Method-Override: DELETE\r\nContent-Length: 2\r\n\r\n{}",
    "a form of another site": POST.replace(b"application/json", b"text/plain")
    + b"Origin: http://evil\r\nContent-Length: 2\r\n\r\n{}",
}


class Operation(NamedTuple):
    method: str
    path: str
    parameters: tuple[str, ...]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest) -> Iterator[Headwater]:
    store = None
    if request.param == "postgresql":
        store = request.getfixturevalue("postgresql").url("hostile")
    with Headwater.start(store, env={"HEADWATER__LAKE__IS_ON": "false"}) as started:
        with new_client(started) as client:
            event = run_event(outputs=[{"namespace": "a", "name": "b"}])
            assert client.post("/api/v1/lineage", json=event).status_code == 201
        yield started


@pytest.fixture
def client(server: Headwater) -> Iterator[httpx2.Client]:
    with new_client(server) as opened:
        yield opened
        assert opened.get("/readyz").status_code == 200
    assert "Traceback" not in server.log(), server.log()[-5_000:]


def new_client(server: Headwater) -> httpx2.Client:
    return httpx2.Client(base_url=server.url, timeout=60, trust_env=False)


def operations(client: httpx2.Client) -> list[Operation]:
    paths = client.get("/openapi.json").json()["paths"]
    found = [
        Operation(
            method.upper(),
            path,
            tuple(each["name"] for each in one.get("parameters", ()) if each["in"] == "query"),
        )
        for path, methods in paths.items()
        for method, one in methods.items()
        # A stream does not end by itself: tests/server/test_live.py.
        if path != "/api/v1/live"
    ]
    assert len(found) > 60
    return found


def check(answer: httpx2.Response, what: object) -> None:
    assert answer.status_code < 500, (what, answer.status_code, answer.text[:500])
    if answer.status_code >= 400:
        check_shape(answer.status_code, answer.content, what)


def check_shape(status: int, body: bytes, what: object) -> None:
    try:
        error: dict[str, Any] = json.loads(body)
    except ValueError:
        raise AssertionError((what, status, body[:300])) from None
    # An array of events, of which some or all are refused, says so of each.
    if "failed_events" not in error:
        assert error["code"] == status and error["message"], (what, error)


def filled(path: str, value: str) -> str:
    return re.sub(r"\{[^}]*\}", lambda _: value, path)


def test_names_in_paths(client: httpx2.Client) -> None:
    for operation in operations(client):
        if "{" in operation.path:
            for value in PATH_VALUES:
                sent: Any = None if operation.method in ("GET", "DELETE") else {}
                path = filled(operation.path, value)
                check(client.request(operation.method, path, json=sent), (operation, value))


def test_values_in_queries(client: httpx2.Client) -> None:
    """Each value in one parameter after the other, then in all of them, twice."""
    for operation in operations(client):
        if operation.method == "GET":
            path = filled(operation.path, "a")
            names = (*operation.parameters, "unknown")
            for place, value in enumerate(QUERY_VALUES):
                name = names[place % len(names)]
                check(client.get(f"{path}?{name}={value}"), (operation, name, value))
                # No longer than the client is willing to send.
                every = "&".join(f"{name}={value[:1_500]}" for name in (*names, *names))
                check(client.get(f"{path}?{every}"), (operation, "all", value))


def test_bodies(client: httpx2.Client) -> None:
    for operation in operations(client):
        if operation.method != "GET":
            path = filled(operation.path, "a")
            for number, body in enumerate(BODIES):
                is_packed = number % 2 == 0 and operation.path.startswith("/api/v1/lineage")
                encoding = {"Content-Encoding": "gzip"} if is_packed else {}
                headers = {"Content-Type": "application/json", **encoding}
                content = gzip.compress(body) if is_packed else body
                answer = client.request(operation.method, path, content=content, headers=headers)
                check(answer, (operation, body[:100], encoding))


def test_bodies_that_unpack_to_much(client: httpx2.Client) -> None:
    bomb = gzip.compress(bytes(200_000_000))
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    for operation in operations(client):
        if operation.method != "GET":
            path = filled(operation.path, "a")
            answer = client.request(operation.method, path, content=bomb, headers=headers)
            check(answer, operation)
            assert answer.status_code >= 400 or not operation.path.startswith("/api/v1/lineage")


@pytest.mark.parametrize("what", HEADS)
def test_heads(client: httpx2.Client, server: Headwater, what: str) -> None:
    is_two = HEADS[what].endswith(SECOND)
    received = exchange(server, HEADS[what], is_last=is_two)
    answers = re.split(rb"(?=HTTP/1\.1 \d{3} )", received)[1:]
    for answer in answers:
        status = int(answer.split(b" ", 2)[1])
        assert status < 500, answer[:500]
        if status >= 400:
            check_shape(status, answer.partition(b"\r\n\r\n")[2], what)
    # What follows a body whose length is not certain is no request.
    if is_two:
        assert len(answers) <= 1, received
