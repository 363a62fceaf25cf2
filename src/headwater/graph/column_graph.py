"""What a walk over columns finds: columns with their distance, and how one goes into another."""

from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.graph.answer import Side
from headwater.graph.edge_rules import EdgeKind
from headwater.model.column_map import Transformation
from headwater.model.gaps import Gaps


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
    via: str = ""
    """The field that the job states, where that is one inside the column, or one it lies inside."""
    part: str = ""
    """On a walk: what it follows inside the column that it comes to; nothing once it is done."""

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
    gaps: dict[bytes, Gaps] = field(default_factory=dict)
    """What was not understood of the jobs on the way, whether they have an edge here or not."""
    incomplete: set[ColumnKey] = field(default_factory=set)
    """Columns whose neighbours may not all be here, as a job next to them has gaps."""

    @property
    def is_cut(self) -> bool:
        return bool(self.more)

    def __len__(self) -> int:
        return len(self.columns)

    def add_edge(self, origin: ColumnKey, destination: ColumnKey, edge: ColumnEdge) -> None:
        if edge.part:
            edge = edge._replace(part="")
        known = self.edges.get((origin, destination))
        if known is None:
            self.edges[origin, destination] = [edge]
        elif edge not in known:
            known.append(edge)
