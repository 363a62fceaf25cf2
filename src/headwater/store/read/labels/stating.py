"""Whose facets or edits state something: the few to look at, of all there are."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, select

from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.read.content_cache import FIELDS

Fields = dict[str, Any]

_OWNERS = Prepared(
    lambda is_among: select(tables.facet.c.owner, tables.facet.c.name).where(
        tables.IS_WORDED, is_among(tables.facet.c.digest)
    )
)


def read_stated_facets(connection: Connection, name: str) -> Iterator[tuple[bytes, Fields]]:
    """Read the different values of a facet of datasets and jobs, each under its digest."""
    facet = tables.facet
    query = select(facet.c.digest).where(tables.IS_WORDED, facet.c.name == name).distinct()
    yield from FIELDS.read(connection, connection.execute(query).scalars()).items()


def find_stating(
    connection: Connection, name: str, is_requested: Callable[[Fields], bool]
) -> set[bytes]:
    """Find the entities of which a facet, perhaps an old one, states what is requested."""
    found = read_stated_facets(connection, name)
    digests = [digest for digest, fields in found if is_requested(fields)]
    rows = _OWNERS.rows(connection, digests)
    return {bytes(owner) for owner, facet in rows if facet == name}
