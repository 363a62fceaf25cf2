"""The application: the raw ingest route in front, FastAPI behind it."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.routing import BaseRoute

from headwater import __version__
from headwater.answers.following import Following
from headwater.collect.plans import CollectorPlan
from headwater.collect.schedule import Scheduler
from headwater.config import Settings
from headwater.errors import HeadwaterError
from headwater.publish.plans import PublisherPlan
from headwater.server import operations
from headwater.server.background.collecting import schedule_collectors
from headwater.server.background.discovery import Discover
from headwater.server.background.following import Follow
from headwater.server.background.lake import LakeExpiry, LakeFlush
from headwater.server.background.memory import GiveMemoryBack
from headwater.server.background.periodic import Background
from headwater.server.background.publishing import schedule_publishers
from headwater.server.background.retention import Retention
from headwater.server.background.sql_columns import SqlColumns
from headwater.server.bridge import datasets as bridge_datasets
from headwater.server.bridge import events as bridge_events
from headwater.server.bridge import graph_nodes, graphs, tasks, views
from headwater.server.bridge import operations as bridge_operations
from headwater.server.bridge.enrichment import make_enrich
from headwater.server.bridge.event_sink import EventSink
from headwater.server.bridge.extraction import Extract, make_extract
from headwater.server.bridge.graph_store import GraphStore
from headwater.server.bridge.task_runner import TaskRunner
from headwater.server.clusters import cluster_names
from headwater.server.collectors import routes as collector_routes
from headwater.server.collectors import senders
from headwater.server.edits import routes
from headwater.server.health.problems import create_problems_router, create_upstream_router
from headwater.server.health.routes import create_health_router, read_silent_after
from headwater.server.http.auth import Gate
from headwater.server.http.body import (
    MAX_ROUTE_BODY_BYTES,
    READING,
    Body,
    Budget,
    Disconnected,
    Receive,
    Scope,
    Send,
    has_body,
    read_route_body,
)
from headwater.server.http.bridge_paths import MAX_IMPORT_BYTES, largest_body, with_detail
from headwater.server.http.compression import with_gzip
from headwater.server.http.errors import (
    add_error_handlers,
    describe_request,
    status_of,
    unexpected,
)
from headwater.server.http.foreign import OwnNames
from headwater.server.http.keyring import REFRESH_SECONDS, Keyring
from headwater.server.http.metrics import ServerMetrics
from headwater.server.http.responses import Noted, respond_error, with_etag, with_security_headers
from headwater.server.ingest import IngestApp, is_ingest
from headwater.server.ingestions import routes as ingestion_routes
from headwater.server.insight import owners
from headwater.server.insight import routes as insight_routes
from headwater.server.insight.streams import create_streams_router
from headwater.server.lineage import drift, impact, tag_report
from headwater.server.lineage import routes as lineage_routes
from headwater.server.lineage.discovery import create_discovery_router
from headwater.server.live import routes as live_routes
from headwater.server.live.feed import LiveFeed
from headwater.server.marquez import (
    dataset_versions,
    datasets,
    events,
    job_versions,
    jobs,
    lineage,
    namespaces,
    runs,
    search,
    sources,
    stats,
    tags,
)
from headwater.server.marquez.writes import routes as write_routes
from headwater.server.openapi.document import describe_api
from headwater.server.publishers import routes as publisher_routes
from headwater.server.publishers.push import create_push_router
from headwater.server.sql import routes as sql_routes
from headwater.server.web.pages import BUILT, LOST, create_web_router, is_lost_page
from headwater.store.engine import Engine, describe, open_engine, release_idle
from headwater.store.lineage.cluster_names import with_clusters
from headwater.store.migrate import upgrade
from headwater.store.write.writer import open_writer

log = logging.getLogger(__name__)

# Bodies of routes held at once, over all requests; those of events have a setting.
_MAX_ROUTE_BYTES = 64 * MAX_ROUTE_BODY_BYTES + MAX_IMPORT_BYTES
# Connections that routes hold at once: fewer than a store's engine has, of which the writer and
# what runs in the background need some.
_MAX_READERS = 10
# By what they depend on; the oldest go.
_SHARED_ROUTES: deque[tuple[Any, list[BaseRoute]]] = deque(maxlen=8)


class Application:
    """The ASGI application of a server."""

    def __init__(
        self,
        settings: Settings,
        key_refresh_seconds: float = REFRESH_SECONDS,
        collectors: Sequence[CollectorPlan] = (),
        extract: Extract | None = None,
        publishers: Sequence[PublisherPlan] = (),
    ) -> None:
        """`extract` is what tasks run, by default the Confluent Cloud collector of the settings."""
        self._settings = settings
        self._publishers = publishers
        self._collectors = collectors
        self._extract = extract
        self._key_refresh_seconds = key_refresh_seconds
        self._ingest: IngestApp | None = None
        self._gate: Gate | None = None
        self._metrics = ServerMetrics()
        self._budget = Budget(_MAX_ROUTE_BYTES)
        self.routes = self._create_routes()

    def document(self) -> dict[str, Any]:
        """The API document, as `/openapi.json` has it."""
        return self.routes.openapi()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.routes(scope, receive, send)
            return
        noted = Noted(with_detail(scope, send))
        try:
            await self._serve(scope, receive, noted)
        except Exception:
            # Whatever fails, and wherever: the log names the request, and its sender is answered.
            log.exception("failed at %s", describe_request(scope))
            if not noted.is_begun:
                await respond_error(send, unexpected())

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._gate is not None and self._ingest is not None
        try:
            # Before anything is read: who may not come in leaves nothing behind.
            self._gate.admit(scope)
        except HeadwaterError as error:
            self._metrics.refused.labels(str(status_of(error))).inc()
            await respond_error(send, error)
            return
        if is_ingest(scope):
            await self._ingest(scope, receive, send)
        elif has_body(scope):
            await self._route_with_body(scope, receive, send)
        else:
            await self._route(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Routed as sent: `%2F` inside a name is not a slash between names.
        path = scope["raw_path"].decode("latin-1")
        # Never to a route of its own: this is open to all.
        scope["path"] = LOST if is_lost_page(scope) else path
        secured = with_security_headers(send)
        if scope["method"] in READING:
            # The server leaves the body of an answer to HEAD out.
            sent = with_etag(scope, with_gzip(scope, secured))
            scope, secured = {**scope, "method": "GET"}, sent
        await self.routes(scope, receive, secured)

    async def _route_with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        largest = largest_body(scope, self._settings.intake.max_body_bytes)
        body = Body(largest, self._budget)
        try:
            await self._route(scope, await read_route_body(scope, body, receive, largest), send)
        except HeadwaterError as error:
            await respond_error(send, error)
        except Disconnected:
            pass
        finally:
            body.release()

    def _create_routes(self) -> FastAPI:
        app = FastAPI(
            title="Headwater",
            version=__version__,
            description="Lineage of streaming data: OpenLineage events in, Marquez's API out.",
            lifespan=self._lifespan,
            # FastAPI's own pages load their scripts from elsewhere.
            docs_url=None,
            redoc_url=None,
        )
        app.state.readers = asyncio.Semaphore(_MAX_READERS)
        app.state.max_read_seconds = self._settings.server.max_read_seconds
        add_error_handlers(app)
        # By the list itself: included once more, FastAPI would work out every route again.
        app.router.routes.extend(self._shared_routes())
        describe_api(app)
        return app

    def _shared_routes(self) -> list[BaseRoute]:
        """The routes; servers of the same settings in one process, as in tests, have the same."""
        settings = self._settings
        sections = (BUILT, settings.publish, settings.health, settings.discovery)
        for known, made in list(_SHARED_ROUTES):
            if known == sections:
                return made
        router = APIRouter()
        self._include_routes(router)
        _SHARED_ROUTES.append((sections, router.routes))
        return router.routes

    def _include_routes(self, app: APIRouter) -> None:
        app.include_router(operations.router)
        app.include_router(create_web_router(BUILT))
        for noun in (namespaces, datasets, dataset_versions, jobs, job_versions, runs):
            app.include_router(noun.router, prefix="/api/v1")
        for noun in (sources, tags, stats, events, lineage):
            app.include_router(noun.router, prefix="/api/v1")
        for written in (write_routes, routes):
            app.include_router(written.router, prefix="/api/v1")
        app.include_router(search.router, prefix="/api/v1")
        app.include_router(search.v2_router, prefix="/api/v2beta")
        app.include_router(lineage_routes.router, prefix="/api/v1")
        app.include_router(impact.router, prefix="/api/v1")
        app.include_router(drift.router, prefix="/api/v1")
        app.include_router(insight_routes.router, prefix="/api/v1")
        app.include_router(live_routes.router, prefix="/api/v1")
        app.include_router(sql_routes.router, prefix="/api/v1")
        for more in (
            collector_routes,
            publisher_routes,
            ingestion_routes,
            senders,
            tag_report,
            owners,
        ):
            app.include_router(more.router, prefix="/api/v1")
        app.include_router(create_push_router(self._settings.publish), prefix="/api/v1")
        app.include_router(create_health_router(self._settings.health), prefix="/api/v1")
        silent_after = read_silent_after(self._settings.health)
        for create in (create_problems_router, create_upstream_router, create_streams_router):
            app.include_router(create(silent_after), prefix="/api/v1")
        app.include_router(create_discovery_router(self._settings.discovery), prefix="/api/v1")
        for bridge in (bridge_operations, bridge_events, bridge_datasets, tasks):
            app.include_router(bridge.router, prefix="/api/v1")
        # Views before graphs, as their paths would be ids of graphs.
        for bridge in (views, graphs, graph_nodes):
            app.include_router(bridge.router, prefix="/api/v1")

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            clusters = cluster_names(self._settings)
            engine = with_clusters(open_engine(self._settings.store_url), clusters)
            stack.callback(engine.dispose)
            await run_in_threadpool(upgrade, engine)
            # Apart from what writes and removes, which may take its time.
            reading = open_engine(self._settings.store_url, self._settings.server.max_read_seconds)
            reading = with_clusters(reading, clusters)
            stack.callback(reading.dispose)
            app.state.engine, app.state.writing = reading, engine
            app.state.metrics = self._metrics
            keyring = Keyring(engine, self._settings, self._key_refresh_seconds)
            await run_in_threadpool(keyring.start)
            stack.push_async_callback(asyncio.to_thread, keyring.close)
            rate = self._settings.auth.max_requests_per_second
            self._gate = Gate(keyring, OwnNames(self._settings.server), rate)
            app.state.gate = self._gate
            app.state.following = Following(engine, read_silent_after(self._settings.health))
            app.state.live = LiveFeed(reading)
            for background in (
                *self._backgrounds(engine, reading, app.state.following),
                app.state.live,
            ):
                background.start()
                stack.push_async_callback(asyncio.to_thread, background.close)
            writer = open_writer(engine, notes_for_lake=self._settings.lake.is_on)
            self._ingest = IngestApp(writer, self._settings.intake, self._metrics)
            # First of all: what was accepted is written before anything ends.
            stack.push_async_callback(asyncio.to_thread, self._ingest.close)
            app.state.commits = self._ingest.commits
            app.state.graphs = GraphStore(engine, self._event_sink(engine, self._ingest))
            app.state.tasks = self._task_runner(engine, app.state.graphs)
            app.state.tasks.start()
            stack.push_async_callback(asyncio.to_thread, app.state.tasks.close)
            if self._settings.sql.infer_columns:
                # After what writes, so that it ends before that does.
                derive = SqlColumns(engine, self._ingest.commits)
                derive.start()
                stack.push_async_callback(asyncio.to_thread, derive.close)
            if self._collectors:
                scheduler = self._schedule(engine, self._ingest)
                scheduler.start()
                stack.push_async_callback(asyncio.to_thread, scheduler.close)
            if self._publishers:
                publishing = schedule_publishers(self._publishers, engine)
                publishing.start()
                stack.push_async_callback(asyncio.to_thread, publishing.close)
            yield

    def _event_sink(self, engine: Engine, ingest: IngestApp) -> EventSink:
        max_ahead = self._settings.intake.max_ahead_seconds
        return EventSink(ingest.commits, engine, self._metrics, max_ahead)

    def _task_runner(self, engine: Engine, graphs: GraphStore) -> TaskRunner:
        extract = self._extract or make_extract(self._settings.collect)
        return TaskRunner(engine, graphs, extract, make_enrich(self._settings.collect))

    def _schedule(self, engine: Engine, ingest: IngestApp) -> Scheduler:
        max_ahead = self._settings.intake.max_ahead_seconds
        destination = describe(engine.url)
        return schedule_collectors(self._collectors, engine, ingest.commits, max_ahead, destination)

    def _backgrounds(
        self, engine: Engine, reading: Engine, following: Following
    ) -> Iterator[Background]:
        settings, note_waiting = self._settings, self._metrics.lake_waiting.set
        yield LakeFlush(engine, settings.lake_folder, settings.lake, note_waiting)
        yield Retention(engine, settings.retention)
        yield LakeExpiry(engine, settings.lake_folder, settings.lake, settings.retention)
        yield Follow(following)
        yield Discover(engine, settings.discovery)
        yield GiveMemoryBack(
            (partial(release_idle, reading), partial(release_idle, engine), self._release_writer)
        )

    def _release_writer(self) -> None:
        if self._ingest is not None:
            self._ingest.commits.release_memory()
