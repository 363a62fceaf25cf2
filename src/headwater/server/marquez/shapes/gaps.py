"""What producers did not understand, as it is shown on jobs, runs and graphs."""

from typing import Protocol

from msgspec import Struct, UnsetType

from headwater.model.gaps import Gaps, describe_gaps


class GapShape(Struct):
    """An input, output, operator or expression of a job that its producer did not recognise."""

    kind: str
    name: str
    count: int
    description: str | None


class WithGaps(Protocol):
    """What may have gaps: `incomplete` is true if lineage is known to be missing, else absent."""

    incomplete: bool | UnsetType
    gapSummary: str | UnsetType
    gaps: list[GapShape] | UnsetType


def add_gaps(shape: WithGaps, gaps: Gaps) -> None:
    """Say what was not understood, if there is anything."""
    if gaps:
        shape.incomplete = True
        shape.gapSummary = describe_gaps(gaps)
        shape.gaps = gap_shapes(gaps)


def gap_shapes(gaps: Gaps) -> list[GapShape]:
    return [GapShape(gap.kind, gap.name, gap.times, gap.description or None) for gap in gaps]
