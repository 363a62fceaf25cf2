"""The gate: who comes in, to what, how often; and that no path of the API is beside it."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from pydantic import SecretStr

from headwater.config import AuthSettings, ServerSettings, Settings
from headwater.errors import BadConfig
from headwater.model.access import Key, parse_given_keys
from headwater.server.http.auth import Bucket, Gate, needed_scope
from headwater.server.http.bridge_paths import PUBLIC_PATHS
from headwater.server.http.foreign import OwnNames
from headwater.server.http.keyring import Keyring
from headwater.store.engine import open_engine
from headwater.store.keys import add_key, revoke_key
from testing.api import Api, error_of, no_lake, serve
from testing.events.minimal import run_event
from testing.stores import open_prepared
from testing.wait import wait_until
from tests.server.sockets import exchange

REFRESH_SECONDS = 0.05
SELDOM_SECONDS = 60.0
SECRETS = {scope: f"a-long-secret-to-{scope}" for scope in ("read", "write", "admin")}
GIVEN = ",".join(f"the-{scope}:{secret}:{scope}" for scope, secret in SECRETS.items())
BRIDGE_OPEN = tuple(path.decode() for path in sorted(PUBLIC_PATHS))
OPEN = ("/healthz", "/readyz", *BRIDGE_OPEN)
UNDOCUMENTED = ("/redoc", "/openapi.json", "/docs/oauth2-redirect", "/nothing", "/assets")
# What makes an answer end that would not by itself.
ENDED = {"/api/v1/live": "?seconds=1"}
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
HTML = "text/html; charset=utf-8"
# Of what is no page; pages have their own.
POLICY = "default-src 'none'; frame-ancestors 'none'"

Authorize = dict[str, str]


def bearer(secret: str) -> Authorize:
    return {"Authorization": f"Bearer {secret}"}


@contextmanager
def open_guarded(folder: Path, **auth: Any) -> Iterator[Api]:
    """A server that looks for new and revoked keys all the time."""
    store = f"sqlite:///{folder / 'headwater.db'}"
    engine = open_engine(store)
    with (
        serve(no_lake(store, auth=AuthSettings(**auth)), REFRESH_SECONDS) as url,
        httpx2.Client(base_url=url, trust_env=False, timeout=60) as client,
    ):
        yield Api(url, client, engine)
    engine.dispose()


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server with a key of each scope by settings, and none in its store."""
    with open_guarded(tmp_path_factory.mktemp("given"), keys=GIVEN) as api:
        yield api


def status(api: Api, headers: Authorize | None = None, path: str = "/api/v1/namespaces") -> int:
    return api.client.get(path, headers=headers).status_code


def count_kept(api: Api) -> int:
    return len(api.rows("event")) + len(api.rows("rejected"))


@pytest.fixture(scope="module")
def calls(given: Api) -> list[tuple[str, str]]:
    """Every path and method of the API document, and some that it does not have."""
    answer = given.client.get("/openapi.json", headers=bearer(SECRETS["read"]))
    assert answer.status_code == 200
    documented = [
        (method.upper(), path.replace("{", "").replace("}", "") + ENDED.get(path, ""))
        for path, methods in answer.json()["paths"].items()
        for method in methods
    ]
    # The walk must not be over nothing.
    assert len(documented) >= 15
    assert ("POST", "/api/v1/lineage") in documented
    assert ("POST", "/api/v1/lineage/batch") in documented
    assert ("GET", "/metrics") in documented
    others = [("GET", path) for path in UNDOCUMENTED]
    heads = [("HEAD", path) for method, path in documented if method == "GET"]
    edits = [(method, "/api/v1/namespaces/a") for method in ("PUT", "PATCH", "DELETE")]
    return [call for call in documented + others + heads + edits if call[1] not in OPEN]


class TestEveryPath:
    """No path and method of the API document is reachable without the right scope."""

    def test_is_closed_without_a_key(self, given: Api, calls: list[tuple[str, str]]) -> None:
        for method, path in calls:
            answer = given.client.request(method, path)
            assert answer.status_code == 401, (method, path)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.headers["cache-control"] == "no-store"

    def test_is_closed_to_a_key_without_the_scope(
        self, given: Api, calls: list[tuple[str, str]]
    ) -> None:
        for method, path in calls:
            lacking = SECRETS["write" if method in ("GET", "HEAD") else "read"]
            answer = given.client.request(method, path, headers=bearer(lacking))
            assert answer.status_code == 403, (method, path)
            assert answer.headers["cache-control"] == "no-store"

    def test_is_open_to_a_key_with_the_scope(
        self, given: Api, calls: list[tuple[str, str]]
    ) -> None:
        for method, path in calls:
            right = SECRETS[needed_scope(method, path.partition("?")[0].encode())]
            for secret in (right, SECRETS["admin"]):
                # Of an answer that goes on for a while, the beginning is enough.
                with given.client.stream(method, path, headers=bearer(secret)) as answer:
                    assert answer.status_code not in (401, 403), (method, path)
                    if path.partition("?")[0] not in ENDED:
                        answer.read()

    def test_probes_need_no_key(self, given: Api) -> None:
        for path in OPEN:
            assert given.client.get(path).status_code == 200
            assert given.client.get(path, headers=bearer("unknown")).status_code == 200
        # What only looks like them is not open.
        for path in ("/healthz/", "/readyz/x", "/api/v1/health/", "/%68ealthz", "/x//healthz"):
            assert given.client.get(path).status_code == 401

    def test_scopes_are_those_of_methods_but_for_what_operators_do(
        self, calls: list[tuple[str, str]]
    ) -> None:
        for method, path in calls:
            by_method = "read" if method in ("GET", "HEAD") else "write"
            is_of_operators = path.startswith("/api/v1/ingestions") and by_method == "write"
            needed = needed_scope(method, path.partition("?")[0].encode())
            assert needed == ("admin" if is_of_operators else by_method), (method, path)

    def test_administration_needs_admin(self, given: Api) -> None:
        for path in ("/api/v1/admin", "/api/v1/admin/keys"):
            assert status(given, bearer(SECRETS["read"]), path) == 403
            assert status(given, bearer(SECRETS["admin"]), path) == 404
        assert needed_scope("GET", b"/api/v1/administrators") == "read"


class TestKeys:
    def test_both_headers_are_read(self, given: Api) -> None:
        secret = SECRETS["read"]
        for headers in (
            {"Authorization": f"Bearer {secret}"},
            {"Authorization": f"bearer   {secret}"},
            {"X-API-Key": secret},
            {"Authorization": "Basic YTpi", "X-API-Key": secret},
        ):
            assert status(given, headers) == 200, headers

    def test_what_is_no_key_is_refused(self, given: Api) -> None:
        secret = SECRETS["read"]
        for headers in (
            {"Authorization": secret},
            {"Authorization": "Bearer"},
            {"Authorization": f"Bearer {secret}x"},
            {"Authorization": f"Bearer {secret.upper()}"},
            {"Authorization": f"Basic {secret}"},
            {"X-API-Key": ""},
            {"X-API-Key": "the-read"},
        ):
            answer = given.client.get("/api/v1/namespaces", headers=headers)
            error = error_of(answer, 401)
            assert set(error) == {"code", "message"}
            assert secret not in answer.text

    def test_each_is_told_who_it_is_and_what_it_may(self, given: Api, sqlite_api: Api) -> None:
        def who(api: Api, headers: Authorize) -> tuple[str, list[str]]:
            answer = api.client.get("/api/v1/whoami", headers=headers).json()
            return answer["actor"], answer["scopes"]

        assert who(given, bearer(SECRETS["read"])) == ("the-read", ["read"])
        every = ["admin", "read", "write"]
        assert who(given, bearer(SECRETS["admin"])) == ("the-admin", every)
        # Where no key is required, nobody is refused anything.
        assert who(sqlite_api, {}) == ("local", every)

    def test_a_missing_scope_is_reported_with_the_name(self, given: Api) -> None:
        answer = given.client.get("/api/v1/namespaces", headers=bearer(SECRETS["write"]))
        assert error_of(answer, 403)["message"] == "key 'the-write' lacks the scope 'read'"

    def test_who_may_not_come_in_leaves_nothing_behind(self, given: Api) -> None:
        before = count_kept(given)
        for headers in ({}, bearer("unknown"), bearer(SECRETS["read"])):
            for body in (run_event(), b"no json", b" " * 2_000_000):
                assert given.post(body, headers=headers).status_code in (401, 403)
        assert count_kept(given) == before
        assert given.post(run_event(), headers=bearer(SECRETS["write"])).status_code == 201
        assert count_kept(given) == before + 1

    def test_a_refused_body_is_not_waited_for(self, given: Api) -> None:
        head = (
            b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n"
        )
        assert b" 401 " in exchange(given, head).partition(b"\r\n")[0]

    def test_refusals_are_counted(self, given: Api) -> None:
        assert status(given) == 401
        metrics = given.client.get("/metrics", headers=bearer(SECRETS["read"])).text
        assert 'headwater_refused_requests_total{code="401"}' in metrics


class TestStoredKeys:
    def test_without_any_key_all_is_open(self, sqlite_api: Api) -> None:
        sqlite_api.store(run_event())
        assert status(sqlite_api) == 200
        assert status(sqlite_api, bearer("whatever")) == 200

    def test_added_and_revoked_while_the_server_runs(self, tmp_path: Path) -> None:
        with open_guarded(tmp_path) as api:
            assert status(api) == 200
            secret = add_key(api.engine, "ci", ["read"])
            wait_until(lambda: status(api) == 401)
            assert status(api, bearer(secret)) == 200
            assert api.post(run_event(), headers=bearer(secret)).status_code == 403
            other = add_key(api.engine, "other", ["admin"])
            wait_until(lambda: status(api, bearer(other)) == 200)
            revoke_key(api.engine, "ci")
            wait_until(lambda: status(api, bearer(secret)) == 401)
            assert status(api, bearer(other)) == 200
            replaced = add_key(api.engine, "ci", ["read"])
            wait_until(lambda: status(api, bearer(replaced)) == 200)
            assert status(api, bearer(secret)) == 401

    def test_a_store_that_is_away_keeps_the_last_keys(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with open_guarded(tmp_path) as api:
            secret = add_key(api.engine, "ci", ["read"])
            wait_until(lambda: status(api) == 401)
            with api.engine.begin() as connection:
                connection.exec_driver_sql("ALTER TABLE api_key RENAME TO away")
            wait_until(lambda: "the last ones stay in force" in caplog.text)
            time.sleep(3 * REFRESH_SECONDS)
            assert caplog.text.count("the last ones stay in force") == 1
            assert status(api) == 401
            assert status(api, bearer(secret)) == 200


@pytest.fixture
def store(tmp_path: Path) -> str:
    """An empty store."""
    url = f"sqlite:///{tmp_path / 'keys.db'}"
    engine = open_prepared(url)
    engine.dispose()
    return url


OpenKeyring = Callable[..., Keyring]


@pytest.fixture
def open_keyring(store: str) -> Iterator[OpenKeyring]:
    """Open keyrings by their settings; what they read from is closed with the test."""
    with ExitStack() as opened:

        def open_it(**settings: Any) -> Keyring:
            engine = open_engine(store)
            opened.callback(engine.dispose)
            keyring = Keyring(engine, Settings(store=store, **settings), SELDOM_SECONDS)
            keyring.refresh()
            return keyring

        yield open_it


class TestKeyring:
    def test_is_open_only_on_loopback_and_while_there_was_never_a_key(
        self, open_keyring: OpenKeyring
    ) -> None:
        for host in ("127.0.0.1", "127.1.2.3", "localhost", "::1"):
            assert open_keyring(server={"host": host}).keys is None
        for host in ("0.0.0.0", "::", "10.0.0.1", "example.org", ""):
            assert open_keyring(server={"host": host}).keys == {}

    def test_revoking_the_last_key_does_not_open_the_doors(
        self, store: str, open_keyring: OpenKeyring
    ) -> None:
        engine = open_engine(store)
        add_key(engine, "ci", ["read"])
        keyring = open_keyring()
        assert [*(keyring.keys or {}).values()] == [Key("ci", frozenset(["read"]))]
        revoke_key(engine, "ci")
        keyring.refresh()
        assert keyring.keys == {}
        engine.dispose()

    def test_given_keys_stand_beside_the_stored(
        self, store: str, open_keyring: OpenKeyring
    ) -> None:
        engine = open_engine(store)
        add_key(engine, "ci", ["write"])
        engine.dispose()
        keyring = open_keyring(auth={"keys": GIVEN})
        names = {key.name for key in (keyring.keys or {}).values()}
        assert names == {"ci", "the-read", "the-write", "the-admin"}

    def test_ends_at_once(self, open_keyring: OpenKeyring) -> None:
        keyring = open_keyring()
        before = set(threading.enumerate())
        keyring.start()
        (reader,) = set(threading.enumerate()) - before
        keyring.close()
        # It may be slow to wake up; on its own it would sleep for a minute.
        reader.join(SELDOM_SECONDS / 2)
        assert not reader.is_alive()


class TestActor:
    """Who acts, as routes will find it."""

    def admit(self, keyring: Keyring, path: bytes = b"/nothing", secret: bytes = b"") -> Any:
        scope: dict[str, Any] = {"method": "GET", "raw_path": path, "query_string": b""}
        scope["headers"] = [(b"host", b"localhost"), *([(b"x-api-key", secret)] if secret else [])]
        Gate(keyring, OwnNames(ServerSettings()), 0).admit(scope)
        return scope["state"]["actor"]

    def test_is_the_name_of_the_key(self, open_keyring: OpenKeyring) -> None:
        keyring = open_keyring(auth={"keys": GIVEN})
        assert self.admit(keyring, secret=SECRETS["read"].encode()) == "the-read"
        assert self.admit(keyring, path=b"/healthz") == "anonymous"

    def test_is_local_without_keys(self, open_keyring: OpenKeyring) -> None:
        assert self.admit(open_keyring()) == "local"
        assert self.admit(open_keyring(), secret=b"whatever") == "local"


class TestGivenKeys:
    def test_are_read(self) -> None:
        keys = parse_given_keys(f" a:{'x' * 16}:read+write , b.c-d:{'y' * 16}:admin,")
        assert [*keys.values()] == [
            Key("a", frozenset(["read", "write"])),
            Key("b.c-d", frozenset(["read", "write", "admin"])),
        ]
        assert parse_given_keys("") == {}

    @pytest.mark.parametrize(
        "text",
        [
            "hunter2-hunter2-hunter2",
            "a:hunter2-hunter2-hunter2",
            "a:hunter2-hunter2-hunter2:read:x",
            "a:hunter2:read",
            "a:hunter2-hunter2 hunter2:read",
            "a:hunter2-hunter2-hünter2:read",
            "a:hunter2-hunter2-hunter2:reed",
            "a:hunter2-hunter2-hunter2:",
            "a:read:hunter2-hunter2-hunter2",
            "hunter2/hunter2/hunter2:a:read",
            ":hunter2-hunter2-hunter2:read",
            "local:hunter2-hunter2-hunter2:read",
            "a:hunter2-hunter2-hunter2:read,a:hunter3-hunter3-hunter3:read",
            "a:hunter2-hunter2-hunter2:read,b:hunter2-hunter2-hunter2:read",
        ],
    )
    def test_that_cannot_be_used_are_reported_without_their_secret(self, text: str) -> None:
        with pytest.raises(BadConfig) as refused:
            parse_given_keys(text)
        assert refused.value.key == "auth.keys"
        assert "unter" not in refused.value.message

    def test_are_not_in_any_repr(self) -> None:
        settings = Settings(auth=AuthSettings(keys=SecretStr(GIVEN)))
        for text in (repr(settings), str(settings), str(settings.auth), settings.model_dump_json()):
            assert "a-long-secret" not in text


class TestRate:
    def test_a_key_has_its_share_and_others_have_theirs(self, tmp_path: Path) -> None:
        with open_guarded(tmp_path, keys=GIVEN, max_requests_per_second=1) as api:
            read, admin = bearer(SECRETS["read"]), bearer(SECRETS["admin"])
            answers = [api.client.get("/api/v1/namespaces", headers=read) for _ in range(10)]
            assert [answer.status_code for answer in answers[:2]] == [200, 200]
            limited = [answer for answer in answers if answer.status_code != 200]
            assert limited
            for answer in limited:
                assert "the-read" in error_of(answer, 429)["message"]
                assert int(answer.headers["retry-after"]) >= 1
            assert status(api, admin) == 200
            assert status(api, path="/healthz") == 200

    def test_zero_is_no_limit(self, tmp_path: Path) -> None:
        with open_guarded(tmp_path, keys=GIVEN, max_requests_per_second=0) as api:
            assert {status(api, bearer(SECRETS["read"])) for _ in range(20)} == {200}

    def test_without_keys_there_is_none(self, tmp_path: Path) -> None:
        with open_guarded(tmp_path, max_requests_per_second=1) as api:
            assert {status(api) for _ in range(20)} == {200}

    def test_a_body_counts_by_what_it_unpacks_to(self, tmp_path: Path) -> None:
        with open_guarded(tmp_path, keys=GIVEN, max_requests_per_second=10) as api:
            writing = bearer(SECRETS["write"])
            small = gzip.compress(msgspec.json.encode(run_event(padding=" " * 10_000_000)))
            assert len(small) < 50_000
            answer = api.post(small, headers=writing | {"Content-Encoding": "gzip"})
            assert answer.status_code == 201
            # A hundred times 100 kB, at ten a second.
            limited = api.post(run_event(), headers=writing)
            error_of(limited, 429)
            assert 5 <= int(limited.headers["retry-after"]) <= 10

    def test_a_bucket_fills_at_its_rate_up_to_two_seconds(self) -> None:
        bucket = Bucket(10, now=100.0)
        assert [bucket.take(100.0) for _ in range(20)] == [0.0] * 20
        assert bucket.take(100.0) == pytest.approx(0.1)
        assert bucket.take(100.15) == 0.0
        assert bucket.take(100.15) == pytest.approx(0.05)
        assert [bucket.take(1_000.0) for _ in range(20)] == [0.0] * 20
        assert bucket.take(1_000.0) > 0


class TestHeaders:
    @pytest.mark.slow
    def test_are_on_every_answer(self, sqlite_api: Api, given: Api) -> None:
        client = sqlite_api.client
        answers = [
            sqlite_api.post(run_event()),
            sqlite_api.post([run_event()], "/api/v1/lineage/batch"),
            sqlite_api.post(b"no json"),
            client.get("/healthz"),
            client.get("/openapi.json"),
            client.get("/nothing"),
            client.put("/api/v1/lineage"),
            client.get("/api/v1/namespaces?limit=x"),
            client.get(f"/?{'x' * 20_000}"),
            client.put("/healthz", content=b"x" * 2_000_000),
            given.client.get("/nothing"),
            given.client.get("/nothing", headers=bearer(SECRETS["write"])),
        ]
        assert [answer.status_code for answer in answers] == [
            *(201, 204, 400, 200, 200, 404, 405, 400, 414, 413, 401, 403)
        ]
        for answer in answers:
            assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
            # One of them: two would both hold, and a page could do nothing.
            (policy,) = answer.headers.get_list("content-security-policy")
            assert (policy == POLICY) == (answer.headers.get("content-type") != HTML)


class TestLimits:
    def test_a_long_url_is_a_414(self, sqlite_api: Api) -> None:
        for size, code in ((16_300, 404), (17_000, 414), (60_000, 414), (1_000_000, 414)):
            answer = exchange(
                sqlite_api, b"GET /%b HTTP/1.1\r\nhost: localhost\r\n\r\n" % (b"x" * size)
            )
            check_raw(answer, code)

    def test_large_headers_are_a_431(self, sqlite_api: Api) -> None:
        for count, code in ((30, 200), (33, 431), (50, 431)):
            fields = b"".join(b"x-%d: %b\r\n" % (n, b"y" * 1_000) for n in range(count))
            head = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n%b\r\n" % fields
            check_raw(exchange(sqlite_api, head), code)

    def test_a_head_without_an_end_is_a_431(self, sqlite_api: Api) -> None:
        check_raw(exchange(sqlite_api, b"GET /healthz HTTP/1.1\r\nx: ", b"y" * 10_000), 431)

    def test_a_url_without_an_end_is_a_414(self, sqlite_api: Api) -> None:
        check_raw(exchange(sqlite_api, b"GET /", b"y" * 10_000), 414)

    def test_what_is_no_http_is_a_400(self, sqlite_api: Api) -> None:
        for text in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n"):
            check_raw(exchange(sqlite_api, text), 400)

    def test_a_large_body_of_a_route_is_a_413(self, sqlite_api: Api) -> None:
        for body in (b"x" * 1_000_001, iter([b"x" * 600_000] * 2)):
            answer = sqlite_api.client.request("GET", "/healthz", content=body)
            error_of(answer, 413, "body")
        for body in (b"x" * 1_000_000, iter([b"x" * 500_000] * 2)):
            answer = sqlite_api.client.request("GET", "/healthz", content=body)
            assert answer.status_code == 200


def check_raw(answer: bytes, code: int) -> None:
    line, _, rest = answer.partition(b"\r\n")
    assert line.startswith(b"HTTP/1.1 %d " % code), answer[:500]
    fields, _, body = rest.partition(b"\r\n\r\n")
    for name, value in HEADERS.items():
        assert f"{name}: {value}".encode() in fields
    if code != 200:
        assert b'{"code":%d,' % code in body
