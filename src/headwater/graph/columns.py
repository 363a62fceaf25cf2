"""Following columns: from each to those it comes from, and to those made of it.

Where a job states no column map, a column goes on as the whole dataset, which is said on the edge.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.graph.answer import Side, Towards
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.share import share
from headwater.graph.view import Link, View, Visit
from headwater.graph.walk import SIDES, Limits, find_successions
from headwater.model.column_map import ColumnMap, Transformation
from headwater.model.relations import Direction


class ColumnKey(NamedTuple):
    """A dataset's column; without a name the dataset as a whole."""

    dataset: bytes
    name: str


class ColumnEdge(NamedTuple):
    """How one column goes into another: by which job, in which ways.

    It is `assumed` where the job says which datasets it uses, not which columns.
    """

    job: bytes | None
    kind: EdgeKind
    transformations: tuple[Transformation, ...] = ()
    is_assumed: bool = False

    @property
    def is_indirect(self) -> bool:
        return bool(self.transformations) and all(
            transformation.is_indirect for transformation in self.transformations
        )


Ends = tuple[ColumnKey, ColumnKey]
Found = list[tuple[ColumnKey, ColumnEdge]]


@dataclass
class ColumnGraph:
    """Columns with how many jobs lie between them and the start, and the edges between them."""

    starts: tuple[ColumnKey, ...]
    columns: dict[ColumnKey, int] = field(default_factory=dict)
    edges: dict[Ends, list[ColumnEdge]] = field(default_factory=dict)
    more: dict[tuple[ColumnKey, Side], int] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        return bool(self.more)

    def __len__(self) -> int:
        return len(self.columns)

    def add_edge(self, origin: ColumnKey, destination: ColumnKey, edge: ColumnEdge) -> None:
        known = self.edges.get((origin, destination))
        if known is None:
            self.edges[origin, destination] = [edge]
        elif edge not in known:
            known.append(edge)


def walk_columns(
    view: View,
    starts: Iterable[ColumnKey],
    towards: Towards,
    limits: Limits,
    *,
    with_indirect: bool = True,
) -> ColumnGraph:
    """Walk from columns; `with_indirect` also along filters, joins and the like."""
    first = sorted(set(starts))
    view.classes.resolve(column.dataset for column in first)
    chosen = [ColumnKey(view.classes.chosen(column.dataset), column.name) for column in first]
    hidden = view.hidden(column.dataset for column in chosen)
    begun = dict.fromkeys(column for column in chosen if column.dataset not in hidden)
    graph = ColumnGraph(tuple(begun), columns=dict.fromkeys(begun, 0))
    walk = _ColumnWalk(view, graph, limits, with_indirect)
    for side in SIDES[towards]:
        walk.along(side, set(begun))
        walk.add_left_out(side)
    return graph


class _ColumnWalk:
    def __init__(self, view: View, graph: ColumnGraph, limits: Limits, with_indirect: bool) -> None:
        self._view = view
        self._graph = graph
        self._limits = limits
        self._with_indirect = with_indirect
        self._maps: dict[bytes, ColumnMap] = {}
        self._inverse: dict[bytes, dict[ColumnKey, Found]] = {}

    def along(self, side: Side, frontier: set[ColumnKey]) -> None:
        """Walk one way, level by level."""
        step = self._step_up if side is Side.UPSTREAM else self._step_down
        seen: set[ColumnKey] = set()
        depth = 0
        while frontier:
            seen |= frontier
            depth += 1
            found = step(frontier)
            if depth > self._limits.depth:
                self._drop_hidden(found)
                self._count(side, found)
                return
            kept = self._keep(side, found, depth)
            frontier = {column for column in kept if column not in seen}

    def add_left_out(self, side: Side) -> None:
        """Add what was not even read of datasets with too many users."""
        direction = Direction.OUTPUT if side is Side.UPSTREAM else Direction.INPUT
        for column in self._graph.columns:
            if count := self._view.left_out.get((column.dataset, direction), 0):
                more = self._graph.more
                more[column, side] = more.get((column, side), 0) + count

    def _keep(self, side: Side, found: dict[ColumnKey, Found], depth: int) -> set[ColumnKey]:
        known = self._graph.columns
        self._drop_hidden(found)
        new = {there for reached in found.values() for there, _ in reached if there not in known}
        room = max(0, self._limits.nodes - len(known))
        kept = new
        if len(new) > room:
            requested = {
                here: [there for there, _ in reached if there in new]
                for here, reached in found.items()
            }
            fair = room if depth >= self._limits.depth else (room + 1) // 2
            kept = share({here: there for here, there in requested.items() if there}, fair)
            self._count(side, found, but=kept)
        for column in kept:
            known[column] = depth
        reached_columns: set[ColumnKey] = set()
        add = self._graph.add_edge
        for here, reached in found.items():
            for there, edge in reached:
                if there in known:
                    reached_columns.add(there)
                    if side is Side.UPSTREAM:
                        add(there, here, edge)
                    else:
                        add(here, there, edge)
        return reached_columns

    def _drop_hidden(self, found: dict[ColumnKey, Found]) -> None:
        """Leave out columns of datasets that were deleted: maps still name them."""
        hidden = self._view.hidden(
            {there.dataset for reached in found.values() for there, _ in reached}
        )
        if hidden:
            for here, reached in found.items():
                found[here] = [step for step in reached if step[0].dataset not in hidden]

    def _count(
        self, side: Side, found: dict[ColumnKey, Found], but: set[ColumnKey] | None = None
    ) -> None:
        """Count what is not in the answer where it would hang."""
        for here, reached in found.items():
            left = {there for there, _ in reached} - self._graph.columns.keys() - (but or set())
            if left:
                self._graph.more[here, side] = len(left)

    def _step_up(self, frontier: set[ColumnKey]) -> dict[ColumnKey, Found]:
        """What columns come from, by the maps of those who write their datasets."""
        by_dataset = _by_dataset(frontier)
        writers = self._view.writers(by_dataset)
        visits = {visit for reached in writers.values() for visit, _ in reached}
        outputs = self._view.links(visits, Direction.OUTPUT)
        inputs = self._view.links(visits, Direction.INPUT)
        self._read_maps(outputs)
        found: defaultdict[ColumnKey, Found] = defaultdict(list)
        for dataset, reached in writers.items():
            for visit, kind in reached:
                maps = self._maps_of(outputs[visit], dataset)
                for column in by_dataset[dataset]:
                    sources = self._sources(column.name, maps, visit, kind)
                    if not (column.name and maps):
                        whole = _whole(inputs[visit], visit, bool(column.name))
                        read = {there.dataset for there, _ in whole}
                        # Of a dataset as a whole, its single columns tell nothing more.
                        sources = [step for step in sources if step[0].dataset not in read] + whole
                    found[column] += sources
        self._follow_successions(by_dataset, Side.UPSTREAM, found)
        return found

    def _sources(
        self, column: str, maps: list[tuple[bytes, ColumnMap]], visit: Visit, kind: EdgeKind
    ) -> Found:
        chosen = self._view.classes.chosen
        return [
            (
                ColumnKey(chosen(source.dataset), source.column),
                ColumnEdge(visit.job, kind, source.transformations),
            )
            for _, column_map in maps
            for source in column_map.sources_of(column)
            if self._with_indirect or not source.is_indirect
        ]

    def _step_down(self, frontier: set[ColumnKey]) -> dict[ColumnKey, Found]:
        """What columns go into, by the maps of those who read, or only name, their datasets."""
        by_dataset = _by_dataset(frontier)
        readers = self._view.readers(by_dataset)
        for dataset, visits in self._view.naming(by_dataset).items():
            known = {visit for visit, _ in readers[dataset]}
            readers[dataset] += [
                (visit, EdgeKind.OBSERVED) for visit in visits if visit not in known
            ]
        outputs = self._view.links(
            {visit for reached in readers.values() for visit, _ in reached}, Direction.OUTPUT
        )
        self._read_maps(outputs)
        found: defaultdict[ColumnKey, Found] = defaultdict(list)
        for dataset, reached in readers.items():
            for visit, _ in reached:
                for link in outputs[visit]:
                    maps = self._maps_of([link], link.dataset)
                    for column in by_dataset[dataset]:
                        found[column] += self._targets(column, link, maps, visit)
        self._follow_successions(by_dataset, Side.DOWNSTREAM, found)
        return found

    def _targets(
        self,
        column: ColumnKey,
        link: Link,
        maps: list[tuple[bytes, ColumnMap]],
        visit: Visit,
    ) -> Found:
        """What a column goes into; as upstream, an edge is as sure as who writes says."""
        kind = link.kind
        whole = ColumnKey(link.dataset, "")
        if not maps:
            edge = ColumnEdge(visit.job, kind, is_assumed=bool(column.name))
            return [(whole, edge)] if self._is_input(column, visit) else []
        targets: Found = []
        for digest, column_map in maps:
            inverse = self._inverse_of(digest, column_map)
            for name in {column.name, ""}:
                for target, edge in inverse.get(ColumnKey(column.dataset, name), ()):
                    if self._with_indirect or not edge.is_indirect:
                        there = ColumnKey(link.dataset, target.name)
                        targets.append((there, edge._replace(job=visit.job, kind=kind)))
        if not column.name and self._is_input(column, visit):
            targets += self._all_targets(column, link, maps, visit)
        return targets

    def _all_targets(
        self,
        column: ColumnKey,
        link: Link,
        maps: list[tuple[bytes, ColumnMap]],
        visit: Visit,
    ) -> Found:
        """From a dataset as a whole to all that is made of any of its columns."""
        edge = ColumnEdge(visit.job, link.kind, is_assumed=True)
        targets: Found = [(ColumnKey(link.dataset, ""), edge)]
        for digest, column_map in maps:
            for source, reached in self._inverse_of(digest, column_map).items():
                if source.dataset == column.dataset and source.name:
                    targets += [
                        (ColumnKey(link.dataset, there.name), edge)
                        for there, way in reached
                        if self._with_indirect or not way.is_indirect
                    ]
        return targets

    def _is_input(self, column: ColumnKey, visit: Visit) -> bool:
        links = self._view.links([visit], Direction.INPUT)[visit]
        return any(link.dataset == column.dataset for link in links)

    def _inverse_of(self, digest: bytes, column_map: ColumnMap) -> dict[ColumnKey, Found]:
        """A map by source; what decides over all rows goes to every column and to the whole."""
        known = self._inverse.get(digest)
        if known is not None:
            return known
        chosen = self._view.classes.chosen
        inverse: defaultdict[ColumnKey, Found] = defaultdict(list)
        for output, sources in column_map.outputs.items():
            targets = [output] if output else list(column_map.outputs)
            for source in sources:
                there = ColumnKey(chosen(source.dataset), source.column)
                edge = ColumnEdge(None, EdgeKind.OBSERVED, source.transformations)
                inverse[there] += [(ColumnKey(b"", target), edge) for target in targets]
        self._inverse[digest] = inverse
        return inverse

    def _read_maps(self, outputs: dict[Visit, list[Link]]) -> None:
        """Read the maps of a level at once, and the names of the datasets they come from."""
        digests = {
            digest for links in outputs.values() for link in links for digest in link.columns
        }
        new = self._view.reader.column_maps(digests - self._maps.keys())
        self._maps.update(new)
        self._view.classes.resolve(
            {
                source.dataset
                for column_map in new.values()
                for sources in column_map.outputs.values()
                for source in sources
            }
        )

    def _maps_of(self, links: list[Link], dataset: bytes) -> list[tuple[bytes, ColumnMap]]:
        return [
            (digest, self._maps[digest])
            for link in links
            if link.dataset == dataset
            for digest in sorted(link.columns)
            if digest in self._maps
        ]

    def _follow_successions(
        self, by_dataset: dict[bytes, list[ColumnKey]], side: Side, found: dict[ColumnKey, Found]
    ) -> None:
        """A renamed dataset has the columns of the one it was."""
        for succession in find_successions(self._view, by_dataset):
            here, there = succession.dataset, succession.previous
            if side is Side.DOWNSTREAM:
                here, there = there, here
            for column in by_dataset.get(here, ()):
                edge = ColumnEdge(None, EdgeKind.SUCCESSION)
                found[column] = [*found.get(column, ()), (ColumnKey(there, column.name), edge)]


def _by_dataset(columns: Iterable[ColumnKey]) -> dict[bytes, list[ColumnKey]]:
    grouped: defaultdict[bytes, list[ColumnKey]] = defaultdict(list)
    for column in sorted(columns):
        grouped[column.dataset].append(column)
    return grouped


def _whole(links: list[Link], visit: Visit, is_assumed: bool) -> Found:
    """All datasets a job reads, as wholes."""
    return [
        (ColumnKey(link.dataset, ""), ColumnEdge(visit.job, link.kind, is_assumed=is_assumed))
        for link in links
    ]
