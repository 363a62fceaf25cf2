"""`headwater keys`: who may come in."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.commands.serve import Data, Store
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.config import KEY_VARIABLE, load_settings
from headwater.model.access import ADMIN, READ, WRITE
from headwater.model.values.instant import format_instant

if TYPE_CHECKING:
    from headwater.store.engine import Engine
    from headwater.store.keys import StoredKey

app = typer.Typer(help="Manage API keys; each has a name and scopes.", no_args_is_help=True)


class KeyScope(StrEnum):
    READ = READ
    WRITE = WRITE
    ADMIN = ADMIN


Name = Annotated[
    str, typer.Argument(help="Name of the key; edits made with it are recorded under this name.")
]


@app.command()
def add(
    name: Name,
    scope: Annotated[
        list[KeyScope],
        typer.Option(
            help="Scope of the key; repeatable. admin includes all; write does not include read."
        ),
    ],
    store: Store = None,
    data: Data = None,
    output: OutputOption = Output.TEXT,
) -> None:
    """Create a key and print it, only this once: the store keeps its SHA-256.

    Once there is a key, servers require one within seconds.

    headwater keys add airflow --scope write
    """
    from headwater.store.keys import add_key

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
    """List the keys in the store by name, including revoked ones.

    Keys that a server has from HEADWATER__AUTH__KEYS are not listed.
    """
    from headwater.store.keys import list_keys

    with _open_store(store, data) as engine, engine.connect() as connection:
        keys = list_keys(connection)
    rows = [_row(key, output) for key in keys]
    columns = ("name", "scopes", "created", "revoked")
    print_rows(
        rows, columns, output, empty="no keys; add one: headwater keys add NAME --scope read"
    )


@app.command()
def revoke(name: Name, store: Store = None, data: Data = None) -> None:
    """Revoke a key: servers refuse it within seconds. A new key may then use its name."""
    from headwater.store.keys import revoke_key

    with _open_store(store, data) as engine:
        was_active = revoke_key(engine, name)
    typer.echo(f"revoked '{name}'" if was_active else f"'{name}' is already revoked")


def _row(key: "StoredKey", output: Output) -> dict[str, object]:
    return {
        "name": key.name,
        "scopes": key.scopes if output is Output.JSON else " ".join(key.scopes),
        "created": format_instant(key.created_at),
        "revoked": None if key.revoked_at is None else format_instant(key.revoked_at),
    }


@contextmanager
def _open_store(store: object, data: object) -> "Iterator[Engine]":
    """The store with this version's tables; one that does not answer is one line."""
    from headwater.store.engine import open_engine
    from headwater.store.failures import answering
    from headwater.store.migrate import upgrade

    engine = open_engine(load_settings(store=store, data=data).store_url)
    try:
        with answering("the store did not answer", "; try again"):
            upgrade(engine)
            yield engine
    finally:
        engine.dispose()
