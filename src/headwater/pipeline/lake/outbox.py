"""Carrying events on from a store into the lake."""

from collections.abc import Callable, Sequence

from headwater.pipeline.lake.adding import adding
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.write.outbox import (
    Waiting,
    count_waiting,
    read_waiting,
    remove_carried,
)

# One file a day is written of them: many at once are few files.
EVENTS_AT_ONCE = 2_000
BYTES_AT_ONCE = 16_000_000


def flush(engine: Engine, lake: Lake, progress: Callable[[int], None] = lambda done: None) -> int:
    """Write to the lake what waits for it in a store; gives how many events that were.

    Their notes are removed once they are on disk. Interrupted between, they are written again, and
    so they are by two at once: readers of the lake see them once.
    """
    done = 0
    is_more = True
    with answering():
        while is_more:
            count, is_more = _flush_part(engine, lake)
            done += count
            progress(done)
    return done


def _flush_part(engine: Engine, lake: Lake) -> tuple[int, bool]:
    """Carry on as many as are held in memory at once; returns whether more may wait."""
    with engine.connect() as connection:
        if not count_waiting(connection):
            return 0, False
    with adding(lake.folder):
        with engine.connect() as connection:
            waiting = read_waiting(connection, EVENTS_AT_ONCE, BYTES_AT_ONCE)
        events = _events(waiting)
        lake.add(events)
        with engine.begin() as connection:
            remove_carried(connection, (each.place for each in waiting))
    return len(events), _is_full(waiting)


def _events(waiting: Sequence[Waiting]) -> list[LakeEvent]:
    return [
        LakeEvent(each.digest, each.at, *each.event) for each in waiting if each.event is not None
    ]


def _is_full(waiting: Sequence[Waiting]) -> bool:
    """Whether more may wait. Less than could be read was all there was: what has come since
    is left for the next time, or it would be carried on by the handful as long as any comes."""
    size = sum(each.size for each in waiting)
    return len(waiting) == EVENTS_AT_ONCE or size >= BYTES_AT_ONCE
