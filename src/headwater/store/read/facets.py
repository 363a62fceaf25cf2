"""Which facets an owner has, by digest: enough to tell whether what is shown of it has changed."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, SmallInteger, bindparam, select

from headwater.model.relations import Slot
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import Readings
from headwater.store.read.edited_values import EditedValues, read_words

# Facets as they came. Lists show the same ones over and over.
CONTENTS: Readings[bytes] = Readings(bytes, 12_000_000)

# An owner's facets as the store has them: owner, name, stamp, digest. All that goes into them.
Rows = tuple[tuple[bytes, str, int, bytes], ...]


def _facets(is_among: IsAmong) -> Any:
    table = tables.facet
    return (
        select(table.c.owner, table.c.name, table.c.digest_at, table.c.digest)
        .where(is_among(table.c.owner), table.c.slot == bindparam("slot", type_=SmallInteger))
        # As the key has them: nothing is to be sorted.
        .order_by(table.c.owner, table.c.slot, table.c.name, table.c.author)
    )


_FACETS = Prepared(_facets)


def read_facet_rows(
    connection: Connection, owners: Iterable[bytes], slot: Slot
) -> dict[bytes, Rows]:
    """Read the rows of each owner's facets."""
    rows: Any = _FACETS.rows(connection, owners, slot=int(slot))
    return {owner: tuple(some) for owner, some in groupby(rows, itemgetter(0))}


def facets_of(rows: Rows, bodies: Mapping[bytes, bytes]) -> dict[str, bytes]:
    """Facets by name, of several authors the last to speak; those that say "none" are left out."""
    newest: dict[str, tuple[int, bytes]] = {}
    for _, name, digest_at, digest in rows:
        newest[name] = max((digest_at, digest), newest.get(name, (digest_at, digest)))
    return {name: bodies[digest] for name, (_, digest) in newest.items() if digest in bodies}


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
        """Facets by name, with a person's word in the place of an event's."""
        found = facets_of(self.rows, bodies)
        return found if self.word is None else self.word.over(found)


NOTHING = Stated()


def read_stated(
    connection: Connection, entities: Iterable[bytes], slot: Slot
) -> dict[bytes, Stated]:
    """Read facets and edited values of datasets or jobs; those without any are left out."""
    wanted = list(entities)
    rows = read_facet_rows(connection, wanted, slot)
    found = {entity: Stated(its_rows) for entity, its_rows in rows.items()}
    for entity, word in read_words(connection, wanted).items():
        found[entity] = Stated(rows.get(entity, ()), word)
    return found


def read_bodies(connection: Connection, rows: Iterable[Rows]) -> dict[bytes, bytes]:
    """Read the facets behind rows."""
    return CONTENTS.read(connection, {digest for some in rows for _, _, _, digest in some})
