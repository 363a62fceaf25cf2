"""Reading when runs sent events, by minute: what shows restarts, and when nothing came."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, func, literal_column, select

from headwater.model.values.instant import MINUTE
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.stats.runs_in_range import TimeRange

_SINCE = bindparam("since", type_=BigInteger)
_UNTIL = bindparam("until", type_=BigInteger)


class Beats(NamedTuple):
    """The events of one type that a run sent within a minute; `type` is an EventType."""

    run: bytes
    type: int
    events: int
    first: int
    last: int


def _beats(is_among: IsAmong) -> Any:
    event = tables.event
    minute = event.c.at // literal_column(str(MINUTE), BigInteger)
    return (
        select(event.c.run, event.c.type, func.count(), func.min(event.c.at), func.max(event.c.at))
        .where(is_among(event.c.run), event.c.at >= _SINCE, event.c.at < _UNTIL)
        .group_by(event.c.run, minute, event.c.type)
    )


def _last_before(is_among: IsAmong) -> Any:
    """The last event of each run before a time: an index leads there, however many there were."""
    run, event = tables.run, tables.event
    last = (
        select(event.c[name])
        .where(event.c.run == run.c.id, event.c.at < _SINCE)
        .order_by(event.c.at.desc(), event.c.type.desc())
        .limit(1)
        .correlate(run)
        .scalar_subquery()
        for name in ("type", "at")
    )
    return select(run.c.id, *last).where(is_among(run.c.id))


_BEATS = Prepared(_beats)
_LAST_BEFORE = Prepared(_last_before)


def read_beats(connection: Connection, runs: Iterable[bytes], interval: TimeRange) -> list[Beats]:
    """Read the events of runs within an interval, in the order of their times."""
    rows = _BEATS.rows(connection, runs, since=interval.since, until=interval.until)
    beats = [Beats(bytes(run), *rest) for run, *rest in rows]
    return sorted(beats, key=lambda beat: (beat.first, beat.last, beat.type, beat.run))


def read_last_before(connection: Connection, runs: Iterable[bytes], since: int) -> Beats | None:
    """Read the last event of any of some runs before a time, if the store has one."""
    rows = _LAST_BEFORE.rows(connection, runs, since=since)
    last = max(((at, kind, bytes(run)) for run, kind, at in rows if at is not None), default=None)
    return None if last is None else Beats(last[2], last[1], 1, last[0], last[0])
