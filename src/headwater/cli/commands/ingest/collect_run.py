"""`headwater collect run` and `status`: the collectors of the settings, and how they are."""

import signal
import threading
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from headwater.cli.api.board import ServerBoard
from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.delivery import Tally, check_server, deliver, send_events
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.plugin_commands import print_check
from headwater.collect.plans import CollectorPlan, choose_plans, read_plans
from headwater.collect.schedule import Scheduler
from headwater.config import load_settings
from headwater.errors import BadConfig, HeadwaterError
from headwater.plugins import CheckStep

_COLUMNS = ("name", "type", "state", "stored", "refused", "lastEndedAt", "nextAt", "problem")

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Sections `collect.NAME` of the settings; or --all."),
]


def run(
    names: NamesArgument = None,
    is_all: Annotated[bool, typer.Option("--all", help="All that are switched on.")] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch/--once", help="Each at its own interval until Ctrl-C, or each once."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only try what is needed, step by step; sends nothing.")
    ] = False,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Run collectors of the settings, and send what they find to a server.

    A server can do the same by itself: headwater serve --collect.
    """
    if bool(names) == is_all:
        raise typer.BadParameter("give the names of collectors, or --all", param_hint="NAME")
    plans = choose_plans(read_plans(load_settings().collect), names or ())
    if not plans:
        raise BadConfig("collect", "no section [collect.NAME] in the settings is switched on")
    with Client(server) as client:
        if check:
            print_check([*check_server(client), *_check(plans, client.url)], output)
        elif watch:
            _watch(plans, client)
        else:
            _run_once(plans, client, output)


def _check(plans: Sequence[CollectorPlan], destination: str) -> list[CheckStep]:
    return [
        step._replace(name=f"{plan.name}: {step.name}")
        for plan in plans
        for step in plan.open(destination).check()
    ]


def _run_once(plans: Sequence[CollectorPlan], client: Client, output: Output) -> None:
    """One after another; what fails of one is no reason not to run the next."""
    rows = []
    for plan in plans:
        tally, problem = Tally(Output.TEXT), None
        try:
            deliver(plan.open(client.url), client, tally, lambda event: None)
        except HeadwaterError as error:
            problem = error.message
        counts = {"stored": tally.stored, "refused": tally.refused, "skipped": tally.skipped}
        rows.append({"name": plan.name, "type": plan.type, **counts, "problem": problem})
    columns = ("name", "type", "stored", "refused", "skipped", "problem")
    print_rows(rows, columns, output, empty="no collectors")
    if any(row["problem"] or row["refused"] for row in rows):
        raise typer.Exit(1)


def _watch(plans: Sequence[CollectorPlan], client: Client) -> None:
    """Each at its own interval, until the command is stopped: so it ends well."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.default_int_handler)
    scheduler = Scheduler(plans, client.url, partial(send_events, client), ServerBoard(client))
    scheduler.start()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        scheduler.close()


def status(server: ServerOption = DEFAULT_URL, output: OutputOption = Output.TEXT) -> None:
    """Show the collectors that run by themselves: state, last result, next pass."""
    with Client(server) as client:
        found = client.read("/api/v1/collectors")["collectors"]
    empty = "no collectors: add sections [collect.NAME] to the settings, and serve --collect"
    print_rows(found, _COLUMNS, output, empty=empty)
