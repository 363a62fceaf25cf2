"""Taking in again what was rejected: by another version, or now that its time has come."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from headwater.errors import HeadwaterError
from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.values.instant import now
from headwater.store.engine import Engine
from headwater.store.read.rejected import read_rejected, remove_rejected
from headwater.store.write.writer import Writer, open_writer

log = logging.getLogger(__name__)

AT_ONCE = 500


@dataclass
class Replayed:
    """What became of what was rejected."""

    taken_in: int = 0
    still_rejected: int = 0
    cut_short: int = 0
    """Only its beginning was kept: it has to come from its source again."""


def replay(
    engine: Engine,
    max_ahead: int,
    *,
    source: str = "",
    notes_for_lake: bool,
    progress: Callable[[int], None] = lambda done: None,
) -> Replayed:
    """Try each once more, those whose source begins so; what is taken in is no longer rejected.

    First stored, then removed from what is rejected: interrupted, it is tried again, and nothing
    is counted twice.
    """
    result = Replayed()
    after = b""
    with closing(open_writer(engine, notes_for_lake)) as writer:
        while rows := read_rejected(engine, after, source, AT_ONCE):
            stated: dict[bytes, Facts] = {}
            for row in rows:
                if len(row.payload) < row.size:
                    result.cut_short += 1
                    continue
                intake = take_in(row.payload, now(), max_ahead, row.source)
                if intake.error is not None:
                    result.still_rejected += 1
                    continue
                stated[row.digest] = intake.facts
            gone = _write(writer, stated)
            remove_rejected(engine, gone)
            result.taken_in += len(gone)
            result.still_rejected += len(stated) - len(gone)
            after = rows[-1].digest
            progress(result.taken_in + result.still_rejected + result.cut_short)
    return result


def _write(writer: Writer, stated: Mapping[bytes, Facts]) -> list[bytes]:
    """Store what events state, all at once or else singly; gives those that the store took."""
    if _is_taken(writer, [*stated.values()]):
        return [*stated]
    return [digest for digest, facts in stated.items() if _is_taken(writer, [facts])]


def _is_taken(writer: Writer, facts: Sequence[Facts]) -> bool:
    try:
        writer.write(facts)
        return True
    except HeadwaterError:
        raise
    except Exception as error:
        log.warning("the store refuses %d events, or one of them: %s", len(facts), error)
        return False
