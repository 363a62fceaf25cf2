"""Who owns datasets and jobs: the ownership facet, with a person's edit in its place."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from headwater.model.aspects import OWNERSHIP
from headwater.model.relations import Slot
from headwater.store.read.facets import read_facet_fields


def read_owners(connection: Connection, ids: Iterable[bytes], slot: Slot) -> dict[bytes, list[str]]:
    """Read the names of owners, in their order; what nobody owns is left out."""
    found = {}
    for id, fields in read_facet_fields(connection, ids, slot, (OWNERSHIP,)).items():
        if names := owner_names(fields.by_facet.get(OWNERSHIP, {})):
            found[id] = names
    return found


def owner_names(facet: dict[str, Any]) -> list[str]:
    """The names in an ownership facet, each once; anything may be in it."""
    listed = facet.get("owners")
    names = (
        each.get("name")
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict)
    )
    return list(dict.fromkeys(name for name in names if isinstance(name, str) and name))
