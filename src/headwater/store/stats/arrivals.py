"""What has arrived since a place in the order of arrival: for whoever follows the store.

An event's time says nothing about when it came. SQLite numbers rows as they come, one writer after
the other. On PostgreSQL writers overlap, and nothing numbers what they write: there is no place.
"""

from typing import NamedTuple

from sqlalchemy import Connection, text

from headwater.store.stats.touched import STATED, Touched, find_touched


class ArrivalPosition(NamedTuple):
    """How far somebody has followed a store, within one of its generations."""

    generation: int
    schema: int
    position: int

    def precedes(self, other: "ArrivalPosition") -> bool:
        """Whether one can go on from here to there: nothing was removed or numbered anew."""
        return self[:2] == other[:2] and self.position <= other.position


# A vacuum numbers rows anew, and changes the schema's version.
_PLACE = text(
    "SELECT (SELECT generation FROM store_state),"
    " (SELECT schema_version FROM pragma_schema_version),"
    " (SELECT coalesce(max(rowid), 0) FROM event)"
)
_ARRIVALS = text(f"SELECT {STATED} FROM event WHERE rowid > :since ORDER BY rowid LIMIT :most")


def read_place(connection: Connection) -> ArrivalPosition | None:
    """Where the store is now; what is read after this is of then, or later. None: unknown."""
    if connection.dialect.name != "sqlite":
        return None
    return ArrivalPosition(*map(int, connection.execute(_PLACE).one()))


def read_touched(connection: Connection, since: ArrivalPosition, most: int) -> Touched | None:
    """What arrived since a place is about; None if that is more than `most` events."""
    rows = connection.execute(_ARRIVALS, {"since": since.position, "most": most + 1}).all()
    if len(rows) > most:
        return None
    return find_touched(connection, rows)
