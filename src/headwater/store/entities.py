"""What datasets and jobs have in common: they are listed by name, and hidden while deleted."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, or_, select

from headwater.model.ids import namespace_id
from headwater.store.paging import Page


def is_shown(table: Table) -> ColumnElement[bool]:
    """Heard of, and not deleted, or restored or heard of again since."""
    return table.c.first_seen.is_not(None) & or_(
        table.c.deleted_at.is_(None),
        table.c.deleted_at <= func.coalesce(table.c.restored_at, -1),
        table.c.deleted_at <= table.c.last_seen,
    )


def list_entities(
    connection: Connection, table: Table, columns: Sequence[str], namespace: str, page: Page
) -> tuple[Sequence[Row[Any]], int]:
    """List a namespace's entities by name, and count them all."""
    conditions = (table.c.namespace_id == namespace_id(namespace), is_shown(table))
    query = select(*(table.c[name] for name in columns)).where(*conditions).order_by(table.c.name)
    rows = connection.execute(query.limit(page.limit).offset(page.offset)).all()
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return rows, int(total or 0)


def find_entity(
    connection: Connection, table: Table, columns: Sequence[str], id: bytes
) -> Row[Any] | None:
    query = select(*(table.c[name] for name in columns)).where(table.c.id == id, is_shown(table))
    return connection.execute(query).one_or_none()
