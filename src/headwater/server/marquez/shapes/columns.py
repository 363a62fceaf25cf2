"""Column lineage in Marquez's shape, with the transformations that Marquez leaves out."""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from headwater.graph.column_graph import ColumnEdge, ColumnGraph, ColumnKey
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.node_id import field_node_id, job_node_id
from headwater.graph.view import View
from headwater.model.column_map import Transformation
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Name, newest_schema
from headwater.model.values.instant import format_instant
from headwater.server.marquez.shapes.common import dataset_version
from headwater.server.marquez.shapes.gaps import GapShape, add_gaps
from headwater.server.marquez.shapes.graph import EdgeShape, MoreShape, more_shapes
from headwater.store.engine import Connection
from headwater.store.read.content_cache import COLUMN_TYPES


class TransformationShape(Struct):
    type: str | None
    subtype: str | None
    description: str | None
    masking: bool | None


class InputFieldShape(Struct):
    namespace: str
    dataset: str
    datasetVersion: str | None
    field: str
    transformationDescription: str | None
    transformationType: str | None
    transformations: list[TransformationShape]
    isIndirect: bool
    job: str | None
    kind: str | UnsetType = UNSET
    isAssumed: bool | UnsetType = UNSET
    via: str | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET


class ColumnJob(Struct):
    """A job between columns, and what its producer did not recognise of it."""

    namespace: str
    name: str
    incomplete: bool | UnsetType = UNSET
    gapSummary: str | UnsetType = UNSET
    gaps: list[GapShape] | UnsetType = UNSET


class ColumnData(Struct):
    namespace: str
    dataset: str
    datasetVersion: str | None
    field: str
    fieldType: str | None
    transformationDescription: str | None
    transformationType: str | None
    inputFields: list[InputFieldShape]


class ColumnNodeShape(Struct):
    id: str
    type: str
    data: ColumnData
    inEdges: list[EdgeShape]
    outEdges: list[EdgeShape]
    distance: int
    more: MoreShape | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET


class ColumnGraphShape(Struct):
    """Columns and their sources. `via` of a source is the field that its job states, if that is
    not the column itself but one inside or around it. `incomplete` if a job on the way has gaps;
    `jobs` has all of those."""

    graph: list[ColumnNodeShape]
    nodes: list[str]
    jobs: dict[str, ColumnJob]
    asOf: str | None
    isCut: bool
    incomplete: bool


class _Dataset(Struct):
    name: Name
    version: str | None
    types: Mapping[str, str]


def column_graph_shape(connection: Connection, view: View, graph: ColumnGraph) -> ColumnGraphShape:
    datasets = _describe(connection, view, {column.dataset for column in graph.columns})
    shown = [column for column in graph.columns if column.dataset in datasets]
    ids = {column: field_node_id(*datasets[column.dataset].name, column.name) for column in shown}
    jobs = _jobs(view, graph)
    job_ids = {job: job_node_id(*name) for job, name in jobs.items()}
    inputs, ins, outs = _connect(graph, datasets, ids, job_ids)
    more = more_shapes(graph.more)
    nodes = [
        ColumnNodeShape(
            ids[column],
            "DATASET_FIELD" if column.name else "DATASET",
            _data(column, datasets[column.dataset], inputs.get(column, [])),
            ins.get(column, []),
            outs.get(column, []),
            graph.columns[column],
            more.get(column, UNSET),
            True if column in graph.incomplete else UNSET,
        )
        for column in shown
    ]
    nodes.sort(key=lambda node: node.id)
    as_of = None if view.at == NOW else format_instant(view.at)
    starts = [ids[column] for column in graph.starts if column in ids]
    named = {job_ids[job]: ColumnJob(*name) for job, name in jobs.items()}
    for job in graph.gaps.keys() & jobs.keys():
        add_gaps(named[job_ids[job]], graph.gaps[job])
    return ColumnGraphShape(nodes, starts, named, as_of, graph.is_cut, bool(graph.gaps))


def _describe(connection: Connection, view: View, datasets: set[bytes]) -> dict[bytes, _Dataset]:
    view.load_users(datasets, Direction)
    names = view.reader.dataset_names(datasets)
    schemas = {dataset: newest_schema(view.users(dataset)) for dataset in names}
    types = COLUMN_TYPES.read(connection, (use.schema for use in schemas.values() if use))
    return {
        dataset: _Dataset(
            name,
            dataset_version(dataset, use.schema if (use := schemas[dataset]) else None),
            types.get(use.schema, {}) if use else {},
        )
        for dataset, name in names.items()
    }


_Edges = dict[ColumnKey, list[EdgeShape]]


def _connect(
    graph: ColumnGraph,
    datasets: Mapping[bytes, _Dataset],
    ids: Mapping[ColumnKey, str],
    job_ids: Mapping[bytes, str],
) -> tuple[dict[ColumnKey, list[InputFieldShape]], _Edges, _Edges]:
    """Input fields and edges of every column; as in Marquez an edge's origin is the node itself."""
    inputs: defaultdict[ColumnKey, list[InputFieldShape]] = defaultdict(list)
    ins: defaultdict[ColumnKey, list[EdgeShape]] = defaultdict(list)
    outs: defaultdict[ColumnKey, list[EdgeShape]] = defaultdict(list)
    transformations: dict[tuple[Transformation, ...], list[TransformationShape]] = {}
    for (origin, destination), edges in graph.edges.items():
        if origin not in ids or destination not in ids:
            continue
        ins[destination].append(EdgeShape(ids[destination], ids[origin]))
        outs[origin].append(EdgeShape(ids[origin], ids[destination]))
        source = datasets[origin.dataset]
        for edge in edges:
            shapes = transformations.get(edge.transformations)
            if shapes is None:
                shapes = [
                    TransformationShape(each.type, each.subtype, each.description, each.is_masking)
                    for each in edge.transformations
                ]
                transformations[edge.transformations] = shapes
            field = _input_field(origin, source, edge, shapes, job_ids.get(edge.job or b""))
            if edge.job in graph.gaps:
                field.incomplete = True
            inputs[destination].append(field)
    return inputs, ins, outs


def _input_field(
    column: ColumnKey,
    dataset: _Dataset,
    edge: ColumnEdge,
    transformations: list[TransformationShape],
    job: str | None,
) -> InputFieldShape:
    first = transformations[0] if transformations else None
    return InputFieldShape(
        dataset.name.namespace,
        dataset.name.name,
        dataset.version,
        column.name,
        first.description if first else None,
        (first.subtype or first.type) if first else None,
        transformations,
        edge.is_indirect,
        job,
        UNSET if edge.kind is EdgeKind.OBSERVED else edge.kind.value,
        True if edge.is_assumed else UNSET,
        edge.via or UNSET,
    )


def _jobs(view: View, graph: ColumnGraph) -> dict[bytes, Name]:
    jobs = {edge.job for edges in graph.edges.values() for edge in edges if edge.job}
    return view.reader.job_names(jobs | graph.gaps.keys())


def _data(column: ColumnKey, dataset: _Dataset, inputs: list[InputFieldShape]) -> ColumnData:
    first = inputs[0] if inputs else None
    return ColumnData(
        dataset.name.namespace,
        dataset.name.name,
        dataset.version,
        column.name,
        dataset.types.get(column.name),
        first.transformationDescription if first else None,
        first.transformationType if first else None,
        inputs,
    )
