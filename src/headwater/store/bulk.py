"""Writing many events at once, none of which must suffer for another."""

import logging

from headwater.errors import HeadwaterError
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.intake import reject
from headwater.model.project import project
from headwater.model.relations import EventRow
from headwater.store.packing import unpack
from headwater.store.writer import Ready, Writer

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
        log.warning("the store refuses one of many events, now tried singly: %s", error)
    writer.write_rows({"rejected": rows.get("rejected", ())})
    events = map(EventRow._make, rows.get("event", ()))
    return sum(_write_singly(writer, event) for event in events)


def _write_singly(writer: Writer, event: EventRow) -> bool:
    data = unpack(event.payload)
    try:
        writer.write([project(decode_event(data), event.received_at)])
        return False
    except HeadwaterError:
        raise
    except Exception as error:
        writer.write([_refusal(data, event.received_at, error)])
        return True


def _refusal(data: bytes, received_at: int, error: Exception) -> Facts:
    reason = str(error).partition("\n")[0] or type(error).__name__
    return reject(data, received_at, "store", "$", f"the store refuses it: {reason}")
