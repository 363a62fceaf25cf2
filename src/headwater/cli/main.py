"""`headwater`: the commands, and how their failures end."""

import os
import sys
from functools import cache

import typer

from headwater import __version__
from headwater.cli.commands import config, doctor, events, lists, publish, serve
from headwater.cli.commands.connect_plugin import connect_plugin
from headwater.cli.commands.edits.acknowledge import acknowledge
from headwater.cli.commands.edits.delete import delete
from headwater.cli.commands.edits.describe import describe
from headwater.cli.commands.edits.log import log
from headwater.cli.commands.edits.own import own
from headwater.cli.commands.edits.restore import restore
from headwater.cli.commands.edits.tag import tag
from headwater.cli.commands.ingest import collect, emit, ingest
from headwater.cli.commands.ingest.declare import declare
from headwater.cli.commands.lineage.diff import diff
from headwater.cli.commands.lineage.discover import discover
from headwater.cli.commands.lineage.drift import drift
from headwater.cli.commands.lineage.lineage import lineage
from headwater.cli.commands.lineage.path import path
from headwater.cli.commands.lineage.sql import sql
from headwater.cli.commands.lineage.tag_report import tag_report
from headwater.cli.commands.search import search
from headwater.cli.commands.store import db, keys, lake
from headwater.cli.commands.store.rebuild import rebuild
from headwater.cli.demo import command
from headwater.cli.help import HelpfulGroup
from headwater.errors import HeadwaterError
from headwater.extras import require_library

app = typer.Typer(
    name="headwater",
    cls=HelpfulGroup,
    help="Lineage of streaming data: OpenLineage events in, one graph out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("emit")(emit.emit)
app.command("declare")(declare)
app.add_typer(collect.app, name="collect")
app.add_typer(publish.app, name="publish")
app.command("demo")(command.demo)
app.command("lineage")(lineage)
app.command("path")(path)
app.command("diff")(diff)
app.command("drift")(drift)
app.command("discover")(discover)
app.command("sql")(sql)
app.command("events")(events.events)
app.command("jobs")(lists.jobs)
app.command("datasets")(lists.datasets)
app.command("runs")(lists.runs)
app.command("search")(search)
app.command("tag")(tag)
app.command("tag-report")(tag_report)
app.command("describe")(describe)
app.command("own")(own)
app.command("acknowledge")(acknowledge)
app.command("delete")(delete)
app.command("restore")(restore)
app.command("log")(log)
app.add_typer(db.app, name="db")
app.add_typer(ingest.app, name="ingest")
app.command("connect-plugin")(connect_plugin)
app.command("rebuild")(rebuild)
app.add_typer(lake.app, name="lake")
app.add_typer(keys.app, name="keys")
app.add_typer(config.app, name="config")
app.command("doctor")(doctor.doctor)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


# Typer makes all commands anew for each call: 10 ms, which tests pay many hundred times.
_make_command = cache(typer.main.get_command)


def run() -> None:
    """Run a command; what goes wrong is one line and exit code 1."""
    # What is stored is for the account that stores it: folders 0700, files 0600.
    os.umask(0o077)
    try:
        _run_app()
    except HeadwaterError as error:
        typer.echo(f"headwater: {error.message}", err=True)
        sys.exit(1)


def _run_app() -> None:
    try:
        _make_command(app)()
    except ModuleNotFoundError as error:
        # What a command turns out to need on its way, such as for the URL of a store.
        require_library(error.name or "")
        raise
