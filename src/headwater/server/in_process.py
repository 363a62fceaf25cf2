"""The server's own answers without a server: its routes over a store, asked in this process.

Nobody listens and nothing is written: no events are taken in, no tables are made or changed.
"""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import httpx2
from sqlalchemy import Engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from headwater.config import Settings, load_settings
from headwater.errors import BadConfig, InvalidRequest, StoreUnavailable
from headwater.server.app import Application
from headwater.server.http.body import Receive, Scope, Send
from headwater.store.engine import open_engine
from headwater.store.migrate import HEAD, check_revision, current_revision

_WHERE = "--server"


class _Routes(Application):
    """The application without its gate and its way in: who can open the store may read it."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        super().__init__(settings)
        self._routes.state.engine, self._routes.state.metrics = engine, self._metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._route(scope, receive, send)


class StoreTransport(httpx2.BaseTransport):
    """Answers the requests of an HTTP client from a store; `where` is its URL without secrets."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.where = _describe(engine)
        self._engine = engine
        self._routes = httpx2.ASGITransport(_Routes(settings, engine))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return asyncio.run(self._answer(request))

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        # No wire is between them: to make an answer smaller would only take time.
        request.headers["accept-encoding"] = "identity"
        answer = await self._routes.handle_async_request(request)
        # Read here: what is behind it ends with this loop.
        body = await answer.aread()
        return httpx2.Response(answer.status_code, headers=answer.headers, content=body)

    def close(self) -> None:
        self._engine.dispose()


def open_store(url: str) -> StoreTransport:
    """Open a store that is there, at this version's revision, for reading only."""
    engine = _open_existing(url)
    try:
        _check_revision(engine)
        return StoreTransport(engine, load_settings())
    except BaseException:
        engine.dispose()
        raise


def _open_existing(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:"):
            _check_file(str(parsed.database))
        engine = open_engine(url)
    except (ArgumentError, ValueError):
        raise InvalidRequest(_WHERE, "not the URL of a store") from None
    except BadConfig as error:
        raise InvalidRequest(_WHERE, error.reason) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _forbid_writing)
        return engine
    return engine.execution_options(postgresql_readonly=True)


def _check_file(name: str) -> None:
    """See that a file is a store before it is opened as one, which would change other files."""
    file = Path(name)
    if not file.is_file():
        raise InvalidRequest(_WHERE, f"there is no store at '{name}'")
    try:
        address = f"file:{quote(str(file.absolute()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            found = connection.execute(
                "SELECT name FROM sqlite_master WHERE name = 'alembic_version'"
            ).fetchall()
    except sqlite3.Error as error:
        raise StoreUnavailable(f"the store at '{name}' cannot be opened: {error}") from None
    if not found:
        raise InvalidRequest(_WHERE, f"'{name}' is not a store of Headwater")


def _forbid_writing(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA query_only = ON")


def _check_revision(engine: Engine) -> None:
    try:
        with engine.connect() as connection:
            revision = check_revision(current_revision(connection))
    except DBAPIError as error:
        reason = str(error.orig).partition("\n")[0]
        where = _describe(engine)
        raise StoreUnavailable(f"the store at {where} cannot be opened: {reason}") from None
    if revision is None:
        raise InvalidRequest(_WHERE, f"{_describe(engine)} is not a store of Headwater")
    if revision != HEAD:
        raise InvalidRequest(
            _WHERE,
            f"{_describe(engine)} is at revision {revision}, and this version reads {HEAD}; "
            "run headwater db upgrade --store URL first",
        )


def _describe(engine: Engine) -> str:
    url = engine.url.set(drivername=engine.dialect.name, query={})
    return url.render_as_string(hide_password=True)
