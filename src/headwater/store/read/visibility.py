"""What datasets and jobs have in common: they are listed by name, and hidden while deleted."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select

from headwater.model.ids import namespace_id
from headwater.store import tables
from headwater.store.query.paging import Page

# Before any time that can be told.
_LONG_AGO = -(2**62)


def is_shown(table: Table, *last_seen: ColumnElement[Any]) -> ColumnElement[bool]:
    """Not deleted, or restored or seen again since."""
    deleted, restored = tables.hidden.alias("deleted"), tables.hidden.alias("restored")
    is_restored = (
        select(1)
        .where(restored.c.entity == deleted.c.entity, restored.c.is_deleted == 0)
        .where(restored.c.at >= deleted.c.at)
        .correlate(deleted)
        .exists()
    )
    return ~(
        select(1)
        .where(deleted.c.entity == table.c.id, deleted.c.is_deleted == 1, ~is_restored)
        .where(*(deleted.c.at > func.coalesce(time, _LONG_AGO) for time in last_seen))
        .exists()
    )


def list_entities(
    connection: Connection,
    table: Table,
    columns: Sequence[ColumnElement[Any]],
    is_listed: ColumnElement[bool],
    namespace: str,
    page: Page,
) -> tuple[Sequence[Row[Any]], int]:
    """List a namespace's entities by name, and count them all."""
    conditions = (table.c.namespace_id == namespace_id(namespace), is_listed)
    query = select(*columns).where(*conditions).order_by(table.c.name)
    rows = connection.execute(query.limit(page.limit).offset(page.offset)).all()
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return rows, int(total or 0)
