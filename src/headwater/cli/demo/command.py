"""`headwater demo`: a server with something in it."""

import logging
import socket
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.commands.serve import run_server
from headwater.cli.demo.folder import DemoStore
from headwater.cli.demo.scenes import DemoOptions, Scenes
from headwater.config import load_settings
from headwater.errors import InvalidRequest

_HOST = "127.0.0.1"
_INTERRUPTED = 130


class DemoScene(StrEnum):
    SHOP = "shop"
    CONFLUENT = "confluent"


def demo(
    scene: Annotated[
        DemoScene,
        typer.Argument(
            help="A shop's pipeline, or an account of Confluent Cloud on this machine, which is "
            "read by `collect confluent`."
        ),
    ] = DemoScene.SHOP,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 5000,
    data: Annotated[
        Path, typer.Option(help="Folder of the demo; created if it does not exist.")
    ] = Path(".headwater-demo"),
    once: Annotated[
        bool,
        typer.Option("--once", help="Show everything, check that the server answers, and exit."),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run the Spark scene again, even if its result is kept.")
    ] = False,
    no_spark: Annotated[
        bool, typer.Option("--no-spark", help="Skip the scene that runs on Spark.")
    ] = False,
) -> None:
    """Start a server, and show lineage in two scenes.

    The first really runs, on Spark: orders come as files, a stream cleans them into a table, a
    batch job sums them up by supplier; their lineage is shown from the files to the summary.

    The second is an example, a shop's pipeline from its database to a dashboard: five days of runs
    that end now, one of which failed last night, a column that was added two days ago, and a
    stream that has gone silent.

    Both are kept; remove the folder to create them again. Ctrl-C stops the server.
    """
    if scene is DemoScene.CONFLUENT:
        _check_port(port)
        # With what reads SQL, which other commands do without.
        from headwater.cli.demo.confluent import run_confluent_demo

        logging.basicConfig(level="WARNING")
        run_confluent_demo(port, data, once)
        return
    if again and no_spark:
        raise InvalidRequest("--again", "runs Spark, which --no-spark skips")
    _check_port(port)
    logging.basicConfig(level="WARNING")
    store = DemoStore(data)
    try:
        found = store.load()
        # The second call returns the note.
        note = found or store.load()
    except KeyboardInterrupt:
        typer.echo("stopped while loading; the next start completes it", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    # Of whoever tries this out, no settings but the port matter: nor what a real server is for.
    settings = load_settings(
        data=data,
        store=store.url,
        server={"host": _HOST, "port": port},
        auth={"keys": ""},
        lake={"folder": ""},
    )
    assert note is not None
    choices = DemoOptions(has_live=not no_spark, again=again, once=once)
    scenes = Scenes(store, note, found is None, choices)
    try:
        run_server(settings, scenes.start)
    finally:
        scenes.stop()
    scenes.raise_failure()
    if not scenes.are_shown:
        typer.echo("stopped before everything was shown; the next start shows it", err=True)
        raise typer.Exit(_INTERRUPTED)


def _check_port(port: int) -> None:
    """Fail before the example is loaded, not after."""
    try:
        socket.create_server((_HOST, port)).close()
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise InvalidRequest(
            "--port", f"cannot listen on {port} ({reason}); give another, or 0 for any free one"
        ) from None
