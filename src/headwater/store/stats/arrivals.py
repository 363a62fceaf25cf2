"""What has arrived since a place in the order of arrival: for whoever follows the store.

An event's time says nothing about when it came. SQLite numbers rows as they come, one writer after
the other. On PostgreSQL writers overlap, and nothing numbers what they write: a place there tells
only the generation. (`recent.py` reads by the time of receipt: enough to announce what came, but
an event may be missed.)
"""

from typing import NamedTuple

from sqlalchemy import Connection, text

from headwater.store.stats.touched import STATED, Touched, find_touched


class ArrivalPosition(NamedTuple):
    """How far somebody has followed a store, within one of its generations."""

    generation: int
    schema: int
    # None: nothing is numbered.
    position: int | None

    def is_same_store(self, other: "ArrivalPosition") -> bool:
        """Whether nothing was removed or numbered anew between the two."""
        return self[:2] == other[:2]

    def precedes(self, other: "ArrivalPosition") -> bool:
        """Whether one can go on from here to there."""
        if self.position is None or other.position is None:
            return False
        return self.is_same_store(other) and self.position <= other.position


# A vacuum numbers rows anew, and changes the schema's version.
_PLACE = text(
    "SELECT (SELECT generation FROM store_state),"
    " (SELECT schema_version FROM pragma_schema_version),"
    " (SELECT coalesce(max(rowid), 0) FROM event)"
)
_GENERATION = text("SELECT generation FROM store_state")
_ARRIVALS = text(f"SELECT {STATED} FROM event WHERE rowid > :since ORDER BY rowid LIMIT :most")


def read_place(connection: Connection) -> ArrivalPosition:
    """Where the store is now; what is read after this is of then, or later."""
    if connection.dialect.name != "sqlite":
        return ArrivalPosition(int(connection.execute(_GENERATION).scalar_one()), 0, None)
    return ArrivalPosition(*map(int, connection.execute(_PLACE).one()))


def read_touched(connection: Connection, since: ArrivalPosition, most: int) -> Touched | None:
    """What arrived since a place is about; None if that is more than `most` events."""
    rows = connection.execute(_ARRIVALS, {"since": since.position, "most": most + 1}).all()
    if len(rows) > most:
        return None
    return find_touched(connection, rows)
