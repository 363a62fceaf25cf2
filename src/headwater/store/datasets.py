"""Reading datasets: their schema is the newest of the strongest kind of witness."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, select

from headwater.model.ids import NO_CONTENT, dataset_id
from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.entities import find_entity, list_entities
from headwater.store.paging import Page


class Dataset(NamedTuple):
    id: bytes
    namespace: str
    name: str
    first_seen: int
    last_seen: int


class State(NamedTuple):
    """What is said of a dataset now: digests of its schema and column map, when it was written."""

    schema: bytes | None = None
    columns: bytes | None = None
    written_at: int | None = None


# A description of the dataset itself knows best, then who writes it; readers see a projection.
_STRENGTH = {Direction.ITSELF: 0, Direction.OUTPUT: 1, Direction.INPUT: 2}


def list_datasets(connection: Connection, namespace: str, page: Page) -> tuple[list[Dataset], int]:
    """List a namespace's datasets by name."""
    rows, total = list_entities(connection, tables.dataset, Dataset._fields, namespace, page)
    return [Dataset._make(row) for row in rows], total


def find_dataset(connection: Connection, namespace: str, name: str) -> Dataset | None:
    row = find_entity(connection, tables.dataset, Dataset._fields, dataset_id(namespace, name))
    return None if row is None else Dataset._make(row)


def read_states(connection: Connection, datasets: Iterable[bytes]) -> dict[bytes, State]:
    """Read the current schema and column map of datasets, from all who spoke of them."""
    wanted = sorted(set(datasets))
    used, said = tables.job_dataset, tables.declared_dataset
    common = ("dataset", "direction", "schema", "schema_at", "columns", "columns_at")
    observed = select(*(used.c[name] for name in common), used.c.last_seen)
    declared = select(*(said.c[name] for name in common), said.c.last_said.label("last_seen"))
    witnesses = [
        *connection.execute(observed.where(used.c.dataset.in_(wanted))),
        *connection.execute(declared.where(said.c.dataset.in_(wanted))),
    ]
    schemas: dict[bytes, tuple[int, int, bytes]] = {}
    columns: dict[bytes, tuple[int, int, bytes]] = {}
    written: dict[bytes, int] = {}
    for row in witnesses:
        strength = -_STRENGTH[Direction(row.direction)]
        if row.schema_at is not None and row.schema != NO_CONTENT:
            _keep_highest(schemas, row.dataset, (strength, row.schema_at, row.schema))
        if row.columns_at is not None and row.columns != NO_CONTENT:
            _keep_highest(columns, row.dataset, (strength, row.columns_at, row.columns))
        if row.direction == Direction.OUTPUT:
            written[row.dataset] = max(row.last_seen, written.get(row.dataset, 0))
    return {
        dataset: State(
            schemas.get(dataset, (0, 0, None))[2],
            columns.get(dataset, (0, 0, None))[2],
            written.get(dataset),
        )
        for dataset in wanted
    }


def _keep_highest(
    kept: dict[bytes, tuple[int, int, bytes]], dataset: bytes, found: tuple[int, int, bytes]
) -> None:
    if (old := kept.get(dataset)) is None or found > old:
        kept[dataset] = found


def read_lifecycles(connection: Connection, datasets: Iterable[bytes]) -> dict[bytes, str]:
    """Read the last mark on each dataset's timeline."""
    table = tables.lifecycle
    query = (
        select(table.c.dataset, table.c.change)
        .where(table.c.dataset.in_(sorted(set(datasets))))
        .order_by(table.c.dataset, table.c.at, table.c.change)
    )
    return {row.dataset: row.change for row in connection.execute(query)}
