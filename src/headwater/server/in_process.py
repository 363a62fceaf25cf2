"""The server's own answers without a server: its routes over a store, called in this process.

Nobody listens and nothing is written: no events are taken in, no tables are made or changed.
"""

import asyncio

import httpx2

from headwater.config import Settings, load_settings
from headwater.errors import BadConfig, InvalidRequest
from headwater.server.app import Application
from headwater.server.clusters import cluster_names
from headwater.server.http.body import Receive, Scope, Send
from headwater.store.engine import Engine, describe
from headwater.store.lineage.cluster_names import with_clusters
from headwater.store.read_only import open_read_only


class _Routes(Application):
    """The application without its gate and its way in: who can open the store may read it."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        super().__init__(settings)
        self.routes.state.engine, self.routes.state.metrics = engine, self._metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._route(scope, receive, send)


class StoreTransport(httpx2.BaseTransport):
    """Answers the requests of an HTTP client from a store; `where` is its URL without secrets."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.where = describe(engine.url)
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
    try:
        engine = open_read_only(url)
    except BadConfig as error:
        raise InvalidRequest("--server", error.reason) from None
    settings = load_settings()
    return StoreTransport(with_clusters(engine, cluster_names(settings)), settings)
