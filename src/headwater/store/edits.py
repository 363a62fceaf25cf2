"""Reading edits: what people did, from the events that they are."""

from collections.abc import Iterable

import msgspec
from sqlalchemy import Connection, select

from headwater.model.event import Kind
from headwater.store import tables
from headwater.store.packing import unpack


class _Actor(msgspec.Struct):
    actor: str | None = None


def find_actors(connection: Connection, times: Iterable[int]) -> dict[int, str]:
    """Find who made edits at given times."""
    table = tables.event
    actors: dict[int, str] = {}
    for at in times:
        query = select(table.c.payload).where(table.c.at == at, table.c.kind == int(Kind.EDIT))
        for payload in connection.execute(query).scalars():
            try:
                found = msgspec.json.decode(unpack(payload), type=_Edited)
            except msgspec.MsgspecError:
                continue
            if found.edit is not None and found.edit.actor:
                actors[at] = found.edit.actor
    return actors


class _Edited(msgspec.Struct):
    edit: _Actor | None = None
