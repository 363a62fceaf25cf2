"""`headwater lake`: every event as it came, in Parquet files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.db import open_store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.progress import steps
from headwater.config import load_settings

app = typer.Typer(
    help="Manage the lake: every event as received, in Parquet files by day.", no_args_is_help=True
)

Folder = Annotated[
    Path | None,
    typer.Option("--lake", help="Folder of the lake. [default: `lake` in the data folder]"),
]


def _folder(lake: Path | None, store: str | None, data: Path | None) -> Path:
    return lake or load_settings(store=store, data=data).lake_folder


@app.command()
def flush(
    is_all: Annotated[
        bool,
        typer.Option("--all", help="Write all events in the store, for a new or lost lake."),
    ] = False,
    lake: Folder = None,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Write the events that the store received since the last flush to the lake.

    A server does the same every minute; running both is safe. Ctrl-C loses nothing.
    """
    from headwater.pipeline.lake.lake import Lake
    from headwater.pipeline.lake.outbox import flush as flush_store
    from headwater.store.write.outbox import LAKE, count_waiting
    from headwater.store.write.outbox_readers import fill_reader

    folder = _folder(lake, store, data)
    with open_store(store, data) as engine, steps() as show:
        if is_all:
            show("searching for events", 0, None)
            fill_reader(engine, LAKE)
        with engine.connect() as connection:
            waiting = count_waiting(connection)
        # More may come meanwhile.
        carried = flush_store(
            engine, Lake(folder), lambda done: show("events", done, max(done, waiting))
        )
    if output is Output.JSON:
        typer.echo(json.dumps({"folder": str(folder), "events": carried}, indent=2))
    else:
        typer.echo(f"{carried:,} events written to {folder}")


@app.command()
def compact(
    lake: Folder = None,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Merge small files and remove duplicates; safe while others read and write."""
    from headwater.pipeline.lake.lake import Lake

    folder = _folder(lake, store, data)
    with steps() as show:
        done = Lake(folder).compact(lambda days, total: show("days", days, total))
    if output is Output.JSON:
        typer.echo(json.dumps({"folder": str(folder), **done._asdict()}, indent=2))
    else:
        typer.echo(
            f"{done.files_removed:,} files of {done.days:,} days merged into "
            f"{done.files_written:,}; {done.copies_removed:,} duplicates removed"
        )


@app.command()
def stats(
    lake: Folder = None,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Show the size of the lake, and how many events in the store are waiting for it."""
    from headwater.pipeline.lake.lake import Lake

    folder = _folder(lake, store, data)
    found = Lake(folder).stats()
    waiting = _count_waiting(store, data)
    row = {
        "folder": str(folder),
        **found._asdict(),
        "first_day": None if found.first_day is None else found.first_day.isoformat(),
        "last_day": None if found.last_day is None else found.last_day.isoformat(),
        "waiting": waiting,
    }
    if output is Output.TEXT and not found.files:
        typer.echo(f"no lake at {folder}; {waiting or 0:,} events are waiting for it")
    else:
        print_rows([row], tuple(row), output, empty="")


def _count_waiting(store: str | None, data: Path | None) -> int | None:
    """How many events wait in the store; None where it is not there, or of an older version."""
    from headwater.store.engine import find_sqlite_file
    from headwater.store.write.outbox import count_waiting, has_outbox

    # To open a file that is not there would make it.
    file = find_sqlite_file(load_settings(store=store, data=data).store_url)
    if file is not None and not file.exists():
        return None
    with open_store(store, data, is_upgraded=False) as engine, engine.connect() as connection:
        return count_waiting(connection) if has_outbox(connection) else None
