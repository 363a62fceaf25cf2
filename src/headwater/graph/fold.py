"""Parents and children: a graph in which the jobs under one parent are shown as that parent."""

from headwater.graph.answer import Graph
from headwater.graph.reader import Reader
from headwater.model.gaps import merge_lists

# A parent of a parent, and so on; more than this is a circle or a mistake.
_MOST_LEVELS = 100


def fold_children(reader: Reader, graph: Graph) -> Graph:
    """Show every job as the job above it, and what they all use as used by that."""
    top = _tops(reader, graph)
    folded = Graph(
        tuple(top.get(start, start) for start in graph.starts), datasets=dict(graph.datasets)
    )
    for job, distance in graph.jobs.items():
        above = top[job]
        folded.jobs[above] = min(distance, folded.jobs.get(above, distance))
    for (origin, destination), kind in graph.edges.items():
        folded.add_edge(top.get(origin, origin), top.get(destination, destination), kind)
    for (node, side), count in graph.more.items():
        key = (top.get(node, node), side)
        folded.more[key] = folded.more.get(key, 0) + count
    for job, gaps in graph.gaps.items():
        folded.gaps[top[job]] = merge_lists(folded.gaps.get(top[job], ()), gaps)
    return folded


def _tops(reader: Reader, graph: Graph) -> dict[bytes, bytes]:
    """The job at the top of each job's parents; of parents in a circle the least."""
    parents: dict[bytes, bytes] = {}
    frontier = set(graph.jobs)
    for _ in range(_MOST_LEVELS):
        found = reader.parents(frontier) if frontier else {}
        parents |= found
        frontier = set(found.values()) - parents.keys()
    return {job: _top(job, parents) for job in graph.jobs}


def _top(job: bytes, parents: dict[bytes, bytes]) -> bytes:
    passed = [job]
    while (above := parents.get(passed[-1])) is not None:
        if above in passed:
            return min(passed[passed.index(above) :])
        passed.append(above)
    return passed[-1]
