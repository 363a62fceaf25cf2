"""`headwater publish status` and the like: targets, what they did not take, and their removal.

A target is given events, and is a reader of the outbox, or items of a catalog.
"""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.commands.store.opening import open_store, open_store_to_read
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.model.values.instant import format_instant

if TYPE_CHECKING:
    from headwater.store.engine import Connection

TargetArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of a target, as in `publish status`.")
]


def status(output: OutputOption = Output.TEXT, store: Store = None, data: Data = None) -> None:
    """Show each target: what was sent, waits and was refused, and the last error.

    What waits are events and edits; edits are not sent. Of a catalog, `sent` is how many items it
    has, and `refused` those of the last pass.
    """
    from headwater.store.published import count_items, list_targets
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
        rows += [
            {
                "target": target.name,
                "publisher": target.publisher,
                "address": target.address,
                "sent": count_items(connection, target.name),
                "waiting": None,
                "refused": target.failed,
                "last_sent": _time(target.ended_at),
                "last_error": target.problem,
                "error_since": _time(target.ended_at if target.problem else None),
            }
            for target in list_targets(connection)
        ]
    columns = ("target", "publisher", "sent", "waiting", "refused", "last_sent", "last_error")
    print_rows(rows, columns, output, empty="no targets; `headwater publish --help` has publishers")


def refused(
    name: TargetArgument,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Number of events.")] = 20,
    output: OutputOption = Output.TEXT,
    store: Store = None,
    data: Data = None,
) -> None:
    """Show what a target refused last, and why: the newest events of 1,000 that are kept, or the
    items that a catalog did not take."""
    from headwater.store.published import find_target
    from headwater.store.write.outbox_readers import (
        get_reader,
        list_refused,
        read_refused_payload,
    )

    with open_store_to_read(store, data) as engine, engine.connect() as connection:
        if find_target(connection, name) is not None:
            _print_problems(connection, name, limit, output)
            return
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


def _print_problems(connection: "Connection", name: str, limit: int, output: Output) -> None:
    from headwater.store.published import list_problems

    rows = [
        {
            "refused": _time(each.problem_at),
            "kind": each.key.kind,
            "item": each.key.key,
            "of": each.subject,
            "reason": each.problem,
        }
        for each in list_problems(connection, name, limit)
    ]
    columns = ("refused", "kind", "item", "of", "reason")
    print_rows(rows, columns, output, empty="none was refused")


def _job(payload: bytes | None) -> str | None:
    """The job that an event is of; None where it is of a dataset alone, or no longer stored."""
    job = None if payload is None else json.loads(payload).get("job")
    return None if job is None else f"{job['namespace']}/{job['name']}"


def again(name: TargetArgument, store: Store = None, data: Data = None) -> None:
    """Let all stored events, or all items of a catalog, wait for a target again that lost them."""
    from headwater.store.published import find_target, forget_digests
    from headwater.store.write.outbox import count_waiting
    from headwater.store.write.outbox_readers import fill_reader, get_reader

    with open_store(store, data) as engine:
        with engine.begin() as connection:
            if find_target(connection, name) is not None:
                items = forget_digests(connection, name)
                typer.echo(f"{items:,} items are published to target {name} again")
                return
        with engine.connect() as connection:
            reader = get_reader(connection, name)
        fill_reader(engine, reader.id)
        with engine.connect() as connection:
            waiting = count_waiting(connection, reader.id)
    typer.echo(f"{waiting:,} events and edits wait for target {name}")


def remove(name: TargetArgument, store: Store = None, data: Data = None) -> None:
    """Forget a target: events no longer wait for it, and it gets no more of them.

    To publish to it again makes it a new target, which gets all stored events. A catalog keeps what
    it was given.
    """
    from headwater.store.published import count_items, find_target, remove_target
    from headwater.store.write.outbox_readers import unregister

    with open_store(store, data) as engine:
        with engine.connect() as connection:
            catalog = find_target(connection, name)
            items = count_items(connection, name)
        if catalog is not None:
            with engine.begin() as connection:
                remove_target(connection, name)
            typer.echo(f"removed target {name}: the catalog keeps {items:,} items")
            return
        removed = unregister(engine, name)
    typer.echo(f"removed target {name}: {removed.sent:,} sent, {removed.refused:,} refused")


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
