"""`headwater`: the commands, and how their failures end."""

import sys

import typer

from headwater import __version__
from headwater.cli.commands import (
    config,
    db,
    doctor,
    emit,
    events,
    ingest,
    keys,
    lake,
    lists,
    serve,
)
from headwater.cli.commands.delete import delete
from headwater.cli.commands.describe import describe
from headwater.cli.commands.diff import diff
from headwater.cli.commands.lineage import lineage
from headwater.cli.commands.log import log
from headwater.cli.commands.own import own
from headwater.cli.commands.path import path
from headwater.cli.commands.rebuild import rebuild
from headwater.cli.commands.restore import restore
from headwater.cli.commands.search import search
from headwater.cli.commands.tag import tag
from headwater.cli.demo import command
from headwater.cli.help import HelpfulGroup
from headwater.errors import HeadwaterError

app = typer.Typer(
    name="headwater",
    cls=HelpfulGroup,
    help="Lineage of streaming data: OpenLineage events in, one graph out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("emit")(emit.emit)
app.command("demo")(command.demo)
app.command("lineage")(lineage)
app.command("path")(path)
app.command("diff")(diff)
app.command("events")(events.events)
app.command("jobs")(lists.jobs)
app.command("datasets")(lists.datasets)
app.command("runs")(lists.runs)
app.command("search")(search)
app.command("tag")(tag)
app.command("describe")(describe)
app.command("own")(own)
app.command("delete")(delete)
app.command("restore")(restore)
app.command("log")(log)
app.add_typer(db.app, name="db")
app.add_typer(ingest.app, name="ingest")
app.command("rebuild")(rebuild)
app.add_typer(lake.app, name="lake")
app.add_typer(keys.app, name="keys")
app.add_typer(config.app, name="config")
app.command("doctor")(doctor.doctor)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def run() -> None:
    """Run a command; what goes wrong is one line and exit code 1."""
    try:
        app()
    except HeadwaterError as error:
        typer.echo(f"headwater: {error.message}", err=True)
        sys.exit(1)
