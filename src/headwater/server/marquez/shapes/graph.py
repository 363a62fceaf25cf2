"""Graphs in Marquez's shape: nodes with what is known of them, and their edges in and out.

Structs instead of dictionaries, and fields of a schema encoded once a digest: a graph of a
thousand nodes is megabytes of JSON.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from headwater.answers.descriptions import (
    DescribedDataset,
    DescribedJob,
    Facets,
    describe_datasets,
    describe_jobs,
    read_schemas,
)
from headwater.graph.answer import Graph, Side
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.node_id import dataset_node_id, job_node_id
from headwater.graph.view import View, Visit
from headwater.model.aspects import JOB_TYPE, OWNERSHIP
from headwater.model.facets import Schema
from headwater.model.gaps import Gaps
from headwater.model.job_types import job_type
from headwater.model.run_states import state_of
from headwater.model.uses import NOW, Name
from headwater.model.values.ids import run_name
from headwater.model.values.instant import format_instant
from headwater.model.values.memo import Memo
from headwater.server.marquez.shapes.common import (
    NameShape,
    dataset_type,
    instant_or_none,
    simple_name,
    tags_by_field,
    whole_tags,
)
from headwater.server.marquez.shapes.datasets import FieldShape, fields_shape
from headwater.server.marquez.shapes.gaps import GapShape, add_gaps
from headwater.server.marquez.shapes.runs import RunShape
from headwater.store.engine import Connection
from headwater.store.lineage.newest_runs import NewestRun
from headwater.store.read.jobs import read_names
from headwater.store.read.owners import owner_names

K = TypeVar("K", bound=Hashable)

_NO_FIELDS: dict[str, Any] = {}


_Uses = tuple[list[bytes], list[bytes]]
_NO_USES: _Uses = ([], [])


class EdgeShape(Struct):
    origin: str
    destination: str
    kind: str | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET


class MoreShape(Struct, omit_defaults=True):
    """How many neighbours are not in the answer."""

    upstream: int = 0
    downstream: int = 0


class DatasetData(Struct):
    id: NameShape
    type: str
    name: str
    physicalName: str
    createdAt: str | None
    updatedAt: str | None
    namespace: str
    sourceName: str
    fields: list[FieldShape]
    tags: list[str]
    lastModifiedAt: str | None
    description: str | None
    lastLifecycleState: str | None
    system: str
    aliases: list[NameShape] | UnsetType = UNSET
    owners: list[str] | UnsetType = UNSET


class JobData(Struct):
    id: NameShape
    type: str
    name: str
    simpleName: str
    parentJobName: str | None
    createdAt: str | None
    updatedAt: str | None
    namespace: str
    inputs: list[NameShape]
    outputs: list[NameShape]
    location: str | None
    description: str | None
    latestRun: RunShape | None
    tags: list[str]
    system: str
    deleted: bool | UnsetType = UNSET
    owners: list[str] | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET
    gapSummary: str | UnsetType = UNSET
    gaps: list[GapShape] | UnsetType = UNSET


class NodeShape(Struct):
    id: str
    type: str
    data: Raw
    inEdges: list[EdgeShape]
    outEdges: list[EdgeShape]
    distance: int
    more: MoreShape | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET


class GraphShape(Struct):
    """The answer: Marquez's graph, and beside it where it began and whether it is whole: `isCut`
    if there is more than was requested, `incomplete` if a job in it has gaps."""

    graph: list[NodeShape]
    node: str
    asOf: str | None
    isCut: bool
    incomplete: bool


def graph_shape(connection: Connection, view: View, graph: Graph) -> GraphShape:
    datasets = describe_datasets(connection, view, graph.datasets)
    jobs = describe_jobs(connection, graph.jobs, view.at)
    parents = _parent_names(connection, jobs)
    schemas = read_schemas(connection, datasets.values())
    ids = {id: dataset_node_id(*found.name) for id, found in datasets.items()}
    ids |= {id: job_node_id(found.job.namespace, found.job.name) for id, found in jobs.items()}
    ins, outs = _edges(graph, ids)
    more = more_shapes(graph.more)
    # What a job with gaps writes may come from more than is known.
    unsure = {edge.destination for edge in graph.edges if edge.origin in graph.gaps}
    nodes = [
        NodeShape(
            ids[id],
            "DATASET",
            _dataset_json(found, schemas),
            ins.get(id, []),
            outs.get(id, []),
            graph.datasets[id],
            more.get(id, UNSET),
            True if id in unsure else UNSET,
        )
        for id, found in datasets.items()
    ]
    uses = _job_uses(view, graph)
    names = {id: NameShape(*found.name) for id, found in datasets.items()}
    used = {dataset for some in uses.values() for way in some for dataset in way}
    beyond = view.reader.dataset_names(used - names.keys())
    names |= {id: NameShape(*name) for id, name in beyond.items()}
    nodes += [
        NodeShape(
            ids[id],
            "JOB",
            _job_json(
                found, uses.get(id, _NO_USES), names, parents, view.at, graph.gaps.get(id, ())
            ),
            ins.get(id, []),
            outs.get(id, []),
            graph.jobs[id],
            more.get(id, UNSET),
            True if id in graph.gaps else UNSET,
        )
        for id, found in jobs.items()
    ]
    nodes.sort(key=lambda node: node.id)
    as_of = None if view.at == NOW else format_instant(view.at)
    start = ids.get(graph.starts[0], "")
    return GraphShape(nodes, start, as_of, graph.is_cut, bool(graph.gaps))


def _edges(
    graph: Graph, ids: Mapping[bytes, str]
) -> tuple[dict[bytes, list[EdgeShape]], dict[bytes, list[EdgeShape]]]:
    ins: defaultdict[bytes, list[EdgeShape]] = defaultdict(list)
    outs: defaultdict[bytes, list[EdgeShape]] = defaultdict(list)
    for (origin, destination), kind in graph.edges.items():
        if origin in ids and destination in ids:
            stated = UNSET if kind is EdgeKind.OBSERVED else kind.value
            has_gaps = bool(graph.gaps) and not graph.gaps.keys().isdisjoint((origin, destination))
            edge = EdgeShape(ids[origin], ids[destination], stated, has_gaps or UNSET)
            outs[origin].append(edge)
            ins[destination].append(edge)
    for edges in outs.values():
        if len(edges) > 1:
            edges.sort(key=lambda edge: edge.destination)
    for edges in ins.values():
        if len(edges) > 1:
            edges.sort(key=lambda edge: edge.origin)
    return ins, outs


def more_shapes(more: Mapping[tuple[K, Side], int]) -> dict[K, MoreShape]:
    """What is not in the answer, by the node where it would hang."""
    found: dict[K, MoreShape] = {}
    for (node, side), count in more.items():
        shape = found.setdefault(node, MoreShape())
        if side is Side.UPSTREAM:
            shape.upstream = count
        else:
            shape.downstream = count
    return found


# Nodes as they were shown last. Their keys are all that goes into them, so that none can be stale;
# of a large graph little changes between two looks at it.
_SHOWN: Memo[Raw] = Memo(32_000_000)


def _remember(key: tuple[Hashable, ...], data: DatasetData | JobData) -> Raw:
    body = msgspec.json.encode(data)
    shown = Raw(body)
    _SHOWN.put(key, shown, len(body))
    return shown


def _dataset_json(found: DescribedDataset, schemas: Mapping[bytes, Schema]) -> Raw:
    key = (*found[:9], found.facet_digests)
    return _SHOWN.get(key) or _remember(key, _dataset_data(found, schemas))


def _job_json(
    found: DescribedJob,
    uses: _Uses,
    names: Mapping[bytes, NameShape],
    parents: Mapping[bytes, Name],
    at: int,
    gaps: Gaps,
) -> Raw:
    key = (
        found.job,
        found.run,
        found.is_deleted,
        found.facet_digests,
        *map(frozenset, uses),
        at,
        gaps,
    )
    if (shown := _SHOWN.get(key)) is not None:
        return shown
    data = _job_data(found, uses, names, parents, at)
    add_gaps(data, gaps)
    return _remember(key, data)


_FIELDS: Memo[Raw] = Memo(32_000_000)


def _fields(found: DescribedDataset, schemas: Mapping[bytes, Schema]) -> Any:
    """A schema's fields; remembered where nothing but the schema goes into them."""
    if found.schema is None or found.schema not in schemas:
        return Raw(b"[]")
    tags = tags_by_field(found.facets["tags"]) if "tags" in found.facets else {}
    if not tags and (known := _FIELDS.get(found.schema)) is not None:
        return known
    body = msgspec.json.encode(fields_shape(schemas[found.schema], tags))
    if not tags:
        _FIELDS.put(found.schema, Raw(body), len(body))
    return Raw(body)


def _dataset_data(found: DescribedDataset, schemas: Mapping[bytes, Schema]) -> DatasetData:
    namespace, name = found.name
    facets = found.facets
    source = facets["dataSource"].get("name") if "dataSource" in facets else None
    updated = instant_or_none(found.last_seen)
    written = updated if found.written_at == found.last_seen else instant_or_none(found.written_at)
    return DatasetData(
        NameShape(namespace, name),
        dataset_type(namespace, facets.get("datasetType", _NO_FIELDS)),
        name,
        name,
        instant_or_none(found.first_seen),
        updated,
        namespace,
        source if isinstance(source, str) else namespace,
        _fields(found, schemas),
        whole_tags(facets["tags"]) if "tags" in facets else [],
        written,
        _text(facets, "documentation", "description"),
        found.lifecycle,
        found.system,
        [NameShape(*alias) for alias in found.aliases] if found.aliases else UNSET,
        _owners(facets),
    )


def _job_uses(view: View, graph: Graph) -> dict[bytes, _Uses]:
    """What jobs read and write, in the graph or not; of a folded one what is in the graph."""
    visits = [Visit(job) for job in graph.jobs]
    inputs, outputs = view.inputs(visits), view.outputs(visits)
    uses: dict[bytes, _Uses] = {
        visit.job: (
            [dataset for dataset, _ in inputs[visit]],
            [dataset for dataset, _ in outputs[visit]],
        )
        for visit in visits
    }
    # A job that stands for its children has no uses of its own.
    folded = {job for job, some in uses.items() if not any(some)}
    for origin, destination in graph.edges:
        if destination in folded:
            uses[destination][0].append(origin)
        if origin in folded:
            uses[origin][1].append(destination)
    return uses


def _job_data(
    found: DescribedJob,
    uses: _Uses,
    names: Mapping[bytes, NameShape],
    parents: Mapping[bytes, Name],
    at: int,
) -> JobData:
    job, facets = found.job, found.facets
    parent = parents.get(job.parent) if job.parent else None
    inputs, outputs = (
        sorted(
            (names[id] for id in ids if id in names), key=lambda name: (name.namespace, name.name)
        )
        for ids in uses
    )
    return JobData(
        NameShape(job.namespace, job.name),
        job_type(facets.get(JOB_TYPE, _NO_FIELDS).get("processingType")),
        job.name,
        simple_name(job.name, parent.name if parent else None),
        parent.name if parent else None,
        instant_or_none(job.first_seen),
        instant_or_none(job.last_seen if job.last_seen is None else min(job.last_seen, at)),
        job.namespace,
        inputs,
        outputs,
        _text(facets, "sourceCodeLocation", "url"),
        _text(facets, "documentation", "description"),
        None if found.run is None else _run_data(found.run, at),
        whole_tags(facets["tags"]) if "tags" in facets else [],
        found.system,
        True if found.is_deleted else UNSET,
        _owners(facets),
    )


def _run_data(row: NewestRun, at: int) -> RunShape:
    state, ended_at = state_of(row, at)
    began = row.first_start if row.first_start is not None else row.first_event
    # Most runs send their first event at the start and their last at the end.
    created = format_instant(row.first_event)
    started = created if began == row.first_event else format_instant(began)
    ended = instant_or_none(ended_at)
    updated = min(row.last_event, at)
    return RunShape(
        run_name(row.id, row.name),
        created,
        ended if updated == ended_at else format_instant(updated),
        instant_or_none(row.nominal_start),
        instant_or_none(row.nominal_end),
        state,
        started,
        ended,
        None if ended_at is None else max(0, ended_at - began) // 1000,
        {},
        {},
    )


def _parent_names(connection: Connection, jobs: Mapping[bytes, DescribedJob]) -> dict[bytes, Name]:
    requested = {found.job.parent for found in jobs.values() if found.job.parent}
    return {id: Name(*name) for id, name in read_names(connection, requested).items()}


def _owners(facets: Facets) -> list[str] | UnsetType:
    return owner_names(facets[OWNERSHIP]) or UNSET if OWNERSHIP in facets else UNSET


def _text(facets: Facets, name: str, field: str) -> str | None:
    value = facets[name].get(field) if name in facets else None
    return value if isinstance(value, str) else None
