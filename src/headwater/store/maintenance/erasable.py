"""What events that are to be erased state, and what the others state of the same rows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, Engine, select, text, tuple_

from headwater.errors import Busy, InvalidEvent
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.merge import CATALOG, Merged, Row
from headwater.model.project import project
from headwater.model.relations import Sample
from headwater.model.values.instant import MINUTE
from headwater.store import tables
from headwater.store.maintenance.replacement import AT_ONCE, Kept
from headwater.store.write.packing import unpack

# Removed by other means than taking values out of rows.
_APART = frozenset(("event", "content", "rejected", "rejected_place"))
_HOUR = 60
WIDTHS = {name: len(relation.key) for name, relation in CATALOG.items()}


@dataclass
class StatedRows:
    """What some events state, merged; bodies of content by digest."""

    pruned_before: int | None
    """Minutes of samples from before became hours."""
    rows: Merged = field(default_factory=Merged)
    contents: dict[bytes, bytes] = field(default_factory=dict)
    not_understood: int = 0

    def rows_of(self, facts: Facts) -> Iterator[tuple[str, Row]]:
        for name, rows in facts.all_rows().items():
            if name in _APART:
                continue
            for row in rows:
                yield name, tuple(row)
                if name == "sample" and (hour := self._hour_of(Sample._make(row))) is not None:
                    yield name, hour

    def _hour_of(self, row: Sample) -> Row | None:
        if self.pruned_before is None or row.minute >= self.pruned_before // MINUTE:
            return None
        return tuple(row._replace(minute=row.minute // _HOUR * _HOUR + _HOUR - 1))

    def add(self, payload: bytes) -> None:
        """Add what an event states, whatever it is."""
        if (facts := self._read(payload)) is not None:
            for name, row in self.rows_of(facts):
                self.rows.add_rows(name, (row,))
            self.contents.update((digest, b"") for digest in facts.contents)

    def add_shared(self, payload: bytes, gone: "StatedRows") -> None:
        """Add what an event states of rows, and as content, that others state as well."""
        if (facts := self._read(payload)) is None:
            return
        referred: set[object] = set()
        for name, row in self.rows_of(facts):
            if row[: WIDTHS[name]] in gone.rows.rows[name]:
                self.rows.add_rows(name, (row,))
                referred.update(row)
        for digest, facet in facts.contents.items():
            if digest in referred or digest in gone.contents:
                self.contents[digest] = facet.body

    def _read(self, payload: bytes) -> Facts | None:
        try:
            return project(decode_event(payload))
        except InvalidEvent:
            # Another version has taken it in: what it states to this one is nothing.
            self.not_understood += 1
            return None


def read_events(engine: Engine) -> Iterator[Kept]:
    """Every event of a store, in the order of their keys; what comes meanwhile may be missing."""
    table = tables.event
    key = (table.c.at, table.c.digest)
    query = select(*key, table.c.received_at, table.c.payload).order_by(*key).limit(AT_ONCE)
    page = query
    while True:
        with engine.connect() as connection:
            rows = connection.execute(page).all()
        yield from (Kept(row.at, row.digest, row.received_at, unpack(row.payload)) for row in rows)
        if len(rows) < AT_ONCE:
            return
        page = query.where(tuple_(*key) > tuple_(rows[-1].at, rows[-1].digest))


# Rows of SQLite are numbered as they come. Those of PostgreSQL bear the transaction that wrote
# them: whatever was not finished at the mark has that number or a later one.
_MARKS = {
    "sqlite": "SELECT coalesce(max(rowid), 0) FROM event",
    "postgresql": "SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"
    " % 4294967296",
}
_SINCE = {
    "sqlite": "SELECT payload FROM event WHERE rowid > :mark",
    "postgresql": "SELECT payload FROM event"
    " WHERE age(xmin) <= age(CAST(CAST(:mark AS text) AS xid))",
}


class ArrivalMark(NamedTuple):
    generation: int
    mark: int


def mark_arrivals(connection: Connection) -> ArrivalMark:
    """A mark by which `read_arrivals` knows what came after it."""
    generation = connection.execute(select(tables.store_state.c.generation)).scalar_one()
    mark = connection.execute(text(_MARKS[connection.dialect.name])).scalar_one()
    return ArrivalMark(int(generation), int(mark))


def read_arrivals(connection: Connection, since: ArrivalMark) -> Iterator[bytes]:
    """The events that came after a mark, or were on their way; some from before it may be among
    them. While nobody writes, these are all."""
    if mark_arrivals(connection).generation != since.generation:
        # Rows that were removed may have given their numbers to others.
        raise Busy("the store was pruned or replaced meanwhile; run it again")
    query = text(_SINCE[connection.dialect.name])
    for (payload,) in connection.execute(query, {"mark": since.mark}):
        yield unpack(payload)


def read_pruned_before(connection: Connection) -> int | None:
    found = connection.execute(select(tables.store_state.c.pruned_before)).scalar()
    return None if found is None else int(found)
