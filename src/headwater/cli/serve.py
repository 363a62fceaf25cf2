"""`headwater serve`: the server."""

import gc
import logging
from pathlib import Path
from typing import Annotated

import typer

from headwater.config import Settings, load_settings

Store = Annotated[
    str | None,
    typer.Option(
        help="URL of the store: sqlite:///FILE or postgresql://USER@HOST/DB.",
        show_default="SQLite in the data folder",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(help="Folder for everything kept in files.", show_default="headwater-data"),
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
) -> None:
    """Take in OpenLineage events and answer questions about them.

    Send events to POST /api/v1/lineage; the page /docs lists the rest of the API.

    Ctrl-C stops the server: what it has answered is stored.
    """
    settings = load_settings(store=store, data=data, server={"host": host, "port": port})
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level="INFO")
    logging.getLogger("alembic").setLevel("WARNING")
    _prepare_store(settings)
    _run_server(settings)


def _prepare_store(settings: Settings) -> None:
    """Before the server starts, so that a store that cannot be used is one clear line."""
    from headwater.store.engine import open_engine
    from headwater.store.migrate import upgrade

    engine = open_engine(settings.store_url)
    try:
        upgrade(engine)
    finally:
        engine.dispose()


def _run_server(settings: Settings) -> None:
    import socket

    import uvicorn

    from headwater.server.app import Application

    class Server(uvicorn.Server):
        """Says where it listens, once it does."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                listening = self.servers[0].sockets[0]
                address, bound = listening.getsockname()[:2]
                typer.echo(f"Headwater listens on http://{address}:{bound} (Ctrl-C stops it)")

    config = uvicorn.Config(
        Application(settings),
        host=settings.server.host,
        port=settings.server.port,
        access_log=False,
        loop="uvloop",
        http="httptools",
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=60,
    )
    server = Server(config)
    # Little of what a request makes is cyclic: look for cycles seldom, and not among the modules.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        server.run()
    except KeyboardInterrupt:
        # Stopped as asked; the server has already ended its work.
        return
    except SystemExit:
        # It has said why it cannot start.
        raise typer.Exit(1) from None
