"""Answers are compressed for who accepts it, and the same for who does not."""

import asyncio
import gzip
import json
from typing import Any

import httpx2
import pytest

from headwater.server.http.compression import accepts_gzip, with_gzip
from testing.api import Api
from testing.events.history import run
from tests.server.lineage import ds

LINEAGE = "/api/v1/lineage"
SHOP = [
    run(f"sum-{number}", "COMPLETE", number, number, ["orders"], ["totals"]) for number in range(4)
]


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("deflate, gzip; q=1.0", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("br, gzip; q=0.000", False),
        ("x-gzip-like", False),
    ],
)
def test_only_who_names_gzip_accepts_it(accepted: str, expected: bool) -> None:
    assert accepts_gzip(accepted) is expected


def _raw(api: Api, accepted: str, path: str = LINEAGE, **parameters: str) -> httpx2.Response:
    return api.client.get(path, params=parameters, headers={"Accept-Encoding": accepted})


def test_an_answer_is_the_same_either_way(api: Api) -> None:
    api.store(*SHOP)
    plain = _raw(api, "identity", nodeId=ds("totals"))
    small = _raw(api, "gzip", nodeId=ds("totals"))
    assert small.headers["content-encoding"] == "gzip"
    assert int(small.headers["content-length"]) < len(plain.content)
    assert "content-encoding" not in plain.headers
    assert int(plain.headers["content-length"]) == len(plain.content)
    assert small.content == plain.content
    assert small.headers["etag"] == plain.headers["etag"]
    assert small.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


def test_who_has_it_already_gets_nothing_compressed(api: Api) -> None:
    api.store(*SHOP)
    tag = _raw(api, "identity", nodeId=ds("totals")).headers["etag"]
    headers = {"Accept-Encoding": "gzip", "If-None-Match": tag}
    answer = api.client.get(LINEAGE, params={"nodeId": ds("totals")}, headers=headers)
    assert (answer.status_code, answer.content) == (304, b"")
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"] == "Accept-Encoding"


def test_what_is_small_stays_as_it_is(api: Api) -> None:
    answer = _raw(api, "gzip", "/api/v1/namespaces")
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers
    missing = _raw(api, "gzip", nodeId=ds("nothing"))
    assert (missing.status_code, missing.json()["code"]) == (404, 404)


def test_what_is_taken_in_is_answered_as_before(api: Api) -> None:
    body = json.dumps(SHOP[0])
    headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
    answer = api.client.post(LINEAGE, content=body, headers=headers)
    assert answer.status_code == 201
    assert "content-encoding" not in answer.headers


START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"4000")],
}


def _send(*messages: Any) -> list[Any]:
    """What leaves the server of an answer to one who accepts gzip."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def send_all() -> None:
        compressed = with_gzip({"headers": [(b"accept-encoding", b"gzip")]}, send)
        for message in messages:
            await compressed(message)

    asyncio.run(send_all())
    return sent


def test_an_answer_in_parts_is_sent_as_it_comes() -> None:
    parts = [
        {"type": "http.response.body", "body": b"a" * 2_000, "more_body": True},
        {"type": "http.response.body", "body": b"b" * 2_000},
    ]
    start, *sent = _send(dict(START), *parts)
    assert sent == parts
    assert b"content-encoding" not in dict(start["headers"])
    assert dict(start["headers"])[b"content-length"] == b"4000"


def test_a_large_answer_is_whole() -> None:
    body = bytes(range(256)) * 40_000
    start, sent = _send(dict(START), {"type": "http.response.body", "body": body})
    assert gzip.decompress(sent["body"]) == body
    assert dict(start["headers"])[b"content-length"] == b"%d" % len(sent["body"])
