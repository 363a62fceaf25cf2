"""`headwater publish`: what the store knows, to other catalogs and backends."""

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import Annotated, Any

import typer

from headwater.cli.commands.ingest.collect import CheckOption, WatchOption, parse_every
from headwater.cli.commands.publish_targets import again, refused, remove, status
from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store, open_store_to_read
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.progress import steps
from headwater.cli.plugin_commands import plugin_app, print_check
from headwater.cli.repeating import repeat
from headwater.errors import HeadwaterError
from headwater.publish import PUBLISHERS, Exclusive, PlannedChange, Published, Publisher

_INTERRUPTED = 130
_OF_CATALOGS = ("created", "updated", "removed", "unchanged")
_COUNTS = ("sent", "refused", "skipped", *_OF_CATALOGS)


class _Totals:
    """What was published so far, and how it is printed."""

    def __init__(self) -> None:
        self.done = Published()
        self.is_catalog = False

    def add(self, step: Published) -> None:
        counts = {name: getattr(self.done, name) + getattr(step, name) for name in _COUNTS}
        self.done = self.done._replace(**counts)
        self.is_catalog = self.is_catalog or any(getattr(step, name) for name in _OF_CATALOGS)
        self.is_catalog = self.is_catalog or bool(step.left_out)
        for problem in (*step.problems, *step.left_out):
            typer.echo(f"headwater: {problem}", err=True)

    def show(self, output: Output, end: str | None = None) -> None:
        done = self.done
        if output is Output.JSON:
            names = _COUNTS if self.is_catalog else _COUNTS[:3]
            counts = {name: getattr(done, name) for name in names}
            typer.echo(json.dumps({**counts, "stopped": end}, indent=2, ensure_ascii=False))
            return
        stopped = f"; stopped: {end}" if end else ""
        if self.is_catalog:
            parts = [f"{getattr(done, name):,} {name}" for name in _OF_CATALOGS]
            parts += [f"{done.skipped:,} skipped", f"{done.refused:,} failed"]
            typer.echo(", ".join(parts) + stopped)
            return
        skipped = f", {done.skipped:,} left out" if done.skipped else ""
        typer.echo(f"{done.sent:,} sent, {done.refused:,} refused{skipped}{stopped}")


def publish_entry(
    entry: Any,
    settings: Any,
    watch: WatchOption = False,
    every: Annotated[
        str, typer.Option("--every", metavar="DURATION", help="With --watch: how often to look.")
    ] = "1s",
    check: CheckOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be sent.")
    ] = False,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Run a publisher."""
    seconds = parse_every(every)
    # Little of what a pass makes is cyclic, and much of it is garbage soon.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    if check or dry_run:
        with open_store_to_read(store, data) as engine:
            _try(entry(settings, engine), check, output)
        return
    with open_store(store, data) as engine:
        publisher: Publisher = entry(settings, engine)
        with publisher.alone() if isinstance(publisher, Exclusive) else nullcontext():
            if watch:
                _watch(publisher, seconds, output)
            else:
                _publish_once(publisher, output)


def _try(publisher: Publisher, check: bool, output: Output) -> None:
    """Show what is needed, or what would be sent; changes nothing."""
    if check:
        print_check(publisher.check(), output)
    else:
        print_plan(publisher.plan(), output)


def print_plan(changes: Iterable[PlannedChange], output: Output) -> None:
    """Print what would be sent: as a diff, where it is known what differs."""
    waiting = iter(changes)
    first = next(waiting, None)
    some = waiting if first is None else chain((first,), waiting)
    if output is Output.JSON or first is None or not first.details:
        rows = [change._asdict() for change in some]
        print_rows(rows, ("action", "what", "times"), output, empty="nothing to send")
        return
    counts: Counter[str] = Counter()
    for change in some:
        counts[change.action] += 1
        typer.echo("\n    ".join((f"{change.action} {change.what}", *change.details)))
    typer.echo(", ".join(f"{count:,} to {action}" for action, count in counts.items()))


def _publish_once(publisher: Publisher, output: Output) -> None:
    totals = _Totals()
    try:
        with _progress(totals) as work:
            work(publisher)
    except KeyboardInterrupt:
        totals.show(output, "interrupted; run the same command again to continue")
        raise typer.Exit(_INTERRUPTED) from None
    except HeadwaterError as error:
        if output is Output.JSON or totals.done.sent + totals.done.refused:
            totals.show(output, error.message)
        raise
    totals.show(output)
    if totals.done.refused:
        raise typer.Exit(1)


def _watch(publisher: Publisher, every: float, output: Output) -> None:
    """Publish what comes until the command is stopped: that is how it ends well."""
    totals = _Totals()
    try:
        with _progress(totals) as work:
            repeat(lambda: work(publisher), every)
    except KeyboardInterrupt:
        totals.show(output)


@contextmanager
def _progress(totals: _Totals) -> Iterator[Callable[[Publisher], None]]:
    with steps() as show:

        def work(publisher: Publisher) -> None:
            for step in publisher.publish():
                totals.add(step)
                done = sum(getattr(totals.done, name) for name in (*_COUNTS[:3], "unchanged"))
                left = None if step.waiting is None else done + step.waiting
                show("items" if totals.is_catalog else "events", done, left)

        yield work


app = plugin_app(
    PUBLISHERS,
    publish_entry,
    "Publish what the store knows to other backends, once or continuously.",
)
for command in (status, refused, again, remove):
    app.command()(command)
