"""`headwater db`: looking after the store."""

import typer

from headwater.cli.serve import Data, Store
from headwater.config import load_settings

app = typer.Typer(help="Look after the store.", no_args_is_help=True)


@app.command()
def upgrade(
    store: Store = None,
    data: Data = None,
) -> None:
    """Bring the store's tables up to this version. `serve` does the same when it starts."""
    from headwater.store.engine import open_engine
    from headwater.store.migrate import HEAD
    from headwater.store.migrate import upgrade as upgrade_store

    engine = open_engine(load_settings(store=store, data=data).store_url)
    try:
        done = upgrade_store(engine)
    finally:
        engine.dispose()
    typer.echo(f"upgraded to revision {HEAD}" if done else f"already at revision {HEAD}")
