"""What a walk finds: nodes with their distance, edges, and how much more there is."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.edge_rules import EdgeKind
from headwater.model.gaps import Gaps


class Side(StrEnum):
    """Which way from a node."""

    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"


class Towards(StrEnum):
    """Where a walk goes; `connected` turns at every node, and so finds the whole component."""

    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"
    CONNECTED = "connected"


class NodeKind(StrEnum):
    DATASET = "dataset"
    JOB = "job"


class Edge(NamedTuple):
    origin: bytes
    destination: bytes


@dataclass
class Graph:
    """Nodes by id with how many jobs lie between them and where the walk began."""

    starts: tuple[bytes, ...]
    datasets: dict[bytes, int] = field(default_factory=dict)
    jobs: dict[bytes, int] = field(default_factory=dict)
    edges: dict[Edge, EdgeKind] = field(default_factory=dict)
    more: dict[tuple[bytes, Side], int] = field(default_factory=dict)
    """Neighbours that are not here, for want of depth or room."""
    gaps: dict[bytes, Gaps] = field(default_factory=dict)
    """What was not understood of jobs: beyond those there may be more than anybody knows."""

    @property
    def is_cut(self) -> bool:
        return bool(self.more)

    def __len__(self) -> int:
        return len(self.datasets) + len(self.jobs)

    def has(self, node: bytes) -> bool:
        return node in self.datasets or node in self.jobs

    def add_edge(self, origin: bytes, destination: bytes, kind: EdgeKind) -> None:
        """An edge that stands now counts for more than one of the past."""
        edge = Edge(origin, destination)
        known = self.edges.get(edge)
        if known is None or _RANK[kind] < _RANK[known]:
            self.edges[edge] = kind


_RANK = {
    EdgeKind.OBSERVED: 0,
    EdgeKind.DECLARED: 1,
    EdgeKind.INFERRED: 2,
    EdgeKind.SUCCESSION: 3,
    EdgeKind.PAST: 4,
}
