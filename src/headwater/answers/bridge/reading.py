"""The graph that a set of events states: nodes of their datasets and jobs, edges of their uses.

Events that were made of nodes have these as they were given; of all other events, the names and
facets of Confluent Cloud say what each dataset and job is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import msgspec

from headwater.answers.bridge.nodes import LineageEdge, LineageNode, NodeGraph, merge_nodes
from headwater.answers.bridge.properties import (
    dataset_properties,
    group_members,
    job_properties,
    registered_subjects,
)
from headwater.answers.bridge.writing import FACET, job_attribute
from headwater.errors import InvalidEvent
from headwater.model.confluent.job_kinds import HAS_SCHEMA, MEMBER_OF, JobKind, kind_of
from headwater.model.confluent.names import (
    EXTERNAL,
    NodeId,
    dataset_node,
    job_node,
    split_cluster,
)
from headwater.model.event import Dataset, Event, Facets, Job, Kind, decode_event
from headwater.model.naming import DatasetName
from headwater.model.values.instant import format_instant
from headwater.store.read.content_cache import read_fields

Json = dict[str, Any]


class _Given(msgspec.Struct):
    """What an event was made of."""

    node: LineageNode | None = None
    schemas: list[LineageNode] = []
    members: list[LineageNode] = []
    edges: list[LineageEdge] = []


_GIVEN = msgspec.json.Decoder(_Given)


@dataclass
class _Part:
    """A dataset or job as the events so far state it."""

    facets: dict[str, bytes] = field(default_factory=dict)
    # By the node's id: several ids may mean one dataset or job.
    given: dict[str, _Given] = field(default_factory=dict)
    first: int | None = None
    last: int = 0
    run: str | None = None
    inputs: dict[DatasetName, None] = field(default_factory=dict)
    outputs: dict[DatasetName, None] = field(default_factory=dict)

    def note(self, at: int, facets: Facets | None) -> None:
        self.first = at if self.first is None else min(self.first, at)
        self.last = max(self.last, at)
        for name, raw in (facets or {}).items():
            self.facets[name] = bytes(raw)
        if facets and FACET in facets:
            self._note_given(_read_given(bytes(facets[FACET])))

    def _note_given(self, given: _Given | None) -> None:
        if given is None:
            self.given = {}
            return
        id = given.node.node_id if given.node is not None else ""
        self.given.pop(id, None)
        self.given[id] = given


def read_graph(batches: Iterable[Iterable[bytes]]) -> NodeGraph:
    """The graph of some events, in the order of their times; what is newer counts."""
    reading = _Reading()
    for batch in batches:
        for data in batch:
            try:
                event = decode_event(data)
            except InvalidEvent:
                # It was stored: what is refused by now was taken in before.
                continue
            reading.add(event)
    return reading.graph()


class _Reading:
    """What the events so far state, by name."""

    def __init__(self) -> None:
        self._datasets: dict[DatasetName, _Part] = {}
        self._jobs: dict[DatasetName, _Part] = {}
        self._same_as: dict[DatasetName, DatasetName] = {}
        self._ids: dict[DatasetName, str] = {}
        # Ids that events were made with, of nodes that have another one now.
        self._other_ids: dict[str, str] = {}

    def add(self, event: Event) -> None:
        if event.kind is Kind.DATASET and event.dataset is not None:
            self._dataset(event.dataset, event)
        elif event.job is not None and event.kind is not Kind.EDIT:
            self._job(event.job, event)

    def _job(self, job: Job, event: Event) -> None:
        part = self._jobs.setdefault(DatasetName(job.namespace, job.name), _Part())
        part.note(event.at, job.facets)
        run = event.run.runId if event.run is not None else None
        if run is None or (run != part.run and (event.inputs or event.outputs)):
            # A declaration or a new run: what it does not name is no longer used.
            part.run, part.inputs, part.outputs = run, {}, {}
        part.inputs |= {self._dataset(each, event): None for each in event.inputs}
        part.outputs |= {self._dataset(each, event): None for each in event.outputs}

    def _dataset(self, dataset: Dataset, event: Event) -> DatasetName:
        owner = f"{event.job.namespace}/{event.job.name}" if event.job else ""
        name = DatasetName(dataset.namespace or f"unknown://{owner}", dataset.name)
        part = self._datasets.setdefault(name, _Part())
        part.note(event.at, dataset.facets)
        if dataset.facets and "symlinks" in dataset.facets:
            for other in _symlinks(bytes(dataset.facets["symlinks"])):
                known, its = self._known_as(name), self._known_as(other)
                if known != its:
                    self._join(known, its)
        return name

    def _join(self, known: DatasetName, its: DatasetName) -> None:
        """Note two names of one: that of a system with nodes of its own stands for it."""
        if dataset_node(*known).system == EXTERNAL and dataset_node(*its).system != EXTERNAL:
            known, its = its, known
        self._same_as[its] = known

    def graph(self) -> NodeGraph:
        graph = NodeGraph()
        for name in list(self._same_as):
            part = self._datasets.pop(name, None)
            if part is not None:
                whole = self._datasets.setdefault(self._known_as(name), part)
                whole.facets = part.facets | whole.facets
        for name, part in self._datasets.items():
            self._add_dataset(graph, name, part)
        for name, part in self._jobs.items():
            self._add_job(graph, name, part)
        self._rename_ends(graph)
        self._drop_dangling(graph)
        # Events of one time come in no order that anybody knows.
        graph.nodes, graph.edges = (
            dict(sorted(graph.nodes.items())),
            dict(sorted(graph.edges.items())),
        )
        return graph

    def _known_as(self, name: DatasetName) -> DatasetName:
        """The name that stands for a dataset: the one that is described with the others."""
        while name in self._same_as:
            name = self._same_as[name]
        return name

    def _add_dataset(self, graph: NodeGraph, name: DatasetName, part: _Part) -> None:
        id = self._add_given(graph, part)
        if id is not None:
            self._ids[name] = id
            return
        node = dataset_node(*name)
        self._ids[name] = str(node)
        facets = {facet: read_fields(body) for facet, body in part.facets.items()}
        graph.add_node(_node(node, name, part, dataset_properties(name, facets)))
        cluster = split_cluster(name.namespace)
        for schema in registered_subjects(cluster[0], facets) if cluster else ():
            graph.add_node(msgspec.structs.replace(schema, **_times(part)))
            graph.add_edge(_edge(str(node), schema.node_id, HAS_SCHEMA, part))

    def _add_job(self, graph: NodeGraph, name: DatasetName, part: _Part) -> None:
        facets = {facet: read_fields(body) for facet, body in part.facets.items()}
        kind = kind_of(facets.get("jobType", {}).get("jobType"))
        inputs, outputs = self._node_ids(part.inputs), self._node_ids(part.outputs)
        given = self._add_given(graph, part) if part.given else None
        if part.given and part.run is None:
            return
        # From here on it has run, or was declared by others.
        if kind.node_type is None:
            for source in inputs:
                for target in outputs:
                    edge = _edge(source, target, kind.output_edge, part)
                    graph.add_edge(msgspec.structs.replace(edge, attributes=job_attribute(name)))
            return
        if given is not None:
            _add_uses(graph, given, kind, inputs, outputs, part)
            return
        node = job_node(*name, kind)
        graph.add_node(_node(node, name, part, job_properties(name, facets)))
        _add_uses(graph, str(node), kind, inputs, outputs, part)
        for member in group_members(node, facets):
            graph.add_node(msgspec.structs.replace(member, **_times(part)))
            graph.add_edge(_edge(member.node_id, str(node), MEMBER_OF, part))

    def _add_given(self, graph: NodeGraph, part: _Part) -> str | None:
        """Add what a dataset's or a job's events were made of; gives the id of its node.

        Of several ids, a short one and a whole one, the whole one stays: the other means it.
        """
        for given in part.given.values():
            graph.nodes.update((each.node_id, each) for each in (*given.schemas, *given.members))
            graph.edges.update((each.key, each) for each in given.edges)
        nodes = [given.node for given in part.given.values() if given.node is not None]
        if not nodes:
            return None
        whole = [node for node in nodes if node.id is not None and not node.id.is_short]
        kept = (whole or nodes)[-1]
        self._other_ids |= {node.node_id: kept.node_id for node in nodes if node is not kept}
        names = {"node_id": kept.node_id, "qualified_name": kept.qualified_name}
        graph.nodes[kept.node_id] = msgspec.structs.replace(reduce(merge_nodes, nodes), **names)
        return kept.node_id

    def _rename_ends(self, graph: NodeGraph) -> None:
        """Let edges that were drawn with another id of a node end at that node."""
        for edge in [*graph.edges.values()] if self._other_ids else ():
            ends = [self._other_ids.get(end, end) for end in (edge.src_id, edge.dst_id)]
            if ends != [edge.src_id, edge.dst_id]:
                del graph.edges[edge.key]
                graph.add_edge(msgspec.structs.replace(edge, src_id=ends[0], dst_id=ends[1]))

    def _node_ids(self, names: Iterable[DatasetName]) -> list[str]:
        return list(dict.fromkeys(self._ids[self._known_as(name)] for name in names))

    def _drop_dangling(self, graph: NodeGraph) -> None:
        """Events of one of an edge's ends may have been pruned."""
        for key in [key for key in graph.edges if not {*key[:2]} <= graph.nodes.keys()]:
            del graph.edges[key]


def _add_uses(
    graph: NodeGraph,
    node: str,
    kind: JobKind,
    inputs: Iterable[str],
    outputs: Iterable[str],
    part: _Part,
) -> None:
    for source in inputs:
        graph.add_edge(_edge(source, node, kind.input_edge, part))
    for target in outputs:
        graph.add_edge(_edge(node, target, kind.output_edge, part))


def _node(
    node: NodeId, name: DatasetName, part: _Part, properties: Mapping[str, Any]
) -> LineageNode:
    return LineageNode(
        node_id=str(node),
        system=node.system,  # type: ignore[arg-type]
        node_type=node.node_type,  # type: ignore[arg-type]
        qualified_name=node.name,
        display_name=name.name,
        catalog_type=node.catalog_type,
        **properties,
        **_times(part),
    )


def _edge(source: str, target: str, edge_type: str, part: _Part) -> LineageEdge:
    return LineageEdge(source, target, edge_type, **_times(part))  # type: ignore[arg-type]


def _times(part: _Part) -> dict[str, Any]:
    first = part.last if part.first is None else part.first
    return {"first_seen": format_instant(first), "last_seen": format_instant(part.last)}


def _read_given(body: bytes) -> _Given | None:
    """What an event was made of; None where somebody else has a facet of that name."""
    try:
        return _GIVEN.decode(body)
    except msgspec.MsgspecError:
        return None


def _symlinks(body: bytes) -> Iterable[DatasetName]:
    identifiers = read_fields(body).get("identifiers")
    for each in identifiers if isinstance(identifiers, list) else ():
        if isinstance(each, dict) and each.get("type") == "TABLE":
            yield DatasetName(str(each.get("namespace", "")), str(each.get("name", "")))
