"""What a change of a node or a column affects: everything downstream, with whose it is.

A dataset is affected by its columns: directly, if a value of the start goes into one of them;
indirectly, if it only decides about rows (filters, joins, groupings); as a whole, if no columns are
known on the way. Jobs are affected by what they read: of one that writes nothing, as a dashboard,
nobody states the columns, so that any column of what it reads affects it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.answers.columns import walk_requested_columns
from headwater.answers.descriptions import describe_datasets, describe_jobs
from headwater.answers.nodes import WalkRequest
from headwater.graph.answer import Graph, NodeKind
from headwater.graph.column_graph import ColumnGraph, ColumnKey
from headwater.graph.node_id import dataset_node_id, job_node_id
from headwater.graph.view import View
from headwater.model.relations import Slot
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.read.owners import read_owners

Shape = dict[str, Any]

DIRECT, INDIRECT, WHOLE = "direct", "indirect", "whole"
# Of one asset; their number is always reported.
MOST_COLUMNS = 100


class Affected(NamedTuple):
    """The nodes of an impact with how far they are, and the columns through which."""

    datasets: dict[bytes, int]
    jobs: dict[bytes, int]
    columns: dict[bytes, set[str]]
    # Columns that a value goes into.
    direct: set[ColumnKey]
    is_cut: bool
    incomplete: bool


def impact_shape(
    connection: Connection, view: View, request: WalkRequest, with_indirect: bool
) -> Shape:
    """Everything affected, nearest first; the start itself is left out."""
    columns = walk_requested_columns(connection, view, request, with_indirect)
    if request.node.field:
        affected = _by_columns(view, columns, request.limits.depth)
    else:
        affected = _by_nodes(request.walk(view), columns)
    start = {request.node.id, *(view.classes.chosen(column.dataset) for column in columns.starts)}
    if request.node.kind is NodeKind.JOB:
        start = {request.node.id}
    assets = [
        *_datasets(connection, view, affected, affected.datasets.keys() - start),
        *_jobs(connection, view, affected, affected.jobs.keys() - start),
    ]
    assets.sort(key=lambda asset: (asset["hops"], asset["type"], asset["namespace"], asset["name"]))
    return {
        "assets": assets,
        "totalCount": len(assets),
        "owners": sorted({owner for asset in assets for owner in asset["owners"]}),
        "isCut": affected.is_cut,
        "incomplete": affected.incomplete,
    }


def _by_nodes(graph: Graph, columns: ColumnGraph) -> Affected:
    return Affected(
        graph.datasets,
        graph.jobs,
        _columns_by_dataset(columns),
        _reached_directly(columns),
        graph.is_cut or columns.is_cut,
        bool(graph.gaps or columns.gaps),
    )


def _by_columns(view: View, columns: ColumnGraph, depth: int) -> Affected:
    datasets: dict[bytes, int] = {}
    for column, hops in columns.columns.items():
        datasets[column.dataset] = min(hops, datasets.get(column.dataset, hops))
    jobs: dict[bytes, int] = {}
    for (_, destination), edges in columns.edges.items():
        hops = columns.columns.get(destination, 0)
        for edge in edges:
            if edge.job:
                jobs[edge.job] = min(hops, jobs.get(edge.job, hops))
    for job, hops in _find_ends(view, datasets):
        if hops <= depth:
            jobs[job] = min(hops, jobs.get(job, hops))
    by_dataset, direct = _columns_by_dataset(columns), _reached_directly(columns)
    return Affected(datasets, jobs, by_dataset, direct, columns.is_cut, bool(columns.gaps))


def _find_ends(view: View, datasets: Mapping[bytes, int]) -> Iterator[tuple[bytes, int]]:
    """The jobs that read some datasets and write nothing, with how far they are."""
    readers = view.readers(datasets)
    outputs = view.outputs({visit for reached in readers.values() for visit, _ in reached})
    for dataset, reached in readers.items():
        for visit, _ in reached:
            if not outputs[visit]:
                yield visit.job, datasets[dataset] + 1


def _columns_by_dataset(columns: ColumnGraph) -> dict[bytes, set[str]]:
    found: defaultdict[bytes, set[str]] = defaultdict(set)
    for column in columns.columns:
        if column.name:
            found[column.dataset].add(column.name)
    return found


def _reached_directly(columns: ColumnGraph) -> set[ColumnKey]:
    """The columns that a value of the start goes into, over direct edges alone."""
    following: defaultdict[ColumnKey, list[ColumnKey]] = defaultdict(list)
    for (origin, destination), edges in columns.edges.items():
        if any(not (edge.is_indirect or edge.is_assumed) for edge in edges):
            following[origin].append(destination)
    reached, left = set(columns.starts), list(columns.starts)
    while left:
        for column in following[left.pop()]:
            if column not in reached:
                reached.add(column)
                left.append(column)
    return reached


def _datasets(
    connection: Connection, view: View, affected: Affected, ids: Iterable[bytes]
) -> Iterable[Shape]:
    described = describe_datasets(connection, view, ids)
    owners = read_owners(connection, described, Slot.DATASET)
    for id, found in described.items():
        names = sorted(affected.columns.get(id, ()))
        is_direct = any(ColumnKey(id, name) in affected.direct for name in names)
        yield {
            "id": dataset_node_id(*found.name),
            "type": "DATASET",
            "namespace": found.name.namespace,
            "name": found.name.name,
            "columns": names[:MOST_COLUMNS],
            "columnCount": len(names),
            "dependency": (DIRECT if is_direct else INDIRECT) if names else WHOLE,
            "hops": affected.datasets[id],
            "system": found.system,
            "owners": owners.get(id, []),
            "lastUsedAt": _instant(found.last_seen),
        }


def _jobs(
    connection: Connection, view: View, affected: Affected, ids: Iterable[bytes]
) -> Iterable[Shape]:
    described = describe_jobs(connection, ids, view.at)
    owners = read_owners(connection, described, Slot.JOB)
    for id, found in described.items():
        yield {
            "id": job_node_id(found.job.namespace, found.job.name),
            "type": "JOB",
            "namespace": found.job.namespace,
            "name": found.job.name,
            "columns": [],
            "columnCount": 0,
            "dependency": None,
            "hops": affected.jobs[id],
            "system": found.system,
            "owners": owners.get(id, []),
            "lastUsedAt": _instant(found.job.last_seen),
        }


def _instant(time: int | None) -> str | None:
    return None if time is None else format_instant(time)
