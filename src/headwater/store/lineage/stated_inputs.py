"""The inputs that jobs state for each of their outputs: facets of the outputs, by job."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from headwater.model.project.projection import NOBODY
from headwater.model.relations import Slot
from headwater.model.uses import StatedInputs
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import STATED_INPUTS


def _stated(is_among: IsAmong) -> Any:
    facet = tables.facet
    return select(facet.c.author, facet.c.owner, facet.c.digest).where(
        is_among(facet.c.owner),
        facet.c.slot == int(Slot.DATASET),
        facet.c.name == "lineage",
        facet.c.author != NOBODY,
    )


_STATED = Prepared(_stated)


def read_stated_inputs(connection: Connection, outputs: Iterable[bytes]) -> list[StatedInputs]:
    """What each job stated last, of each of some outputs."""
    rows = _STATED.rows(connection, outputs)
    inputs = STATED_INPUTS.read(connection, {digest for _, _, digest in rows})
    return sorted(
        StatedInputs(bytes(job), bytes(output), inputs[digest])
        for job, output, digest in rows
        if digest in inputs
    )
