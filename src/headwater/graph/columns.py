"""Following columns: from each to those it comes from, and to those made of it.

Where a job states no column map, a column goes on as the whole dataset, which the edge states.
A nested field goes on by what is stated of the column that it lies inside, and a column by what is
stated of its fields: `nested_fields.py` has that rule.
"""

from collections import defaultdict
from collections.abc import Iterable

from headwater.graph.answer import Side, Towards
from headwater.graph.column_graph import ColumnEdge, ColumnGraph, ColumnKey, Found
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.nested_fields import (
    Inverse,
    Parts,
    Position,
    Positions,
    find_inside,
    follow_field,
)
from headwater.graph.share import share
from headwater.graph.view import Link, Reached, View, Visit
from headwater.graph.walk import SIDES, Limits, find_successions
from headwater.model.column_map import ColumnMap, InputColumn
from headwater.model.relations import Direction


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
    walk.add_gaps()
    return graph


class _ColumnWalk:
    def __init__(self, view: View, graph: ColumnGraph, limits: Limits, with_indirect: bool) -> None:
        self._view = view
        self._graph = graph
        self._limits = limits
        self._with_indirect = with_indirect
        self._positions = Positions(())
        self._beside: dict[tuple[ColumnKey, Side], int] = {}
        self._maps: dict[bytes, ColumnMap] = {}
        self._inverse: dict[bytes, Inverse] = {}
        self._level_visits: dict[Visit, set[ColumnKey]] = {}
        self._visits: defaultdict[Visit, set[ColumnKey]] = defaultdict(set)

    def along(self, side: Side, frontier: set[ColumnKey]) -> None:
        """Walk one way, level by level."""
        step = self._step_up if side is Side.UPSTREAM else self._step_down
        self._positions = positions = Positions(frontier)
        depth = 0
        while positions:
            depth += 1
            found = step(positions.by_dataset())
            if depth > self._limits.depth:
                self._drop_hidden(found)
                self._count(side, found)
                return
            for visit, columns in self._level_visits.items():
                self._visits[visit] |= columns
            positions.move(*self._keep(side, found, depth))

    def add_gaps(self) -> None:
        """Add what was not understood of the jobs that were visited on the way."""
        gaps = self._view.gaps(self._visits)
        self._graph.gaps = gaps
        for visit, columns in self._visits.items():
            if visit.job in gaps:
                self._graph.incomplete |= columns

    def add_left_out(self, side: Side) -> None:
        """Add what was not even read of datasets with too many users."""
        direction = Direction.OUTPUT if side is Side.UPSTREAM else Direction.INPUT
        for column in self._graph.columns:
            if count := self._view.left_out.get((column.dataset, direction), 0):
                self._add_more(column, side, count)
        for (column, its_side), count in self._beside.items():
            if its_side is side and count and not self._positions.has_whole(column):
                self._add_more(column, side, count)

    def _add_more(self, column: ColumnKey, side: Side, count: int) -> None:
        more = self._graph.more
        more[column, side] = more.get((column, side), 0) + count

    def _keep(
        self, side: Side, found: dict[ColumnKey, Found], depth: int
    ) -> tuple[set[ColumnKey], Parts]:
        """Add what there is room for; the columns that were reached, and those only in part."""
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
        parts: Parts = defaultdict(set)
        add = self._graph.add_edge
        for here, reached in found.items():
            for there, edge in reached:
                if there in known:
                    if edge.part:
                        parts[there].add(edge.part)
                    else:
                        reached_columns.add(there)
                    if side is Side.UPSTREAM:
                        add(there, here, edge)
                    else:
                        add(here, there, edge)
        return reached_columns, parts

    def _note_beside(self, column: ColumnKey, side: Side, count: int) -> None:
        """Note fields of a column that a walk which came to another of its fields leaves alone."""
        self._beside[column, side] = max(count, self._beside.get((column, side), 0))

    def _note_visits(
        self, reached: dict[bytes, list[Reached]], by_dataset: dict[bytes, list[Position]]
    ) -> None:
        """Note which jobs were requested which columns, if any job may have gaps."""
        self._level_visits = {}
        if self._view.reader.has_gaps:
            for dataset, some in reached.items():
                columns = {position.column for position in by_dataset[dataset]}
                for visit, _ in some:
                    self._level_visits.setdefault(visit, set()).update(columns)

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

    def _step_up(self, by_dataset: dict[bytes, list[Position]]) -> dict[ColumnKey, Found]:
        """What columns come from, by the maps of those who write their datasets."""
        self._view.prefetch({Direction.OUTPUT: by_dataset}, with_uses=True)
        writers = self._view.writers(by_dataset)
        self._note_visits(writers, by_dataset)
        visits = {visit for reached in writers.values() for visit, _ in reached}
        outputs = self._view.links(visits, Direction.OUTPUT)
        inputs = self._view.links(visits, Direction.INPUT)
        self._read_maps(outputs)
        found: defaultdict[ColumnKey, Found] = defaultdict(list)
        for dataset, reached in writers.items():
            for visit, kind in reached:
                written = [link for link in outputs[visit] if link.dataset == dataset]
                maps = self._maps_of(written, dataset)
                is_inferred = any(link.has_inferred_columns for link in written)
                mapped_kind = EdgeKind.INFERRED if is_inferred else kind
                for position in by_dataset[dataset]:
                    column = position.column
                    sources = self._sources(position, maps, visit, mapped_kind)
                    if not (column.name and maps):
                        whole = _whole(inputs[visit], visit, bool(column.name))
                        read = {there.dataset for there, _ in whole}
                        # Of a dataset as a whole, its single columns tell nothing more.
                        sources = [step for step in sources if step[0].dataset not in read] + whole
                    found[column] += sources
        self._follow_successions(by_dataset, Side.UPSTREAM, found)
        return found

    def _sources(
        self, position: Position, maps: list[tuple[bytes, ColumnMap]], visit: Visit, kind: EdgeKind
    ) -> Found:
        chosen = self._view.classes.chosen
        path, name = position.path, position.column.name
        found: Found = []
        for _, column_map in maps:
            # What decides over all rows stands under no name.
            outputs = column_map.outputs_of(path)
            if path != name:
                beside = set(column_map.inside.get(name, ())).difference(outputs)
                self._note_beside(position.column, Side.UPSTREAM, len(beside))
            for output in (*outputs, "") if path else ("",):
                is_exact = not output or output == path == name
                for source in column_map.outputs.get(output, ()):
                    if not self._with_indirect and source.is_indirect:
                        continue
                    there = ColumnKey(chosen(source.dataset), source.column)
                    edge = ColumnEdge(visit.job, kind, source.transformations)
                    if not is_exact:
                        reached = follow_field(position, output, source.column, source)
                        there = there._replace(name=reached.name)
                        edge = edge._replace(via=reached.via, part=reached.part)
                    found.append((there, edge))
        return found

    def _step_down(self, by_dataset: dict[bytes, list[Position]]) -> dict[ColumnKey, Found]:
        """What columns go into, by the maps of those who read, or only name, their datasets."""
        self._view.prefetch({Direction.INPUT: by_dataset}, with_uses=True)
        readers = self._view.readers(by_dataset)
        self._note_visits(readers, by_dataset)
        for dataset, visits in self._view.naming(by_dataset).items():
            known = {visit[:2] for visit, _ in readers[dataset]}
            readers[dataset] += [
                (visit, EdgeKind.OBSERVED) for visit in visits if visit[:2] not in known
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
                    for position in by_dataset[dataset]:
                        found[position.column] += self._targets(position, link, maps, visit)
        self._follow_successions(by_dataset, Side.DOWNSTREAM, found)
        return found

    def _targets(
        self,
        position: Position,
        link: Link,
        maps: list[tuple[bytes, ColumnMap]],
        visit: Visit,
    ) -> Found:
        """What a column goes into; as upstream, an edge is as sure as who writes says."""
        column, path = position
        whole = ColumnKey(link.dataset, "")
        if not maps:
            edge = ColumnEdge(visit.job, link.kind, is_assumed=bool(column.name))
            return [(whole, edge)] if self._is_input(column, visit) else []
        targets: Found = []
        for digest, column_map in maps:
            inverse = self._inverse_of(digest, column_map)
            names = inverse.sources_of(column.dataset, path)
            if path != column.name:
                beside = inverse.inside.get(column, set()).difference(names)
                self._note_beside(column, Side.DOWNSTREAM, len(beside))
            for name in names:
                for target, edge in inverse.by_source.get(ColumnKey(column.dataset, name), ()):
                    if not self._with_indirect and edge.is_indirect:
                        continue
                    there = ColumnKey(link.dataset, target.name)
                    edge = edge._replace(job=visit.job, kind=link.column_kind)
                    if name and target.name and not name == path == column.name:
                        way = InputColumn(b"", name, edge.transformations)
                        reached = follow_field(position, name, target.name, way)
                        # A field that the map states by itself comes from there alone.
                        if column_map.nearest_output(reached.name) != target.name:
                            continue
                        there = there._replace(name=reached.name)
                        edge = edge._replace(via=reached.via, part=reached.part)
                    targets.append((there, edge))
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
        edge = ColumnEdge(visit.job, link.column_kind, is_assumed=True)
        targets: Found = [(ColumnKey(link.dataset, ""), edge)]
        for digest, column_map in maps:
            for source, reached in self._inverse_of(digest, column_map).by_source.items():
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

    def _inverse_of(self, digest: bytes, column_map: ColumnMap) -> Inverse:
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
        self._inverse[digest] = found = Inverse(inverse, find_inside(inverse))
        return found

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
        self, by_dataset: dict[bytes, list[Position]], side: Side, found: dict[ColumnKey, Found]
    ) -> None:
        """A renamed dataset has the columns of the one it was."""
        for succession in find_successions(self._view, by_dataset):
            here, there = succession.dataset, succession.previous
            if side is Side.DOWNSTREAM:
                here, there = there, here
            for column, path in by_dataset.get(here, ()):
                part = "" if path == column.name else path
                edge = ColumnEdge(None, EdgeKind.SUCCESSION, part=part)
                found[column] = [*found.get(column, ()), (ColumnKey(there, column.name), edge)]


def _whole(links: list[Link], visit: Visit, is_assumed: bool) -> Found:
    """All datasets a job reads, as wholes."""
    return [
        (ColumnKey(link.dataset, ""), ColumnEdge(visit.job, link.kind, is_assumed=is_assumed))
        for link in links
    ]
