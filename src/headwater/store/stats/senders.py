"""Who sends events: producers with their last event, how many they send, and what was rejected.

Read from a bounded number of events, so that the cost does not grow with history: the newest ones,
and a few of each part of the week before them, which show who has stopped.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from headwater.model import facets
from headwater.model.event import Kind
from headwater.model.values.instant import DAY, MINUTE
from headwater.store.write.packing import unpack, unpacked_size

# Events that are read of the newest, and of each part of the week.
MOST_EVENTS = 1_000
_MOST_OF_PART = 10
_PART = 240 * MINUTE
_WEEK = 7 * DAY
MOST_REJECTED = 500
# Of one event that is opened, as it is stored and unpacked: a megabyte takes milliseconds.
_MOST_BYTES = 300_000
_MOST_CHARACTERS = 500

_OPENED = f"CASE WHEN length(payload) <= {_MOST_BYTES} THEN payload END"
_EVENTS = text(
    f"SELECT at, received_at, {_OPENED} FROM event"
    f" WHERE at >= :since AND at < :until AND kind <> {int(Kind.EDIT)}"
    " ORDER BY at DESC, digest DESC LIMIT :most"
)
_REJECTED = text(
    f"SELECT received_at, reason, {_OPENED} FROM rejected"
    " WHERE received_at >= :since ORDER BY received_at DESC LIMIT :most"
)
_BEGINNING, _END = -(2**62), 2**62


@dataclass
class SenderActivity:
    """A producer; none is named for what has none, or could not be read.

    `events` are those since `SendersFound.since`; times are of events, and of what was rejected.
    """

    producer: str
    events: int = 0
    last_event: int | None = None
    last_received: int | None = None
    namespaces: set[str] = field(default_factory=set)
    rejected: int = 0
    last_rejected: int | None = None
    last_reason: str = ""


class SendersFound(NamedTuple):
    """Producers by name; how many events were read, and since when those are all there are."""

    by_producer: dict[str, SenderActivity]
    since: int
    read: int


class _InNamespace(msgspec.Struct):
    namespace: Any = None


class _Sent(msgspec.Struct):
    """What of an event shows its sender; anything may be in it."""

    producer: Any = None
    job: _InNamespace | None = None
    dataset: _InNamespace | None = None


_SENT = facets.decoder(_Sent)


def read_senders(connection: Connection, now: int) -> SendersFound:
    """Read who sent the newest events, and some of the week before."""
    found: dict[str, SenderActivity] = {}
    newest = _read(connection, _BEGINNING, _END, MOST_EVENTS)
    is_all = len(newest) < MOST_EVENTS
    since = now - DAY if is_all else max(now - DAY, newest[-1][0])
    read = 0
    for at, received_at, payload in (
        *newest,
        *(() if is_all else _of_week(connection, newest[-1][0], now)),
    ):
        read += 1
        sender = _sender_of(found, payload)
        sender.events += at >= since
        sender.last_event = max(at, sender.last_event or at)
        sender.last_received = max(received_at, sender.last_received or received_at)
    _count_rejected(connection, found, now - DAY)
    return SendersFound(found, since, read)


def _of_week(connection: Connection, until: int, now: int) -> Iterator[tuple[int, int, Any]]:
    """A few events of each part of the week before a time."""
    while until > now - _WEEK:
        yield from _read(connection, until - _PART, until, _MOST_OF_PART)
        until -= _PART


def _read(connection: Connection, since: int, until: int, most: int) -> list[Any]:
    values = {"since": since, "until": until, "most": most}
    return list(connection.execute(_EVENTS, values))


def _count_rejected(connection: Connection, found: dict[str, SenderActivity], since: int) -> None:
    rows = connection.execute(_REJECTED, {"since": since, "most": MOST_REJECTED})
    for received_at, reason, payload in rows:
        sender = _sender_of(found, payload)
        sender.rejected += 1
        if sender.last_rejected is None:
            sender.last_rejected, sender.last_reason = received_at, reason


def _sender_of(found: dict[str, SenderActivity], payload: bytes | None) -> SenderActivity:
    """The sender of an event, which is noted with the namespace of the event's job."""
    is_read = payload is not None and 0 <= unpacked_size(payload) <= _MOST_BYTES
    sent = facets.read(_SENT, unpack(payload)) if payload is not None and is_read else None
    producer = sent.producer if sent and isinstance(sent.producer, str) else ""
    sender = found.setdefault(
        producer[:_MOST_CHARACTERS], SenderActivity(producer[:_MOST_CHARACTERS])
    )
    for named in (sent.job, sent.dataset) if sent else ():
        if named and isinstance(named.namespace, str):
            sender.namespaces.add(named.namespace[:_MOST_CHARACTERS])
    return sender
