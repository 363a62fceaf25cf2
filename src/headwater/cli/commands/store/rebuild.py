"""`headwater rebuild`: rebuild the store from the lake."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.commands.ingest.ingest import Conf, Master, Verbose, parse_pairs
from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.progress import steps
from headwater.config import load_settings


def rebuild(
    lake: Annotated[
        Path | None,
        typer.Option(
            "--lake", help="Folder of the lake.", show_default="`lake` in the data folder"
        ),
    ] = None,
    output: OutputOption = Output.TEXT,
    master: Master = None,
    conf: Conf = None,
    verbose: Verbose = False,
    store: Store = None,
    data: Data = None,
) -> None:
    """Rebuild the store from every event in the lake, while servers keep running.

    The new store is filled beside the old one and replaces it at the end, with all events received
    meanwhile; running servers switch over. If interrupted, nothing has changed: run it again. Keys
    and rejected events are kept. Pruned data comes back until the next prune, if the lake has it.
    """
    if lake is not None and not lake.is_dir():
        raise typer.BadParameter(f"there is no folder '{lake}'", param_hint="--lake")
    spark_settings = {"master": master, "conf": parse_pairs(conf, "--conf") or None}
    settings = load_settings(store=store, data=data, spark=spark_settings)
    from headwater.pipeline.lake.lake import Lake
    from headwater.pipeline.lake.outbox import flush
    from headwater.pipeline.rebuild import rebuild as rebuild_store
    from headwater.pipeline.spark.session import session

    started = time.monotonic()
    folder = lake or settings.lake_folder
    with open_store(store, data) as engine, steps() as show:
        if lake is None:
            # Not needed, but quicker; what waits is for this lake, and for no copy of it.
            flush(
                engine,
                Lake(folder),
                lambda done: show("writing waiting events to the lake", done, None),
            )
        show("starting Spark", 0, None)
        with session(
            settings.spark, "headwater rebuild", folder=settings.data, verbose=verbose
        ) as spark:
            totals = rebuild_store(engine, spark, Lake(folder), settings.data, show)
    seconds = time.monotonic() - started
    if output is Output.JSON:
        typer.echo(
            json.dumps({"lake": str(folder), **totals.counts(), "seconds": round(seconds, 1)})
        )
        return
    typer.echo(f"rebuilt from {totals.events:,} events of {folder} in {seconds:,.0f} s")
    if totals.rejected:
        typer.echo(f"{totals.rejected:,} rejected: headwater events --rejected")
