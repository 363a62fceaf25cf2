"""Shapes of LineageBridge's API: datasets, jobs, lineage, graphs, tasks."""

from typing import Any

from msgspec import Struct

from headwater.answers.bridge.nodes import LineageEdge, LineageNode
from headwater.server.marquez.shapes.gaps import GapShape


class BridgeName(Struct):
    """A dataset or job by name."""

    namespace: str
    name: str


class BridgeDataset(Struct):
    """A dataset with its newest facets, and its other names."""

    namespace: str
    name: str
    facets: dict[str, Any]
    aliases: list[BridgeName] = []


class BridgeJob(Struct):
    """A job with its newest facets."""

    namespace: str
    name: str
    facets: dict[str, Any]


class BridgeJobDetail(Struct):
    """A job, and the datasets that it uses now."""

    job: BridgeJob
    latest_inputs: list[BridgeDataset]
    latest_outputs: list[BridgeDataset]


class LineageGap(Struct):
    """What was not understood of a job: it may use more than is known."""

    job: BridgeName
    gaps: list[GapShape]


class DatasetLineageAnswer(Struct):
    """The jobs within so many hops of a dataset: the newest event of each, nearest first.

    `not_followed` counts what lies beyond: deeper than `depth`, or more than one answer has room
    for.
    """

    origin: BridgeName
    direction: str
    depth: int
    events: list[dict[str, Any]]
    datasets_visited: int
    jobs_visited: int
    not_followed: int = 0
    gaps: list[LineageGap] = []


class EventsStored(Struct):
    """How many events were stored, and the graph that they were added to."""

    events_stored: int
    graph_id: str


class ViewAnswer(Struct):
    """The newest event of each job of some systems."""

    view: str
    events: list[dict[str, Any]]
    systems: list[str] | None


class GraphSummary(Struct):
    """A graph, without its nodes and edges."""

    graph_id: str
    node_count: int
    edge_count: int
    pipeline_count: int
    created_at: str
    last_modified: str


class GraphStats(Struct):
    """How large a graph is, and what is wrong with it."""

    node_count: int
    edge_count: int
    pipeline_count: int
    validation_warnings: list[str]


class GraphAnswer(Struct):
    """A graph with its nodes and edges."""

    graph_id: str
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    stats: GraphStats
    created_at: str
    last_modified: str


class GraphCreated(Struct):
    """The id of a new graph."""

    graph_id: str


class GraphDeleted(Struct):
    """A graph whose name was removed; its events are kept."""

    status: str
    graph_id: str


class GraphContent(Struct, forbid_unknown_fields=True):
    """The nodes and edges of a graph."""

    nodes: list[LineageNode]
    edges: list[LineageEdge]


class GraphImported(Struct):
    """What an import brought."""

    graph_id: str
    nodes_imported: int
    edges_imported: int


class NodeList(Struct):
    """Nodes of a graph."""

    nodes: list[LineageNode]
    total: int


class NodeCreated(Struct):
    """A node that was added or updated."""

    status: str
    node_id: str


class EdgeList(Struct):
    """Edges of a graph."""

    edges: list[LineageEdge]
    total: int


class EdgeCreated(Struct):
    """An edge that was added or updated."""

    status: str
    edge: str


class NodeLineage(Struct):
    """The nodes within some hops of another, nearest first, and the edges on the way."""

    origin: str
    direction: str
    hops: int
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    node_count: int
    edge_count: int


class TaskStarted(Struct):
    """A task that waits for its turn."""

    task_id: str
    status: str


class TaskInfo(Struct):
    """A task: what it is to do, how far it is, and what came of it."""

    task_id: str
    task_type: str
    status: str
    created_at: str
    started_at: str | None
    completed_at: str | None
    progress: list[str]
    result: dict[str, Any] | None
    error: str | None
    params: dict[str, Any]
