"""How two nodes are connected: all simple paths from one to the other, shortest first."""

import heapq
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

N = TypeVar("N", bound=Hashable)

# Partial paths looked at before giving up: in a knot of cycles there is no end of them.
_MOST_STEPS = 200_000


class Paths(NamedTuple, Generic[N]):
    """Paths, each from start to end, and whether there may be more."""

    found: list[list[N]]
    is_cut: bool


def find_paths(edges: Iterable[tuple[N, N]], start: N, end: N, limit: int) -> Paths[N]:
    """Find at most `limit` simple paths along edges, shortest first.

    The search is led by each node's distance to the end, so that it meets no path that cannot be
    finished but by a node passed already.
    """
    following: defaultdict[N, list[N]] = defaultdict(list)
    before: defaultdict[N, list[N]] = defaultdict(list)
    for origin, destination in edges:
        following[origin].append(destination)
        before[destination].append(origin)
    left = _distances(before, end)
    if start not in left:
        return Paths([], False)
    # Among equals the order of discovery decides: sorted edges give sorted paths.
    queue: list[tuple[int, int, list[N]]] = [(left[start], 0, [start])]
    found: list[list[N]] = []
    steps = 0
    while queue:
        _, _, path = heapq.heappop(queue)
        if path[-1] == end:
            if len(found) == limit:
                return Paths(found, True)
            found.append(path)
            continue
        passed = set(path)
        for node in following[path[-1]]:
            if node in left and node not in passed:
                steps += 1
                heapq.heappush(queue, (len(path) + left[node], steps, [*path, node]))
        if steps > _MOST_STEPS:
            return Paths(found, True)
    return Paths(found, False)


def _distances(before: Mapping[N, list[N]], end: N) -> dict[N, int]:
    """How many edges lie between each node and the end."""
    distances = {end: 0}
    queue = deque([end])
    while queue:
        node = queue.popleft()
        for previous in before.get(node, ()):
            if previous not in distances:
                distances[previous] = distances[node] + 1
                queue.append(previous)
    return distances
