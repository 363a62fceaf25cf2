"""The stream of what changed: what is announced, resumed, bounded and ended."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.server.live import feed
from headwater.server.live.feed import MOST_WAITING
from headwater.store.engine import open_engine
from headwater.store.keys import add_key, revoke_key
from headwater.store.stats import recent
from testing.api import Api, no_lake, open_api, serve
from testing.events.minimal import TABLES, dataset, run_event
from testing.services.postgresql import PostgreSQL
from testing.wait import wait_until

SECONDS = 30
SECRET = "a-long-secret-to-write"


class Stream:
    """Server-sent events as a page reads them."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.last_id = ""

    def next(self) -> Any:
        """The next announcement; raises StopIteration at the end of the stream."""
        while True:
            line = next(self._lines)
            if line.startswith("id: "):
                self.last_id = line[4:]
            elif line.startswith("data: "):
                return json.loads(line[6:])

    def until_named(self, node: str) -> Any:
        """The announcement that names a node, whatever comes before."""
        for _ in range(SECONDS):
            found = self.next()
            if node in found["nodes"]:
                return found
        raise AssertionError(f"{node} was not announced")


@contextmanager
def listen(url: str, last_id: str = "", key: str = "", **parameters: Any) -> Iterator[Stream]:
    headers = {"Last-Event-ID": last_id} if last_id else {}
    headers |= bearer(key) if key else {}
    query = {"seconds": SECONDS, **parameters}
    with (
        httpx2.Client(trust_env=False, timeout=SECONDS) as client,
        client.stream("GET", f"{url}/api/v1/live", params=query, headers=headers) as answer,
    ):
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = Stream(answer.iter_lines())
        yield stream


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came is read without the second between two readings."""
    monkeypatch.setattr(feed, "EVERY", timedelta(milliseconds=20))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that several servers may use."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'headwater.db'}"
    service: PostgreSQL = request.getfixturevalue("postgresql")
    return service.url("live_tests")


@pytest.fixture
def followed(api: Api) -> Iterator[tuple[Api, Stream]]:
    """A server, and a stream of it that has begun: its first announcement is that it has."""
    with listen(api.url) as stream:
        first = stream.next()
        assert first["isAll"] and not first["nodes"]
        yield api, stream


def load(run: int, job: str = "load", **parts: Any) -> Any:
    return run_event(run=f"01890000-0000-7000-8000-{run + 1:012d}", job=job, **parts)


class TestAnnouncing:
    def test_names_jobs_and_their_datasets(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        api.store(load(1, inputs=[dataset("orders")], outputs=[dataset("sums")]))
        found = stream.next()
        kinds = sorted(node.split(":")[0] for node in found["nodes"])
        assert kinds == ["dataset", "dataset", "job"]
        assert (found["events"], found["rejected"], found["isAll"]) == (1, 0, False)
        assert found["againAfterSeconds"] > 0

    def test_names_what_is_edited(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        api.store(load(1, outputs=[dataset("sums")]))
        stream.next()
        entity = {"type": "dataset", "namespace": TABLES, "name": "sums"}
        said = {"documentation": {"description": "x"}}
        answer = api.post({"entity": entity, "set": said}, "/api/v1/edits")
        assert answer.status_code == 201, answer.text
        assert stream.next()["nodes"] == [f"dataset:{TABLES}:sums"]

    def test_counts_what_is_rejected(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        assert api.post(b"{}").status_code == 422
        found = stream.next()
        assert (found["events"], found["rejected"], found["nodes"]) == (0, 1, [])

    def test_names_nothing_twice(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        for run in range(3):
            api.store(load(run, job=f"job {run}"))
            found = stream.next()
            assert [n for n in found["nodes"] if n.startswith("job:")][0].endswith(f"job {run}")
            assert found["events"] == 1

    def test_of_many_tells_only_that_they_are(
        self, followed: tuple[Api, Stream], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api, stream = followed
        monkeypatch.setattr(recent, "MOST_NAMED", 2)
        # One event, so that they come at once.
        api.store(load(1, outputs=[dataset(f"sums {number}") for number in range(3)]))
        found = stream.next()
        assert found["isAll"] and not found["nodes"]
        assert found["events"] == 1

    def test_tells_that_a_store_was_emptied(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        api.empty()
        assert stream.next()["isAll"]


class TestResuming:
    def test_goes_on_after_the_last(self, followed: tuple[Api, Stream]) -> None:
        api, stream = followed
        api.store(load(1, job="one"))
        stream.next()
        last = stream.last_id
        api.store(load(2, job="two"))
        stream.next()
        with listen(api.url, last) as again:
            found = again.next()
            assert not found["isAll"]
            assert [node for node in found["nodes"] if node.endswith("two")]

    def test_what_is_unknown_may_be_anything(self, followed: tuple[Api, Stream]) -> None:
        api, _ = followed
        for last in ("0.0.0.0", "9" * 190, "1.2.3", "x", "-1.2.3.4"):
            with listen(api.url, last) as again:
                assert again.next()["isAll"], last


class TestBounds:
    def test_ends_after_the_seconds_asked(self, sqlite_api: Api) -> None:
        with listen(sqlite_api.url, seconds=1) as stream, pytest.raises(StopIteration):
            for _ in range(10):
                stream.next()

    def test_seconds_must_be_some(self, sqlite_api: Api) -> None:
        for wrong in ("0", "-1", "x", "1e9"):
            assert sqlite_api.get("/live", seconds=wrong).status_code == 400


class TestServers:
    @pytest.mark.slow
    def test_announces_what_another_server_stored(self, shared_store: str) -> None:
        """Two servers over one store: each tells what the other took in."""
        with (
            open_api(shared_store) as one,
            open_api(shared_store) as other,
            listen(one.url) as stream,
        ):
            assert stream.next()["isAll"]
            other.store(load(7, job="elsewhere"))
            found = stream.next()
            assert [node for node in found["nodes"] if node.endswith("elsewhere")]

    def test_ends_with_the_server(self, tmp_path: Path) -> None:
        """A stream that is open does not keep a server from stopping."""
        server = serve(no_lake(f"sqlite:///{tmp_path / 'headwater.db'}"))
        url = server.__enter__()
        with listen(url) as stream:
            stream.next()
            # Waits for the server's thread, which would otherwise not end for `SECONDS`.
            server.__exit__(None, None, None)
            with pytest.raises((StopIteration, httpx2.TransportError)):
                for _ in range(MOST_WAITING):
                    stream.next()


class TestKeys:
    def test_ends_when_the_key_is_revoked(self, tmp_path: Path) -> None:
        store = f"sqlite:///{tmp_path / 'headwater.db'}"
        settings = no_lake(store, auth=AuthSettings(keys=SecretStr(f"sender:{SECRET}:write")))
        engine = open_engine(store)
        with serve(settings, key_refresh_seconds=0.05) as url:
            assert httpx2.get(f"{url}/api/v1/live", trust_env=False).status_code == 401
            answer = httpx2.get(f"{url}/api/v1/live", headers=bearer(SECRET), trust_env=False)
            assert answer.status_code == 403
            key = add_key(engine, "reader", ["read"])
            wait_until(lambda: may_read(url, key))
            with listen(url, key=key) as stream:
                stream.next()
                revoke_key(engine, "reader")
                wait_until(lambda: not may_read(url, key))
                sent = httpx2.post(
                    f"{url}/api/v1/lineage", json=load(1), headers=bearer(SECRET), trust_env=False
                )
                assert sent.status_code == 201
                with pytest.raises(StopIteration):
                    stream.next()
        engine.dispose()


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def may_read(url: str, key: str) -> bool:
    path = f"{url}/api/v1/namespaces"
    return httpx2.get(path, headers=bearer(key), trust_env=False).status_code == 200
