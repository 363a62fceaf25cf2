"""All that the store knows now, for other catalogs: datasets with what each is made of, jobs with
what they use. It is read page by page, so that memory does not grow with the store."""

from collections.abc import Iterator
from typing import Literal

from headwater.answers.inventory.datasets import read_datasets
from headwater.answers.inventory.entries import InventoryDataset, InventoryJob
from headwater.answers.inventory.jobs import read_jobs_with_flows
from headwater.store import tables
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.stats.followed import all_ids
from headwater.store.stats.touched import Touched

_AT_ONCE = 1_000


class Inventory:
    """Reads the store again at each pass.

    Of what is not `touched`, if that is given, only what costs little is read: names, no columns.
    """

    def __init__(self, engine: Engine, touched: Touched | None = None) -> None:
        self._engine = engine
        self._touched = touched

    def datasets(self, with_upstreams: bool = True) -> Iterator[InventoryDataset]:
        """Every dataset that is listed, under the name that it is shown by."""
        touched = self._touched.datasets if self._touched and with_upstreams else None
        for ids in self._pages("dataset", touched):
            with answering(), self._engine.connect() as connection:
                entries = read_datasets(connection, ids, with_upstreams)
            yield from entries

    def jobs(self, with_columns: bool = True) -> Iterator[InventoryJob]:
        """Every job that is listed."""
        touched = self._touched.jobs if self._touched and with_columns else None
        for ids in self._pages("job", touched):
            with answering(), self._engine.connect() as connection:
                entries = read_jobs_with_flows(connection, ids, with_columns)
            yield from entries

    def _pages(
        self, table: Literal["dataset", "job"], touched: set[bytes] | None
    ) -> Iterator[list[bytes]]:
        if touched is not None:
            chosen = sorted(touched)
            yield from (chosen[at : at + _AT_ONCE] for at in range(0, len(chosen), _AT_ONCE))
            return
        # Closed between pages: who publishes may wait long for a catalog.
        after = b""
        while True:
            with answering(), self._engine.connect() as connection:
                ids = next(all_ids(connection, tables.TABLES[table], after), [])
            if not ids:
                return
            yield ids
            after = ids[-1]
