"""Graphs as drawings, for the formats that they are exported in."""

from collections.abc import Iterable

from headwater.answers.descriptions import describe_datasets, describe_jobs
from headwater.graph.answer import Graph
from headwater.graph.column_graph import ColumnEdge, ColumnGraph, ColumnKey
from headwater.graph.drawings import drawing
from headwater.graph.drawings.drawing import Drawing, Line, Shape
from headwater.graph.node_id import dataset_node_id, field_node_id, job_node_id
from headwater.graph.view import View
from headwater.model.gaps import describe_gaps
from headwater.model.systems import system_of_dataset
from headwater.model.uses import Name
from headwater.store.engine import Connection


def name_nodes(view: View, datasets: Iterable[bytes], jobs: Iterable[bytes]) -> dict[bytes, str]:
    """The node ids of datasets and jobs."""
    ids = {id: dataset_node_id(*name) for id, name in view.reader.dataset_names(datasets).items()}
    return ids | {id: job_node_id(*name) for id, name in view.reader.job_names(jobs).items()}


def name_columns(view: View, columns: Iterable[ColumnKey]) -> dict[ColumnKey, str]:
    """The node ids of columns."""
    requested = list(columns)
    names = view.reader.dataset_names({column.dataset for column in requested})
    return {column: field_node_id(*names[column.dataset], column.name) for column in requested}


def draw_graph(connection: Connection, view: View, graph: Graph) -> Drawing:
    datasets = describe_datasets(connection, view, graph.datasets)
    jobs = describe_jobs(connection, graph.jobs, view.at)
    shapes = {
        id: Shape(
            dataset_node_id(*found.name),
            drawing.DATASET,
            *found.name,
            system=found.system,
            state=found.lifecycle or "",
        )
        for id, found in datasets.items()
    }
    shapes |= {
        id: Shape(
            job_node_id(found.job.namespace, found.job.name),
            drawing.JOB,
            found.job.namespace,
            found.job.name,
            system=found.system,
            state=found.state,
            gaps=describe_gaps(graph.gaps.get(id, ())),
        )
        for id, found in jobs.items()
    }
    lines = [
        Line(shapes[origin].id, shapes[destination].id, kind.value)
        for (origin, destination), kind in graph.edges.items()
        if origin in shapes and destination in shapes
    ]
    focus = tuple(shapes[start].id for start in graph.starts if start in shapes)
    return Drawing(tuple(shapes.values()), tuple(lines), focus, graph.is_cut, bool(graph.gaps))


def draw_columns(view: View, graph: ColumnGraph) -> Drawing:
    names = view.reader.dataset_names({column.dataset for column in graph.columns})
    jobs = {edge.job for edges in graph.edges.values() for edge in edges if edge.job}
    job_names = view.reader.job_names(jobs)
    shapes = {
        column: _column_shape(column, *names[column.dataset])
        for column in graph.columns
        if column.dataset in names
    }
    lines = [
        _column_line(shapes[origin].id, shapes[destination].id, edge, job_names)
        for (origin, destination), edges in graph.edges.items()
        for edge in edges
        if origin in shapes and destination in shapes
    ]
    focus = tuple(shapes[start].id for start in graph.starts if start in shapes)
    return Drawing(tuple(shapes.values()), tuple(lines), focus, graph.is_cut, bool(graph.gaps))


def _column_shape(column: ColumnKey, namespace: str, name: str) -> Shape:
    kind = drawing.DATASET_FIELD if column.name else drawing.DATASET
    id = field_node_id(namespace, name, column.name)
    return Shape(id, kind, namespace, name, column.name, system_of_dataset(namespace))


def _column_line(
    origin: str, destination: str, edge: ColumnEdge, job_names: dict[bytes, Name]
) -> Line:
    job = job_names.get(edge.job or b"")
    return Line(
        origin,
        destination,
        edge.kind.value,
        job_node_id(*job) if job else "",
        "; ".join(each.words for each in edge.transformations),
        edge.is_indirect,
        edge.is_assumed,
        edge.via,
    )
