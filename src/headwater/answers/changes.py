"""Changes between two times as JSON: names instead of ids, and who brought each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.answers.nodes import WalkRequest, find_node
from headwater.errors import NotFound
from headwater.graph.answer import Graph, Towards
from headwater.graph.diff import Change, compare
from headwater.graph.everything import find_everything
from headwater.graph.node_id import dataset_node_id, field_node_id, job_node_id
from headwater.graph.view import View
from headwater.graph.walk import Limits
from headwater.model.uses import Name
from headwater.model.values.ids import run_name
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.read.edits import find_actors
from headwater.store.read.nodes import list_ids
from headwater.store.read.runs import read_runs

Shape = dict[str, Any]

# Where a change names nodes.
_NAMING = ("subject", "origin", "destination", "job")


def find_graphs(
    connection: Connection,
    views: tuple[View, View],
    node_id: str | None,
    direction: Towards,
    limits: Limits,
) -> tuple[Graph, Graph]:
    """The graphs around a node as of both times, or as much of all there is as the limit allows."""
    old, new = views
    if not node_id:
        jobs, datasets = list_ids(connection, new.at, limits.nodes)
        both = [find_everything(view, jobs, datasets, limits.nodes) for view in views]
    else:
        try:
            node = find_node(connection, new, node_id)
        except NotFound:
            node = find_node(connection, old, node_id)
        both = [WalkRequest(node, direction, limits).walk(view) for view in views]
    return both[0], both[1]


def compared_shape(
    connection: Connection,
    views: tuple[View, View],
    graphs: tuple[Graph, Graph],
    without: frozenset[str],
    limit: int,
) -> Shape:
    """All changes between two graphs, but for some types."""
    changes = [each for each in compare(*views, *graphs) if each.what not in without]
    shape = changes_shape(connection, views[1], changes, limit)
    return {**shape, "isCut": any(graph.is_cut for graph in graphs), "next": None}


def changes_shape(connection: Connection, view: View, changes: list[Change], limit: int) -> Shape:
    """The changes by the time that brought them, as many as requested, and counts of all."""
    names = ChangeNames(connection, view)
    shapes = [shape for shape, _ in names.shapes(changes)]
    shapes.sort(key=lambda shape: (shape["at"] or "", shape["type"], shape["subject"]))
    counts = Counter(f"{shape['type']} {shape['change']}" for shape in shapes)
    return {
        "changes": shapes[:limit],
        "nodes": names.nodes_of(shapes[:limit]),
        "totalCount": len(shapes),
        "counts": dict(sorted(counts.items())),
    }


class ChangeNames:
    """Node ids of all that changes speak of, and the names of runs and people behind them."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._classes = view.classes
        self._datasets: dict[bytes, Name] = {}
        self._ids: dict[bytes, str] = {}
        self._runs: dict[bytes, str] = {}
        self._actors: dict[tuple[int, bytes], str] = {}
        # What ids stand for: an id alone can be read in several ways.
        self._nodes: dict[str, Shape] = {}

    def shapes(self, changes: Sequence[Change]) -> list[tuple[Shape, Change]]:
        """Changes as they are written."""
        self._read(changes)
        return [(self.shape(change), change) for change in changes]

    def nodes_of(self, shapes: Iterable[Shape]) -> dict[str, Shape]:
        """The nodes that some of them name."""
        ids = {
            id
            for shape in shapes
            for part in (shape, shape["cause"] or {})
            for key in _NAMING
            if (id := part.get(key)) in self._nodes
        }
        return {id: self._nodes[id] for id in sorted(ids)}

    def _read(self, changes: Sequence[Change]) -> None:
        ids = {part for change in changes for part in change.subject if isinstance(part, bytes)}
        ids |= {change.cause.job for change in changes if change.cause.job}
        ids -= self._ids.keys()
        reader = self._view.reader
        datasets, jobs = reader.dataset_names(ids), reader.job_names(ids)
        self._datasets |= datasets
        self._ids |= {id: dataset_node_id(*name) for id, name in datasets.items()}
        self._ids |= {id: job_node_id(*name) for id, name in jobs.items()}
        self._nodes |= {
            self._ids[id]: {"type": kind, "namespace": name[0], "name": name[1], "field": None}
            for kind, names in (("DATASET", datasets), ("JOB", jobs))
            for id, name in names.items()
        }
        runs = {change.cause.run for change in changes if change.cause.run}
        read = read_runs(self._connection, runs - self._runs.keys())
        self._runs |= {key: run.id for key, run in read.items()}
        times = {change.cause.at for change in changes if change.cause.is_edit and change.cause.at}
        self._actors |= find_actors(self._connection, times)

    def shape(self, change: Change) -> Shape:
        kind = "changed" if change.before is not None else "added"
        if change.after is None:
            kind = "removed"
        at = change.cause.at
        return {
            "type": change.what,
            "change": kind,
            **self._subject(change),
            "before": change.before,
            "after": change.after,
            "at": None if at is None else format_instant(at),
            "cause": self._cause(change),
        }

    def _subject(self, change: Change) -> Shape:
        match change.what, change.subject:
            case "edge", (bytes() as origin, bytes() as destination):
                ends = {"origin": self._id(origin), "destination": self._id(destination)}
                return {"subject": " -> ".join(ends.values()), **ends}
            case "field", (bytes() as dataset, str() as field):
                return {"subject": self._field(dataset, field)}
            case "column", (
                bytes() as source,
                str() as column,
                bytes() as dataset,
                str() as field,
                bytes() as job,
            ):
                ends = {
                    "origin": self._field(source, column),
                    "destination": self._field(dataset, field),
                }
                return {"subject": " -> ".join(ends.values()), **ends, "job": self._id(job)}
            case _, (bytes() as node,):
                return {"subject": self._id(node)}
        raise AssertionError(change.what)

    def _id(self, node: bytes) -> str:
        return self._ids.get(node, node.hex())

    def _field(self, dataset: bytes, field: str) -> str:
        name = self._datasets.get(dataset)
        if name is None:
            return f"{dataset.hex()}:{field}"
        id = field_node_id(*name, field)
        kind = "DATASET_FIELD" if field else "DATASET"
        self._nodes[id] = {"type": kind, **name._asdict(), "field": field or None}
        return id

    def _actor(self, change: Change) -> str | None:
        """Who edited one of a change's ends, under any of its names."""
        nodes = [part for part in change.subject if isinstance(part, bytes)]
        names = [name for node in nodes for name in self._classes.names(node)]
        found = (self._actors.get((change.cause.at or 0, name)) for name in names)
        return next((actor for actor in found if actor), None)

    def _cause(self, change: Change) -> Shape | None:
        cause = change.cause
        if cause.is_edit:
            return {"type": "edit", "actor": self._actor(change)}
        if cause.run is not None:
            job = self._id(cause.job) if cause.job else None
            return {
                "type": "run",
                "run": self._runs.get(cause.run, run_name(cause.run, None)),
                "job": job,
            }
        if cause.at is not None:
            return {"type": "declaration", "job": self._id(cause.job) if cause.job else None}
        return None
