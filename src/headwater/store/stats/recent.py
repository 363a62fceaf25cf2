"""What came since a mark: jobs, datasets, and how many events; for announcing it to readers.

Whoever stored it, this process or another: it is read from the store. SQLite numbers events as they
come. On PostgreSQL writers overlap: events are read by the time of their receipt, those of the last
`OVERLAP` again, and what was read before is left out. An event that takes longer than that to be
committed is not announced.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from headwater.model.values.instant import SECOND
from headwater.store.stats.arrivals import read_place
from headwater.store.stats.touched import STATED, Touched, datasets_of, find_touched

# Microseconds between the receipt of an event and its commit, and between the clocks of servers.
OVERLAP = 3 * SECOND
# Events read at once; more are counted as that many.
MOST_EVENTS = 2_000
# Jobs, and datasets, that are named.
MOST_NAMED = 200
_MOST_SEEN = 20_000


class StreamMark(NamedTuple):
    """How far a store has been read: an event's number, or the time of its receipt."""

    generation: int
    schema: int
    at: int
    rejected_at: int


class Recent(NamedTuple):
    """What came; `touched` is None if that is too much to name."""

    mark: StreamMark
    events: int
    rejected: int
    touched: Touched | None


_COLUMNS = f"digest, {STATED} FROM event"
_BY_NUMBER = text(f"SELECT rowid, {_COLUMNS} WHERE rowid > :since ORDER BY rowid LIMIT :most")
_BY_RECEIPT = text(f"SELECT received_at, {_COLUMNS} WHERE received_at > :since LIMIT :most")
_REJECTED = text(
    "SELECT count(*), max(received_at) FROM (SELECT received_at FROM rejected"
    " WHERE received_at > :since ORDER BY received_at LIMIT :most) AS newest"
)
_LAST_REJECTED = text("SELECT coalesce(max(received_at), 0) FROM rejected")


class RecentReader:
    """Reads again and again what came; not for several threads at once."""

    def __init__(self) -> None:
        # Where the times of marks alone do not tell what was read: events, and their receipt.
        self._seen: dict[bytes, int] = {}

    def start(self, connection: Connection, time: int) -> StreamMark:
        """The mark of now."""
        self._seen.clear()
        place = read_place(connection)
        rejected_at = int(connection.execute(_LAST_REJECTED).scalar_one())
        if place.position is not None:
            return StreamMark(place.generation, place.schema, place.position, rejected_at)
        mark = StreamMark(place.generation, place.schema, time, rejected_at)
        self._unseen(connection, mark)
        return mark

    def read(self, connection: Connection, since: StreamMark) -> Recent | None:
        """What came since a mark; None if nobody can know: rows were removed, or renumbered."""
        place = read_place(connection)
        if since[:2] != place[:2] or len(self._seen) > _MOST_SEEN:
            return None
        at, rows = since.at, []
        if place.position is None:
            rows = self._unseen(connection, since)
            # Always later than before: what is read late was received earlier.
            at = max((at + 1, *(row[0] for row in rows))) if rows else at
        elif place.position < at:
            return None
        elif place.position > at:
            values = {"since": at, "most": MOST_EVENTS + 1}
            rows = [tuple(row) for row in connection.execute(_BY_NUMBER, values)]
            at = max((place.position, *(row[0] for row in rows)))
        rejected, rejected_at = self._rejected(connection, since.rejected_at)
        mark = StreamMark(place.generation, place.schema, at, rejected_at)
        return Recent(mark, min(len(rows), MOST_EVENTS), rejected, _touched(connection, rows))

    def _rejected(self, connection: Connection, since: int) -> tuple[int, int]:
        values = {"since": since, "most": MOST_EVENTS}
        count, last = connection.execute(_REJECTED, values).one()
        return int(count), since if last is None else int(last)

    def _unseen(self, connection: Connection, since: StreamMark) -> list[tuple[Any, ...]]:
        """Events that were received since shortly before a mark and not read yet."""
        start = since.at - OVERLAP
        self._seen = {digest: at for digest, at in self._seen.items() if at > start}
        most = len(self._seen) + MOST_EVENTS + 1
        found = connection.execute(_BY_RECEIPT, {"since": start, "most": most})
        rows = [tuple(row) for row in found if bytes(row.digest) not in self._seen]
        self._seen.update((bytes(row[1]), row[0]) for row in rows)
        return rows


def _touched(connection: Connection, rows: list[tuple[Any, ...]]) -> Touched | None:
    """What events are about, with the datasets of the jobs; None if that is too much to name."""
    if len(rows) > MOST_EVENTS:
        return None
    touched = find_touched(connection, (row[2:] for row in rows))
    if len(touched.jobs) > MOST_NAMED:
        return None
    datasets = touched.datasets | datasets_of(connection, touched.jobs)
    return Touched(touched.jobs, datasets) if len(datasets) <= MOST_NAMED else None
