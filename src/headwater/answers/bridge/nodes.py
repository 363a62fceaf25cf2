"""Nodes and edges in LineageBridge's shape, and how two reports of one are merged."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from headwater.model.confluent.names import NodeId, parse_node_id

NodeType = Literal[
    "kafka_topic",
    "connector",
    "ksqldb_query",
    "flink_job",
    "tableflow_table",
    "catalog_table",
    "schema",
    "external_dataset",
    "consumer_group",
    "notebook",
    "catalog_query",
]
EdgeType = Literal["produces", "consumes", "transforms", "materializes", "has_schema", "member_of"]
SystemType = Literal["confluent", "databricks", "aws", "google", "external"]

# As long as the longest names of datasets and jobs.
LONGEST_ID = 2_000
Identifier = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
Time = Annotated[str, Meta(max_length=64)]

DATASET_TYPES = frozenset(("kafka_topic", "tableflow_table", "catalog_table", "external_dataset"))
SCHEMA_TYPE = "schema"
# Edges that say what belongs together; nothing flows along them.
_STRUCTURAL = frozenset(("has_schema", "member_of"))
# Edges by which a job reads a dataset, also where they are drawn from the job: LineageBridge draws
# what a consumer group reads as the group's membership of the topic.
_READING = frozenset(("consumes", "member_of"))


class LineageNode(Struct, forbid_unknown_fields=True):
    """A topic, table, connector, query or other part of a pipeline."""

    node_id: Identifier
    system: SystemType
    node_type: NodeType
    qualified_name: Annotated[str, Meta(max_length=LONGEST_ID)]
    display_name: Annotated[str, Meta(max_length=LONGEST_ID)]
    environment_id: str | None = None
    environment_name: str | None = None
    cluster_id: str | None = None
    cluster_name: str | None = None
    catalog_type: str | None = None
    attributes: dict[str, Any] = {}
    tags: list[str] = []
    url: str | None = None
    first_seen: Time | None = None
    last_seen: Time | None = None

    @property
    def is_dataset(self) -> bool:
        return self.node_type in DATASET_TYPES

    @property
    def is_job(self) -> bool:
        return not self.is_dataset and self.node_type != SCHEMA_TYPE

    @property
    def id(self) -> NodeId | None:
        """The parts of its id; None if it is none."""
        return parse_node_id(self.node_id)


class LineageEdge(Struct, forbid_unknown_fields=True):
    """A connection of two nodes, in the direction in which data flows."""

    src_id: Identifier
    dst_id: Identifier
    edge_type: EdgeType
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    attributes: dict[str, Any] = {}
    first_seen: Time | None = None
    last_seen: Time | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.src_id, self.dst_id, self.edge_type


class NodeGraph:
    """Nodes by id, and edges by their ends and type."""

    def __init__(self) -> None:
        self.nodes: dict[str, LineageNode] = {}
        self.edges: dict[tuple[str, str, str], LineageEdge] = {}

    def add_node(self, node: LineageNode) -> LineageNode:
        """Add a node, or what is new of it; gives what it is then."""
        known = self.nodes.get(node.node_id)
        self.nodes[node.node_id] = merged = node if known is None else merge_nodes(known, node)
        return merged

    def add_edge(self, edge: LineageEdge) -> LineageEdge:
        known = self.edges.get(edge.key)
        self.edges[edge.key] = merged = edge if known is None else merge_edges(known, edge)
        return merged

    def is_flow(self, edge: LineageEdge) -> bool:
        """Whether data flows along an edge."""
        return edge.edge_type not in _STRUCTURAL or self._is_read_by_source(edge)

    def flow(self, edge: LineageEdge) -> tuple[str, str]:
        """The ends of an edge, from where its data comes to where it goes."""
        ends = edge.src_id, edge.dst_id
        return ends[::-1] if self._is_read_by_source(edge) else ends

    def _is_read_by_source(self, edge: LineageEdge) -> bool:
        if edge.edge_type not in _READING:
            return False
        return self.nodes[edge.src_id].is_job and self.nodes[edge.dst_id].is_dataset

    def copy(self) -> "NodeGraph":
        """One to change while others read this one."""
        made = NodeGraph()
        made.nodes, made.edges = dict(self.nodes), dict(self.edges)
        return made

    def resolve(self, node_id: str) -> list[str]:
        """The nodes that an id means: the one that has it, or those that a short form may mean."""
        if node_id in self.nodes:
            return [node_id]
        requested = parse_node_id(node_id)
        if requested is None or not requested.is_short:
            return []
        return sorted(
            id
            for id, node in self.nodes.items()
            if (parts := node.id) is not None and requested.means(parts)
        )


def merge_nodes(known: LineageNode, new: LineageNode) -> LineageNode:
    """The newer values win; what a report leaves out, and when it was first seen, is kept."""
    values = _filled(known, new)
    values["tags"] = [*known.tags, *(tag for tag in new.tags if tag not in known.tags)]
    return LineageNode(**values)


def merge_edges(known: LineageEdge, new: LineageEdge) -> LineageEdge:
    return LineageEdge(**_filled(known, new))


def _filled(known: Struct, new: Struct) -> dict[str, Any]:
    before, after = structs.asdict(known), structs.asdict(new)
    values = {name: before[name] if value is None else value for name, value in after.items()}
    values["attributes"] = before["attributes"] | after["attributes"]
    values["first_seen"] = before["first_seen"] or after["first_seen"]
    return values
