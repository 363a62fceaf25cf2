"""From bytes to facts, whatever came: an event's own, or those of its rejection."""

from typing import NamedTuple

from headwater.errors import InvalidEvent
from headwater.model.event import Event, Kind, decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.model.relations import Rejected, RejectedPlace
from headwater.model.values import instant
from headwater.model.values.ids import digest
from headwater.model.values.json_text import storable

# Of one event, those that only its facets name included; each is a few rows to store.
MAX_DATASETS = 20_000
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
        facts = project(event, received_at)
        _check_datasets(len(facts.names))
        return Intake(facts)
    except InvalidEvent as error:
        # From here on a value: by its traceback it would keep the frames below, the body in them,
        # and whoever holds it, in a circle that only a collection ends.
        error.__traceback__ = error.__context__ = None
        return Intake(reject(data, received_at, source, error.path, error.reason), error)


def check_intake(event: Event, received_at: int, max_ahead: int) -> None:
    """Refuse what an event from outside must not be."""
    if event.kind is Kind.EDIT:
        raise InvalidEvent("$.edit", "edits are made through the API, not posted as events")
    _check_datasets(len(event.inputs) + len(event.outputs))
    if event.at > received_at + max_ahead:
        raise InvalidEvent(
            "$.eventTime",
            f"more than {max_ahead // instant.SECOND:,} seconds ahead of the receiver's clock; "
            "check the sender's clock",
        )


def _check_datasets(count: int) -> None:
    if count > MAX_DATASETS:
        raise InvalidEvent(
            "$.inputs",
            f"names more than {MAX_DATASETS:,} datasets; send them in several events of the run",
        )


def reject(
    data: bytes, received_at: int, source: str, path: str, reason: str, size: int | None = None
) -> Facts:
    """Keep what cannot be taken in, with its reason; `size` where only the start is at hand."""
    size = len(data) if size is None else size
    why = (storable(path), storable(reason))
    return keep_rejected(
        Rejected(digest(data), received_at, source, *why, size, data[:_KEPT_BYTES])
    )


def keep_rejected(row: Rejected) -> Facts:
    """The facts of a rejection: what it was, once, and each place it stood in."""
    facts = Facts()
    facts.add("rejected", row)
    facts.add("rejected_place", RejectedPlace(row.digest, row.source, row.received_at))
    return facts
