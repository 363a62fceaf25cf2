"""What searches show: not what was deleted; and what is in a namespace."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, literal_column, select, union_all

from headwater.model.search_text import TermSource
from headwater.store import tables
from headwater.store.query.direct import ask
from headwater.store.query.paging import Page
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    JOB_IS_LISTED,
    MAY_BE_UNLISTED,
    unlisted_ids,
)
from headwater.store.search.results import SearchHit

_MOST_WITHIN = 2_000


def read_gone(connection: Connection) -> set[bytes]:
    """What lists leave out."""
    if not any(ask(connection, question) for question in MAY_BE_UNLISTED):
        return set()
    return set(connection.execute(unlisted_ids()).scalars())


def gone_text(connection: Connection) -> str:
    options = {"literal_binds": True}
    return str(unlisted_ids().compile(dialect=connection.dialect, compile_kwargs=options))


def list_within(
    connection: Connection, namespaces: set[bytes], kinds: Iterable[TermSource], page: Page | None
) -> tuple[list[SearchHit], int]:
    """List what is in namespaces by name: a page, or as much as is looked through; count it all."""
    parts = []
    for kind, table, is_listed in (
        (TermSource.DATASET, tables.dataset, DATASET_IS_LISTED),
        (TermSource.JOB, tables.job, JOB_IS_LISTED),
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
