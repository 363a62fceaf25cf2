"""`headwater lake`: every event as it came, in Parquet files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.progress import steps
from headwater.config import load_settings
from headwater.durations import parse_duration

app = typer.Typer(
    help="Manage the lake: every event as received, in Parquet files by day.", no_args_is_help=True
)

Folder = Annotated[
    Path | None,
    typer.Option("--lake", help="Folder of the lake; by default `lake` in the data folder."),
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
def expire(
    older_than: Annotated[
        str | None,
        typer.Option(metavar="SPAN", help="Age of an event: 90d, 52w; by default retention.lake."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed.")
    ] = False,
    lake: Folder = None,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Remove old events that the store has pruned; safe while others read and write.

    An old event stays while the store has it or its run, or shows a value that its run gave; edits
    and declarations stay. A rebuild then shows what the store shows now. Prune first: in a store
    that was never pruned, everything is needed. Ctrl-C stops it; run it again to continue.
    """
    from headwater.model.values.instant import MICROSECOND, now
    from headwater.pipeline.lake.expire import expire as expire_lake
    from headwater.pipeline.lake.lake import Lake

    span = older_than or load_settings(store=store, data=data).retention.lake
    if not span:
        raise typer.BadParameter("give it, or set retention.lake", param_hint="--older-than")
    try:
        age = parse_duration(span)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--older-than") from None
    folder = _folder(lake, store, data)
    with open_store(store, data) as engine, steps() as show:
        done = expire_lake(engine, Lake(folder), now() - age // MICROSECOND, dry_run, show)
    if output is Output.JSON:
        typer.echo(json.dumps({"folder": str(folder), **done._asdict()}, indent=2))
    elif dry_run:
        typer.echo(f"{done.events:,} events would be removed from {folder}")
    else:
        typer.echo(f"{done.events:,} events removed from {done.files:,} files of {folder}")


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
