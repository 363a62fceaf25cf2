"""Reading edits: what people did, from the events that they are."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from headwater.model.event import Edit, Kind, decode_event
from headwater.model.project.edits import entity_id
from headwater.store import tables
from headwater.store.packing import unpack
from headwater.store.paging import Page


class KeptEdit(NamedTuple):
    """An edit as it is kept; its id is that of its event."""

    id: bytes
    at: int
    edit: Edit


def list_edits(
    connection: Connection,
    page: Page,
    entity: bytes | None = None,
    after: int | None = None,
    before: int | None = None,
) -> tuple[list[KeptEdit], int]:
    """List edits, newest first: all, or those of one entity or stretch of time."""
    table = tables.event
    conditions: list[ColumnElement[bool]] = [table.c.kind == int(Kind.EDIT)]
    if entity is not None:
        conditions.append(table.c.job == entity)
    if after is not None:
        conditions.append(table.c.at >= after)
    if before is not None:
        conditions.append(table.c.at < before)
    query = (
        select(table.c.digest, table.c.at, table.c.payload)
        .where(*conditions)
        .order_by(table.c.at.desc(), table.c.digest.desc())
        .limit(page.limit)
        .offset(page.offset)
    )
    total = connection.execute(select(func.count()).select_from(table).where(*conditions)).scalar()
    return [_kept(row) for row in connection.execute(query)], int(total or 0)


def find_edit(connection: Connection, id: bytes) -> KeptEdit | None:
    table = tables.event
    query = select(table.c.digest, table.c.at, table.c.payload).where(
        table.c.kind == int(Kind.EDIT), table.c.digest == id
    )
    row = connection.execute(query).first()
    return None if row is None else _kept(row)


def read_before(connection: Connection, kept: KeptEdit) -> dict[str, bytes | None]:
    """What the aspects of an edit were before it, by earlier edits; None where none gave them."""
    edit = kept.edit
    aspects = {*edit.set, *edit.unset}
    found: dict[str, bytes | None] = {}
    table = tables.event
    is_earlier = (table.c.at < kept.at) | ((table.c.at == kept.at) & (table.c.digest < kept.id))
    query = (
        select(table.c.payload)
        .where(table.c.kind == int(Kind.EDIT), table.c.job == entity_id(edit.entity), is_earlier)
        .order_by(table.c.at.desc(), table.c.digest.desc())
    )
    for payload in connection.execute(query).scalars():
        earlier = decode_event(unpack(payload)).edit
        if earlier is None or earlier.entity.field != edit.entity.field:
            continue
        for aspect in aspects - found.keys():
            if aspect in earlier.set:
                found[aspect] = bytes(earlier.set[aspect])
            elif aspect in earlier.unset:
                found[aspect] = None
        if found.keys() == aspects:
            break
    return {aspect: found.get(aspect) for aspect in aspects}


def read_changed_since(connection: Connection, kept: KeptEdit) -> list[KeptEdit]:
    """Later edits of the same aspects of the same thing, oldest first."""
    edit = kept.edit
    aspects = {*edit.set, *edit.unset}
    table = tables.event
    is_later = (table.c.at > kept.at) | ((table.c.at == kept.at) & (table.c.digest > kept.id))
    query = (
        select(table.c.digest, table.c.at, table.c.payload)
        .where(table.c.kind == int(Kind.EDIT), table.c.job == entity_id(edit.entity), is_later)
        .order_by(table.c.at, table.c.digest)
    )
    later = [_kept(row) for row in connection.execute(query)]
    return [
        other
        for other in later
        if other.edit.entity.field == edit.entity.field
        and aspects & {*other.edit.set, *other.edit.unset}
    ]


def find_actors(connection: Connection, times: Iterable[int]) -> dict[tuple[int, bytes], str]:
    """Find who deleted or restored what at given times."""
    table = tables.event
    actors: dict[tuple[int, bytes], str] = {}
    for at in times:
        query = select(table.c.payload).where(table.c.at == at, table.c.kind == int(Kind.EDIT))
        for payload in connection.execute(query).scalars():
            edit = decode_event(unpack(payload)).edit
            if edit is not None and ("deleted" in edit.set or "deleted" in edit.unset):
                actors[at, entity_id(edit.entity)] = edit.actor
    return actors


def _kept(row: Any) -> KeptEdit:
    id, at, payload = row
    edit = decode_event(unpack(payload)).edit
    assert edit is not None
    return KeptEdit(id, at, edit)
