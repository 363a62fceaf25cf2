"""Opening the store that commands are about."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.config import load_settings

if TYPE_CHECKING:
    from headwater.store.engine import Engine


@contextmanager
def open_store(
    store: str | None, data: Path | None, is_upgraded: bool = True
) -> "Iterator[Engine]":
    """Open the store that the settings name, and bring its tables up to date on request."""
    from headwater.store.engine import open_engine
    from headwater.store.failures import answering
    from headwater.store.migrate import upgrade

    engine = open_engine(load_settings(store=store, data=data).store_url)
    try:
        with answering():
            if is_upgraded:
                upgrade(engine)
            yield engine
    finally:
        engine.dispose()


@contextmanager
def open_store_to_read(store: str | None, data: Path | None) -> "Iterator[Engine]":
    """Open the store that the settings name, which must be there, and change nothing in it."""
    from headwater.store.failures import answering
    from headwater.store.read_only import open_read_only

    engine = open_read_only(load_settings(store=store, data=data).store_url)
    try:
        with answering():
            yield engine
    finally:
        engine.dispose()
