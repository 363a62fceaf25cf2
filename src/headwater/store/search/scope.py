"""What searches show: not what was deleted; and what is in a namespace."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, literal_column, select, union_all

from headwater.model.search_text import TermSource
from headwater.store import tables
from headwater.store.query.direct import ask
from headwater.store.query.paging import Page
from headwater.store.read.datasets import IS_SHOWN
from headwater.store.read.jobs import IS_LISTED
from headwater.store.read.micro_batches import EVERY_PART, IS_PART_OF_STREAM
from headwater.store.read.visibility import is_shown
from headwater.store.search.results import SearchHit

_MOST_WITHIN = 2_000
_HAS_GONE = (
    "SELECT 1 FROM hidden WHERE is_deleted = 1 LIMIT 1",
    "SELECT 1 FROM stream_job LIMIT 1",
)


def read_gone(connection: Connection) -> set[bytes]:
    """What was deleted and not seen since, and what is shown as a stream."""
    if not any(ask(connection, question) for question in _HAS_GONE):
        return set()
    return set(connection.execute(_gone_ids()).scalars())


def gone_text(connection: Connection) -> str:
    options = {"literal_binds": True}
    return str(_gone_ids().compile(dialect=connection.dialect, compile_kwargs=options))


def _gone_ids() -> Any:
    dataset, job, hidden = tables.dataset, tables.job, tables.hidden
    deleted = select(hidden.c.entity).where(hidden.c.is_deleted == 1)
    return union_all(
        select(dataset.c.id).where(dataset.c.id.in_(deleted), ~IS_SHOWN),
        select(job.c.id).where(job.c.id.in_(deleted), ~is_shown(job, job.c.last_seen)),
        select(job.c.id).where(job.c.id.in_(EVERY_PART), IS_PART_OF_STREAM),
    )


def list_within(
    connection: Connection, namespaces: set[bytes], kinds: Iterable[TermSource], page: Page | None
) -> tuple[list[SearchHit], int]:
    """List what is in namespaces by name: a page, or as much as is looked through; count it all."""
    parts = []
    for kind, table, is_listed in (
        (TermSource.DATASET, tables.dataset, IS_SHOWN),
        (TermSource.JOB, tables.job, IS_LISTED),
    ):
        if kind in kinds:
            columns = (table.c.id, table.c.namespace, table.c.name)
            number: Any = literal_column(str(int(kind))).label("kind")
            where = (table.c.namespace_id.in_(sorted(namespaces)), is_listed)
            parts.append(select(number, *columns).where(*where))
    every = union_all(*parts).subquery()
    total = int(connection.execute(select(func.count()).select_from(every)).scalar() or 0)
    query = select(every).order_by(every.c.name, every.c.namespace, every.c.kind)
    limited = query.limit(_MOST_WITHIN)
    if page is not None:
        limited = query.limit(page.limit).offset(page.offset)
    rows = connection.execute(limited)
    return [
        SearchHit(id, TermSource(kind), namespace, name) for kind, id, namespace, name in rows
    ], total
