"""Which uses are current: the rule that separates lineage from history, for one job at one time."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from headwater.model.uses import Evidence, Execution, Use
from headwater.model.values.ids import UNREPORTED


class EdgeKind(StrEnum):
    """Why an edge is there."""

    OBSERVED = "observed"
    DECLARED = "declared"
    PAST = "past"
    SUCCESSION = "succession"
    INFERRED = "inferred"


class CurrentExecution(NamedTuple):
    """What decides for a job: its newest execution, and what its newest snapshots still name."""

    execution: Execution | None
    snapshot: frozenset[tuple[bytes, int]] | None


def find_kind(
    current: CurrentExecution, dataset: bytes, direction: int, uses: Iterable[Use]
) -> EdgeKind | None:
    """How a job's uses of one dataset stand, if they do: those of the newest execution do.

    Without an execution, as where a later job took over the run's id, nothing speaks against them.
    """
    kind, reported_at = None, None
    for use in uses:
        if use.word == Evidence.OBSERVED:
            if reported_at is None or use.reported_at > reported_at:
                reported_at = use.reported_at
        elif use.word == Evidence.DECLARED:
            kind = EdgeKind.DECLARED
        elif use.word == Evidence.INFERRED:
            kind = kind or EdgeKind.INFERRED
    if reported_at is None:
        return kind
    execution, snapshot = current
    if execution is not None and reported_at < execution.began:
        return kind
    if snapshot is not None and (dataset, direction) not in snapshot:
        return kind
    return EdgeKind.OBSERVED


class StatedMaps(NamedTuple):
    """The column maps that count of those stated.

    `must_ask_runs`: runs that share a parent are one execution, and each has its own map; if they
    stated several, only the runs can tell which are their newest.
    """

    digests: set[bytes]
    must_ask_runs: bool = False
    is_inferred: bool = False


def newest_maps(uses: list[Use], execution: Execution | None) -> StatedMaps:
    """A run's newest map replaces its older ones; one that was inferred counts if it is alone."""
    maps: set[bytes] = set()
    inferred: set[bytes] = set()
    newest: Use | None = None
    since_began: set[bytes] = set()
    for use in uses:
        if use.columns == UNREPORTED or use.word == Evidence.TAKEN_BACK:
            continue
        if use.word != Evidence.OBSERVED:
            (inferred if use.word == Evidence.INFERRED else maps).add(use.columns)
            continue
        if newest is None or _order(use) > _order(newest):
            newest = use
        if execution is not None and use.reported_at >= execution.began:
            since_began.add(use.columns)
    if newest is not None:
        maps.add(newest.columns)
    if not maps:
        return StatedMaps(inferred, is_inferred=bool(inferred))
    is_shared = execution is not None and execution.parent_run is not None
    return StatedMaps(maps, is_shared and len(since_began) > 1)


def _order(use: Use) -> tuple[int, int, bytes]:
    return use.reported_at, use.first_seen, use.columns
