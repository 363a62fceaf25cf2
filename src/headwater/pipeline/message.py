"""A message that a feed has read: its bytes, and where it stood."""

from typing import NamedTuple


class Message(NamedTuple):
    """What a source gave: an event, most likely. `place` is where it was, in parts."""

    data: bytes | None
    received_at: int
    place: tuple[object, ...]
    error: str | None = None
    """Why the source could not read it, if so."""
    size: int | None = None
    """All of it, where `data` is only the beginning."""
    digest: bytes | None = None
    """The id of an event that was taken in before."""


class Reached(NamedTuple):
    """How far a task came in a part of its source, of which only the task could know."""

    value: int
    incarnation: str
    behind: int | None
    """By how many milliseconds what it read last is older than the newest; None: nothing read."""
