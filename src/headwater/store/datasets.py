"""Reading datasets: their schema is the newest of the strongest kind of witness."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, func, select

from headwater.model.ids import NO_CONTENT, dataset_id
from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.entities import is_shown, list_entities
from headwater.store.paging import Page, in_parts


class Dataset(NamedTuple):
    id: bytes
    namespace: str
    name: str
    first_seen: int | None
    last_seen: int | None


class State(NamedTuple):
    """What is said of a dataset now: digests of its schema and column map, when it was written."""

    schema: bytes | None = None
    columns: bytes | None = None
    written_at: int | None = None


# A description of the dataset itself knows best, then who writes it; readers see a projection.
_STRENGTH = {Direction.ITSELF: 0, Direction.OUTPUT: 1, Direction.INPUT: 2}


def _times() -> tuple[tuple[ColumnElement[Any], ColumnElement[Any]], ...]:
    """When a dataset was first and last seen in use, and first and last described."""
    dataset, used, said = tables.dataset, tables.job_dataset, tables.declared_dataset
    return tuple(
        (
            select(func.min(first)).where(table.c.dataset == dataset.c.id).scalar_subquery(),
            select(func.max(last)).where(table.c.dataset == dataset.c.id).scalar_subquery(),
        )
        for table, first, last in (
            (used, used.c.first_seen, used.c.last_seen),
            (said, said.c.first_said, said.c.last_said),
        )
    )


_TIMES = _times()
_NAMES = (tables.dataset.c.id, tables.dataset.c.namespace, tables.dataset.c.name)
_COLUMNS = (*_NAMES, *(time for times in _TIMES for time in times))
_IS_LISTED = is_shown(tables.dataset, *(last for _, last in _TIMES))


def _dataset(row: Row[Any]) -> Dataset:
    id, namespace, name, *times = tuple(row)
    seen = [time for time in times if time is not None]
    return Dataset(id, namespace, name, min(seen, default=None), max(seen, default=None))


def list_datasets(connection: Connection, namespace: str, page: Page) -> tuple[list[Dataset], int]:
    """List a namespace's datasets by name."""
    rows, total = list_entities(connection, tables.dataset, _COLUMNS, _IS_LISTED, namespace, page)
    return [_dataset(row) for row in rows], total


def find_dataset(connection: Connection, namespace: str, name: str) -> Dataset | None:
    wanted = tables.dataset.c.id == dataset_id(namespace, name)
    row = connection.execute(select(*_COLUMNS).where(wanted, _IS_LISTED)).one_or_none()
    return None if row is None else _dataset(row)


def read_states(connection: Connection, datasets: Iterable[bytes]) -> dict[bytes, State]:
    """Read the current schema and column map of datasets, from all who spoke of them."""
    wanted = sorted(set(datasets))
    used, said = tables.job_dataset, tables.declared_dataset
    common = ("dataset", "direction", "schema", "schema_at", "columns", "columns_at")
    observed = select(*(used.c[name] for name in common), used.c.last_seen)
    declared = select(*(said.c[name] for name in common), said.c.last_said.label("last_seen"))
    witnesses = [
        row
        for part in in_parts(wanted)
        for query in (
            observed.where(used.c.dataset.in_(part)),
            declared.where(said.c.dataset.in_(part)),
        )
        for row in connection.execute(query)
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
            written[row.dataset] = max(row.last_seen, written.get(row.dataset, row.last_seen))
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
    query = select(table.c.dataset, table.c.change).order_by(
        table.c.dataset, table.c.at, table.c.change
    )
    return {
        row.dataset: row.change
        for part in in_parts(datasets)
        for row in connection.execute(query.where(table.c.dataset.in_(part)))
    }
