"""Who owns anything, and what somebody owns: from facets, with people's edits over them."""

from sqlalchemy import Connection, select

from headwater.model.aspects import OWNERSHIP
from headwater.model.relations import Slot
from headwater.model.search_text import TermSource
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.labels.stating import find_stating, read_stated_facets
from headwater.store.read.owners import owner_names, read_owners
from headwater.store.search.results import SearchHit, read_found, read_times
from headwater.store.search.scope import read_gone

_KINDS = ((Slot.DATASET, TermSource.DATASET), (Slot.JOB, TermSource.JOB))


def list_owners(connection: Connection, page: Page) -> tuple[list[str], int]:
    """List by name those who own anything, or did until an edit gave it to another."""
    table = tables.edit_value
    query = select(table.c.digest).where(table.c.aspect == OWNERSHIP).distinct()
    edited = FIELDS.read(connection, connection.execute(query).scalars())
    stated = read_stated_facets(connection, OWNERSHIP)
    names = sorted({name for _, facet in (*edited.items(), *stated) for name in owner_names(facet)})
    return names[page.offset : page.offset + page.limit], len(names)


def list_owned(connection: Connection, owner: str, page: Page) -> tuple[list[SearchHit], int]:
    """List the datasets and jobs that somebody owns, by name."""
    candidates = find_stating(connection, OWNERSHIP, lambda facet: owner in owner_names(facet))
    candidates = (candidates | _edited(connection, owner)) - read_gone(connection)
    found: list[SearchHit] = []
    for slot, kind in _KINDS:
        owners = read_owners(connection, candidates, slot)
        owned = [id for id, names in owners.items() if owner in names]
        found += read_found(connection, owned, [kind]).values()
    found.sort(key=lambda asset: (asset.name, asset.namespace, asset.kind))
    shown = found[page.offset : page.offset + page.limit]
    times = read_times(connection, shown)
    return [asset._replace(updated_at=times.get(asset.id)) for asset in shown], len(found)


def _edited(connection: Connection, owner: str) -> set[bytes]:
    """What an edit gives to an owner."""
    table = tables.edit_value
    query = select(table.c.entity, table.c.digest).where(table.c.aspect == OWNERSHIP)
    rows = connection.execute(query).all()
    facets = FIELDS.read(connection, (digest for _, digest in rows))
    return {
        bytes(entity) for entity, digest in rows if owner in owner_names(facets.get(digest, {}))
    }
