"""Changes between two times as JSON: names instead of ids, and who brought each."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from headwater.graph.diff import Change
from headwater.graph.node_id import dataset_node_id, field_node_id, job_node_id
from headwater.graph.view import View
from headwater.model.ids import run_name
from headwater.model.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.read.edits import find_actors
from headwater.store.read.runs import read_runs

Shape = dict[str, Any]


def changes_shape(connection: Connection, view: View, changes: list[Change], limit: int) -> Shape:
    """The changes by the time that brought them, as many as asked for, and counts of all."""
    named = _Names(connection, view, changes)
    shapes = [named.shape(change) for change in changes]
    shapes.sort(key=lambda shape: (shape["at"] or "", shape["type"], shape["subject"]))
    counts = Counter(f"{shape['type']} {shape['change']}" for shape in shapes)
    return {
        "changes": shapes[:limit],
        "nodes": dict(sorted(named.nodes.items())),
        "totalCount": len(shapes),
        "counts": dict(sorted(counts.items())),
    }


class _Names:
    """Node ids of all that changes speak of, and the names of runs and people behind them."""

    def __init__(self, connection: Connection, view: View, changes: Iterable[Change]) -> None:
        ids = {part for change in changes for part in change.subject if isinstance(part, bytes)}
        ids |= {change.cause.job for change in changes if change.cause.job}
        self._datasets = view.reader.dataset_names(ids)
        self._ids = {id: dataset_node_id(*name) for id, name in self._datasets.items()}
        jobs = view.reader.job_names(ids)
        self._ids |= {id: job_node_id(*name) for id, name in jobs.items()}
        # What ids stand for: an id alone can be read in several ways.
        self.nodes: dict[str, Shape] = {
            self._ids[id]: {"type": kind, "namespace": name[0], "name": name[1], "field": None}
            for kind, names in (("DATASET", self._datasets), ("JOB", jobs))
            for id, name in names.items()
        }
        runs = {change.cause.run for change in changes if change.cause.run}
        self._runs = {key: run.id for key, run in read_runs(connection, runs).items()}
        times = {change.cause.at for change in changes if change.cause.is_edit and change.cause.at}
        self._actors = find_actors(connection, times)
        self._classes = view.classes

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
        self.nodes[id] = {"type": kind, **name._asdict(), "field": field or None}
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
