"""What a page of somebody else can make a browser send, sent by hand; `tests/ui` has a browser."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr

from headwater.config import AuthSettings, ServerSettings
from testing.api import Api, error_of, no_lake, serve
from testing.events.minimal import run_event
from tests.server.sockets import exchange

JSON = {"Content-Type": "application/json"}
SECRET = "a-long-secret-of-a-key"
FOREIGN_PAGES: list[dict[str, str]] = [
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
    # Another port of the same machine is another's, too.
    {"Origin": "http://localhost:8888", "Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"},
    # Browsers that tell no more.
    {"Origin": "http://evil.example"},
    {"Origin": "http://localhost:8888"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
]
WRITES: list[tuple[str, str]] = [
    ("POST", "/api/v1/lineage"),
    ("POST", "/api/v1/lineage/batch"),
    ("PUT", "/api/v1/namespaces/a"),
    ("POST", "/api/v1/namespaces/scheduler/jobs/load/tags/hit"),
    ("DELETE", "/api/v1/namespaces/scheduler/jobs/load"),
    ("OPTIONS", "/api/v1/lineage"),
]


def is_written(api: Api) -> bool:
    return bool(api.rows("event") or api.rows("rejected") or api.rows("edit_value"))


@pytest.mark.parametrize("page", FOREIGN_PAGES, ids=str)
def test_a_foreign_page_writes_nothing(sqlite_api: Api, page: dict[str, str]) -> None:
    for method, path in WRITES:
        answer = sqlite_api.client.request(method, path, headers=page | JSON, content=b"{}")
        error_of(answer, 403, "Origin")
    assert not is_written(sqlite_api)


def test_a_foreign_page_without_a_body_tags_nothing(sqlite_api: Api) -> None:
    sqlite_api.store(run_event())
    path = "/api/v1/namespaces/scheduler/jobs/load/tags/hit"
    answer = sqlite_api.client.post(path, headers={"Sec-Fetch-Site": "cross-site"})
    error_of(answer, 403, "Origin")
    assert sqlite_api.rows("edit_value") == []


def test_the_servers_own_pages_write(sqlite_api: Api) -> None:
    for page in (
        {"Origin": sqlite_api.url, "Sec-Fetch-Site": "same-origin"},
        {"Origin": sqlite_api.url},
        # A proxy for developers has another name than the server behind it.
        {"Origin": "http://localhost:5173", "Sec-Fetch-Site": "same-origin"},
    ):
        assert sqlite_api.post(run_event(), headers=page).status_code == 201, page


@pytest.mark.parametrize("host", ["evil.example", "evil.example:5000", "localhost.evil.example"])
def test_another_name_reads_nothing(sqlite_api: Api, host: str) -> None:
    """A name that was made to resolve to this machine is same-origin to its browser."""
    for method, path in (("GET", "/api/v1/namespaces"), ("GET", "/"), ("GET", "/metrics"), *WRITES):
        answer = sqlite_api.client.request(method, path, headers={"Host": host})
        error = error_of(answer, 403, "Host")
        assert "server.hosts" in error["reason"]
    assert not is_written(sqlite_api)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:5000", "localhost.", "127.0.0.1:1", "127.8.9.1", "[::1]:5000"]
)
def test_own_names_are_answered(sqlite_api: Api, host: str) -> None:
    headers = {"Host": host}
    assert sqlite_api.client.get("/api/v1/namespaces", headers=headers).status_code == 200


class TestNamesThatAreGiven:
    @pytest.fixture
    def named(self, tmp_path: Path) -> Iterator[httpx2.Client]:
        store = f"sqlite:///{tmp_path / 'headwater.db'}"
        names = ServerSettings(hosts="lineage.example, Other.Example")
        with (
            serve(no_lake(store, server=names)) as url,
            httpx2.Client(base_url=url, trust_env=False) as client,
        ):
            yield client

    def test_are_answered(self, named: httpx2.Client) -> None:
        for host in ("lineage.example", "LINEAGE.example:443", "other.example", "127.0.0.1"):
            headers = {"Host": host}
            assert named.get("/api/v1/namespaces", headers=headers).status_code == 200
        answer = named.get("/api/v1/namespaces", headers={"Host": "evil.example"})
        error_of(answer, 403, "Host")

    def test_may_write_through_a_proxy_that_hides_them(self, named: httpx2.Client) -> None:
        for page in ("https://lineage.example", "https://lineage.example:8443"):
            headers = {"Origin": page, "Sec-Fetch-Site": "cross-site"} | JSON
            answer = named.put("/api/v1/tags/x", json={"description": ""}, headers=headers)
            assert answer.status_code == 200, answer.text


def test_a_server_with_keys_has_any_name(tmp_path: Path) -> None:
    """Machines of a network reach it by names that it does not know; a foreign page has no key."""
    keys = AuthSettings(keys=SecretStr(f"a:{SECRET}:read+write"))
    with serve(no_lake(f"sqlite:///{tmp_path / 'headwater.db'}", auth=keys)) as url:
        headers = {"Host": "lineage.internal", "X-API-Key": SECRET}
        answer = httpx2.get(f"{url}/api/v1/namespaces", headers=headers, trust_env=False)
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/0.9\r\n\r\n",
    ],
)
def test_a_request_names_its_server_once(sqlite_api: Api, head: bytes) -> None:
    answer = exchange(sqlite_api, head)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b'{"code":400,"message":"' in answer


def test_health_checks_of_old_proxies_are_answered(sqlite_api: Api) -> None:
    """HTTP/1.0 has no Host."""
    assert exchange(sqlite_api, b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 ")
