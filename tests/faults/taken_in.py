"""What an ingest has taken in, next to what a store holds that was fed the same events directly."""

import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select

from headwater.model.intake import take_in
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.own_lineage import NAMESPACE
from headwater.store import tables
from headwater.store.write.packing import unpack
from tests.faults.stored import check_consistent, events_in
from tests.store.rows import Rows, differences, read_rows
from tests.store.stores import open_store, opened

_AT_ONCE = 500
_ANY_TIME = 2**62


class Refused(NamedTuple):
    """A row of what was rejected, without when and which."""

    source: str
    path: str
    reason: str
    size: int
    payload: bytes


def check_same_rows(url: str, events: Iterable[bytes], scratch: Path) -> None:
    """A store holds what these events state, each once, and what the ingest tells of itself."""
    check_consistent(url)
    found, own = _read_with_own(url)
    with open_store(f"sqlite:///{scratch / 'expected.db'}") as expected:
        expected.empty()
        wanted = iter([*events, *own])
        while some := list(islice(wanted, _AT_ONCE)):
            expected.writer.write([take_in(event, 0, _ANY_TIME, "").facts for event in some])
        meant = expected.rows()
    # What is rejected is kept with where it came from.
    for relation in ("rejected", "rejected_place"):
        found[relation] = meant[relation] = set()
    assert differences(found, meant) == {}


def _read_with_own(url: str) -> tuple[Rows, set[bytes]]:
    """All rows, and the events among them that an ingest, which may be running, told of itself."""
    with opened(url) as engine:
        while True:
            own = own_events(url)
            rows = read_rows(engine)
            if own == own_events(url):
                return rows, own


def own_events(url: str) -> set[bytes]:
    """The events of the ingest's own jobs."""
    return {event for event in events_in(url) if _is_own(event)}


def foreign_events(url: str) -> set[bytes]:
    """The events that were taken in."""
    return {event for event in events_in(url) if not _is_own(event)}


def own_states(url: str) -> list[str]:
    """What the ingest told of itself, in the order of its times."""
    events: list[dict[str, Any]] = [json.loads(event) for event in own_events(url)]
    return [event["eventType"] for event in sorted(events, key=lambda event: event["eventTime"])]


def lake_events(data: Path) -> set[bytes]:
    """What the lake of a data folder has of others than the ingest itself."""
    events = (event.payload for event in Lake(data / "lake").read())
    return {event for event in events if not _is_own(event)}


def _is_own(event: bytes) -> bool:
    return bool(json.loads(event).get("job", {}).get("namespace") == NAMESPACE)


def read_rejected(url: str, source: str = "") -> dict[str, Refused]:
    """What was rejected, of sources that begin so, by where it came from."""
    table = tables.rejected
    query = select(*(table.c[name] for name in Refused._fields))
    with opened(url) as engine, engine.connect() as connection:
        rows = [Refused(*row) for row in connection.execute(query)]
    return {
        row.source: row._replace(payload=unpack(row.payload))
        for row in rows
        if row.source.startswith(source)
    }


def read_places(url: str) -> set[str]:
    """Where all of what was rejected stood, also what is equal to something else."""
    with opened(url) as engine, engine.connect() as connection:
        return set(connection.scalars(select(tables.rejected_place.c.source)))


def read_offsets(url: str, name: str, topic: str) -> dict[int, int]:
    """How far the store takes a topic to be, by partition."""
    table = tables.position
    query = select(table.c.partition, table.c.value).where(table.c.source == f"ingest {name}")
    with opened(url) as engine, engine.connect() as connection:
        found = {place.rpartition("/"): value for place, value in connection.execute(query)}
    return {int(number): value for (of, _, number), value in found.items() if of == topic}
