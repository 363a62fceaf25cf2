"""Finding the nodes that an id or a name means, and the walk that is requested from one."""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import product
from typing import NamedTuple

from headwater.errors import InvalidRequest, NotFound
from headwater.graph.answer import Graph, NodeKind, Towards
from headwater.graph.node_id import ParsedNodeId, field_node_id, job_node_id, read_node_id
from headwater.graph.view import View
from headwater.graph.walk import Limits, walk_from_dataset, walk_from_job
from headwater.model.uses import NOW
from headwater.model.values.ids import dataset_id
from headwater.store.engine import Connection
from headwater.store.lineage.cluster_names import clusters_of
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.nodes import NodeRecord, find_holding, find_like

MOST_NODES = 50_000
_NEAR = 5
# Where nothing holds a name, what holds three letters of it in a row is looked through.
_MOST_PIECES = 8
_CANDIDATES = 1_000
_LIKE = 0.6


class WalkRequest(NamedTuple):
    """A walk that is requested."""

    node: ParsedNodeId
    towards: Towards
    limits: Limits

    def walk(self, view: View) -> Graph:
        """Walk over datasets and jobs; from a column as from its dataset."""
        start = walk_from_job if self.node.kind is NodeKind.JOB else walk_from_dataset
        return start(view, self.node.id, self.towards, self.limits)


def find_node(connection: Connection, view: View, text: str, where: str = "nodeId") -> ParsedNodeId:
    """Find the node that an id means: of all ways to read it the first that exists."""
    if not text:
        raise InvalidRequest(where, "empty; give a node id")
    readings = read_node_id(text, where)
    for reading in list_existing(view, [*readings, *_by_cluster(connection, readings)]):
        return reading
    last = min((reading.name for reading in readings), key=len)
    raise NotFound("node", text[:500], near=list_near(connection, last, readings[0].kind))


def _by_cluster(connection: Connection, readings: Iterable[ParsedNodeId]) -> Iterator[ParsedNodeId]:
    """Topics by other names of their cluster; they count where nothing has the name itself."""
    clusters = clusters_of(connection)
    for each in readings:
        if each.kind is not NodeKind.JOB:
            for other in clusters.others(each.namespace, each.name):
                yield ParsedNodeId(each.kind, dataset_id(*other), *other, each.field)


def list_existing(view: View, readings: list[ParsedNodeId]) -> list[ParsedNodeId]:
    """Those ways to read an id by which there is a node, not deleted under any of its names."""
    is_job = readings[0].kind is NodeKind.JOB
    find = view.reader.job_names if is_job else view.reader.dataset_names
    existing = set(find(reading.id for reading in readings))
    if not is_job:
        view.classes.resolve(existing)
    existing -= view.hidden(existing)
    return [reading for reading in readings if reading.id in existing]


def list_near(connection: Connection, name: str, kind: NodeKind | None = None) -> list[str]:
    """Ids of nodes that may have been meant: those that hold the name, else parts of it."""
    found = find_like(connection, name, _NEAR, only_listed=True)
    if not found:
        like = find_holding(connection, _pieces(name), _CANDIDATES)
        found = sorted(like, key=lambda node: (-_likeness(name, node), node))[:_NEAR]
        found = [node for node in found if _likeness(name, node) > _LIKE]
    found.sort(key=lambda node: kind is not None and node.kind != kind)
    return [node_id(node) for node in found]


def _pieces(name: str) -> list[str]:
    """Some letters of a name in a row, from its end on: names differ most there."""
    starts = range(max(0, len(name) - 3), -1, -2)
    return [name[start : start + 3] for start in starts[:_MOST_PIECES]]


def _likeness(name: str, node: NodeRecord) -> float:
    """How much of a name, or of its last part, is in another."""
    return max(
        SequenceMatcher(None, given.lower(), known.lower()).ratio()
        for given, known in product(_with_last_part(name), _with_last_part(node.name))
    )


def _with_last_part(name: str) -> set[str]:
    return {name, re.split("[./]", name)[-1]}


def node_id(node: NodeRecord) -> str:
    if node.kind == NodeKind.JOB:
        return job_node_id(node.namespace, node.name)
    return field_node_id(node.namespace, node.name, "")


def view_at(connection: Connection, as_of: int | None) -> View:
    return View(StoreReader(connection), NOW if as_of is None else as_of)
