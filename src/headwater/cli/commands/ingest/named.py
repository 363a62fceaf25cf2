"""`headwater ingest add`, `list`, `show`, `run`, `pause`, `resume`, `remove`: named ingestions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.commands.ingest.config_file import (
    print_unused,
    read_config_file,
    with_schedule,
)
from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.errors import BadConfig, Conflict

if TYPE_CHECKING:
    from headwater.pipeline.ingestions.description import IngestionAnswer
    from headwater.store.engine import Engine

_ACTOR = "command line"
_COLUMNS = ("name", "state", "reads", "allStored", "lag", "nextAt", "problem")
_RUN_COLUMNS = (
    "startedAt",
    "endedAt",
    "state",
    "stored",
    "rejected",
    "excluded",
    "marked",
    "lag",
    "problem",
)

Name = Annotated[str, typer.Argument(help="Name of the ingestion.")]


def add(
    name: Name,
    config: Annotated[
        Path, typer.Option(metavar="FILE", help="OpenMetadata's workflow file, or a body in YAML.")
    ],
    schedule: Annotated[
        str | None,
        typer.Option(
            metavar="INTERVAL",
            help="hourly, daily, weekly, manual, continuous, or a cron expression in UTC.",
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="DATE", help="When the schedule begins.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="DATE", help="When the schedule ends.")
    ] = None,
    store: Store = None,
    data: Data = None,
) -> None:
    """Add an ingestion, or change one: that takes effect with its next batch.

    To try: headwater ingest add orders --config openlineage.yaml --schedule hourly
    """
    from headwater.model.values.instant import now
    from headwater.pipeline.ingestions.description import save_ingestion
    from headwater.pipeline.ingestions.shapes import UnusableConfig

    workflow = read_config_file(config)
    body = {key: value for key, value in workflow.body.items() if key != "name"}
    body = with_schedule(body, schedule, start, end)
    with open_store(store, data) as engine, engine.begin() as connection:
        try:
            ingestion = save_ingestion(connection, name, body, _ACTOR, now())
        except UnusableConfig as error:
            raise BadConfig("--config", f"{config}: {error.message}") from None
    print_unused([*workflow.unused, *ingestion.unused])
    typer.echo(f"'{name}' reads {ingestion.reads}; `headwater ingest run --all` runs it")


def list_all(store: Store = None, data: Data = None, output: OutputOption = Output.TEXT) -> None:
    """List the ingestions with state, lag and next run."""
    from headwater.pipeline.ingestions.description import as_rows
    from headwater.store.ingestions import list_ingestions

    with open_store(store, data) as engine:
        with engine.connect() as connection:
            names = [each.name for each in list_ingestions(connection)]
        rows = as_rows([_describe(engine, name) for name in names])
    print_rows(
        rows, _COLUMNS, output, empty="no ingestions: headwater ingest add NAME --config FILE"
    )


def show(
    name: Name, store: Store = None, data: Data = None, output: OutputOption = Output.TEXT
) -> None:
    """Show an ingestion: its configuration, its state and its last runs."""
    from headwater.pipeline.ingestions.description import as_rows

    with open_store(store, data) as engine:
        (found,) = as_rows([_describe(engine, name)])
    if output is Output.JSON:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    print_rows([found], _COLUMNS, output, empty="")
    typer.echo()
    print_rows(found["runs"], _RUN_COLUMNS, output, empty="it has not run yet")
    typer.echo()
    keys = ("displayName", "description", "connection", "sourceConfig", "schedule", "loggerLevel")
    shown = {key: found[key] for key in keys if found[key]}
    typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    for unused in found["notUsed"]:
        typer.echo(f"{unused['key']} is not used: {unused['reason']}")


def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Ingestions; or --all.")
    ] = None,
    is_all: Annotated[
        bool, typer.Option("--all", help="Run all as their schedules say, until Ctrl-C.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only test each step, and report which one fails.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Spark's log.")] = False,
    store: Store = None,
    data: Data = None,
) -> None:
    """Run ingestions now, once each, or all as their schedules say.

    Where another process runs them (--all), that one begins within seconds.
    """
    from headwater.cli.commands.ingest.named_run import check_named, run_all, run_named

    if bool(names) == is_all:
        raise typer.BadParameter("give the names of ingestions, or --all", param_hint="NAME")
    if check:
        check_named(names, store, data, verbose=verbose)
    elif is_all:
        run_all(store, data, verbose=verbose)
    else:
        run_named(names or [], store, data, verbose=verbose)


def pause(name: Name, store: Store = None, data: Data = None) -> None:
    """Pause an ingestion: it ends after the batch under way."""
    _set_paused(name, store, data, is_paused=True)
    typer.echo(f"'{name}' is paused")


def resume(name: Name, store: Store = None, data: Data = None) -> None:
    """Resume a paused ingestion; what it missed runs once."""
    _set_paused(name, store, data, is_paused=False)
    typer.echo(f"'{name}' runs again as its schedule says")


def remove(name: Name, store: Store = None, data: Data = None) -> None:
    """Remove an ingestion. Its events stay, and one of the same name continues where it was."""
    from headwater.store.ingestions import remove_ingestion

    with open_store(store, data) as engine, engine.begin() as connection:
        remove_ingestion(connection, name)
    typer.echo(f"'{name}' is removed")


def _set_paused(name: str, store: Any, data: Any, *, is_paused: bool) -> None:
    from headwater.store.ingestions import set_paused

    with open_store(store, data) as engine, engine.begin() as connection:
        set_paused(connection, name, is_paused=is_paused)


def _describe(engine: "Engine", name: str) -> "IngestionAnswer":
    from headwater.model.values.instant import now
    from headwater.pipeline.ingestions.description import describe_ingestion
    from headwater.store.ingestions import read_ingestion_row

    with engine.connect() as connection:
        return describe_ingestion(connection, read_ingestion_row(connection, name), now())


def refuse_paused(name: str, is_paused: bool) -> None:
    if is_paused:
        raise Conflict(f"'{name}' is paused; headwater ingest resume {name}")
