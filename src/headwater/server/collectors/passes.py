"""What does its work in passes by itself: a collector or a publisher, as its answers say it."""

from typing import Any

from fastapi import Request
from msgspec import Struct

from headwater.model.values.instant import format_instant, now
from headwater.store.collectors import (
    CollectorState,
    PassTable,
    read_collector,
    remove_collector,
    request_pass,
)
from headwater.store.engine import Connection

# Of examples.
TIMES = {
    "lastStartedAt": "2026-01-31T12:00:00.000000Z",
    "lastEndedAt": "2026-01-31T12:00:01.000000Z",
    "lastChangeAt": "2026-01-31T11:00:01.000000Z",
}


class Passes(Struct):
    """Who runs it, and when it began and ended its last pass."""

    name: str
    type: str
    state: str
    everySeconds: int
    holder: str | None
    lastStartedAt: str | None
    lastEndedAt: str | None
    lastChangeAt: str | None
    nextAt: str | None
    isRequested: bool


def describe_passes(state: CollectorState, at: int) -> dict[str, Any]:
    """The fields of `Passes`."""
    return {
        "name": state.name,
        "type": state.type,
        "state": state.describe(at),
        "everySeconds": state.every_seconds,
        "holder": state.holder if state.lease_until >= at else None,
        "lastStartedAt": _time(state.started_at),
        "lastEndedAt": _time(state.ended_at),
        "lastChangeAt": _time(state.changed_at),
        "nextAt": _time(state.next_at),
        "isRequested": state.is_requested,
    }


def request_now(request: Request, name: str, table: PassTable) -> CollectorState:
    """Ask for a pass now, of whoever runs it."""
    with request.app.state.writing.begin() as connection:
        request_pass(connection, name, now(), table)
        return read_collector(connection, name, table)


def forget(request: Request, connection: Connection, name: str, table: PassTable) -> CollectorState:
    """Remove one that nobody runs any more; what was known of it."""
    known = read_collector(connection, name, table)
    # Before another is taken: those for reading are few.
    connection.close()
    with request.app.state.writing.begin() as writing:
        remove_collector(writing, name, now(), table)
    return known


def _time(at: int | None) -> str | None:
    return None if at is None else format_instant(at)
