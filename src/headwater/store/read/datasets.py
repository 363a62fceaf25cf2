"""Reading datasets: their schema is the newest of the strongest kind of witness."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, select

from headwater.model.relations import Direction
from headwater.model.uses import NOW, Mark, Use, sum_up
from headwater.model.values.ids import dataset_id
from headwater.store import tables
from headwater.store.lineage.cluster_names import clusters_of
from headwater.store.lineage.uses import read_uses
from headwater.store.query.paging import Page
from headwater.store.query.prepared import Prepared
from headwater.store.read.visibility.pages import list_shown
from headwater.store.read.visibility.shown import DATASET_IS_LISTED


class DatasetRecord(NamedTuple):
    id: bytes
    namespace: str
    name: str


class State(NamedTuple):
    """What is stated of a dataset now: digests of its schema and column map, when it was first and
    last reported, and last written."""

    schema: bytes | None = None
    columns: bytes | None = None
    written_at: int | None = None
    first_seen: int | None = None
    last_seen: int | None = None


_COLUMNS = tuple(tables.dataset.c[name] for name in DatasetRecord._fields)


def list_datasets(
    connection: Connection, namespace: str, page: Page
) -> tuple[list[DatasetRecord], int]:
    """List a namespace's datasets by name."""
    by = (tables.dataset.c.name,)
    ids, total = list_shown(connection, tables.dataset, page, by, namespace)
    rows = {row[0]: DatasetRecord._make(row) for row in _NAMES.rows(connection, ids)}
    return [rows[id] for id in ids if id in rows], total


_NAMED = Prepared(
    lambda is_among: select(*_COLUMNS).where(is_among(tables.dataset.c.id), DATASET_IS_LISTED)
)


def find_dataset(connection: Connection, namespace: str, name: str) -> DatasetRecord | None:
    """The dataset of a name; if there is none, of another name of its cluster."""
    for each in ((namespace, name), *clusters_of(connection).others(namespace, name)):
        if rows := _NAMED.rows(connection, [dataset_id(*each)]):
            return DatasetRecord._make(rows[0])
    return None


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
    requested = set(datasets)
    by_dataset: dict[bytes, list[Use]] = {dataset: [] for dataset in requested}
    uses, _ = read_uses(connection, "dataset", requested, Direction, at)
    for use in uses:
        by_dataset[use.dataset].append(use)
    return {dataset: state_of(uses) for dataset, uses in by_dataset.items()}


def state_of(uses: list[Use]) -> State:
    """The summary of the evidence on a dataset."""
    summary = sum_up(uses)
    return State(
        summary.schema.schema if summary.schema else None,
        summary.columns.columns if summary.columns else None,
        summary.written_at,
        summary.first_seen,
        summary.last_seen,
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
