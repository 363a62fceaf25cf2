"""The application: the raw ingest route in front, FastAPI behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool

from headwater import __version__
from headwater.config import Settings
from headwater.server import operations
from headwater.server.body import Receive, Scope, Send
from headwater.server.errors import add_error_handlers
from headwater.server.ingest import BATCH_PATH, SINGLE_PATH, Ingest
from headwater.server.marquez import datasets, events, jobs, namespaces, runs
from headwater.server.metrics import Metrics
from headwater.server.openapi import describe_ingest
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from headwater.store.writer import open_writer


class Application:
    """The ASGI application of a server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ingest: Ingest | None = None
        self._routes = self._create_routes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["raw_path"]
            if path in (SINGLE_PATH, BATCH_PATH):
                assert self._ingest is not None
                await self._ingest(scope, receive, send)
                return
            # Routed as sent: `%2F` inside a name is not a slash between names.
            scope["path"] = path.decode("latin-1")
        await self._routes(scope, receive, send)

    def _create_routes(self) -> FastAPI:
        app = FastAPI(
            title="Headwater",
            version=__version__,
            description="Lineage of streaming data. Speaks OpenLineage in and Marquez's API out.",
            lifespan=self._lifespan,
        )
        add_error_handlers(app)
        app.include_router(operations.router)
        for noun in (namespaces, datasets, runs, jobs, events):
            app.include_router(noun.router, prefix="/api/v1")
        describe_ingest(app)
        return app

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        engine = open_engine(self._settings.store_url)
        await run_in_threadpool(upgrade, engine)
        metrics = Metrics()
        app.state.engine, app.state.metrics = engine, metrics
        self._ingest = Ingest(open_writer(engine), self._settings.intake, metrics)
        try:
            yield
        finally:
            await asyncio.to_thread(self._ingest.close)
            engine.dispose()
