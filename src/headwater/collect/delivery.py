"""Delivering what a collector finds: in batches, each event with its result."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from headwater.collect import Collected, Collector, Resumable
from headwater.errors import HeadwaterError

_MOST_EVENTS = 100
# Well below what a server takes at once, and little to send again after an interruption.
_MOST_BYTES = 4_000_000

# Sends events at once; for each None, or why it was refused.
SendEvents = Callable[[Sequence[bytes]], Sequence[str | None]]
# Called with each event and None, or why it was refused.
RecordResult = Callable[[Collected, str | None], None]
# Called with the last event of each batch that was answered.
Show = Callable[[Collected], None]


def deliver(
    collector: Collector,
    send: SendEvents,
    record: RecordResult,
    show: Show = lambda event: None,
    is_watching: bool = False,
) -> None:
    """Send all that a collector finds now; what is unfinished is left for the next time.

    Where there is no next time it is sent, or refused, as it is.
    """
    for batch in _batches(collector.collect()):
        found = [event for event in batch if not (is_watching and event.is_unfinished)]
        sent = [event.data for event in found if event.error is None]
        reasons = iter(send(sent) if sent else ())
        for event in found:
            record(event, event.error or next(reasons))
        if isinstance(collector, Resumable):
            collector.acknowledge(found)
        show(batch[-1])


def _batches(events: Iterable[Collected]) -> Iterator[list[Collected]]:
    """Batches; of one source each where it is known how much of that was read, for progress."""
    batch: list[Collected] = []
    size = 0
    try:
        for event in events:
            is_full = len(batch) == _MOST_EVENTS or size + len(event.data) > _MOST_BYTES
            is_next = event.share is not None and bool(batch) and batch[-1].source != event.source
            if batch and (is_full or is_next):
                yield batch
                batch, size = [], 0
            batch.append(event)
            size += len(event.data)
    except HeadwaterError:
        # What was found before it failed is found.
        if batch:
            yield batch
        raise
    if batch:
        yield batch
