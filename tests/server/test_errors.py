"""The one error shape and its status table, pinned; and a store that went away."""

import asyncio
import gc
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import FrameType

import httpx2
import msgspec
import psutil
import psycopg
import pytest
from fastapi import FastAPI

import headwater.errors
from headwater.errors import (
    BackupFailed,
    BadConfig,
    BadSecret,
    BodyTooLarge,
    Busy,
    Conflict,
    Forbidden,
    ForeignRequest,
    HeadersTooLarge,
    HeadwaterError,
    InvalidEvent,
    InvalidRequest,
    LakeUnavailable,
    MethodNotAllowed,
    NotFound,
    NotInstalled,
    NotStorable,
    PackagesUnavailable,
    ServerRefused,
    ServerUnreachable,
    SourceChanged,
    SourceUnavailable,
    SparkUnavailable,
    StoreTooNew,
    StoreUnavailable,
    TargetUnavailable,
    TimeIsOver,
    TooManyGuesses,
    TooManyRequests,
    TooSlow,
    Unauthorized,
    UrlTooLong,
    WrongContentType,
    WrongShape,
)
from headwater.server.app import Application
from headwater.server.http.errors import add_error_handlers, error_body, status_of
from testing.api import Api, error_of, no_lake, open_api
from testing.events.minimal import run_event
from testing.services.postgresql import PostgreSQL

TABLE: list[tuple[HeadwaterError, int, bytes]] = [
    (
        InvalidEvent("$.job", "missing"),
        422,
        b'{"code":422,"message":"$.job: missing","path":"$.job","reason":"missing"}',
    ),
    (
        InvalidEvent("$", "invalid JSON"),
        400,
        b'{"code":400,"message":"$: invalid JSON","path":"$","reason":"invalid JSON"}',
    ),
    (
        InvalidRequest("limit", "too low"),
        400,
        b'{"code":400,"message":"limit: too low","path":"limit","reason":"too low"}',
    ),
    (
        ForeignRequest("Host", "x"),
        403,
        b'{"code":403,"message":"Host: x","path":"Host","reason":"x"}',
    ),
    (
        TooSlow("body", "x"),
        408,
        b'{"code":408,"message":"body: x","path":"body","reason":"x"}',
    ),
    (
        MethodNotAllowed("method", "PUT"),
        405,
        b'{"code":405,"message":"method: PUT","path":"method","reason":"PUT"}',
    ),
    (
        BodyTooLarge("body", "too large"),
        413,
        b'{"code":413,"message":"body: too large","path":"body","reason":"too large"}',
    ),
    (
        WrongContentType("Content-Type", "'x'"),
        415,
        b'{"code":415,"message":"Content-Type: \'x\'","path":"Content-Type","reason":"\'x\'"}',
    ),
    (
        UrlTooLong("url", "too long"),
        414,
        b'{"code":414,"message":"url: too long","path":"url","reason":"too long"}',
    ),
    (
        HeadersTooLarge("headers", "too large"),
        431,
        b'{"code":431,"message":"headers: too large","path":"headers","reason":"too large"}',
    ),
    (
        WrongShape("$.type", "missing"),
        422,
        b'{"code":422,"message":"$.type: missing","path":"$.type","reason":"missing"}',
    ),
    (Conflict("changed since"), 409, b'{"code":409,"message":"changed since"}'),
    (Unauthorized("a key is needed"), 401, b'{"code":401,"message":"a key is needed"}'),
    (
        Forbidden("ci", "read"),
        403,
        b'{"code":403,"message":"key \'ci\' lacks the scope \'read\'"}',
    ),
    (
        TooManyRequests("ci", 2),
        429,
        b'{"code":429,"message":"key \'ci\' sends too many requests; try again in 2 s"}',
    ),
    (NotFound("job", "a/b"), 404, b'{"code":404,"message":"job \'a/b\' not found"}'),
    (NotStorable("refused"), 422, b'{"code":422,"message":"refused"}'),
    (StoreUnavailable("try again"), 503, b'{"code":503,"message":"try again"}'),
    (LakeUnavailable("no room"), 500, b'{"code":500,"message":"no room"}'),
    (StoreTooNew("newer"), 500, b'{"code":500,"message":"newer"}'),
    (
        ServerUnreachable("http://a", "refused"),
        500,
        b'{"code":500,"message":"no answer from http://a: refused; is it running '
        b'(`headwater serve`), and is --server or HEADWATER_URL right?"}',
    ),
    (
        ServerRefused("http://a", 418, "no"),
        500,
        b'{"code":500,"message":"http://a answered 418: no"}',
    ),
    (NotInstalled("a", "get it"), 500, b'{"code":500,"message":"a is not installed; get it"}'),
    (BackupFailed("no room"), 500, b'{"code":500,"message":"no room"}'),
    (SparkUnavailable("no Java"), 500, b'{"code":500,"message":"no Java"}'),
    (
        PackagesUnavailable(["a:b:1"], "a mirror", "it is not there"),
        500,
        b'{"code":500,"message":"a:b:1 cannot be fetched from a mirror: it is not there; check '
        b"the network and the version; a mirror can be set in Maven's settings.xml or in "
        b'DEFAULT_ARTIFACT_REPOSITORY"}',
    ),
    (SourceUnavailable("kafka:9092", "gone"), 500, b'{"code":500,"message":"kafka:9092: gone"}'),
    (SourceChanged("kafka:9092", "new"), 500, b'{"code":500,"message":"kafka:9092: new"}'),
    (TargetUnavailable("http://a", "gone"), 500, b'{"code":500,"message":"http://a: gone"}'),
    (
        TooManyGuesses(3),
        429,
        b'{"code":429,"message":"too many wrong keys from this address; try again in 3 s"}',
    ),
    (
        TimeIsOver(2.5),
        503,
        b'{"code":503,"message":"took longer than 2.5 s, the lower of the setting '
        b"server.max_read_seconds and the parameter timeout; ask for less (depth, limit), or try "
        b'again"}',
    ),
    (Busy("at it"), 500, b'{"code":500,"message":"at it"}'),
    (
        BadSecret("KEY", "is not set"),
        500,
        b'{"code":500,"message":"environment variable KEY is not set"}',
    ),
    (BadConfig("port", "no"), 500, b'{"code":500,"message":"setting \'port\': no"}'),
]


@pytest.mark.parametrize(
    ("error", "status", "body"), TABLE, ids=[type(error).__name__ for error, _, _ in TABLE]
)
def test_the_shape_and_status_of_each_error(
    error: HeadwaterError, status: int, body: bytes
) -> None:
    assert status_of(error) == status
    assert error_body(error, status) == body


def test_every_error_is_in_the_table_and_in_the_tree() -> None:
    found = {
        kind
        for kind in vars(headwater.errors).values()
        if isinstance(kind, type) and issubclass(kind, HeadwaterError)
    }
    assert found == {type(error) for error, _, _ in TABLE} | {HeadwaterError}
    assert headwater.errors.__doc__ is not None
    for kind in found:
        assert kind.__name__ in headwater.errors.__doc__
        assert kind.__doc__


def test_a_subclass_has_its_parents_status() -> None:
    class Special(NotFound):
        pass

    assert status_of(Special("job", "a")) == 404


@pytest.fixture
def broken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Api]:
    """A server that finds its store without tables."""
    caplog.set_level(logging.CRITICAL)
    store = tmp_path / "headwater.db"
    with open_api(f"sqlite:///{store}") as api:
        api.store(run_event())
        with closing(sqlite3.connect(store)) as connection:
            for table in ("event", "rejected", "job", "run", "dataset", "store_state"):
                connection.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
        yield api


def test_a_server_that_does_not_start_lets_go_of_its_store(tmp_path: Path) -> None:
    store = tmp_path / "headwater.db"
    with open_api(f"sqlite:///{store}"):
        pass
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    routes = Application(no_lake(f"sqlite:///{store}")).routes

    async def start() -> None:
        async with routes.router.lifespan_context(routes):
            raise AssertionError("it started")

    with pytest.raises(StoreTooNew):
        asyncio.run(start())
    opened = [file.path for file in psutil.Process().open_files()]
    assert not [path for path in opened if path.startswith(str(store))]


def check_unavailable(answer: httpx2.Response) -> None:
    assert set(error_of(answer, 503)) == {"code", "message"}
    assert int(answer.headers["retry-after"]) > 0


def test_a_fault_of_the_server_has_the_shape_of_all_errors() -> None:
    """And tells nothing of what went wrong inside."""
    app = FastAPI()
    add_error_handlers(app)

    @app.get("/")
    def fail() -> None:
        raise ZeroDivisionError("a secret of the inside")

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/")

    error = error_of(asyncio.run(ask()), 500)
    assert "secret" not in error["message"]


class TestAStoreThatWentAway:
    def test_events_are_to_be_sent_again(self, broken: Api) -> None:
        check_unavailable(broken.post(run_event("COMPLETE")))
        check_unavailable(broken.post([run_event("COMPLETE"), 7]))
        check_unavailable(broken.post([run_event("COMPLETE")], "/api/v1/lineage/batch"))
        # A refusal that could not be kept must not be the last word.
        check_unavailable(broken.post(b"7"))
        check_unavailable(broken.post(b"", headers={"Content-Type": "text/plain"}))

    def test_nothing_of_what_was_not_stored_is_held(self, broken: Api) -> None:
        """An error that is in a circle with the frames it went through keeps all they hold."""
        large = run_event("COMPLETE", padding=" " * 1_000_000)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            check_unavailable(broken.post(large))
            check_unavailable(broken.client.put("/api/v1/tags/a", json={"description": "a"}))
            gc.collect()
            frames = [one.f_code for one in gc.garbage if isinstance(one, FrameType)]
        finally:
            gc.set_debug(0)
            gc.enable()
            gc.garbage.clear()
        # What follows the store in the background fails beside it, and holds nothing of a request.
        others = {"following.py", "arrivals.py", "periodic.py"}
        package = Path(headwater.errors.__file__).parent
        files = [
            file for code in frames if (file := Path(code.co_filename)).is_relative_to(package)
        ]
        if any(file.name == "periodic.py" for file in files):
            # What it runs its work within, which turns a driver's error into one of ours.
            others.add("failures.py")
        assert [file for file in files if file.name not in others] == []

    def test_reading_says_so_but_the_process_is_well(self, broken: Api) -> None:
        for path in ("/namespaces", "/namespaces/scheduler/jobs/load", "/jobs/runs/7"):
            check_unavailable(broken.get(path))
        check_unavailable(broken.get("/events/lineage"))
        check_unavailable(broken.client.get("/readyz"))
        check_unavailable(broken.post(run_event("COMPLETE")))
        assert broken.client.get("/healthz").status_code == 200
        assert 'headwater_events_total{result="failed"} 1.0' in broken.client.get("/metrics").text

    def test_once_it_is_back_all_is_well(self, broken: Api) -> None:
        check_unavailable(broken.post(run_event("COMPLETE")))
        with broken.engine.begin() as connection:
            for table in ("event", "rejected", "job", "run", "dataset", "store_state"):
                connection.exec_driver_sql(f"ALTER TABLE {table}_away RENAME TO {table}")
        broken.store(run_event("COMPLETE"))
        assert broken.event_count() == 2


class TestAnEventTheStoreRefuses:
    """No such event is known; a trigger stands for the database's reasons."""

    DATASET_EVENT = {
        "eventTime": "2024-05-01T10:00:00Z",
        "dataset": {"namespace": "db", "name": "orders"},
    }

    @pytest.fixture
    def refusing(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Api]:
        caplog.set_level(logging.CRITICAL)
        with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
            with api.engine.begin() as connection:
                connection.exec_driver_sql(
                    "CREATE TRIGGER refuse BEFORE INSERT ON declared_dataset "
                    "BEGIN SELECT RAISE(ABORT, 'too odd'); END"
                )
            yield api

    def test_is_rejected_and_nothing_of_it_is_stored(self, refusing: Api) -> None:
        error = error_of(refusing.post(self.DATASET_EVENT), 400, "$")
        assert "too odd" in error["reason"]
        (rejected,) = refusing.rejected()
        assert rejected["payload"] == msgspec.json.encode(self.DATASET_EVENT).decode()
        assert refusing.event_count() == 0
        assert refusing.rows("dataset") == []

    def test_does_not_keep_others_from_being_stored(self, refusing: Api) -> None:
        answer = refusing.post([run_event(), self.DATASET_EVENT, 7, run_event("COMPLETE")])
        assert answer.status_code == 200
        assert [one["index"] for one in answer.json()["failed_events"]] == [1, 2]
        assert refusing.event_count() == 2
        assert len(refusing.rejected()) == 2
        refusing.store(run_event("RUNNING"))


@pytest.mark.integration
class TestPostgresqlThatWentAway:
    def test_an_ended_connection_is_opened_anew(
        self, postgresql: PostgreSQL, postgresql_url: str
    ) -> None:
        with open_api(postgresql_url) as api:
            api.store(run_event())
            end_connections(postgresql, postgresql_url)
            first = api.post(run_event("COMPLETE"))
            if first.status_code != 201:
                check_unavailable(first)
                api.store(run_event("COMPLETE"))
            assert api.event_count() == 2

    def test_a_database_that_is_gone_is_a_503(
        self, postgresql: PostgreSQL, postgresql_url: str
    ) -> None:
        with open_api(postgresql_url) as api:
            api.store(run_event())
            postgresql.drop(postgresql_url.rsplit("/", 1)[1])
            for _ in range(2):
                check_unavailable(api.post(run_event("COMPLETE")))
                check_unavailable(api.get("/namespaces"))
                check_unavailable(api.client.get("/readyz"))

    def test_a_database_that_only_reads_is_a_503(
        self, postgresql: PostgreSQL, postgresql_url: str
    ) -> None:
        """What a server finds after a failover to a standby."""
        name = postgresql_url.rsplit("/", 1)[1]
        with open_api(postgresql_url) as api:
            api.store(run_event())
            with psycopg.connect(postgresql_url, autocommit=True) as connection:
                connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
            end_connections(postgresql, postgresql_url)
            for _ in range(3):
                check_unavailable(api.post(run_event("COMPLETE")))
            assert api.event_count() == 1


@pytest.mark.integration
def test_a_locked_sqlite_file_is_a_503_in_the_end(tmp_path: Path) -> None:
    store = tmp_path / "headwater.db"
    with (
        open_api(f"sqlite:///{store}") as api,
        closing(sqlite3.connect(store, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        check_unavailable(api.post(run_event()))
        assert api.event_count() == 0
        other.execute("ROLLBACK")
        api.store(run_event())


def test_too_much_at_once_is_to_be_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADWATER__INTAKE__MAX_IN_FLIGHT_BYTES", "1000")
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        check_unavailable(api.post(run_event(padding="x" * 2_000)))
        api.store(run_event())
        assert api.event_count() == 1


def test_the_largest_body_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER__INTAKE__MAX_BODY_BYTES", "1000")
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        api.store(run_event())
        bodies = [msgspec.json.encode(run_event(padding=text * 1_000)) for text in "xyz"]
        for body in bodies:
            error_of(api.post(body), 413, "body")
        rejected = api.rejected()
        assert len(rejected) == 3
        assert {one["payload"][:30] for one in rejected} == {bodies[0][:30].decode()}


def end_connections(service: PostgreSQL, url: str) -> None:
    with psycopg.connect(service.url("postgres"), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [url.rsplit("/", 1)[1]],
        )
