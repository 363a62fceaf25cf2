"""Reading edits: what people did, from the events that they are."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from headwater.model.event import Kind, decode_event
from headwater.model.ids import dataset_id, job_id
from headwater.store import tables
from headwater.store.packing import unpack


def find_actors(connection: Connection, times: Iterable[int]) -> dict[tuple[int, bytes], str]:
    """Find who deleted or restored what at given times."""
    table = tables.event
    actors: dict[tuple[int, bytes], str] = {}
    for at in times:
        query = select(table.c.payload).where(table.c.at == at, table.c.kind == int(Kind.EDIT))
        for payload in connection.execute(query).scalars():
            edit = decode_event(unpack(payload)).edit
            if edit is not None and ("deleted" in edit.set or "deleted" in edit.unset):
                id_of = dataset_id if edit.entity.type == "dataset" else job_id
                actors[at, id_of(edit.entity.namespace, edit.entity.name)] = edit.actor
    return actors
