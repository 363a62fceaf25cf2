"""Reading content by digest, and the facets that point to it."""

from collections import defaultdict
from collections.abc import Container, Iterable
from typing import Any, NamedTuple

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
    table = tables.facet
    return select(table.c.owner, table.c.name, table.c.digest_at, table.c.digest).where(
        is_among(table.c.owner), table.c.slot == bindparam("slot", type_=SmallInteger)
    )


_FACETS = Prepared(_facets)


def _read_newest(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[tuple[bytes, str], bytes]:
    """The digest of each owner's facets by name; of several authors the last to speak counts."""
    newest: dict[tuple[bytes, str], tuple[int, bytes]] = {}
    for owner, name, digest_at, digest in _FACETS.rows(connection, owners, slot=int(slot)):
        known = newest.get((owner, name))
        if known is None or (digest_at, digest) > known:
            newest[owner, name] = (digest_at, digest)
    return {key: digest for key, (_, digest) in newest.items()}


def read_facets(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, dict[str, bytes]]:
    """Read the newest facets of each owner by name, as they came."""
    newest = _read_newest(connection, owners, slot)
    bodies = read_contents(connection, newest.values())
    facets: dict[bytes, dict[str, bytes]] = defaultdict(dict)
    for (owner, name), digest in newest.items():
        if digest in bodies:
            facets[owner][name] = bodies[digest]
    return facets


class Fields(NamedTuple):
    """The fields of some of an owner's facets, and the names and digests they were read from."""

    by_facet: dict[str, dict[str, Any]]
    digests: tuple[tuple[str, bytes], ...]


NO_FIELDS = Fields({}, ())


def read_facet_fields(
    connection: Connection, owners: Iterable[bytes], slot: Slot, names: Container[str]
) -> dict[bytes, Fields]:
    """Read the fields of some facets of each owner, for what is shown of many at once."""
    newest = {
        key: digest
        for key, digest in _read_newest(connection, owners, slot).items()
        if key[1] in names
    }
    fields = FIELDS.read(connection, newest.values())
    found: defaultdict[bytes, dict[str, bytes]] = defaultdict(dict)
    for (owner, name), digest in newest.items():
        found[owner][name] = digest
    return {
        owner: Fields(
            {name: fields.get(digest, {}) for name, digest in digests.items()},
            tuple(sorted(digests.items())),
        )
        for owner, digests in found.items()
    }
