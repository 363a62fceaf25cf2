"""Reading datasets: their schema is the newest of the strongest kind of witness."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, func, select

from headwater.model.ids import dataset_id
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Mark, Use, sum_up
from headwater.store import tables
from headwater.store.lineage.uses import read_uses
from headwater.store.query.paging import Page
from headwater.store.query.prepared import Prepared
from headwater.store.read.visibility import is_shown, list_entities


class DatasetRecord(NamedTuple):
    id: bytes
    namespace: str
    name: str


class State(NamedTuple):
    """What is said of a dataset now: digests of its schema and column map, when it was first and
    last heard of, and last written."""

    schema: bytes | None = None
    columns: bytes | None = None
    written_at: int | None = None
    first_seen: int | None = None
    last_seen: int | None = None


def _last_times() -> tuple[ColumnElement[Any], ...]:
    """When a dataset was last seen in use, and last described."""
    dataset, used, said = tables.dataset, tables.job_dataset, tables.declared_dataset
    return tuple(
        select(func.max(last))
        .where(table.c.dataset == dataset.c.id)
        # Of this dataset also where the condition stands inside another.
        .correlate(dataset)
        .scalar_subquery()
        for table, last in ((used, used.c.last_seen), (said, said.c.last_said))
    )


_COLUMNS = tuple(tables.dataset.c[name] for name in DatasetRecord._fields)
LAST_TIMES = _last_times()
IS_SHOWN = is_shown(tables.dataset, *LAST_TIMES)


def list_datasets(
    connection: Connection, namespace: str, page: Page
) -> tuple[list[DatasetRecord], int]:
    """List a namespace's datasets by name."""
    rows, total = list_entities(connection, tables.dataset, _COLUMNS, IS_SHOWN, namespace, page)
    return [DatasetRecord._make(row) for row in rows], total


_NAMED = Prepared(lambda is_among: select(*_COLUMNS).where(is_among(tables.dataset.c.id), IS_SHOWN))


def find_dataset(connection: Connection, namespace: str, name: str) -> DatasetRecord | None:
    rows = _NAMED.rows(connection, [dataset_id(namespace, name)])
    return DatasetRecord._make(rows[0]) if rows else None


_NAMES = Prepared(lambda is_among: select(*_COLUMNS).where(is_among(tables.dataset.c.id)))


def read_dataset_names(
    connection: Connection, datasets: Iterable[bytes]
) -> dict[bytes, tuple[str, str]]:
    """Read the namespace and name behind dataset ids."""
    rows = _NAMES.rows(connection, datasets)
    return {id: (namespace, name) for id, namespace, name in rows}


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
    """The summary of the evidence on a dataset."""
    said = sum_up(uses)
    return State(
        said.schema.schema if said.schema else None,
        said.columns.columns if said.columns else None,
        said.written_at,
        said.first_seen,
        said.last_seen,
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


def list_lifecycle(connection: Connection, dataset: bytes) -> list[Mark]:
    """List the marks on a dataset's timeline, oldest first."""
    rows = _LIFECYCLES.rows(connection, [dataset], at=NOW)
    return [Mark(change, marked_at) for _, change, marked_at in rows]
