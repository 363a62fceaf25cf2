"""`headwater emit`: events from files to a server, once, each with its result."""

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.delivery import Tally
from headwater.cli.commands.ingest.collect import collect_once
from headwater.cli.commands.ingest.declare import (
    DryRunOption,
    NamespaceOption,
    RunEventType,
    SaveOption,
    emit_config,
)
from headwater.cli.output.printing import Output, OutputOption
from headwater.collect.files import FilesCollector, FilesSettings
from headwater.collect.files.fetch import is_stream


def emit(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Files of events; - is standard input."),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            help="Instead of files of events: YAML files of jobs, of which runs are reported.",
        ),
    ] = None,
    event_type: Annotated[
        RunEventType | None,
        typer.Option("--event-type", help="With --config: what has happened to the run."),
    ] = None,
    namespace: NamespaceOption = "",
    run_id: Annotated[
        str,
        typer.Option(
            "--run-id",
            help="With --config: the run's id, a UUID; else it is kept in FILE.runs from START on.",
        ),
    ] = "",
    dry_run: DryRunOption = False,
    save: SaveOption = "",
    server: ServerOption = DEFAULT_URL,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue where the last --resume stopped; the position is kept in FILE.emitted.",
        ),
    ] = False,
    output: OutputOption = Output.TEXT,
) -> None:
    """Send events to a server: JSON (one event or an array) or NDJSON, plain or gzipped.

    Each refused event is reported with its file, line and reason. Sending an event again
    changes nothing, so an interrupted emit can be repeated. `headwater collect files` does the
    same with folders, and can wait for more.

    With --config, the runs of jobs that YAML files declare are reported instead.

    Exit code 0: all are stored. 1: some were refused, or the server failed. 130: Ctrl-C.

        headwater emit events.ndjson.gz
        zcat old/*.gz | headwater emit - --server http://lineage:5000
        headwater emit --config job.yaml --event-type START --namespace streaming-platform
    """
    if config:
        if files or resume:
            raise typer.BadParameter("--config takes no files of events and no --resume")
        if event_type is None:
            raise typer.BadParameter("--config needs --event-type")
        emit_config(config, event_type, namespace, run_id, dry_run, save, server)
        return
    if not files:
        raise typer.BadParameter("Missing argument 'FILE...', or --config")
    if event_type is not None or dry_run or save or run_id:
        raise typer.BadParameter("--event-type, --run-id, --dry-run and --save need --config")
    _check_files(files, resume)
    tally = Tally(output)
    with Client(server) as client:
        settings = FilesSettings(paths=tuple(files), resume=resume)
        collect_once(FilesCollector(settings, client.url), client, tally, output, resume)


def _check_files(files: list[str], resume: bool) -> None:
    """Refuse what cannot be read before anything is sent."""
    if resume and any(map(is_stream, files)):
        raise typer.BadParameter(
            "standard input or a pipe cannot be read again; --resume needs a file"
        )
    if missing := [file for file in files if not is_stream(file) and not _is_file(file)]:
        raise typer.BadParameter(f"no file at '{missing[0]}'")


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except PermissionError:
        return False
