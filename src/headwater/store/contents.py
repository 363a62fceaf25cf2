"""Reading content by digest, and the facets that point to it."""

from collections import defaultdict
from collections.abc import Container, Iterable
from typing import Any

from sqlalchemy import Connection, SmallInteger, bindparam, select

from headwater.model.ids import NO_CONTENT
from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.packing import unpack
from headwater.store.paging import in_parts
from headwater.store.prepared import IsAmong, Prepared
from headwater.store.readings import FIELDS


def read_contents(connection: Connection, digests: Iterable[bytes | None]) -> dict[bytes, bytes]:
    """Read the bodies behind digests; what says "none" is left out."""
    found: dict[bytes, bytes] = {}
    table = tables.content
    for part in in_parts(digest for digest in digests if digest and digest != NO_CONTENT):
        query = select(table.c.digest, table.c.body).where(table.c.digest.in_(part))
        found.update((digest, unpack(body)) for digest, body in connection.execute(query))
    return found


def _facets(is_among: IsAmong) -> Any:
    """In the order of being said: of several authors the last to speak counts."""
    table = tables.facet
    return (
        select(table.c.owner, table.c.name, table.c.digest)
        .where(is_among(table.c.owner), table.c.slot == bindparam("slot", type_=SmallInteger))
        .order_by(table.c.owner, table.c.name, table.c.digest_at, table.c.digest)
    )


_FACETS = Prepared(_facets)


def read_facets(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, dict[str, bytes]]:
    """Read the newest facets of each owner by name, as they came."""
    rows = _FACETS.rows(connection, owners, slot=int(slot))
    bodies = read_contents(connection, (row[2] for row in rows))
    facets: dict[bytes, dict[str, bytes]] = defaultdict(dict)
    for owner, name, digest in rows:
        if digest in bodies:
            facets[owner][name] = bodies[digest]
        else:
            facets[owner].pop(name, None)
    return facets


def read_facet_fields(
    connection: Connection, owners: Iterable[bytes], slot: Slot, names: Container[str]
) -> dict[bytes, dict[str, dict[str, Any]]]:
    """Read the fields of some facets of each owner, for what is shown of many at once."""
    rows = [row for row in _FACETS.rows(connection, owners, slot=int(slot)) if row[1] in names]
    fields = FIELDS.read(connection, (row[2] for row in rows))
    facets: dict[bytes, dict[str, dict[str, Any]]] = defaultdict(dict)
    for owner, name, digest in rows:
        facets[owner][name] = fields.get(digest, {})
    return facets
