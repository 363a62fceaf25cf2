"""Where the values of tagged columns go: on to columns without the tag, or masked on the way."""

from collections import defaultdict, deque
from typing import NamedTuple

from headwater.graph.column_graph import ColumnEdge, ColumnGraph, ColumnKey


class ValueStep(NamedTuple):
    """How a column was come to: how far it is, from which tagged column, and by which jobs."""

    hops: int
    start: ColumnKey
    jobs: tuple[bytes, ...] = ()


class ValueFlow(NamedTuple):
    """The columns after the tagged ones: those with the values as they are, and the masked."""

    untagged: dict[ColumnKey, ValueStep]
    masked: dict[ColumnKey, ValueStep]


def follow(graph: ColumnGraph) -> ValueFlow:
    """Follow values downstream of the starts of a walk.

    A value stays as it is unless every way of it into a column is masked; what comes of a masked
    value is masked as well.
    """
    following: defaultdict[ColumnKey, list[ColumnKey]] = defaultdict(list)
    for origin, destination in graph.edges:
        following[origin].append(destination)
    open_ways = {ends for ends, edges in graph.edges.items() if not all(map(is_masked, edges))}
    steps = {start: ValueStep(0, start) for start in graph.starts}
    untagged = _reach(graph, following, steps, open_ways)
    masked = _reach(graph, following, steps | untagged, None)
    return ValueFlow(untagged, masked)


def is_masked(edge: ColumnEdge) -> bool:
    """Whether a job hides the value: every way that is not just a condition on it is masked."""
    ways = [way for way in edge.transformations if not way.is_indirect]
    return bool(ways) and all(way.is_masking for way in ways)


def _reach(
    graph: ColumnGraph,
    following: dict[ColumnKey, list[ColumnKey]],
    known: dict[ColumnKey, ValueStep],
    ways: set[tuple[ColumnKey, ColumnKey]] | None,
) -> dict[ColumnKey, ValueStep]:
    """What is come to from known columns, nearest first, by some ways or by all."""
    reached: dict[ColumnKey, ValueStep] = {}
    left = deque(sorted(known, key=lambda column: known[column].hops))
    while left:
        origin = left.popleft()
        step = known.get(origin) or reached[origin]
        for destination in following[origin]:
            if destination in known or destination in reached:
                continue
            if ways is not None and (origin, destination) not in ways:
                continue
            jobs = {edge.job for edge in graph.edges[origin, destination] if edge.job}
            reached[destination] = ValueStep(step.hops + 1, step.start, tuple(sorted(jobs)))
            left.append(destination)
    return reached
