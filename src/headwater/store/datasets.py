"""Reading datasets: their schema is the newest of the strongest kind of witness."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, bindparam, func, select

from headwater.model.ids import dataset_id
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Mark, Use, sum_up
from headwater.store import tables
from headwater.store.entities import is_shown, list_entities
from headwater.store.paging import Page
from headwater.store.prepared import Prepared
from headwater.store.uses import read_uses


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
IS_SHOWN = is_shown(tables.dataset, *(last for _, last in _TIMES))


def _dataset(row: Row[Any]) -> Dataset:
    id, namespace, name, *times = tuple(row)
    seen = [time for time in times if time is not None]
    return Dataset(id, namespace, name, min(seen, default=None), max(seen, default=None))


def list_datasets(connection: Connection, namespace: str, page: Page) -> tuple[list[Dataset], int]:
    """List a namespace's datasets by name."""
    rows, total = list_entities(connection, tables.dataset, _COLUMNS, IS_SHOWN, namespace, page)
    return [_dataset(row) for row in rows], total


def find_dataset(connection: Connection, namespace: str, name: str) -> Dataset | None:
    wanted = tables.dataset.c.id == dataset_id(namespace, name)
    row = connection.execute(select(*_COLUMNS).where(wanted, IS_SHOWN)).one_or_none()
    return None if row is None else _dataset(row)


def read_states(
    connection: Connection, datasets: Iterable[bytes], at: int = NOW
) -> dict[bytes, State]:
    """Read the schema and column map of datasets as of a time, from all who spoke of them."""
    wanted = set(datasets)
    by_dataset: dict[bytes, list[Use]] = {dataset: [] for dataset in wanted}
    uses, _ = read_uses(connection, "dataset", wanted, Direction, at)
    for use in uses:
        by_dataset[use.dataset].append(use)
    return {dataset: state_of(uses) for dataset, uses in by_dataset.items()}


def state_of(uses: list[Use]) -> State:
    """What counts of all that is said of a dataset."""
    said = sum_up(uses)
    return State(
        said.schema.schema if said.schema else None,
        said.columns.columns if said.columns else None,
        said.written_at,
    )


_LIFECYCLES = Prepared(
    lambda is_among: (
        select(tables.lifecycle.c.dataset, tables.lifecycle.c.change, tables.lifecycle.c.at)
        .where(
            is_among(tables.lifecycle.c.dataset),
            tables.lifecycle.c.at <= bindparam("at", type_=BigInteger),
        )
        .order_by(tables.lifecycle.c.dataset, tables.lifecycle.c.at, tables.lifecycle.c.change)
    )
)


def read_lifecycles(
    connection: Connection, datasets: Iterable[bytes], at: int = NOW
) -> dict[bytes, Mark]:
    """Read the last mark on each dataset's timeline."""
    rows = _LIFECYCLES.rows(connection, datasets, at=at)
    return {dataset: Mark(change, marked_at) for dataset, change, marked_at in rows}
