"""A record of a file as what was collected: it is an OpenLineage event already, or none."""

from headwater.collect import Collected
from headwater.model.records import Record, may_go_on


def translate(source: str, record: Record, is_incomplete: bool = False) -> Collected:
    """Name the place of a record; `is_incomplete` is that its whole file is no JSON yet."""
    is_unfinished = record.is_unfinished or is_incomplete
    return Collected(record.data, source, record.line, record.element, record.error, is_unfinished)


def is_started_only(first: Record) -> bool:
    """Whether a file holds the beginning of one event over many lines, by its first record."""
    return first.error is not None and may_go_on(first.data)
