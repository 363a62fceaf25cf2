"""Problems that a person has acknowledged: who did, when, why, and until when."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, select

from headwater.model import facets
from headwater.model.aspects import ACKNOWLEDGED
from headwater.model.event import decode_event
from headwater.model.values.ids import NO_CONTENT
from headwater.model.values.instant import parse_instant
from headwater.model.values.stamp import time_of
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.read.content_cache import BODIES
from headwater.store.write.packing import unpack


class Acknowledgement(NamedTuple):
    """The problem is a kind, such as `failed`; `until` is none if it is for this occurrence."""

    problem: str
    reason: str
    until: int | None
    at: int
    actor: str
    edit: bytes

    def covers(self, problem: str, since: int | None, now: int) -> bool:
        """Whether it still holds: a snooze up to its end, else until the problem begins anew."""
        if self.problem != problem:
            return False
        if self.until is not None:
            return now < self.until
        return since is None or since <= self.at


class _Value(msgspec.Struct):
    problem: str
    reason: str = ""
    until: str | None = None


_VALUE = facets.decoder(_Value)
_VALUES = Prepared(
    lambda is_among: select(
        tables.edit_value.c.entity, tables.edit_value.c.digest, tables.edit_value.c.digest_at
    ).where(
        is_among(tables.edit_value.c.entity),
        tables.edit_value.c.aspect == ACKNOWLEDGED,
        tables.edit_value.c.digest != NO_CONTENT,
    )
)


def read_acknowledgements(
    connection: Connection, entities: Iterable[bytes]
) -> dict[bytes, Acknowledgement]:
    """Read the acknowledgements of datasets and jobs; most have none."""
    rows = _VALUES.rows(connection, entities)
    bodies = BODIES.read(connection, (digest for _, digest, _ in rows))
    found = {}
    for entity, digest, stamp in rows:
        value: _Value | None = facets.read(_VALUE, bodies.get(digest, b""))
        if value is not None:
            at = time_of(stamp)
            edit, actor = _find_edit(connection, entity, at)
            until = None if value.until is None else parse_instant(value.until)
            found[entity] = Acknowledgement(value.problem, value.reason, until, at, actor, edit)
    return found


def _find_edit(connection: Connection, entity: bytes, at: int) -> tuple[bytes, str]:
    """The edit that gave it; events of old may be gone from the store."""
    table = tables.event
    query = select(table.c.digest, table.c.payload).where(
        table.c.at == at, tables.IS_EDIT, table.c.job == entity
    )
    for digest, payload in connection.execute(query):
        edit = decode_event(unpack(payload)).edit
        if edit is not None and ACKNOWLEDGED in edit.set:
            return digest, edit.actor
    return b"", ""
