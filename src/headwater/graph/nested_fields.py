"""Following nested fields: what is stated of a column counts for the fields inside it, and the
other way round, but nothing connects two fields that lie beside each other.

A field that was reached by way of the column it lies inside goes on as that field alone: from
`in.a` by an edge of `in` to `out`, the walk stands at `out` and follows `out.a`, not `out.b`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.graph.column_graph import ColumnKey, Found
from headwater.model.column_map import InputColumn
from headwater.model.values.field_paths import append, is_inside, is_nested, list_parents

Parts = defaultdict[ColumnKey, set[str]]

# A column of which more parts than this are followed is followed as a whole.
_MOST_PARTS = 100


class Position(NamedTuple):
    """Where a walk stands, and what it follows there: the column itself, or a field inside it."""

    column: ColumnKey
    path: str


class Positions:
    """The columns that a walk stands at, and those it has been at."""

    def __init__(self, columns: Iterable[ColumnKey]) -> None:
        self._columns = set(columns)
        self._parts: dict[ColumnKey, set[str]] = {}
        self._seen = set(self._columns)
        self._seen_parts: Parts = defaultdict(set)

    def __bool__(self) -> bool:
        return bool(self._columns or self._parts)

    def has_whole(self, column: ColumnKey) -> bool:
        """Whether a column was followed as a whole, and not only in part."""
        return column in self._seen

    def by_dataset(self) -> dict[bytes, list[Position]]:
        grouped: defaultdict[bytes, list[Position]] = defaultdict(list)
        for column in sorted(self._columns):
            grouped[column.dataset].append(Position(column, column.name))
        for column in sorted(self._parts):
            grouped[column.dataset] += [
                Position(column, path) for path in sorted(self._parts[column])
            ]
        return grouped

    def move(self, columns: set[ColumnKey], parts: Parts) -> None:
        """Go on to columns where the walk has not been yet."""
        for column, paths in parts.items():
            paths -= self._seen_parts[column]
            if len(self._seen_parts[column]) + len(paths) > _MOST_PARTS:
                columns.add(column)
            self._seen_parts[column] |= paths
        self._columns = columns - self._seen
        self._seen |= self._columns
        self._parts = {
            column: paths for column, paths in parts.items() if paths and column not in self._seen
        }


class ReachedField(NamedTuple):
    """The field at the other end of an edge: `via` is the one that the map states at this end,
    `part` what is followed inside the one reached."""

    name: str
    via: str
    part: str


def follow_field(position: Position, stated: str, other: str, way: InputColumn) -> ReachedField:
    """Follow an edge that is stated of a field around or inside the one that is followed."""
    name, path = position.column.name, position.path
    via = stated if stated != name else ""
    if not is_inside(path, stated) or not other or way.is_partly_indirect:
        return ReachedField(other, via, "")
    reached = other
    if way.is_copy and is_inside(name, stated):
        reached = append(other, name[len(stated) :])
    part = append(other, path[len(stated) :])
    return ReachedField(reached, via, part if is_inside(part, reached) else "")


class Inverse(NamedTuple):
    """A column map by source, and the sources that lie inside each column."""

    by_source: Mapping[ColumnKey, Found]
    inside: Mapping[ColumnKey, set[str]]

    def sources_of(self, dataset: bytes, path: str) -> set[str]:
        """The sources that stand for a column or field: itself, the whole dataset, what it lies
        inside, and what lies inside it."""
        names = {path, ""}
        if is_nested(path):
            names.update(list_parents(path))
        if self.inside:
            names |= self.inside.get(ColumnKey(dataset, path), set())
        return names


def find_inside(sources: Iterable[ColumnKey]) -> dict[ColumnKey, set[str]]:
    """The sources that lie inside each column."""
    found: Parts = defaultdict(set)
    for source in sources:
        if is_nested(source.name):
            for parent in list_parents(source.name):
                found[ColumnKey(source.dataset, parent)].add(source.name)
    return dict(found)
