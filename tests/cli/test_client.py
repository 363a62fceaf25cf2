"""Speaking to a server: waiting where it asks to, and failing in words."""

from collections.abc import Callable

import httpx2
import pytest

from headwater.cli.api.client import Client
from headwater.errors import (
    BadSecret,
    HeadwaterError,
    InvalidRequest,
    ServerRefused,
    ServerUnreachable,
)

URL = "http://lineage:5000"

Answer = Callable[[httpx2.Request], httpx2.Response]

pytestmark = pytest.mark.usefixtures("no_settings")


class Scripted:
    """A server that answers by a list, then by its last answer; and the time waited for it."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.waited: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self) -> Client:
        return Client(URL, httpx2.MockTransport(self), self.waited.append)


def busy(status: int = 503, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, headers=named, json={"code": status, "message": "busy"})


def test_it_waits_as_long_as_it_is_requested_to() -> None:
    answers = (busy(Retry_After="2"), busy(429, Retry_After="5"), httpx2.Response(200, json=[1]))
    server = Scripted(*answers)
    with server.client() as client:
        assert client.read("/x") == [1]
    assert server.waited == [2, 5]


def test_it_waits_longer_each_time_where_nothing_is_requested() -> None:
    server = Scripted(busy(Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"), busy(), busy(), busy())
    with server.client() as client, pytest.raises(ServerRefused, match="503: busy; try again"):
        client.read("/x")
    assert server.waited == [0.25, 0.5, 1, 2, 4, 8, 16]


def test_it_does_not_wait_for_ever() -> None:
    server = Scripted(busy(Retry_After="86400"), httpx2.Response(200, json={}))
    with server.client() as client:
        client.read("/x")
    assert server.waited == [30]


def test_a_server_never_seen_is_reported_at_once() -> None:
    server = Scripted(httpx2.ConnectError("[Errno 111] Connection refused"))
    with server.client() as client, pytest.raises(ServerUnreachable) as failure:
        client.read("/x")
    assert server.waited == []
    assert failure.value.url == URL
    for part in (URL, "Connection refused", "headwater serve", "HEADWATER_URL"):
        assert part in failure.value.message


def test_a_server_that_has_answered_may_restart() -> None:
    lost = httpx2.RemoteProtocolError("gone")
    server = Scripted(httpx2.Response(200, json=1), lost, lost, httpx2.Response(200, json=2))
    with server.client() as client:
        assert (client.read("/x"), client.read("/x")) == (1, 2)
    assert len(server.waited) == 2


def test_a_slow_server_is_reported_as_such() -> None:
    server = Scripted(httpx2.ReadTimeout(""))
    with server.client() as client, pytest.raises(ServerUnreachable, match="took too long"):
        client.read("/x")


@pytest.mark.parametrize(
    ("status", "next_step"), [(401, "HEADWATER_API_KEY"), (403, "may not"), (404, "Headwater")]
)
def test_a_refusal_says_what_to_do_next(status: int, next_step: str) -> None:
    server = Scripted(httpx2.Response(status, json={"code": status, "message": "no"}))
    with server.client() as client, pytest.raises(ServerRefused) as refused:
        client.read("/x")
    assert refused.value.status == status
    assert f"{URL} answered {status}: no; " in refused.value.message
    assert next_step in refused.value.message


def test_an_answer_of_something_else_is_still_one_line() -> None:
    server = Scripted(httpx2.Response(502, html="<h1>Bad\ngateway</h1>"))
    with server.client() as client, pytest.raises(ServerRefused) as refused:
        client.read("/x")
    assert refused.value.message == f"{URL} answered 502: Bad Gateway"


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", "hw_secret")
    server = Scripted(busy(401))
    with server.client() as client, pytest.raises(HeadwaterError) as refused:
        client.read("/x")
    assert server.requests[0].headers["authorization"] == "Bearer hw_secret"
    assert "hw_secret" not in f"{refused.value.message}{client!r}"


def test_without_a_key_none_is_sent() -> None:
    server = Scripted(httpx2.Response(200, json={}))
    with server.client() as client:
        client.read("/x", limit=3)
    assert "authorization" not in server.requests[0].headers
    assert str(server.requests[0].url) == f"{URL}/x?limit=3"


@pytest.mark.parametrize("url", ["lineage:5000", "", "ftp://lineage", "http://", "http://a:b"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest, match=r"^--server: .* is not a URL"):
        Client(url)


@pytest.mark.parametrize("key", ["very\ns3cret", "very-s3crét"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", key)
    with pytest.raises(BadSecret, match="HEADWATER_API_KEY holds") as caught:
        Client(URL)
    assert "s3cr" not in caught.value.message


def test_white_space_around_a_key_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", " s3cret\r\n")
    server = Scripted(httpx2.Response(200, json=[]))
    with server.client() as client:
        client.read("/x")
    assert server.requests[0].headers["authorization"] == "Bearer s3cret"
