"""Reading edits: what people did, from the events that they are."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, false, func, or_, select

from headwater.model.aspects import DELETED
from headwater.model.event import Edit, Entity, decode_event
from headwater.model.project.edits import entity_id, ids_within
from headwater.model.values.ids import namespace_id, source_id, tag_id
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.read.visibility.deletions import read_last_change
from headwater.store.write.packing import unpack

_NAMED_KINDS = frozenset(("namespace", "source", "tag"))
_OF_NAMESPACE = (None, "namespace")
_ROWS_AT_ONCE = 1_000


class KeptEdit(NamedTuple):
    """An edit as it is kept; its id is that of its event."""

    id: bytes
    at: int
    edit: Edit


class EditFilter(NamedTuple):
    """Which edits are requested; what is not given does not filter."""

    type: str | None = None
    namespace: str | None = None
    name: str | None = None
    actor: str | None = None
    after: int | None = None
    before: int | None = None


def list_edits(
    connection: Connection, page: Page, requested: EditFilter | None = None
) -> tuple[list[KeptEdit], int]:
    """List edits, newest first, and count them all."""
    requested = requested or EditFilter()
    table = tables.event
    conditions = list(_conditions(requested))
    query = (
        select(table.c.digest, table.c.at, table.c.payload)
        .where(*conditions)
        .order_by(table.c.at.desc(), table.c.digest.desc())
    )
    if requested.actor is not None or requested.type in _NAMED_KINDS:
        return _sift(connection, query, page, requested)
    count = select(func.count()).select_from(table).where(*conditions)
    total = int(connection.execute(count).scalar() or 0)
    paged = query.limit(page.limit).offset(page.offset)
    return [_kept(row) for row in connection.execute(paged)], total


def _sift(
    connection: Connection, query: Select[Any], page: Page, requested: EditFilter
) -> tuple[list[KeptEdit], int]:
    """Look through edits for what only they themselves tell."""
    found: list[KeptEdit] = []
    total = 0
    rows = connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE))
    for kept in map(_kept, rows):
        if requested.actor is not None and kept.edit.actor != requested.actor:
            continue
        if requested.type is not None and kept.edit.entity.type != requested.type:
            continue
        if page.offset <= total < page.offset + page.limit:
            found.append(kept)
        total += 1
    return found, total


def _conditions(requested: EditFilter) -> Iterator[ColumnElement[bool]]:
    table = tables.event
    yield tables.IS_EDIT
    if requested.after is not None:
        yield table.c.at >= requested.after
    if requested.before is not None:
        yield table.c.at < requested.before
    is_about = _is_about(requested)
    if is_about is not None:
        yield is_about


def _is_about(requested: EditFilter) -> ColumnElement[bool] | None:
    """Whether an edit is about what has a name, is in a namespace, or is of a type."""
    entity = tables.event.c.job
    if requested.name is not None and "\0" in requested.name:
        # NUL is in no name, and PostgreSQL does not even accept it.
        return false()
    placed = [
        table
        for type, table in (("dataset", tables.dataset), ("job", tables.job))
        if requested.type in (None, type)
    ]
    ways: list[ColumnElement[bool]] = []
    if requested.name is None and requested.namespace is None:
        if requested.type not in ("dataset", "job"):
            return None
    elif requested.namespace is None and requested.name is not None:
        for type, id in (
            ("namespace", namespace_id(requested.name)),
            ("source", source_id(requested.name)),
            ("tag", tag_id(requested.name)),
        ):
            if requested.type in (None, type):
                ways.append(entity == id)
    elif (
        requested.name is None
        and requested.namespace is not None
        and requested.type in _OF_NAMESPACE
    ):
        ways.append(entity == namespace_id(requested.namespace))
    for table in placed:
        of = [table.c.name == requested.name] if requested.name is not None else []
        if requested.namespace is not None:
            of.append(table.c.namespace_id == namespace_id(requested.namespace))
        ways.append(entity.in_(select(table.c.id).where(*of)))
    return or_(false(), *ways)


def find_edit(connection: Connection, id: bytes) -> KeptEdit | None:
    table = tables.event
    query = select(table.c.digest, table.c.at, table.c.payload).where(
        tables.IS_EDIT, table.c.digest == id
    )
    row = connection.execute(query).first()
    return None if row is None else _kept(row)


def find_deletion(connection: Connection, entity: Entity) -> KeptEdit | None:
    """The edit that deleted a thing, if the last word on it is that it is deleted."""
    table = tables.event
    id = entity_id(entity)
    last = read_last_change(connection, id)
    if last is None or not last.is_deleted:
        return None
    query = select(table.c.digest, table.c.at, table.c.payload).where(
        table.c.at == last.at, tables.IS_EDIT, table.c.job == id
    )
    found = (_kept(kept) for kept in connection.execute(query))
    return next((kept for kept in found if DELETED in kept.edit.set), None)


def read_before(connection: Connection, kept: KeptEdit) -> dict[str, bytes | None]:
    """What the aspects of an edit were before it, by earlier edits; None where none gave them."""
    edit = kept.edit
    aspects = {*edit.set, *edit.unset}
    found: dict[str, bytes | None] = {}
    table = tables.event
    is_earlier = (table.c.at < kept.at) | ((table.c.at == kept.at) & (table.c.digest < kept.id))
    query = (
        select(table.c.payload)
        .where(tables.IS_EDIT, table.c.job == entity_id(edit.entity), is_earlier)
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
        .where(tables.IS_EDIT, table.c.job == entity_id(edit.entity), is_later)
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
        query = select(table.c.payload).where(table.c.at == at, tables.IS_EDIT)
        for payload in connection.execute(query).scalars():
            edit = decode_event(unpack(payload)).edit
            if edit is not None and (DELETED in edit.set or DELETED in edit.unset):
                for entity in (entity_id(edit.entity), *ids_within(edit)):
                    actors[at, entity] = edit.actor
    return actors


def _kept(row: Any) -> KeptEdit:
    id, at, payload = row
    edit = decode_event(unpack(payload)).edit
    assert edit is not None
    return KeptEdit(id, at, edit)
