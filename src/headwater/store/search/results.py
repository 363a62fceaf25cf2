"""Reading what a search found: its name, and when it was last seen."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, func, select

from headwater.model.search_text import TermSource
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.read.visibility.shown import JOB_IS_SEEN


class SearchHit(NamedTuple):
    """A dataset or job."""

    id: bytes
    kind: TermSource
    namespace: str
    name: str
    updated_at: int | None = None


def _named(kind: TermSource) -> Prepared:
    table = tables.dataset if kind is TermSource.DATASET else tables.job
    columns = (table.c.id, table.c.namespace, table.c.name)
    # A job that was only edited is not known yet; what is hidden is left out by its id.
    is_seen = () if kind is TermSource.DATASET else (JOB_IS_SEEN,)
    return Prepared(lambda is_among: select(*columns).where(is_among(table.c.id), *is_seen))


_NAMED = {kind: _named(kind) for kind in (TermSource.DATASET, TermSource.JOB)}


def read_found(
    connection: Connection, ids: Iterable[bytes], kinds: Sequence[TermSource]
) -> dict[bytes, SearchHit]:
    """Read the datasets and jobs among ids."""
    requested = list(ids)
    return {
        id: SearchHit(id, kind, namespace, name)
        for kind in kinds
        for id, namespace, name in _NAMED[kind].rows(connection, requested)
    }


_JOB_TIMES = Prepared(
    lambda is_among: select(tables.job.c.id, tables.job.c.last_seen).where(
        is_among(tables.job.c.id)
    )
)


def _times(table: Table, time: ColumnElement[Any]) -> Prepared:
    newest = select(table.c.dataset, func.max(time)).group_by(table.c.dataset)
    return Prepared(lambda is_among: newest.where(is_among(table.c.dataset)))


_DATASET_TIMES = (
    _times(tables.job_dataset, tables.job_dataset.c.last_seen),
    _times(tables.declared_dataset, tables.declared_dataset.c.last_said),
)


def read_times(connection: Connection, found: Iterable[SearchHit]) -> dict[bytes, int]:
    """When each was last seen; what was only named has no time."""
    known = list(found)
    datasets = [each.id for each in known if each.kind == TermSource.DATASET]
    times: dict[bytes, int] = {}
    for query in _DATASET_TIMES:
        for id, time in query.rows(connection, datasets):
            times[id] = max(time, times.get(id, time))
    times.update(
        (id, time)
        for id, time in _JOB_TIMES.rows(
            connection, (each.id for each in known if each.kind == TermSource.JOB)
        )
        if time is not None
    )
    return times
