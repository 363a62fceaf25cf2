"""Names as people write them: the nodes that one may mean."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from headwater.answers.columns import list_columns
from headwater.answers.nodes import list_existing, view_at
from headwater.errors import InvalidRequest, NotFound
from headwater.graph.answer import NodeKind
from headwater.graph.node_id import ParsedNodeId, field_node_id, job_node_id, read_node_id
from headwater.graph.view import View
from headwater.store.engine import Connection
from headwater.store.read.nodes import NodeRecord, find_like

Shape = dict[str, Any]

# What may stand between a dataset and its column.
_MARKS = ("#", ".")
_DATASETS_OF_COLUMN = 50
_MOST_SHOWN = 500


def find_named(connection: Connection, name: str, limit: int) -> list[Shape]:
    """The nodes a name may mean, likeliest first; `isExact` if nothing else has that name."""
    view = view_at(connection, None)
    exact = _by_id(connection, view, name)
    if exact:
        return exact
    found = [_shape(node, name) for node in _once(view, find_like(connection, name, limit))]
    if not any(shape["isExact"] for shape in found):
        found = [*_columns(connection, view, name), *found]
    return found[:limit]


def check_namespace(kind: str, name: str, known: Collection[str]) -> None:
    """Refuse a namespace that is not known: an empty answer would look as if all were well."""
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        raise NotFound(kind, name[:_MOST_SHOWN], near)


def _has_column(connection: Connection, view: View, reading: ParsedNodeId) -> bool:
    if not reading.field:
        return True
    known = list_columns(connection, view, [reading.id])
    return any(column.name == reading.field for column in known)


def _by_id(connection: Connection, view: View, text: str) -> list[Shape]:
    try:
        readings = read_node_id(text)
    except InvalidRequest:
        return []
    for reading in list_existing(view, readings):
        if _has_column(connection, view, reading):
            node = NodeRecord(reading.kind, reading.id, reading.namespace, reading.name)
            return [_shape(node, reading.name, reading.field)]
    return []


def _columns(connection: Connection, view: View, name: str) -> list[Shape]:
    """Columns that a name of the form DATASET.COLUMN may mean."""
    for mark in _MARKS:
        dataset, found_mark, column = name.rpartition(mark)
        if not (found_mark and dataset and column):
            continue
        like = find_like(connection, dataset, _DATASETS_OF_COLUMN)
        nodes = _once(view, [node for node in like if node.kind == NodeKind.DATASET])
        known = list_columns(connection, view, [node.id for node in nodes])
        names = {
            (view.classes.chosen(each.dataset), each.name.lower()): each.name for each in known
        }
        shapes = [
            _shape(node, dataset, names[key])
            for node in nodes
            if (key := (view.classes.chosen(node.id), column.lower())) in names
        ]
        if shapes:
            return shapes
    return []


def _once(view: View, nodes: list[NodeRecord]) -> list[NodeRecord]:
    """Each node once, by the likeliest of its names."""
    view.classes.resolve(node.id for node in nodes if node.kind == NodeKind.DATASET)
    once: dict[bytes, NodeRecord] = {}
    for node in nodes:
        once.setdefault(view.classes.chosen(node.id), node)
    return list(once.values())


def _shape(node: NodeRecord, name: str, field: str = "") -> Shape:
    if node.kind == NodeKind.JOB:
        id, kind = job_node_id(node.namespace, node.name), "JOB"
    else:
        id = field_node_id(node.namespace, node.name, field)
        kind = "DATASET_FIELD" if field else "DATASET"
    requested = name.lower().strip()
    is_exact = requested in (node.name.lower(), f"{node.namespace}|{node.name}".lower())
    return {
        "id": id,
        "type": kind,
        "namespace": node.namespace,
        "name": node.name,
        "field": field or None,
        "isExact": is_exact,
    }
