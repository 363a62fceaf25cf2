"""Stamps order the values of a `latest` column: by event time, then by how final the event is."""

from headwater.model.event import EventType

_RANK = {
    EventType.START: 0,
    EventType.RUNNING: 1,
    EventType.OTHER: 2,
    EventType.COMPLETE: 3,
    EventType.ABORT: 3,
    EventType.FAIL: 3,
}


def stamp_of(at: int, event_type: EventType) -> int:
    """One number for both parts, so that every engine compares stamps alike and fast."""
    return at << 3 | _RANK[event_type]


def time_of(stamp: int) -> int:
    """The event time of a stamp."""
    return stamp >> 3
