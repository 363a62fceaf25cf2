"""Events of nodes and edges: what a graph has is in the one store like all other lineage.

Each event carries the nodes and edges it was made of in the facet `lineage_bridge`, so that a graph
comes back as it was given. Datasets and jobs, what flows between them, schemas, tags and SQL are
stated as any producer states them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from headwater.answers.bridge.naming import openlineage_name
from headwater.answers.bridge.nodes import (
    SCHEMA_TYPE,
    LineageEdge,
    LineageNode,
    NodeGraph,
)
from headwater.emit.events import Json, Producer
from headwater.errors import InvalidEvent
from headwater.model.confluent import facets as confluent
from headwater.model.confluent import job_kinds
from headwater.model.confluent.names import other_table_names
from headwater.model.names import check_name
from headwater.model.naming import DatasetName

FACET = "lineage_bridge"
PRODUCER = Producer.of_part("bridge-import")
_LONGEST_NAME = 1_000
_JOB = "job"
_KINDS = {
    kind.node_type: kind
    for kind in (
        job_kinds.CONNECTOR,
        job_kinds.KSQLDB_QUERY,
        job_kinds.FLINK_JOB,
        job_kinds.CONSUMER_GROUP,
        job_kinds.NOTEBOOK,
        job_kinds.CATALOG_QUERY,
    )
}
_TAG_SOURCE = "LINEAGE_BRIDGE"


def write_events(graph: NodeGraph, node_ids: Iterable[str], at: int) -> Iterator[bytes]:
    """The events that state some nodes of a graph, with the edges that belong to them."""
    writer = _Writer(graph, at)
    requested = dict.fromkeys(node_ids)
    for id in dict.fromkeys(owner for node in requested for owner in writer.stated_with(node)):
        for event in writer.events_of(graph.nodes[id]):
            yield msgspec.json.encode(event)


class _Writer:
    """Writes the nodes of one graph, each with its edges."""

    def __init__(self, graph: NodeGraph, at: int) -> None:
        self._graph = graph
        self._at = at
        self._into: defaultdict[str, list[LineageEdge]] = defaultdict(list)
        self._out_of: defaultdict[str, list[LineageEdge]] = defaultdict(list)
        for edge in graph.edges.values():
            self._into[edge.dst_id].append(edge)
            self._out_of[edge.src_id].append(edge)

    def stated_with(self, node_id: str) -> list[str]:
        """The nodes whose events state a node: those that have a schema state it, and a consumer
        group its members."""
        if self._graph.nodes[node_id].node_type == SCHEMA_TYPE:
            return self._owners(node_id) or [node_id]
        if self._is_member(node_id):
            return [edge.dst_id for edge in self._out_of[node_id]]
        return [node_id]

    def events_of(self, node: LineageNode) -> Iterator[Json]:
        if node.is_job:
            yield self._job_event(node)
            return
        yield self._dataset_event(node)
        for edge in self._out_of[node.node_id]:
            other = self._graph.nodes[edge.dst_id]
            if other.is_dataset and node.is_dataset and self._graph.is_flow(edge):
                yield self._copy_event(node, other, edge)

    def _owners(self, schema: str) -> list[str]:
        return [
            edge.src_id
            for edge in self._into[schema]
            if edge.edge_type == job_kinds.HAS_SCHEMA and self._graph.nodes[edge.src_id].is_dataset
        ]

    def _is_member(self, node_id: str) -> bool:
        """Whether a node is a member of groups and nothing else: then it is no job by itself."""
        own = self._out_of[node_id]
        return (
            self._graph.nodes[node_id].is_job
            and bool(own)
            and not self._into[node_id]
            and all(
                edge.edge_type == job_kinds.MEMBER_OF and self._graph.nodes[edge.dst_id].is_job
                for edge in own
            )
        )

    def _dataset_event(self, node: LineageNode) -> Json:
        others = [
            edge
            for edge in self._out_of[node.node_id]
            if node.node_type == SCHEMA_TYPE or not self._graph.is_flow(edge)
        ]
        schemas = [
            other
            for edge in others
            if (other := self._graph.nodes[edge.dst_id]).node_type == SCHEMA_TYPE
        ]
        facets = _dataset_facets(node, schemas)
        facets[FACET] = PRODUCER.custom_facet(node=node, schemas=schemas, edges=others)
        dataset = {**openlineage_name(node)._asdict(), "facets": facets}
        return PRODUCER.dataset_event(dataset, self._at)

    def _job_event(self, node: LineageNode) -> Json:
        inputs: dict[DatasetName, Json] = {}
        outputs: dict[DatasetName, Json] = {}
        own = [*self._into[node.node_id], *self._out_of[node.node_id]]
        edges = [edge for edge in own if self._states(node, edge)]
        for edge in edges:
            source, target = self._graph.flow(edge)
            is_output = source == node.node_id
            other = self._graph.nodes[target if is_output else source]
            if other.is_dataset and self._graph.is_flow(edge):
                name = openlineage_name(other)
                (outputs if is_output else inputs)[name] = name._asdict()
        facets = _job_facets(node)
        joining = [each for each in self._into[node.node_id] if self._is_member(each.src_id)]
        members = [self._graph.nodes[each.src_id] for each in joining]
        stated = {"members": members} if members else {}
        facets[FACET] = PRODUCER.custom_facet(node=node, edges=[*edges, *joining], **stated)
        job = {**openlineage_name(node)._asdict(), "facets": facets}
        return PRODUCER.job_event(job, [*inputs.values()], [*outputs.values()], self._at)

    def _states(self, node: LineageNode, edge: LineageEdge) -> bool:
        """Whether a job's event states an edge: those with datasets, and its own to others."""
        if edge.src_id == node.node_id:
            return True
        return self._graph.nodes[edge.src_id].is_dataset and self._graph.is_flow(edge)

    def _copy_event(self, source: LineageNode, target: LineageNode, edge: LineageEdge) -> Json:
        """What goes from one dataset to another by itself, such as to a Tableflow table."""
        origin, destination = openlineage_name(source), openlineage_name(target)
        is_table = edge.edge_type == job_kinds.MATERIALIZES
        kind = job_kinds.TABLEFLOW if is_table else job_kinds.CLUSTER_LINK
        job_type = PRODUCER.job_type("STREAMING", job_kinds.INTEGRATION, kind.job_type)
        facets = {"jobType": job_type, FACET: PRODUCER.custom_facet(edges=[edge])}
        job = _stated_job(edge) or _copy_job(origin, edge)
        described = {**job._asdict(), "facets": facets}
        return PRODUCER.job_event(described, [origin._asdict()], [destination._asdict()], self._at)


def job_attribute(job: DatasetName) -> Json:
    """What an edge that stands for a job says of it: an import is then of the same job."""
    return {_JOB: job._asdict()}


def _stated_job(edge: LineageEdge) -> DatasetName | None:
    stated = edge.attributes.get(_JOB)
    if not isinstance(stated, dict):
        return None
    parts = stated.get("namespace"), stated.get("name")
    try:
        for part in parts:
            check_name(part if isinstance(part, str) else "", _JOB)
    except InvalidEvent:
        return None
    return DatasetName(*map(str, parts))


def _copy_job(origin: DatasetName, edge: LineageEdge) -> DatasetName:
    name = f"{edge.edge_type}:{origin.name}->{edge.dst_id}"
    if len(name) > _LONGEST_NAME:
        name = f"{edge.edge_type}:{sha256(name.encode()).hexdigest()}"
    return DatasetName(origin.namespace, name)


def _dataset_facets(node: LineageNode, schemas: Sequence[LineageNode]) -> Json:
    given = node.attributes
    facets = _common_facets(node, "Dataset")
    if node.node_type == "kafka_topic":
        facets[confluent.TOPIC] = PRODUCER.custom_facet(
            cluster_id=node.cluster_id,
            environment_id=node.environment_id,
            partitions=given.get("partitions", given.get("partitions_count")),
            replication_factor=given.get("replication_factor"),
            tags=node.tags,
        )
    if others := other_table_names(openlineage_name(node)):
        facets["symlinks"] = PRODUCER.symlinks(others)
    if fields := [field for schema in schemas for field in _fields(schema)]:
        facets["schema"] = PRODUCER.facet("SchemaDatasetFacet", fields=fields)
    return facets


def _fields(schema: LineageNode) -> Iterator[Json]:
    """The fields of a schema, in either of LineageBridge's spellings."""
    fields = schema.attributes.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict) and isinstance(field.get("name"), str):
            described = field.get("description") or field.get("doc")
            described_as = {"description": str(described)} if described else {}
            yield {"name": field["name"], "type": str(field.get("type", "")), **described_as}


def _job_facets(node: LineageNode) -> Json:
    given = node.attributes
    kind = _KINDS.get(node.node_type, job_kinds.CONNECTOR)
    facets = _common_facets(node, "Job")
    facets["jobType"] = PRODUCER.job_type("STREAMING", job_kinds.INTEGRATION, kind.job_type)
    query = given.get("sql") or given.get("query") or given.get("query_string")
    if isinstance(query, str):
        facets["sql"] = PRODUCER.facet("SQLJobFacet", query=query)
    if node.node_type == "connector":
        facets[confluent.CONNECTOR] = PRODUCER.custom_facet(
            connector_class=given.get("connector_class", given.get("connector.class")),
            connector_type=given.get("connector_type", given.get("direction")),
            cluster_id=node.cluster_id,
            environment_id=node.environment_id,
        )
    return facets


def _common_facets(node: LineageNode, of: str) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if isinstance(description := node.attributes.get("description"), str) and description:
        facets["documentation"] = PRODUCER.facet(f"Documentation{of}Facet", description=description)
    if node.tags:
        tags = [{"key": tag, "value": "true", "source": _TAG_SOURCE} for tag in node.tags]
        facets["tags"] = PRODUCER.facet(f"Tags{of}Facet", tags=tags)
    return facets
