"""`headwater publish`: what the store knows, to other catalogs and backends."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any

import typer

from headwater.cli.commands.ingest.collect import CheckOption, WatchOption, parse_every
from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store, open_store_to_read
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.progress import steps
from headwater.cli.plugin_commands import plugin_app, print_check
from headwater.cli.repeating import repeat
from headwater.errors import HeadwaterError
from headwater.model.values.instant import format_instant
from headwater.publish import PUBLISHERS, Exclusive, Published, Publisher

_INTERRUPTED = 130

TargetArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of a target, as in `publish status`.")
]


class _Totals:
    """What was published so far, and how it is printed."""

    def __init__(self) -> None:
        self.sent = self.refused = self.skipped = 0

    def add(self, step: Published) -> None:
        self.sent += step.sent
        self.refused += step.refused
        self.skipped += step.skipped

    def show(self, output: Output, end: str | None = None) -> None:
        if output is Output.JSON:
            counts = {"sent": self.sent, "refused": self.refused, "skipped": self.skipped}
            typer.echo(json.dumps({**counts, "stopped": end}, indent=2, ensure_ascii=False))
            return
        skipped = f", {self.skipped:,} edits not sent" if self.skipped else ""
        stopped = f"; stopped: {end}" if end else ""
        typer.echo(f"{self.sent:,} sent, {self.refused:,} refused{skipped}{stopped}")


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
        rows = [change._asdict() for change in publisher.plan()]
        print_rows(rows, ("action", "what", "times"), output, empty="nothing to send")


def _publish_once(publisher: Publisher, output: Output) -> None:
    totals = _Totals()
    try:
        with _progress(totals) as work:
            work(publisher)
    except KeyboardInterrupt:
        totals.show(output, "interrupted; run the same command again to continue")
        raise typer.Exit(_INTERRUPTED) from None
    except HeadwaterError as error:
        if output is Output.JSON or totals.sent + totals.refused:
            totals.show(output, error.message)
        raise
    totals.show(output)
    if totals.refused:
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
                done = totals.sent + totals.refused + totals.skipped
                left = None if step.waiting is None else done + step.waiting
                show("events", done, left)

        yield work


app = plugin_app(
    PUBLISHERS,
    publish_entry,
    "Publish what the store knows to other backends, once or continuously.",
)


@app.command()
def status(output: OutputOption = Output.TEXT, store: Store = None, data: Data = None) -> None:
    """Show each target: what was sent, waits and was refused, and the last error.

    What waits are events and edits; edits are not sent.
    """
    from headwater.store.write.outbox import count_waiting
    from headwater.store.write.outbox_readers import list_readers

    with open_store_to_read(store, data) as engine, engine.connect() as connection:
        rows = [
            {
                "target": reader.name,
                "publisher": reader.publisher,
                "address": reader.address,
                "sent": reader.sent,
                "waiting": count_waiting(connection, reader.id),
                "refused": reader.refused,
                "last_sent": _time(reader.last_sent_at),
                "last_error": reader.last_error,
                "error_since": _time(reader.last_error_at),
            }
            for reader in list_readers(connection)
        ]
    columns = ("target", "publisher", "sent", "waiting", "refused", "last_sent", "last_error")
    print_rows(rows, columns, output, empty="no targets; `headwater publish --help` has publishers")


@app.command()
def refused(
    name: TargetArgument,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Number of events.")] = 20,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Show the newest events that a target refused, and why; the last 1,000 are kept."""
    from headwater.store.write.outbox_readers import (
        get_reader,
        list_refused,
        read_refused_payload,
    )

    with open_store_to_read(store, data) as engine, engine.connect() as connection:
        rows = [
            {
                "refused": _time(each.refused_at),
                "event_time": _time(each.at),
                "job": _job(read_refused_payload(connection, each)),
                "event": each.digest.hex(),
                "reason": each.reason,
            }
            for each in list_refused(connection, get_reader(connection, name).id, limit)
        ]
    columns = ("refused", "event_time", "job", "event", "reason")
    print_rows(rows, columns, output, empty="none was refused")


def _job(payload: bytes | None) -> str | None:
    """The job that an event is of; None where it is of a dataset alone, or no longer stored."""
    job = None if payload is None else json.loads(payload).get("job")
    return None if job is None else f"{job['namespace']}/{job['name']}"


@app.command()
def again(name: TargetArgument, store: Store = None, data: Data = None) -> None:
    """Let all stored events wait for a target again, for one that lost them."""
    from headwater.store.write.outbox import count_waiting
    from headwater.store.write.outbox_readers import fill_reader, get_reader

    with open_store(store, data) as engine:
        with engine.connect() as connection:
            reader = get_reader(connection, name)
        fill_reader(engine, reader.id)
        with engine.connect() as connection:
            waiting = count_waiting(connection, reader.id)
    typer.echo(f"{waiting:,} events and edits wait for target {name}")


@app.command()
def remove(name: TargetArgument, store: Store = None, data: Data = None) -> None:
    """Forget a target: events no longer wait for it, and it gets no more of them.

    To publish to it again makes it a new target, which gets all stored events.
    """
    from headwater.store.write.outbox_readers import unregister

    with open_store(store, data) as engine:
        removed = unregister(engine, name)
    typer.echo(f"removed target {name}: {removed.sent:,} sent, {removed.refused:,} refused")


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
