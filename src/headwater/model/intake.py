"""From bytes to facts, whatever came: an event's own, or those of its rejection."""

from typing import NamedTuple

from headwater.errors import InvalidEvent
from headwater.model import instant
from headwater.model.event import Event, Kind, decode_event
from headwater.model.facts import Facts
from headwater.model.ids import digest
from headwater.model.json_text import storable
from headwater.model.project import project
from headwater.model.relations import Rejected

# More of a refused body is of no use; its full size is stored as a number.
_KEPT_BYTES = 1_000_000


class Intake(NamedTuple):
    """The facts to store, and why they are only those of a rejection, if so."""

    facts: Facts
    error: InvalidEvent | None = None


def take_in(data: bytes, received_at: int, max_ahead: int, source: str) -> Intake:
    """Turn one event's bytes into facts; nothing is raised for what the bytes say."""
    try:
        event = decode_event(data)
        check_intake(event, received_at, max_ahead)
        return Intake(project(event, received_at))
    except InvalidEvent as error:
        return Intake(reject(data, received_at, source, error.path, error.reason), error)


def check_intake(event: Event, received_at: int, max_ahead: int) -> None:
    """Refuse what an event from outside must not be."""
    if event.kind is Kind.EDIT:
        raise InvalidEvent("$.edit", "edits are made through the API, not posted as events")
    if event.at > received_at + max_ahead:
        raise InvalidEvent(
            "$.eventTime",
            f"more than {max_ahead // instant.SECOND:,} seconds ahead of the receiver's clock; "
            "check the sender's clock",
        )


def reject(
    data: bytes, received_at: int, source: str, path: str, reason: str, size: int | None = None
) -> Facts:
    """Keep what cannot be taken in, with its reason; `size` where only the start is at hand."""
    facts = Facts()
    size = len(data) if size is None else size
    why = (storable(path), storable(reason))
    row = Rejected(digest(data), received_at, source, *why, size, data[:_KEPT_BYTES])
    facts.add("rejected", row)
    return facts
