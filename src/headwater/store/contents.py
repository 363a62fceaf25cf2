"""Reading content by digest, and the facets that point to it."""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Connection, select

from headwater.model.ids import NO_CONTENT
from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.packing import unpack
from headwater.store.paging import in_parts


def read_contents(connection: Connection, digests: Iterable[bytes | None]) -> dict[bytes, bytes]:
    """Read the bodies behind digests; what says "none" is left out."""
    found: dict[bytes, bytes] = {}
    table = tables.content
    for part in in_parts(digest for digest in digests if digest and digest != NO_CONTENT):
        query = select(table.c.digest, table.c.body).where(table.c.digest.in_(part))
        found.update((digest, unpack(body)) for digest, body in connection.execute(query))
    return found


def read_facets(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, dict[str, bytes]]:
    """Read the newest facets of each owner by name; of several authors the last to speak counts."""
    table = tables.facet
    query = (
        select(table.c.owner, table.c.name, table.c.digest)
        .where(table.c.slot == slot)
        .order_by(table.c.owner, table.c.name, table.c.digest_at, table.c.digest)
    )
    rows = [
        row
        for part in in_parts(owners)
        for row in connection.execute(query.where(table.c.owner.in_(part)))
    ]
    bodies = read_contents(connection, (row.digest for row in rows))
    facets: dict[bytes, dict[str, bytes]] = defaultdict(dict)
    for owner, name, digest in rows:
        if digest in bodies:
            facets[owner][name] = bodies[digest]
        else:
            facets[owner].pop(name, None)
    return facets
