"""How two nodes are connected: all simple paths from one to the other, shortest first."""

import heapq
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

N = TypeVar("N", bound=Hashable)

# Partial paths looked at before giving up: in a knot of cycles there is no end of them.
_MOST_STEPS = 200_000
# Nodes of all paths together: a thousand long paths are more than anyone reads.
_MOST_NODES = 100_000


class Paths(NamedTuple, Generic[N]):
    """Paths, each from start to end, and whether there may be more."""

    found: list[list[N]]
    is_cut: bool


def find_paths(
    edges: Iterable[tuple[N, N]], start: N, end: N, limit: int, longest: int = 2**62
) -> Paths[N]:
    """Find at most `limit` simple paths along edges, shortest first, of `longest` edges at most.

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
    steps = length = 0
    while queue:
        length_at_least, _, path = heapq.heappop(queue)
        if length_at_least > longest:
            return Paths(found, True)
        if path[-1] == end:
            length += len(path)
            if len(found) == limit or length > _MOST_NODES:
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
