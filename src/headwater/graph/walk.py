"""Walking the graph level by level: upstream, downstream, both, or all that is connected."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.graph.answer import Graph, Side, Towards
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.share import share
from headwater.graph.view import Reached, View, Visit
from headwater.model.relations import Direction
from headwater.model.uses import Succession

SIDES = {
    Towards.UPSTREAM: (Side.UPSTREAM,),
    Towards.DOWNSTREAM: (Side.DOWNSTREAM,),
    Towards.BOTH: (Side.UPSTREAM, Side.DOWNSTREAM),
    Towards.CONNECTED: (Side.UPSTREAM, Side.DOWNSTREAM),
}


class Limits(NamedTuple):
    """How far a walk goes, in jobs from its start, and how many nodes it may find."""

    depth: int
    nodes: int


Frontier = dict[Side, set[bytes]]
Visits = dict[Side, set[Visit]]


def walk_from_dataset(view: View, dataset: bytes, towards: Towards, limits: Limits) -> Graph:
    """Walk from a dataset, under any of its names."""
    view.classes.resolve([dataset])
    start = view.classes.chosen(dataset)
    graph = Graph((start,))
    if not view.has_dataset(start):
        return graph
    graph.datasets[start] = 0
    walk = _Walk(view, graph, towards, limits)
    walk.from_datasets({side: {start} for side in SIDES[towards]}, 0)
    return graph


def walk_from_job(view: View, job: bytes, towards: Towards, limits: Limits) -> Graph:
    """Walk from a job: the datasets it uses are no step away."""
    graph = Graph((job,))
    if not view.has_job(job):
        return graph
    graph.jobs[job] = 0
    walk = _Walk(view, graph, towards, limits)
    visits = {Visit(job), *view.past_visits([job])}
    walk.from_datasets(walk.from_visits(dict.fromkeys(SIDES[towards], visits), 0), 0)
    return graph


class _Walk:
    """A walk on its way. Who goes up does not come down again, unless the walk turns everywhere."""

    def __init__(self, view: View, graph: Graph, towards: Towards, limits: Limits) -> None:
        self._view = view
        self._graph = graph
        self._turns = towards is Towards.CONNECTED
        self._limits = limits
        self._seen_sides = SIDES[towards]
        self._seen: Frontier = {side: set() for side in Side}
        self._visited: Visits = {side: set() for side in Side}

    def from_datasets(self, frontier: Frontier, depth: int) -> None:
        while any(frontier.values()) and depth < self._limits.depth:
            depth += 1
            for side, datasets in frontier.items():
                self._seen[side] |= datasets
            visits, followed = self._step_to_jobs(frontier, depth)
            found = self.from_visits(visits, depth)
            frontier = self._unseen({side: found[side] | followed[side] for side in found})
        if any(frontier.values()):
            self._count_beyond(frontier)
        self._add_left_out()
        self._graph.gaps = self._view.gaps(set().union(*self._visited.values()))

    def from_visits(self, visits: Visits, depth: int) -> Frontier:
        """The datasets next to visited jobs."""
        reached: dict[Side, dict[Visit, list[tuple[bytes, EdgeKind]]]] = {}
        requested: defaultdict[tuple[bytes, Side], list[bytes]] = defaultdict(list)
        for side, some in visits.items():
            self._visited[side] |= some
            here = sorted(some, key=_order)
            find = self._view.inputs if side is Side.UPSTREAM else self._view.outputs
            reached[side] = find(here)
            for visit, found in reached[side].items():
                requested[visit.job, side] += [dataset for dataset, _ in found]
        kept = self._keep(requested, self._graph.datasets, depth)
        frontier: Frontier = {side: set() for side in visits}
        for side, by_visit in reached.items():
            for visit, found in by_visit.items():
                for dataset, kind in found:
                    if dataset in kept:
                        self._add_edge(visit.job, dataset, side, kind)
                        frontier[side].add(dataset)
        return self._unseen(frontier)

    def _step_to_jobs(self, frontier: Frontier, depth: int) -> tuple[Visits, Frontier]:
        """The jobs next to datasets, and the datasets that these took over from or became."""
        reached = self._find_users(frontier, with_uses=True)
        requested = {
            (dataset, side): [visit.job for visit, _ in found]
            for side, by_dataset in reached.items()
            for dataset, found in by_dataset.items()
        }
        kept = self._keep(requested, self._graph.jobs, depth)
        visits: Visits = {side: set() for side in frontier}
        for side, by_dataset in reached.items():
            for dataset, found in by_dataset.items():
                for visit, kind in found:
                    if visit.job in kept:
                        visits[side].add(visit)
                        # Where the walk turns, the visit finds this edge again.
                        if not self._turns:
                            self._add_edge(dataset, visit.job, side, kind)
        return self._unvisited(visits), self._follow(frontier, depth)

    def _find_users(
        self, frontier: Frontier, with_uses: bool
    ) -> dict[Side, dict[bytes, list[Reached]]]:
        requested = {
            _direction(side, of_dataset=True): some for side, some in frontier.items() if some
        }
        self._view.prefetch(requested, with_uses)
        reached: dict[Side, dict[bytes, list[Reached]]] = {}
        for side, datasets in frontier.items():
            find = self._view.writers if side is Side.UPSTREAM else self._view.readers
            reached[side] = find(sorted(datasets))
        return reached

    def _keep(
        self,
        requested: Mapping[tuple[bytes, Side], list[bytes]],
        known: dict[bytes, int],
        depth: int,
    ) -> set[bytes]:
        """Add the nodes there is room for; what there is not is counted where it would hang."""
        found = {node for nodes in requested.values() for node in nodes}
        new = found - known.keys()
        room = max(0, self._limits.nodes - len(self._graph))
        if len(new) > room:
            # A crowd leaves half of the room to what lies behind it, if the walk goes on there.
            fair = room if depth >= self._limits.depth else (room + 1) // 2
            lists = {at: [node for node in nodes if node in new] for at, nodes in requested.items()}
            kept = share({at: nodes for at, nodes in lists.items() if nodes}, fair)
            for (node, side), nodes in lists.items():
                self._add_more(node, side, len({*nodes} - kept))
            found -= new - kept
            new = kept
        known.update(dict.fromkeys(new, depth))
        return found

    def _follow(self, frontier: Frontier, depth: int) -> Frontier:
        """The datasets that others took over from, upstream, and those that took over."""
        successions = find_successions(self._view, set().union(*frontier.values()))
        requested: defaultdict[tuple[bytes, Side], list[bytes]] = defaultdict(list)
        for succession in successions:
            if succession.dataset in frontier.get(Side.UPSTREAM, ()):
                requested[succession.dataset, Side.UPSTREAM].append(succession.previous)
            if succession.previous in frontier.get(Side.DOWNSTREAM, ()):
                requested[succession.previous, Side.DOWNSTREAM].append(succession.dataset)
        kept = self._keep(requested, self._graph.datasets, depth)
        followed: Frontier = {side: set() for side in frontier}
        for (dataset, side), others in requested.items():
            for other in others:
                if other in kept:
                    self._add_edge(dataset, other, side, EdgeKind.SUCCESSION)
                    followed[side].add(other)
        return followed

    def _count_beyond(self, frontier: Frontier) -> None:
        """Count the jobs that a deeper walk would find next; edges to those known are edges.

        A job known by its past counts as well: what it uses now is not here.
        """
        beyond: defaultdict[tuple[bytes, Side], set[bytes]] = defaultdict(set)
        for side, by_dataset in self._find_users(frontier, with_uses=False).items():
            for dataset, found in by_dataset.items():
                for visit, kind in found:
                    if visit.job not in self._graph.jobs:
                        beyond[dataset, side].add(visit.job)
                        continue
                    self._add_edge(dataset, visit.job, side, kind)
                    if visit not in self._visited[side]:
                        beyond[dataset, side] |= self._unknown_uses(visit, side)
        for succession in find_successions(self._view, set().union(*frontier.values())):
            for here, there, side in (
                (succession.dataset, succession.previous, Side.UPSTREAM),
                (succession.previous, succession.dataset, Side.DOWNSTREAM),
            ):
                if here in frontier.get(side, ()):
                    if there in self._graph.datasets:
                        self._add_edge(here, there, side, EdgeKind.SUCCESSION)
                    else:
                        beyond[here, side].add(there)
        for (dataset, side), others in beyond.items():
            self._add_more(dataset, side, len(others))

    def _unknown_uses(self, visit: Visit, side: Side) -> set[bytes]:
        find = self._view.inputs if side is Side.UPSTREAM else self._view.outputs
        return {dataset for dataset, _ in find([visit])[visit]} - self._graph.datasets.keys()

    def _unseen(self, found: Frontier) -> Frontier:
        if self._turns:
            both = set().union(*found.values())
            found = dict.fromkeys(Side, both)
        return {side: datasets - self._seen[side] for side, datasets in found.items()}

    def _unvisited(self, found: Visits) -> Visits:
        if self._turns:
            jobs = {visit.job for some in found.values() for visit in some}
            both = {*map(Visit, jobs), *self._view.past_visits(jobs)}
            found = dict.fromkeys(Side, both)
        return {side: some - self._visited[side] for side, some in found.items()}

    def _add_edge(self, here: bytes, there: bytes, side: Side, kind: EdgeKind) -> None:
        if side is Side.UPSTREAM:
            self._graph.add_edge(there, here, kind)
        else:
            self._graph.add_edge(here, there, kind)

    def _add_left_out(self) -> None:
        """Add what was not even read of nodes with too many neighbours."""
        for (node, direction), count in self._view.left_out.items():
            side = _side(direction, of_dataset=node in self._graph.datasets)
            if self._graph.has(node) and side in self._seen_sides:
                more = self._graph.more
                more[node, side] = more.get((node, side), 0) + count

    def _add_more(self, node: bytes, side: Side, count: int) -> None:
        if count:
            self._graph.more[node, side] = max(count, self._graph.more.get((node, side), 0))


def find_successions(view: View, datasets: Iterable[bytes]) -> list[Succession]:
    """The renames next to datasets, between the names that stand for each; not to itself."""
    classes = view.classes
    names = {name for dataset in datasets for name in classes.names(dataset)}
    found = view.reader.successions(names, view.at)
    classes.resolve(name for succession in found for name in succession[:2])
    chosen = {
        Succession(
            classes.chosen(succession.previous), classes.chosen(succession.dataset), succession.at
        )
        for succession in found
    }
    hidden = view.hidden({name for succession in chosen for name in succession[:2]})
    return sorted(
        succession
        for succession in chosen
        if succession.previous != succession.dataset and not hidden & {*succession[:2]}
    )


def _direction(side: Side, *, of_dataset: bool) -> Direction:
    """Upstream of a dataset are its writers, upstream of a job its inputs."""
    is_output = (side is Side.UPSTREAM) is of_dataset
    return Direction.OUTPUT if is_output else Direction.INPUT


def _side(direction: int, *, of_dataset: bool) -> Side:
    is_upstream = (direction == Direction.OUTPUT) is of_dataset
    return Side.UPSTREAM if is_upstream else Side.DOWNSTREAM


def _order(visit: Visit) -> tuple[bytes, int, bytes, int]:
    return visit.job, -1 if visit.at is None else visit.at, visit.of or b"", visit.way or 0
