"""`headwater serve`: the server."""

import logging
from pathlib import Path
from typing import Annotated

import typer

from headwater.config import load_settings

STORE_HELP = "URL of the store: sqlite:///FILE or postgresql://USER@HOST/DB. [default: in --data]"
DATA_HELP = "Folder for everything kept in files. [default: headwater-data]"


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 takes a free one. [default: 5000]")
    ] = None,
    store: Annotated[str | None, typer.Option(help=STORE_HELP)] = None,
    data: Annotated[Path | None, typer.Option(help=DATA_HELP)] = None,
) -> None:
    """Take in OpenLineage events and answer questions about them.

    With no options it listens on 127.0.0.1:5000 and keeps everything in ./headwater-data.
    Send events to POST /api/v1/lineage; see /docs for the rest. Ctrl-C stops it: what was
    answered is stored.
    """
    settings = load_settings(store=store, data=data, server={"host": host, "port": port})
    import uvicorn

    from headwater.server.app import Application
    from headwater.store.engine import open_engine
    from headwater.store.migrate import upgrade

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level="INFO")
    logging.getLogger("alembic").setLevel("WARNING")
    # Before the server starts, so that a store that cannot be used is one clear line.
    engine = open_engine(settings.store_url)
    upgrade(engine)
    engine.dispose()
    uvicorn.run(
        Application(settings),
        host=settings.server.host,
        port=settings.server.port,
        access_log=False,
        loop="uvloop",
        http="httptools",
        log_level="warning",
        timeout_keep_alive=60,
    )
