"""Reading content by digest, and the facets that point to it."""

from collections import defaultdict
from collections.abc import Container, Iterable
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, SmallInteger, bindparam, select

from headwater.model import ids
from headwater.model.ids import NO_CONTENT
from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.query.paging import in_parts
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import FIELDS, read_fields
from headwater.store.read.edited_values import EditedValues, read_words
from headwater.store.write.packing import unpack

# Persons speak of datasets and jobs, not of runs.
_EDITED = frozenset((Slot.DATASET, Slot.JOB))


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
    """Read the newest facets of each owner by name, as they came or as persons gave them."""
    wanted = list(owners)
    newest = _read_newest(connection, wanted, slot)
    bodies = read_contents(connection, newest.values())
    facets: dict[bytes, dict[str, bytes]] = defaultdict(dict)
    for (owner, name), digest in newest.items():
        if digest in bodies:
            facets[owner][name] = bodies[digest]
    if slot in _EDITED:
        for owner, word in read_words(connection, wanted).items():
            facets[owner] = word.over(facets[owner])
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
    wanted = list(owners)
    newest = {
        key: digest
        for key, digest in _read_newest(connection, wanted, slot).items()
        if key[1] in names
    }
    fields = FIELDS.read(connection, newest.values())
    found: defaultdict[bytes, dict[str, bytes]] = defaultdict(dict)
    for (owner, name), digest in newest.items():
        found[owner][name] = digest
    words = read_words(connection, wanted) if slot in _EDITED else {}
    shown = {
        owner: Fields(
            {name: fields.get(digest, {}) for name, digest in digests.items()},
            tuple(sorted(digests.items())),
        )
        for owner, digests in found.items()
    }
    for owner, word in words.items():
        shown[owner] = _edited(word, shown.get(owner, NO_FIELDS), names)
    return shown


def _edited(word: EditedValues, stated: Fields, names: Container[str]) -> Fields:
    """The same with a person's word in the place of an event's."""
    bodies = {name: msgspec.json.encode(value) for name, value in stated.by_facet.items()}
    changed = {
        name: body
        for name, body in word.over(bodies).items()
        if name in names and body != bodies.get(name)
    }
    by_facet = stated.by_facet | {name: read_fields(body) for name, body in changed.items()}
    digests = dict(stated.digests) | {name: ids.digest(body) for name, body in changed.items()}
    return Fields(by_facet, tuple(sorted(digests.items())))
