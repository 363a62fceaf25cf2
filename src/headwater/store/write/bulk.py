"""Writing many events at once, none of which must suffer for another."""

import logging
from collections.abc import Sequence

from headwater.errors import HeadwaterError
from headwater.model.event import decode_event
from headwater.model.merge import Row
from headwater.model.project import project
from headwater.model.relations import EventRow
from headwater.store.write.packing import unpack
from headwater.store.write.refusals import keep_refused, refusal_of
from headwater.store.write.writer import LASTING, Ready, Writer

log = logging.getLogger(__name__)


def write_or_reject(writer: Writer, rows: Ready) -> int:
    """Store rows of many events; if the store refuses one, that one is kept as rejected.

    Returns how many were refused.
    """
    try:
        writer.write_rows(rows)
        return 0
    except HeadwaterError:
        raise
    except Exception as error:
        log.warning(
            "the store refused one event of a batch, which is now stored one by one: %s", error
        )
    # What came with one event may be counted on by others, here and in rows still to come.
    for name in ("rejected", "rejected_place", *LASTING):
        _write_what_can_be(writer, name, rows.get(name, ()))
    events = map(EventRow._make, rows.get("event", ()))
    return sum(_write_singly(writer, event) for event in events)


def _write_what_can_be(writer: Writer, name: str, rows: Sequence[Row]) -> None:
    if not _is_taken(writer, {name: rows}):
        for row in rows:
            _is_taken(writer, {name: [row]})


def _is_taken(writer: Writer, rows: Ready) -> bool:
    try:
        writer.write_rows(rows)
        return True
    except HeadwaterError:
        raise
    except Exception:
        return False


def _write_singly(writer: Writer, event: EventRow) -> bool:
    data = unpack(event.payload)
    try:
        writer.write([project(decode_event(data), event.received_at)])
        return False
    except HeadwaterError:
        raise
    except Exception as error:
        writer.write([keep_refused(data, event.received_at, "store", refusal_of(error))])
        return True
