"""`headwater keys`: who may come in."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.config import KEY_VARIABLE, load_settings
from headwater.model.access import ADMIN, READ, WRITE
from headwater.model.instant import format_instant
from headwater.store.engine import Engine, open_engine
from headwater.store.failures import answering
from headwater.store.keys import StoredKey, add_key, list_keys, revoke_key
from headwater.store.migrate import upgrade

app = typer.Typer(help="Say who may come in: named keys with scopes.", no_args_is_help=True)


class KeyScope(StrEnum):
    READ = READ
    WRITE = WRITE
    ADMIN = ADMIN


Name = Annotated[str, typer.Argument(help="Who the key is for: the actor of what is done with it.")]


@app.command()
def add(
    name: Name,
    scope: Annotated[
        list[KeyScope],
        typer.Option(
            help="What it may do; give it again for more. admin has all, write cannot read."
        ),
    ],
    store: Store = None,
    data: Data = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Make a key and print it: this once, for only its SHA-256 is stored.

    The first key closes a server that was open to all. Servers know of it within seconds.

    headwater keys add airflow --scope write
    """
    with _open_store(store, data) as engine:
        secret = add_key(engine, name, scope)
    if output is Output.JSON:
        typer.echo(json.dumps({"name": name, "scopes": sorted(set(scope)), "key": secret}))
        return
    typer.echo(secret)
    # Beside standard output, so that KEY=$(headwater keys add ...) holds the key alone.
    typer.echo(
        f"This is the key of '{name}'; it is not shown again. Send it with every request:\n"
        f"  Authorization: Bearer {secret[:6]}...   or   X-API-Key: {secret[:6]}...\n"
        f"Headwater's own commands read it from the variable {KEY_VARIABLE}.",
        err=True,
    )


@app.command("list")
def list_all(
    store: Store = None,
    data: Data = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """List the keys of the store by name, revoked ones too.

    Keys that a server was given by HEADWATER__AUTH__KEYS are its own and not among them.
    """
    with _open_store(store, data) as engine, engine.connect() as connection:
        keys = list_keys(connection)
    rows = [_row(key, output) for key in keys]
    columns = ("name", "scopes", "created", "revoked")
    print_rows(rows, columns, output, empty="no keys; headwater keys add NAME --scope read")


@app.command()
def revoke(name: Name, store: Store = None, data: Data = None) -> None:
    """End a key: servers refuse it within seconds. Its name may then be given to a new one."""
    with _open_store(store, data) as engine:
        was_active = revoke_key(engine, name)
    typer.echo(f"revoked '{name}'" if was_active else f"'{name}' was revoked before")


def _row(key: StoredKey, output: Output) -> dict[str, object]:
    return {
        "name": key.name,
        "scopes": key.scopes if output is Output.JSON else " ".join(key.scopes),
        "created": format_instant(key.created_at),
        "revoked": None if key.revoked_at is None else format_instant(key.revoked_at),
    }


@contextmanager
def _open_store(store: object, data: object) -> Iterator[Engine]:
    """The store with this version's tables; one that does not answer is one line."""
    engine = open_engine(load_settings(store=store, data=data).store_url)
    try:
        with answering("the store did not answer", "; try again"):
            upgrade(engine)
            yield engine
    finally:
        engine.dispose()
