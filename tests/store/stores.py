"""A store of the tests: migrated, written to, read back whole, emptied."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from headwater.model.facts import Facts
from headwater.store.engine import open_engine
from headwater.store.maintenance.backup import restore
from headwater.store.migrate import upgrade
from headwater.store.tables import TABLES
from headwater.store.write.writer import open_writer
from testing.stores import empty_tables, prepare_sqlite
from tests.store.rows import Rows, read_rows


class Store:
    """A migrated store with one writer."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.writer = open_writer(engine)

    def write(self, batches: Iterable[Sequence[Facts]]) -> Rows:
        """Write the batches, one transaction each; all that the store then holds."""
        for batch in batches:
            self.writer.write(batch)
        return self.rows()

    def rows(self) -> Rows:
        return read_rows(self.engine)

    def empty(self) -> None:
        """Remove all rows; writers must not count on them."""
        empty_tables(self.engine, TABLES.values())


@contextmanager
def open_store(url: str) -> Iterator[Store]:
    with opened(prepare_sqlite(url)) as engine:
        upgrade(engine)
        store = Store(engine)
        try:
            yield store
        finally:
            store.writer.close()


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """An engine that is disposed of at the end."""
    engine = open_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def restore_from_elsewhere(engine: Engine, file: Path) -> None:
    """Restore as another process does it, while this one has the store open."""
    with opened(engine.url.render_as_string(hide_password=False)) as other:
        restore(other, file, is_forced=True)
