"""`headwater db`: maintaining the store."""

import json
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.erase import erase
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.progress import steps
from headwater.durations import parse_duration

app = typer.Typer(help="Maintain the store.", no_args_is_help=True)


@app.command()
def upgrade(store: Store = None, data: Data = None) -> None:
    """Bring the store's tables up to this version. `serve` does the same when it starts."""
    from headwater.store.migrate import HEAD
    from headwater.store.migrate import upgrade as upgrade_store

    with open_store(store, data, is_upgraded=False) as engine:
        done = upgrade_store(engine)
    typer.echo(f"upgraded to revision {HEAD}" if done else f"already at revision {HEAD}")


@app.command()
def prune(
    older_than: Annotated[
        str, typer.Option(metavar="SPAN", help="Age counted from a run's last event: 12h, 30d, 4w.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed.")
    ] = False,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Remove old runs that add no information, and old events; safe while servers run.

    Kept, however old: runs that have not ended, each job's newest execution, every run whose
    datasets, schema or columns differ from those of the run before it, declarations and edits.
    The current state does not change. Ctrl-C stops it; run it again to continue.

    SQLite reuses the freed space for new rows; the file does not shrink.
    """
    from headwater.model.values.instant import MICROSECOND, now
    from headwater.store.maintenance.prune import prune as prune_store

    try:
        age = parse_duration(older_than)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--older-than") from None
    with open_store(store, data) as engine, steps() as progress:
        gone = prune_store(engine, now() - age // MICROSECOND, dry_run, progress)
    rows: list[dict[str, object]] = [
        {"table": name, "rows": count} for name, count in sorted(gone.items())
    ]
    if output is Output.TEXT and rows:
        rows = _readable(rows)
        typer.echo("would be removed" if dry_run else "removed")
    print_rows(rows, ("table", "rows"), output, empty="nothing is older than that")


app.command()(erase)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write; it appears once it is complete.")],
    store: Store = None,
    data: Data = None,
) -> None:
    """Copy a consistent snapshot of the store into a file, while servers keep running.

    SQLite is copied page by page and checked. PostgreSQL is dumped by its own `pg_dump`, in the
    custom format, and only the tables of Headwater.
    """
    from headwater.store.maintenance.backup import back_up

    with open_store(store, data, is_upgraded=False) as engine, steps() as progress:
        size = back_up(engine, file, lambda done, total: progress("pages", done, total))
    typer.echo(f"{file}: {size:,} bytes")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="File that `headwater db backup` wrote.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace the contents of the store, which are lost.")
    ] = False,
    store: Store = None,
    data: Data = None,
) -> None:
    """Replace the store with a backup, completely or not at all, and upgrade its tables.

    A store that is not empty is left alone unless --force is given.
    """
    from headwater.store.maintenance.backup import restore as restore_store

    with open_store(store, data, is_upgraded=False) as engine, steps() as progress:
        restore_store(engine, file, force, lambda done, total: progress("pages", done, total))
    typer.echo(f"restored from {file}")


@app.command()
def check(output: OutputOption = Output.TEXT, store: Store = None, data: Data = None) -> None:
    """Check the integrity of the store; exit code 1 if a problem is found.

    Checks the file (SQLite), the revision, and that all content that rows refer to is present
    and undamaged. Reads all content; changes nothing.
    """
    from headwater.store.maintenance.check import check_store

    with open_store(store, data, is_upgraded=False) as engine, steps() as progress:
        findings = check_store(engine, lambda step: progress(step, 0, None))
    if output is Output.JSON:
        typer.echo(json.dumps({"findings": findings}, indent=2))
    else:
        for finding in findings or ["no problems found"]:
            typer.echo(finding)
    if findings:
        raise typer.Exit(1)


@app.command()
def stats(output: OutputOption = Output.TEXT, store: Store = None, data: Data = None) -> None:
    """Show the rows and bytes of each table, and how fast the store grows."""
    from headwater.model.values.instant import now
    from headwater.store.stats.storage import read_stats

    with open_store(store, data, is_upgraded=False) as engine:
        found = read_stats(engine, now())
    tables = [table._asdict() for table in found.tables]
    days = [day._asdict() for day in found.days]
    if output is Output.JSON:
        typer.echo(json.dumps(found._asdict() | {"tables": tables, "days": days}, indent=2))
        return
    filled = [row for row in tables if row["rows"]]
    print_rows(_readable(filled), ("name", "rows", "bytes"), output, empty="no rows")
    typer.echo(f"\ntotal {found.bytes:,} bytes\n")
    print_rows(_readable(days), ("day", "events"), output, empty="no days")
    typer.echo(
        f"\n{found.events_per_day:,.1f} events a day, about {found.bytes_per_day:,} bytes a day"
    )


def _readable(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        {key: f"{value:,}" if isinstance(value, int) else value for key, value in row.items()}
        for row in rows
    ]
