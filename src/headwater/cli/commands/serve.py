"""`headwater serve`: the server."""

import gc
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from headwater.config import Settings, load_settings
from headwater.errors import BadConfig
from headwater.extras import install_line, is_installed, require

if TYPE_CHECKING:
    from headwater.collect.plans import CollectorPlan
    from headwater.publish.plans import PublisherPlan
    from headwater.store.engine import Engine

log = logging.getLogger(__name__)

Store = Annotated[
    str | None,
    typer.Option(
        help="URL of the store: sqlite:///FILE or postgresql://USER@HOST/DB.",
        show_default="SQLite in the data folder",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(help="Folder for everything stored in files.", show_default="headwater-data"),
]


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on; 0 takes a free one.", show_default="5000"),
    ] = None,
    store: Store = None,
    data: Data = None,
    collect: Annotated[
        bool,
        typer.Option("--collect", help="Run the collectors of the settings (`collect.NAME`) too."),
    ] = False,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Run the publishers of the settings (`publish.NAME`) too."),
    ] = False,
) -> None:
    """Receive OpenLineage events, and serve the API and the web UI.

    Send events to POST /api/v1/lineage; open / in a browser; the page /docs lists the API.

    Ctrl-C stops the server; every event it has acknowledged is stored.
    """
    settings = load_settings(store=store, data=data, server={"host": host, "port": port})
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level="INFO")
    # One says each migration, the other each request of a collector.
    for name in ("alembic", "httpx2"):
        logging.getLogger(name).setLevel("WARNING")
    _check_lake(settings)
    plans = _read_collectors(settings) if collect else []
    publishers = _read_publishers(settings) if publish else []
    _prepare_store(settings)
    run_server(settings, collectors=plans, publishers=publishers)


def _read_collectors(settings: Settings) -> "list[CollectorPlan]":
    """Before the server starts, so that a mistake in a section is one clear line."""
    from headwater.collect.plans import choose_plans, read_plans

    plans = choose_plans(read_plans(settings.collect), ())
    if not plans:
        raise BadConfig("collect", "no section [collect.NAME] in the settings is switched on")
    return plans


def _read_publishers(settings: Settings) -> "list[PublisherPlan]":
    """Before the server starts, as the collectors."""
    from headwater.publish.plans import read_publisher_plans

    plans = [plan for plan in read_publisher_plans(settings.publish) if plan.is_on]
    if not plans:
        raise BadConfig("publish", "no section [publish.NAME] in the settings is switched on")
    return plans


def _soften(record: logging.LogRecord) -> bool:
    """Requests that a stop does not wait for get a 503, which is no error of the server's."""
    if "timeout graceful shutdown" in record.getMessage():
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True


def _check_lake(settings: Settings) -> None:
    """A lake that is requested needs its library; one that is not, is reported as off."""
    if settings.lake.is_on:
        require("lake")
    elif not is_installed("lake"):
        log.info("no lake is written: that takes %s", install_line("lake"))


def _prepare_store(settings: Settings) -> None:
    """Before the server starts, so that a store that cannot be used is one clear line."""
    from headwater.store.engine import open_engine
    from headwater.store.migrate import upgrade

    engine = open_engine(settings.store_url)
    try:
        upgrade(engine)
        _check_address(settings, engine)
    finally:
        engine.dispose()


def _check_address(settings: Settings, engine: "Engine") -> None:
    """Refuse to listen where other machines reach the server while no key keeps them out."""
    from headwater.model.access import parse_given_keys
    from headwater.store.keys import read_active

    # Read also on loopback: keys that cannot be used are best reported before the start.
    given = parse_given_keys(settings.auth.keys.get_secret_value())
    if given or settings.server.is_loopback:
        return
    with engine.connect() as connection:
        active = read_active(connection)
    if not active.keys:
        raise BadConfig(
            "server.host",
            f"'{settings.server.host}' can be reached from other machines and there is no key; "
            "add one first: headwater keys add NAME --scope read --scope write",
        )


class ListeningServer(NamedTuple):
    """A server that has started: where, and how to end it from any thread."""

    url: str
    stop: Callable[[], None]


def _announce(server: ListeningServer) -> None:
    typer.echo(f"Headwater listens on {server.url} (Ctrl-C stops it)")


def run_server(
    settings: Settings,
    announce: Callable[[ListeningServer], None] = _announce,
    collectors: "Sequence[CollectorPlan]" = (),
    publishers: "Sequence[PublisherPlan]" = (),
) -> None:
    """Serve until stopped; `announce` is called once the server listens."""
    import socket

    import uvicorn

    from headwater.server.app import Application
    from headwater.server.background.memory import limit_allocator
    from headwater.server.http.protocol import IDLE_SECONDS, BoundedProtocol

    class Server(uvicorn.Server):
        """Says where it listens, once it does."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                listening = self.servers[0].sockets[0]
                address, bound = listening.getsockname()[:2]
                name = f"[{address}]" if ":" in address else address
                announce(ListeningServer(f"http://{name}:{bound}", self._stop))

        def _stop(self) -> None:
            self.should_exit = True

    config = uvicorn.Config(
        Application(settings, collectors=collectors, publishers=publishers),
        host=settings.server.host,
        port=settings.server.port,
        access_log=False,
        loop="uvloop",
        http=BoundedProtocol,
        # Nothing speaks it, and the gate is for requests.
        ws="none",
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        # Then requests that are still waiting are answered with a 503.
        timeout_graceful_shutdown=5,
    )
    server = Server(config)
    logging.getLogger("uvicorn.error").addFilter(_soften)
    limit_allocator()
    # Little of what a request makes is cyclic: look for cycles seldom, and not among the modules.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        server.run()
    except KeyboardInterrupt:
        # Stopped as requested; the server has already ended its work.
        return
    except SystemExit:
        # It has reported why it cannot start.
        raise typer.Exit(1) from None
