"""`headwater collect`: what other systems know, to a server, once or again and again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.delivery import Tally, check_server, deliver
from headwater.cli.commands.ingest.collect_run import run, status
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.plugin_commands import plugin_app, print_check
from headwater.cli.repeating import repeat
from headwater.collect import COLLECTORS, Collected, Collector, Located, Resumable
from headwater.collect.delivery import Show
from headwater.durations import parse_duration
from headwater.errors import HeadwaterError

_INTERRUPTED = 130

WatchOption = Annotated[
    bool,
    typer.Option("--watch/--once", help="Wait for more until Ctrl-C, or end when all is sent."),
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Only try what is needed, step by step; sends nothing.")
]


def collect_entry(
    entry: Any,
    settings: Any,
    watch: WatchOption = False,
    every: Annotated[
        str, typer.Option("--every", metavar="DURATION", help="With --watch: how often to look.")
    ] = "5s",
    check: CheckOption = False,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Run a collector."""
    seconds = parse_every(every)
    with Client(server) as client:
        collector: Collector = entry(settings, client.url)
        if check:
            print_check([*check_server(client), *collector.check()], output)
            return
        tally = Tally(output)
        if watch:
            _watch(collector, client, tally, seconds)
        else:
            _refuse_missing(collector)
            collect_once(collector, client, tally, output, isinstance(collector, Resumable))


def parse_every(every: str) -> float:
    """A duration that an option gives, in seconds."""
    try:
        return parse_duration(every).total_seconds()
    except ValueError:
        reason = f"'{every[:32]}' is not a duration such as 5s, 10m or 1h; the shortest is 1s"
        raise typer.BadParameter(reason, param_hint="--every") from None


def _refuse_missing(collector: Collector) -> None:
    """Refuse places where nothing is before anything is sent, where nobody waits for them."""
    if isinstance(collector, Located) and (missing := collector.find_missing()):
        raise typer.BadParameter(f"nothing at '{missing[0]}'")


def collect_once(
    collector: Collector, client: Client, tally: Tally, output: Output, can_resume: bool
) -> None:
    """Deliver what there is, and print the totals; ends the command with 1 if some was refused."""
    try:
        with _progress(tally.console) as show:
            deliver(collector, client, tally, show)
    except KeyboardInterrupt:
        go_on = "; run the same command again to continue" if can_resume else ""
        tally.print_summary("interrupted" + go_on)
        raise typer.Exit(_INTERRUPTED) from None
    except HeadwaterError as error:
        if output is Output.JSON or tally.stored + tally.refused:
            tally.print_summary(error.message)
        raise
    _end(tally)


def _end(tally: Tally) -> None:
    tally.print_summary()
    if tally.refused:
        raise typer.Exit(1)


def _watch(collector: Collector, client: Client, tally: Tally, every: float) -> None:
    """Deliver what comes until the command is stopped, or all has an end: so it ends well."""

    if isinstance(collector, Located):
        for place in collector.find_missing():
            typer.echo(f"headwater: nothing at '{place}' yet; waiting for it", err=True)

    def is_at_end() -> bool:
        return isinstance(collector, Located) and collector.is_at_end

    try:
        with _progress(tally.console) as show:
            repeat(
                lambda: deliver(collector, client, tally, show, is_watching=True),
                every,
                is_at_end=is_at_end,
            )
    except KeyboardInterrupt:
        tally.print_summary()
    else:
        _end(tally)


@contextmanager
def _progress(console: Console) -> Iterator[Show]:
    """A bar for each source; nothing where there is no terminal."""
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[answered]:,} events"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}

    def show(event: Collected) -> None:
        if bars.disable:
            return
        if event.source not in tasks:
            for task in tasks.values():
                bars.remove_task(task)
            tasks.clear()
            tasks[event.source] = bars.add_task(event.source, total=1, answered=0)
        done = getattr(event.position, "answered", None)
        bars.update(tasks[event.source], completed=event.share or 0, answered=done or 0)

    with bars:
        yield show


app = plugin_app(
    COLLECTORS,
    collect_entry,
    "Collect lineage from other systems and send it to a server, once or continuously.",
)
app.command()(run)
app.command()(status)
