"""Walks over columns that are requested: where they begin, and what a dataset's columns are."""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from headwater.answers.nodes import WalkRequest
from headwater.errors import NotFound
from headwater.graph.answer import NodeKind, Towards
from headwater.graph.column_graph import ColumnGraph, ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.node_id import ParsedNodeId, field_node_id
from headwater.graph.view import View, Visit
from headwater.graph.walk import Limits
from headwater.model.relations import Direction
from headwater.model.uses import newest_schema
from headwater.model.values.field_paths import is_inside, list_parents
from headwater.store.engine import Connection
from headwater.store.read.content_cache import COLUMN_TYPES


def walk_requested_columns(
    connection: Connection,
    view: View,
    request: WalkRequest,
    with_indirect: bool,
    also: Sequence[ParsedNodeId] = (),
) -> ColumnGraph:
    """Walk from columns, or from all columns of datasets or of jobs' outputs."""
    starts = [
        column for node in (request.node, *also) for column in _list_starts(connection, view, node)
    ]
    if not starts:
        return ColumnGraph(())
    unique = dict.fromkeys(starts)
    return walk_columns(view, unique, request.towards, request.limits, with_indirect=with_indirect)


def _list_starts(connection: Connection, view: View, node: ParsedNodeId) -> list[ColumnKey]:
    is_there = view.has_job if node.kind is NodeKind.JOB else view.has_dataset
    view.classes.resolve([] if node.kind is NodeKind.JOB else [node.id])
    if not is_there(view.classes.chosen(node.id)):
        return []
    if node.field:
        check_column(connection, view, node)
        return [ColumnKey(node.id, node.field)]
    if node.kind is NodeKind.JOB:
        links = view.links([Visit(node.id)], Direction.OUTPUT)[Visit(node.id)]
        return list_columns(connection, view, [link.dataset for link in links])
    return list_columns(connection, view, [node.id])


def list_columns(connection: Connection, view: View, datasets: Iterable[bytes]) -> list[ColumnKey]:
    """List the columns of datasets; a dataset without any that are known is there as a whole."""
    view.classes.resolve(datasets := list(datasets))
    requested = sorted({view.classes.chosen(dataset) for dataset in datasets})
    view.load_users(requested, Direction)
    schemas = {dataset: newest_schema(view.users(dataset)) for dataset in requested}
    types = COLUMN_TYPES.read(connection, (use.schema for use in schemas.values() if use))
    stated = _list_outputs(view, requested)
    columns: list[ColumnKey] = []
    for dataset in requested:
        use = schemas[dataset]
        names = dict.fromkeys(types.get(use.schema, ()) if use else ())
        names |= dict.fromkeys(sorted(stated.get(dataset, ())))
        columns += [ColumnKey(dataset, name) for name in names] or [ColumnKey(dataset, "")]
    return columns


def _list_outputs(view: View, datasets: list[bytes]) -> dict[bytes, set[str]]:
    """The output columns that writers state, in a schema or not."""
    writers = view.writers(datasets)
    links = view.links(
        {visit for reached in writers.values() for visit, _ in reached}, Direction.OUTPUT
    )
    digests = {digest for some in links.values() for link in some for digest in link.columns}
    maps = view.reader.column_maps(digests)
    outputs: dict[bytes, set[str]] = {}
    for some in links.values():
        for link in some:
            for digest in link.columns & maps.keys():
                outputs.setdefault(link.dataset, set()).update(maps[digest].outputs.keys() - {""})
    return outputs


def _is_read(view: View, column: ColumnKey) -> bool:
    step = walk_columns(view, [column], Towards.DOWNSTREAM, Limits(1, 1_000))
    return any(not (edge.is_assumed or edge.via) for edges in step.edges.values() for edge in edges)


def _has_field(names: Collection[str], field: str) -> bool:
    """Whether a field is known: by its name, by a field inside it, or as one inside a column of
    which no fields are known: nobody can say that it has not this one."""
    if field in names or any(is_inside(name, field) for name in names):
        return True
    around = next((parent for parent in list_parents(field) if parent in names), None)
    return around is not None and not any(is_inside(name, around) for name in names)


def check_column(connection: Connection, view: View, node: ParsedNodeId) -> None:
    """Refuse a column that its dataset does not have, nor any job reads of it."""
    names = [column.name for column in list_columns(connection, view, [node.id])]
    if not _has_field(names, node.field) and not _is_read(view, ColumnKey(node.id, node.field)):
        near = get_close_matches(node.field, names, n=5, cutoff=0.4)
        ids = [field_node_id(node.namespace, node.name, name) for name in near]
        raise NotFound("column", f"{node.name}.{node.field}"[:500], near=ids)
