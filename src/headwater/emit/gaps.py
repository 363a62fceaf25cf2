"""What a producer did not understand, with the run that has it: lineage that may be incomplete."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from headwater.emit.events import Producer

FACET = "headwater_gaps"

GapKind = Literal["input", "output", "operator", "expression", "other"]


class GapEntry(NamedTuple):
    """Something that was not understood: its name in the system, and one plain sentence."""

    kind: GapKind
    name: str
    description: str


def gaps_facets(producer: Producer, gaps: Iterable[GapEntry]) -> dict[str, Any]:
    """The run facet that lists gaps, to be merged into a run's facets; empty without any."""
    listed = [gap._asdict() for gap in sorted(set(gaps))]
    return {FACET: producer.run_facet(gaps=listed)} if listed else {}


def all_gaps_facets(producer: Producer, gaps: Iterable[GapEntry]) -> dict[str, Any]:
    """The same of a run that is reported again: a list without any takes back an earlier one."""
    return gaps_facets(producer, gaps) or {FACET: producer.run_facet(gaps=[])}
