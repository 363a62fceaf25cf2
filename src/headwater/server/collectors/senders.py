"""`/senders`: who sends events, when last and how many, and what of it was rejected."""

from fastapi import APIRouter, Response
from msgspec import Struct

from headwater.model.values.instant import MINUTE, format_instant, now
from headwater.server.http.parameters import ReadConnection, json_response
from headwater.server.openapi.document import answers
from headwater.store.stats.senders import SenderActivity, SendersFound, read_senders

router = APIRouter(tags=["events"])

# Producers of an answer; a sender that makes up a new name for each event is not listed whole.
MOST_SENDERS = 200
_MOST_NAMESPACES = 5
_HOUR = 60 * MINUTE


class SenderShape(Struct):
    """A producer, with some namespaces of its jobs. Without a name it is all that names no
    producer or could not be read. `rejected` is of the last day."""

    producer: str
    namespaces: list[str]
    namespaceCount: int
    events: int
    perHour: float
    lastEventAt: str | None
    lastReceivedAt: str | None
    rejected: int
    lastRejectedAt: str | None
    lastReason: str | None


class SenderList(Struct):
    """SendersFound, the newest first. `events` are counted since `since`, a day ago at most; of the
    week before that only some events are `read`."""

    senders: list[SenderShape]
    totalCount: int
    since: str
    read: int


_AT = "2026-01-31T12:00:00.000000Z"
_EXAMPLE = SenderList(
    [
        SenderShape(
            producer="https://example.org/scheduler",
            namespaces=["scheduler"],
            namespaceCount=1,
            events=240,
            perHour=10.0,
            lastEventAt=_AT,
            lastReceivedAt=_AT,
            rejected=0,
            lastRejectedAt=None,
            lastReason=None,
        )
    ],
    1,
    "2026-01-30T12:00:00.000000Z",
    240,
)


@router.get("/senders", responses=answers(SenderList, _EXAMPLE))
def get_senders(connection: ReadConnection) -> Response:
    """List who sends events: from the newest 1,000, and some of the week before them."""
    time = now()
    found = read_senders(connection, time)
    senders = sorted(
        found.by_producer.values(),
        key=lambda sender: (-(sender.last_event or sender.last_rejected or 0), sender.producer),
    )
    shown = [_shape(sender, found, time) for sender in senders[:MOST_SENDERS]]
    since = format_instant(found.since)
    return json_response(SenderList(shown, len(senders), since, found.read))


def _shape(sender: SenderActivity, found: SendersFound, time: int) -> SenderShape:
    # Over less than a minute there is no rate.
    hours = max(time - found.since, MINUTE) / _HOUR
    return SenderShape(
        sender.producer,
        sorted(sender.namespaces)[:_MOST_NAMESPACES],
        len(sender.namespaces),
        sender.events,
        round(sender.events / hours, 1),
        _instant(sender.last_event),
        _instant(sender.last_received),
        sender.rejected,
        _instant(sender.last_rejected),
        sender.last_reason or None,
    )


def _instant(time: int | None) -> str | None:
    return None if time is None else format_instant(time)
