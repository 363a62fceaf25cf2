"""Reading the facets of runs, jobs and datasets: the newest of each name, under people's edits."""

from collections.abc import Container, Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, SmallInteger, bindparam, select

from headwater.model.relations import Slot
from headwater.model.values import ids
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import BODIES, FIELDS, read_fields
from headwater.store.read.edited_values import EditedValues, read_words

# People edit datasets and jobs, not runs.
_EDITED = frozenset((Slot.DATASET, Slot.JOB))

# An owner's facets as the store has them: owner, name, stamp, digest. All that goes into them.
Rows = tuple[tuple[bytes, str, int, bytes], ...]


def _facets(is_among: IsAmong) -> Any:
    table = tables.facet
    return select(table.c.owner, table.c.name, table.c.digest_at, table.c.digest).where(
        is_among(table.c.owner), table.c.slot == bindparam("slot", type_=SmallInteger)
    )


def _facets_in_order(is_among: IsAmong) -> Any:
    table = tables.facet
    # As the key has them: nothing is to be sorted.
    return _facets(is_among).order_by(table.c.owner, table.c.slot, table.c.name, table.c.author)


_FACETS = Prepared(_facets)
_FACETS_IN_ORDER = Prepared(_facets_in_order)


def _newest(rows: Iterable[tuple[bytes, str, int, bytes]]) -> dict[tuple[bytes, str], bytes]:
    """The digest of each owner's facets by name; of several authors the last one counts."""
    newest: dict[tuple[bytes, str], tuple[int, bytes]] = {}
    for owner, name, digest_at, digest in rows:
        known = newest.get((owner, name))
        if known is None or (digest_at, digest) > known:
            newest[owner, name] = (digest_at, digest)
    return {key: digest for key, (_, digest) in newest.items()}


def facets_of(rows: Rows, bodies: Mapping[bytes, bytes]) -> dict[str, bytes]:
    """One owner's facets by name; those that say "none" are left out."""
    newest = _newest(rows)
    return {name: bodies[digest] for (_, name), digest in newest.items() if digest in bodies}


def read_facet_rows(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, Rows]:
    """Read the rows of each owner's facets: enough to tell whether what is shown has changed."""
    rows: Any = _FACETS_IN_ORDER.rows(connection, owners, slot=int(slot))
    return {owner: tuple(some) for owner, some in groupby(rows, itemgetter(0))}


class Stated(NamedTuple):
    """The evidence on one entity: its facets' rows, and its edited values."""

    rows: Rows = ()
    word: EditedValues | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """All that goes into what is shown of it."""
        if self.word is None:
            return self.rows
        return (self.rows, tuple(sorted(self.word.values.items())))

    def facets(self, bodies: Mapping[bytes, bytes]) -> dict[str, bytes]:
        """Facets by name, with a person's edits in the place of an event's values."""
        found = facets_of(self.rows, bodies)
        return found if self.word is None else self.word.over(found)


NOTHING = Stated()


def read_stated(
    connection: Connection, entities: Iterable[bytes], slot: Slot
) -> dict[bytes, Stated]:
    """Read facets and edited values of entities; those without any are left out."""
    chosen = list(entities)
    rows = read_facet_rows(connection, chosen, slot)
    found = {entity: Stated(its_rows) for entity, its_rows in rows.items()}
    if slot in _EDITED:
        for entity, word in read_words(connection, chosen).items():
            found[entity] = Stated(rows.get(entity, ()), word)
    return found


def read_bodies(connection: Connection, rows: Iterable[Rows]) -> dict[bytes, bytes]:
    """Read the facets behind rows."""
    return BODIES.read(connection, {digest for some in rows for _, _, _, digest in some})


def read_facets(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, dict[str, bytes]]:
    """Read the newest facets of each owner by name, as they came or as people edited them."""
    stated = read_stated(connection, owners, slot)
    bodies = read_bodies(connection, (each.rows for each in stated.values()))
    return {owner: each.facets(bodies) for owner, each in stated.items()}


class Fields(NamedTuple):
    """The fields of some of an owner's facets, and the names and digests they were read from."""

    by_facet: dict[str, dict[str, Any]]
    digests: tuple[tuple[str, bytes], ...]


NO_FIELDS = Fields({}, ())


def read_facet_fields(
    connection: Connection, owners: Iterable[bytes], slot: Slot, names: Container[str]
) -> dict[bytes, Fields]:
    """Read the fields of some facets of each owner, for what is shown of many at once."""
    chosen = list(owners)
    rows: Any = _FACETS.rows(connection, chosen, slot=int(slot))
    newest = _newest(row for row in rows if row[1] in names)
    fields = FIELDS.read(connection, newest.values())
    found: dict[bytes, dict[str, bytes]] = {}
    for (owner, name), digest in newest.items():
        found.setdefault(owner, {})[name] = digest
    shown = {
        owner: Fields(
            {name: fields.get(digest, {}) for name, digest in digests.items()},
            tuple(sorted(digests.items())),
        )
        for owner, digests in found.items()
    }
    for owner, word in (read_words(connection, chosen) if slot in _EDITED else {}).items():
        shown[owner] = _edited(word, shown.get(owner, NO_FIELDS), names)
    return shown


def _edited(word: EditedValues, stated: Fields, names: Container[str]) -> Fields:
    """The same with a person's edits in the place of an event's values."""
    bodies = {name: msgspec.json.encode(value) for name, value in stated.by_facet.items()}
    changed = {
        name: body
        for name, body in word.over(bodies).items()
        if name in names and body != bodies.get(name)
    }
    by_facet = stated.by_facet | {name: read_fields(body) for name, body in changed.items()}
    digests = dict(stated.digests) | {name: ids.digest(body) for name, body in changed.items()}
    return Fields(by_facet, tuple(sorted(digests.items())))
